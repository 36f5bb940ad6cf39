internal import CMicroHTTPD
internal import Synchronization
internal import Platform

/// The shared state of the server's threads, and the steps of a request.
final class ServerCore: Sendable {
    /// The largest number of bytes beyond the largest content that are read from chunks, so that the client gets an answer.
    static let maximumSkipped = 262_144
    /// The largest head of a request, in bytes.
    static let maximumHead = 16_384
    /// The memory of libmicrohttpd for one connection, in bytes: a request head with its table of fields, and the head of an answer.
    static let connectionMemory = 32_768
    /// The number of places for the reserved path.
    static let reserve = 16

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
            maximumOfNetwork: options.maximumConnectionsOfOneAddress,
            reserve: options.reservedPath == nil ? 0 : Self.reserve)
        proxies = TrustedProxies(options.trustedProxies)
        lanes = WorkLanes(options.lanes)
    }

    /// The deadline of a connection that is idle from now on.
    var deadline: MonotonicTime {
        options.timeout > .zero ? .now + options.timeout : .never
    }

    /// The first line of a request was read.
    func begin(on connection: ClientConnection, target: [UInt8]) -> RequestExchange {
        // The time of the first request runs from the start of the connection.
        connection.turn(
            to: .reading, until: connection.hadRequest ? deadline : connection.end)
        return RequestExchange(
            connection: connection, target: target, isEncrypted: options.identity != nil)
    }

    /// The head of a request was read.
    func take(_ head: RequestHead, for exchange: RequestExchange, on handle: OpaquePointer) -> Bool
    {
        exchange.take(head, believing: proxies)
        switch head.framing(maximumHead: Self.maximumHead, maximumBody: options.maximumBodySize) {
        case _
        where exchange.connection.isReserve && exchange.request.path != options.reservedPath:
            return unsafe refuse(exchange, status: 503, on: handle)
        case .content(let size):
            if size > 0 { exchange.body = BodyCollector(size: size) }
            exchange.phase = .content
            return true
        case .chunks:
            // libmicrohttpd finds the end of chunks less strictly than others: no byte after it is parsed as a request.
            exchange.isLast = true
            exchange.body = BodyCollector(
                size: options.maximumBodySize == 0 ? .max : options.maximumBodySize,
                skipping: Self.maximumSkipped)
            exchange.phase = .content
            return true
        case .refused(let status):
            return unsafe refuse(exchange, status: status, on: handle)
        }
    }

    /// A piece of the content was read; false if it exceeds the announced size, or much exceeds the largest one.
    func take(_ bytes: UnsafeMutableRawBufferPointer, for exchange: RequestExchange) -> Bool {
        unsafe exchange.body?.take(bytes) ?? false
    }

    /// The request is complete.
    func answer(_ exchange: RequestExchange, on handle: OpaquePointer) -> Bool {
        if exchange.body?.isTooLarge == true {
            return unsafe refuse(exchange, status: 413, on: handle)
        }
        exchange.takeContent()
        switch handler.answer(exchange.request) {
        case .now(let response):
            return unsafe send(response, for: exchange, on: handle)
        case .later(let lane, let body, let overload):
            unsafe lanes.submit(
                suspend(exchange, on: handle), to: lane, body, overload: overload)
            return true
        case .waiting(let body):
            unsafe lanes.held.hold(suspend(exchange, on: handle), body)
            return true
        }
    }

    /// Lets another thread answer; the thread of the connection serves others meanwhile.
    private func suspend(_ exchange: RequestExchange, on handle: OpaquePointer) -> SuspendedAnswer {
        unsafe MHD_suspend_connection(handle)
        let answer = unsafe SuspendedAnswer(
            connection: handle, descriptor: exchange.connection.descriptor)
        exchange.phase = .suspended(answer)
        exchange.connection.turn(to: .waiting, until: .never)
        return answer
    }

    /// Queues an answer in libmicrohttpd.
    func send(_ response: HTTPResponse, for exchange: RequestExchange, on handle: OpaquePointer)
        -> Bool
    {
        exchange.phase = .answered
        exchange.status = response.status
        exchange.connection.turn(to: .answering, until: deadline)
        return unsafe response.send(
            to: handle, closing: exchange.isLast || isStopping.load(ordering: .relaxed))
    }

    private func refuse(_ exchange: RequestExchange, status: Int, on handle: OpaquePointer) -> Bool
    {
        // libmicrohttpd closes the connection after some refusals only; this covers the others.
        exchange.isLast = true
        return unsafe send(
            handler.refuse(exchange.request, status: status), for: exchange, on: handle)
    }

    /// The answer is complete, or the connection ended.
    func end(_ exchange: RequestExchange, status: Int?) {
        let connection = exchange.connection
        connection.turn(to: .idle, until: deadline)
        if exchange.isLast { lingering.add(connection.descriptor) }
        handler.didAnswer(
            HTTPExchange(
                request: exchange.request, status: status,
                duration: ContinuousClock.now - exchange.beginning))
    }
}
