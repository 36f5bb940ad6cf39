internal import CCurl
internal import Platform
internal import SecretMemory

/// The state of one transfer for libcurl's callbacks, on the calling thread.
@safe final class CurlTransfer {
    private let options: HTTPClientOptions
    private(set) var head = ResponseHead()
    /// The content that remains to be sent.
    private var outgoing = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether a connection took a part of the content.
    private(set) var hasSent = false
    private var content: ContentBuffer
    /// The error with which a callback ended the transfer.
    private(set) var failure: (any Error)?
    /// The allowed addresses of connections.
    let reach: UnsafeMutablePointer<ccurl_reach>

    init(_ options: HTTPClientOptions, onlyLoopback: Bool) throws {
        self.options = options
        content = try ContentBuffer(limit: options.maximumContentSize)
        unsafe reach = .allocate(capacity: 1)
        unsafe reach.initialize(
            to: ccurl_reach(
                only_loopback: onlyLoopback, only_public: options.onlyPublicAddresses,
                did_refuse: false))
    }

    deinit {
        unsafe reach.deallocate()
    }

    /// Lends content to be sent while `body` runs.
    func sending<Result: ~Copyable>(
        _ bytes: UnsafeRawBufferPointer, _ body: () throws -> Result
    ) throws -> Result {
        unsafe outgoing = unsafe bytes
        defer { unsafe outgoing = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try body()
    }

    /// Returns the received content, once, after the transfer.
    func takeContent() throws -> SecretBytes {
        var empty = try ContentBuffer(limit: 0)
        swap(&empty, &content)
        return empty.finish()
    }

    /// The context pointer of the callbacks. It does not retain this object.
    var context: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

    static let headCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let transfer = unsafe CurlTransfer.of(context) else { return 0 }
        return unsafe transfer.receiveHead(
            UnsafeRawBufferPointer(start: bytes, count: size * count))
            ? size * count : 0
    }

