internal import CMicroHTTPD
internal import Synchronization

/// What the threads of a server share, and what they do with a request.
final class ServerCore: Sendable {
    /// The largest head of a request, in bytes.
    static let maximumHead = 16_384
    /// What the library may use for one connection: a head with its table of fields, and an answer's head.
    static let connectionMemory = 32_768

    let handler: any HTTPHandler
    let options: HTTPServerOptions
    let connections: ConnectionTable
    let lanes: WorkLanes
    let proxies: TrustedProxies
    let lingering = LingeringSockets()
    let isStopping = Atomic<Bool>(false)

    init(_ options: HTTPServerOptions, _ handler: any HTTPHandler) {
        self.handler = handler
        self.options = options
        connections = ConnectionTable(
            maximum: options.maximumConnections,
            maximumOfNetwork: options.maximumConnectionsOfOneAddress)
        proxies = TrustedProxies(options.trustedProxies)
        lanes = WorkLanes(options.lanes)
    }

    /// When a connection is cut off that does nothing from now on.
    var deadline: MonotonicTime {
        options.timeout > .zero ? .now + options.timeout : .never
    }

    /// The first line of a request was read.
    func begin(on connection: ClientConnection, target: [UInt8]) -> Exchange {
        // The first request's time runs from the beginning of its connection.
        connection.turn(
            to: .reading, until: connection.hadRequest ? deadline : connection.end)
        return Exchange(
            connection: connection, target: target, isEncrypted: options.identity != nil)
    }

    /// The head of a request was read.
    func take(_ head: RequestHead, for exchange: Exchange, on handle: OpaquePointer) -> Bool {
        exchange.take(head, believing: proxies)
        do throws(RequestHead.Refusal) {
            let size = try head.contentSize(
                maximumHead: Self.maximumHead, maximumBody: options.maximumBodySize)
            if size > 0 { exchange.body = BodyCollector(size: size) }
            exchange.phase = .content
            return true
        } catch {
            return unsafe refuse(exchange, status: error.status, on: handle)
        }
    }

    /// A piece of the content was read; false if that is more than was said.
    func take(_ bytes: UnsafeMutableRawBufferPointer, for exchange: Exchange) -> Bool {
        unsafe exchange.body?.take(bytes) ?? false
    }

    /// The request is complete.
    func answer(_ exchange: Exchange, on handle: OpaquePointer) -> Bool {
        exchange.takeContent()
        switch handler.answer(exchange.request) {
        case .now(let response):
            return unsafe send(response, for: exchange, on: handle)
        case .later(let lane, let body, let overload):
            unsafe MHD_suspend_connection(handle)
            let answer = unsafe SuspendedAnswer(
                connection: handle, descriptor: exchange.connection.descriptor)
            exchange.phase = .suspended(answer)
            exchange.connection.turn(to: .waiting, until: .never)
            lanes.submit(answer, to: lane, body, overload: overload)
            return true
        }
    }

    /// Hands an answer to the library.
    func send(_ response: HTTPResponse, for exchange: Exchange, on handle: OpaquePointer) -> Bool {
        exchange.phase = .answered
        exchange.status = response.status
        exchange.connection.turn(to: .answering, until: deadline)
        return unsafe response.send(
            to: handle, closing: exchange.isRefused || isStopping.load(ordering: .relaxed))
    }

    private func refuse(_ exchange: Exchange, status: Int, on handle: OpaquePointer) -> Bool {
        // The library does that by itself where it has not read the content, but for reasons of its own.
        exchange.isRefused = true
        return unsafe send(
            handler.refuse(exchange.request, status: status), for: exchange, on: handle)
    }

    /// The answer is complete, or there will be none.
    func end(_ exchange: Exchange, status: Int?) {
        let connection = exchange.connection
        connection.turn(to: .idle, until: deadline)
        if exchange.isRefused { lingering.add(connection.descriptor) }
        handler.didAnswer(
            HTTPExchange(
                request: exchange.request, status: status,
                duration: ContinuousClock.now - exchange.beginning))
    }
}
