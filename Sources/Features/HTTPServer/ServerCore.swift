internal import CMicroHTTPD
internal import Synchronization
internal import Platform

/// The shared state of the server's threads, and the processing of a request.
final class ServerCore: Sendable {
    /// The number of bytes beyond the maximum content that are read from chunks, so that the client
    /// gets a response.
    static let maximumSkipped = 262_144
    /// The number of connections beyond the limit that are accepted for requests to the reserved path, such as a health probe.
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
            maximumPerNetwork: options.maximumConnectionsOfOneAddress,
            reserve: options.reservedPath == nil ? 0 : Self.reserve)
        proxies = TrustedProxies(options.trustedProxies)
        lanes = WorkLanes(options.lanes)
    }

    /// libmicrohttpd's memory for one connection, in bytes: a request head with its table of
    /// fields, and a response head. It reads into one half; beyond, it reads a kilobyte at a time,
    /// and searches the line from its start each time.
    var connectionMemory: Int { 2 * options.maximumHeadSize }

    /// The deadline of a connection that becomes idle now.
    var deadline: MonotonicTime {
        options.timeout > .zero ? options.now() + options.timeout : .never
    }

    /// The slowest rate at which large content is received and sent, in bytes in a second: a limit of time for small content would cut it off.
    private static let slowestRate = 32_768
    /// The most that it adds to the limit of time, in seconds.
    private static let longestTransfer = 40

    /// The deadline of content that begins to travel now.
    private func deadline(ofContent size: Int) -> MonotonicTime {
        guard options.timeout > .zero else { return .never }
        return deadline + .seconds(min(size / Self.slowestRate, Self.longestTransfer))
    }

    /// Handles the first line of a request.
    func begin(on connection: ClientConnection, target: [UInt8]) -> RequestExchange {
        // The time of the first request starts with the connection.
        connection.enter(.reading, until: connection.hadRequest ? deadline : connection.end)
        return RequestExchange(
            connection: connection, target: target, isEncrypted: options.identity != nil)
    }

    /// Handles the head of a request.
    func receive(_ head: RequestHead, for exchange: RequestExchange, on handle: OpaquePointer)
        -> Bool
    {
        exchange.apply(head, trusting: proxies)
        switch head.framing(
            maximumHead: options.maximumHeadSize, maximumBody: options.maximumBodySize)
        {
        case _
        where exchange.connection.isReserve && exchange.request.path != options.reservedPath:
            return unsafe refuse(exchange, status: 503, on: handle)
        case .content(let size):
            if size > 0 { exchange.body = BodyCollector(size: size) }
            exchange.phase = .content
            return true
        case .chunks:
            // libmicrohttpd finds the end of chunks less strictly than proxies. No byte after it is
            // parsed as a request.
            exchange.isLast = true
            exchange.body = BodyCollector(
                size: options.maximumBodySize == 0 ? .max : options.maximumBodySize,
                skipping: Self.maximumSkipped)
            exchange.phase = .content
            return true
        case .large(let size):
            switch handler.admission(of: exchange.request, size: size) {
            case .tooLarge: return unsafe refuse(exchange, status: 413, on: handle)
            case .busy: return unsafe refuse(exchange, status: 503, on: handle)
            case .admitted(let place):
                exchange.place = place
                exchange.body = BodyCollector(size: size, isAdmitted: true)
                exchange.phase = .content
                exchange.connection.enter(.reading, until: deadline(ofContent: size))
                return true
            }
        case .refused(let status):
            return unsafe refuse(exchange, status: status, on: handle)
        }
    }

    /// Handles a part of the content; false if it exceeds the announced size, or the maximum and
    /// the skipped bytes.
    func receive(_ bytes: UnsafeMutableRawBufferPointer, for exchange: RequestExchange) -> Bool {
        unsafe exchange.body?.append(bytes) ?? false
    }

    /// Handles a complete request.
    func answer(_ exchange: RequestExchange, on handle: OpaquePointer) -> Bool {
        if exchange.chunkLines?.areStrict == false {
            return unsafe refuse(exchange, status: 400, on: handle)
        }
        if exchange.body?.isTooLarge == true {
            return unsafe refuse(exchange, status: 413, on: handle)
        }
        exchange.finishBody()
        switch handler.answer(exchange.request) {
        case .now(let response):
            return unsafe send(response, for: exchange, on: handle)
        case .later(let lane, let requester, let body, let overload):
            unsafe lanes.submit(
                suspend(exchange, on: handle), to: lane, for: requester, body, overload: overload)
            return true
        case .deferred(let body):
            unsafe lanes.deferred.add(suspend(exchange, on: handle), body)
            return true
        }
    }

    /// Suspends the connection. Its thread serves other connections until another thread responds.
    private func suspend(_ exchange: RequestExchange, on handle: OpaquePointer) -> SuspendedResponse
    {
        unsafe cmicrohttpd_suspend(handle)
        let answer = unsafe SuspendedResponse(
            connection: handle, descriptor: exchange.connection.descriptor)
        exchange.phase = .suspended(answer)
        exchange.connection.enter(.waiting, until: .never)
        return answer
    }

    /// Queues a response in libmicrohttpd.
    func send(_ response: HTTPResponse, for exchange: RequestExchange, on handle: OpaquePointer)
        -> Bool
    {
        exchange.phase = .answered
        exchange.status = response.status
        exchange.connection.enter(.answering, until: deadline(ofContent: response.body.count))
        return unsafe response.send(
            to: handle, closing: exchange.isLast || isStopping.load(ordering: .relaxed))
    }

    private func refuse(_ exchange: RequestExchange, status: Int, on handle: OpaquePointer) -> Bool
    {
        // libmicrohttpd closes the connection after some refusals only.
        exchange.isLast = true
        return unsafe send(
            handler.refuse(exchange.request, status: status), for: exchange, on: handle)
    }

    /// Marks the connection as idle and tells the handler, after the response was sent or the connection ended.
    func end(_ exchange: RequestExchange, status: Int?) {
        let connection = exchange.connection
        connection.enter(.idle, until: deadline)
        if exchange.isLast { lingering.add(connection.descriptor) }
        handler.didAnswer(
            HTTPExchange(
                request: exchange.request, status: status,
                duration: BootTime.now - exchange.startTime))
    }
}