    static let contentCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let transfer = unsafe CurlTransfer.of(context) else { return 0 }
        let received = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
        return unsafe transfer.receiveContent(received) ? size * count : 0
    }

    static let sendingCallback: ccurl_data_callback = { bytes, size, count, context in
        guard let transfer = unsafe CurlTransfer.of(context) else { return 0 }
        return unsafe transfer.send(
            into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        unsafe context.map { unsafe Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func receiveHead(_ line: UnsafeRawBufferPointer) -> Bool {
        guard line.count <= options.maximumHeadSize - head.size else {
            failure = HTTPClientError.headTooLarge
            return false
        }
        guard unsafe head.parse(RawSpan(_unsafeBytes: line)) else {
            failure = HTTPClientError.answerMalformed
            return false
        }
        guard head.contentLength ?? 0 <= options.maximumContentSize else {
            failure = HTTPClientError.contentTooLarge
            return false
        }
        return true
    }

    private func receiveContent(_ bytes: UnsafeRawBufferPointer) -> Bool {
        do {
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

extension CurlTransfer {
    /// Translates the result of the transfer.
    ///
    /// - Parameters:
    ///   - code: libcurl's code.
    ///   - handle: The transfer in libcurl.
    ///   - url: The URL of the request.
    ///   - ranOutOfMemory: Whether an allocation of libcurl failed.
    /// - Returns: ``HTTPClientError`` or `SecretMemoryError`; nil for a successful response.
    func error(
        _ code: UInt32, _ handle: borrowing CurlHandle, _ url: WebURL, ranOutOfMemory: Bool
    ) -> (any Error)? {
        let didRefuse = unsafe reach.pointee.did_refuse
        if !didRefuse {
            if let failure { return failure }
            if code != CCURLE_OK, ranOutOfMemory { return SecretMemoryError.outOfMemory }
        }
        let refused: HTTPClientError = options.onlyPublicAddresses ? .notPublic : .notLoopback
        let error = didRefuse ? refused : httpError(code, handle, url)
        // After a dead reused connection libcurl reports the error of the next one. The first one
        // may have taken the content.
        if hasSent, let error, !error.mayHaveArrived { return HTTPClientError.connectionLost }
        return error
    }

    private func httpError(
        _ code: UInt32, _ handle: borrowing CurlHandle, _ url: WebURL
    ) -> HTTPClientError? {
        if code == CCURLE_OK { return refusal(of: url) }
        switch Int(code) {
        case CCURLE_COULDNT_RESOLVE_HOST: return .hostNotFound
        case CCURLE_COULDNT_RESOLVE_PROXY, CCURLE_PROXY: return .proxyFailed(status: nil)
        case CCURLE_COULDNT_CONNECT:
            return handle.number(CCURLINFO_OS_ERRNO) == Int(ECONNREFUSED)
                ? .connectionRefused : .unreachable
        case CCURLE_OPERATION_TIMEDOUT:
            return isConnected(handle) ? .timedOut : .connectingTimedOut
        case CCURLE_SSL_CONNECT_ERROR: return .handshakeFailed
        case CCURLE_PEER_FAILED_VERIFICATION: return .certificate(problem(handle))
        case CCURLE_SSL_PINNEDPUBKEYNOTMATCH: return .certificate(.keyNotPinned)
        case CCURLE_SSL_CACERT_BADFILE, CCURLE_SSL_CERTPROBLEM: return .authoritiesMalformed
        case CCURLE_UNSUPPORTED_PROTOCOL, CCURLE_WEIRD_SERVER_REPLY: return .answerMalformed
        case CCURLE_PARTIAL_FILE: return .answerIncomplete
        case CCURLE_GOT_NOTHING, CCURLE_SEND_ERROR, CCURLE_RECV_ERROR, CCURLE_SEND_FAIL_REWIND:
            return lost(handle)
        // libcurl reports its own limit for a header line with this code.
        case CCURLE_OUT_OF_MEMORY, CCURLE_TOO_LARGE: return .headTooLarge
        default: return .libraryFailed(code: code)
        }
    }

    /// The error in a complete response; nil for a success.
    private func refusal(of url: WebURL) -> HTTPClientError? {
        guard head.isComplete else {
            return head.status == 0 ? .answerMalformed : .answerIncomplete
        }
        if (300...399).contains(head.status), head.status != 304 {
            return .redirected(status: head.status, host: head.target(from: url))
        }
        // libcurl treats a broken connection as the end of the content, even with TLS.
        return head.definesEnd ? nil : .answerIncomplete
    }

    private func lost(_ handle: borrowing CurlHandle) -> HTTPClientError {
        let proxyStatus = handle.number(CCURLINFO_HTTP_CONNECTCODE)
        if proxyStatus != 0, !isConnected(handle) { return .proxyFailed(status: proxyStatus) }
        return head.isComplete ? .answerIncomplete : .connectionLost
    }

    private func isConnected(_ handle: borrowing CurlHandle) -> Bool {
        handle.size(CCURLINFO_PRETRANSFER_TIME_T) > 0
    }

    /// Translates OpenSSL's codes (x509_vfy.h). libcurl itself compares names after OpenSSL
    /// accepted the rest.
    private func problem(
        _ handle: borrowing CurlHandle
    ) -> HTTPClientError.CertificateProblem {
        let code = handle.number(CCURLINFO_SSL_VERIFYRESULT)
        guard handle.hasOpenSSL else { return .other(code: code) }
        return switch code {
        case 0, 1, 62, 64: .otherName
        case 9: .notYetValid
        case 10: .expired
        case 2, 18, 19, 20, 21, 27: .unknownAuthority
        default: .other(code: code)
        }
    }
}

/// The content of a response, in guarded memory that grows.
struct ContentBuffer: ~Copyable {
    private static let firstSize = 4_096

    private var buffer: SecretBytes
    private let limit: Int
    private var count = 0

    /// Makes an empty buffer for up to `limit` bytes.
    init(limit: Int) throws {
        self.limit = limit
        buffer = try SecretBytes(count: min(limit, Self.firstSize))
    }

    /// Appends bytes, or throws `contentTooLarge`.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        guard bytes.count <= limit - count else { throw HTTPClientError.contentTooLarge }
        if bytes.count > buffer.count - count { try grow(to: count + bytes.count) }
        let offset = count
        buffer.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(
                    from: bytes)
            }
        }
        count += bytes.count
    }

    private mutating func grow(to size: Int) throws {
        var larger = try SecretBytes(count: min(limit, max(size, 2 * buffer.count)))
        buffer.withBytes { old in
            larger.withMutableBytes { new in
                unsafe new.withUnsafeMutableBytes { target in
                    unsafe old.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                }
            }
        }
        buffer = larger
    }

    /// Returns the content.
    consuming func finish() -> SecretBytes {
        buffer.keep(count: count)
        return buffer
    }
}
