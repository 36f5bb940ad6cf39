internal import CCurl
internal import SecretMemory

/// One exchange, as libcurl's callbacks see it, on the thread that asked.
@safe final class Exchange {
    private let options: HTTPClientOptions
    private(set) var head = ResponseHead()
    /// What is left to send.
    private var outgoing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether a connection has taken some of the content.
    private(set) var hasSent = false
    private var content: ReceivedContent
    /// Why a callback ended the exchange.
    private(set) var failure: HTTPClientError?
    /// Where connections may go.
    let reach: UnsafeMutablePointer<ccurl_reach>

    init(_ options: HTTPClientOptions, onlyLoopback: Bool) throws(HTTPClientError) {
        self.options = options
        do {
            content = try ReceivedContent(limit: options.maximumContentSize)
        } catch {
            throw .outOfMemory
        }
        unsafe reach = .allocate(capacity: 1)
        unsafe reach.initialize(
            to: ccurl_reach(only_loopback: onlyLoopback, did_refuse: false))
    }

    deinit {
        unsafe reach.deallocate()
    }

    /// Lends content to be sent while `body` runs.
    func sending<Result: ~Copyable, Failure: Error>(
        _ bytes: UnsafeRawBufferPointer, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe outgoing = unsafe bytes
        defer { unsafe outgoing = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try body()
    }

    /// The content, once; nothing comes after it.
    func takeContent() throws(HTTPClientError) -> SecretBytes {
        do {
            var empty = try ReceivedContent(limit: 0)
            swap(&empty, &content)
            return empty.finish()
        } catch {
            throw .outOfMemory
        }
    }

    /// As the context of libcurl's callbacks, which do not keep it.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static let headCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let exchange = unsafe Exchange.of(context) else { return 0 }
        return unsafe exchange.receiveHead(
            UnsafeRawBufferPointer(start: bytes, count: size * count))
            ? size * count : 0
    }

    static let contentCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let exchange = unsafe Exchange.of(context) else { return 0 }
        let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe exchange.receiveContent(received) ? size * count : 0
    }

    static let sendingCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let exchange = unsafe Exchange.of(context) else { return 0 }
        return unsafe exchange.send(
            into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> Exchange? {
        unsafe context.map { unsafe Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= options.maximumHeadSize - head.size else {
            failure = .headTooLarge
            return false
        }
        guard unsafe head.take(RawSpan(_unsafeBytes: line)) else {
            failure = .answerMalformed
            return false
        }
        guard head.contentLength ?? 0 <= options.maximumContentSize else {
            failure = .contentTooLarge
            return false
        }
        return true
    }

    private func receiveContent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do throws(HTTPClientError) {
            unsafe try content.append(bytes)
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func send(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = unsafe min(buffer.count, outgoing.count)
        if count > 0 { hasSent = true }
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: outgoing[..<count]))
        unsafe outgoing = UnsafeRawBufferPointer(rebasing: outgoing[count...])
        return count
    }
}
