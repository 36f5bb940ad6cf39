internal import Passkeys
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore
internal import VaultStorage

/// A connection to an agent of the same user, after the exchange of hellos.
final class AgentConnection {
    /// The version of the agent's program.
    let programVersion: String
    /// The identifier of its vault, 16 bytes.
    let vaultID: [UInt8]
    private let speaksOurVersion: Bool
    private let channel: FrameChannel
    let limits: AgentTimeLimits

    /// Connects to the agent and exchanges hellos.
    ///
    /// - Parameters:
    ///   - place: The vault's place.
    ///   - programVersion: The version of this program, for the agent.
    ///   - limits: The timeouts.
    /// - Throws: `notRunning`, `notTrusted`, `silent`, `connectionLost`, `malformed`, `system`.
    init(
        _ place: AgentPlace, programVersion: String, _ limits: AgentTimeLimits = .standard
    ) throws {
        try Self.requireOwnSocket(place.socket)
        let folder = try SocketFolder(of: place.socket)
        let descriptor = unsafe platform_connect(folder.socketPath)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ECONNREFUSED { throw AgentError.notRunning }
            // The listener accepted no client for five seconds.
            if errno == EAGAIN { throw AgentError.silent(process: nil) }
            throw AgentError.system("connect", errno)
        }
        channel = FrameChannel(descriptor)
        self.limits = limits
        guard PeerUser.isThisUser(channel.descriptor) else {
            throw AgentError.notTrusted(reason: "another user answers at \(place.socket.path)")
        }
        let hello: HelloAnswer
        do {
            let request = HelloRequest(
                protocolVersion: AgentProtocol.version, programVersion: programVersion)
            try channel.send(request.head, within: limits.frame)
            hello = try channel.receive(
                largest: AgentProtocol.largestHello, beginning: limits.hello, rest: limits.frame
            ) { payload in try payload.answer(HelloAnswer.self) }
        } catch AgentError.connectionLost {
            // The agent was exiting and received no request.
            throw AgentError.notRunning
        }
        self.programVersion = hello.programVersion
        vaultID = hello.vaultID
        speaksOurVersion = hello.protocolVersion == AgentProtocol.version
    }

    /// Refuses an agent with another protocol version.
    func requireOurVersion() throws {
        guard speaksOurVersion else { throw AgentError.otherVersion(programVersion) }
    }

    /// Whether the agent has closed the connection.
    var isStale: Bool { channel.isStale }

    /// Waits for the answer to a slow request, up to its limit. As soon as `isWithdrawn`, no more requests are sent: the agent sees that, and
    /// leaves undone what is not done yet. Its answer can still be received.
    ///
    /// - Returns: Whether it was withdrawn.
    func stopSending(unlessAnswered isWithdrawn: () -> Bool) -> Bool {
        let end = BootTime.now + limits.proof
        while !channel.isStale, .now < end {
            if isWithdrawn() {
                channel.finishSending()
                return true
            }
            channel.waitBriefly()
        }
        return false
    }

    /// The socket, readable when an answer begins.
    var descriptor: Int32 { channel.descriptor }

    /// Sends a request without a secret, and waits for its answer up to the given limit or the default one.
    func ask<Request: AgentRequest>(
        _ request: Request, within limit: Duration? = nil
    ) throws -> Request.Answer where Request.Part == Never {
        try send(request, within: limit)
        return try next(Request.Answer.self, within: limit ?? (Request.isSlow ? limits.proof : nil))
    }

    /// Sends a request with a secret, and waits for its answer.
    func ask<Request: AgentRequest>(
        _ request: Request, _ secret: RawSpan
    ) throws -> Request.Answer where Request.Part == Never {
        try send(request, secret)
        return try next(Request.Answer.self, within: Request.isSlow ? limits.proof : nil)
    }

    /// Sends a request whose answer has several messages; `body` receives all except the last one. `wait` is called before them.
    @discardableResult
    func ask<Request: AgentRequest>(
        _ request: Request, _ secret: RawSpan? = nil, awaiting wait: () -> Void = {},
        _ body: (Request.Part) throws -> Void
    ) throws -> Request.Answer where Request.Part: AgentMessage {
        if let secret { try send(request, secret) } else { try send(request) }
        wait()
        var limit = Request.isSlow ? limits.proof : nil
        while true {
            switch try next(Request.Part.self, or: Request.Answer.self, within: limit) {
            case .first(let part): try body(part)
            case .second(let answer): return answer
            }
            limit = nil
        }
    }

    /// Sends a request whose answer is a list.
    func list<Request: AgentRequest, Element: ListPageElement>(
        _ request: Request
    ) throws -> [Element] where Request.Part == ListPage<Element> {
        var all: [Element] = []
        try ask(request) { all += $0.elements }
        return all
    }

    /// Sends a request whose answer carries a secret; `body` receives both.
    func ask<Request: AgentRequest, Result: ~Copyable>(
        _ request: Request, _ body: (Request.Answer, borrowing SecretBytes) throws -> Result
    ) throws -> Result where Request.Part == Never {
        try send(request)
        return try next(Request.Answer.self, body)
    }

    /// Sends a request, without waiting for its answer.
    func send(_ request: some AgentRequest, within limit: Duration? = nil) throws {
        let head = request.head
        try requireRoom(head.count)
        try channel.send(head, within: limit ?? limits.frame)
    }

    /// Sends a request with a secret, without waiting for its answer.
    func send(_ request: some AgentRequest, _ secret: RawSpan, within limit: Duration? = nil) throws
    {
        let head = request.head
        try requireRoom(head.count + 4 + secret.byteCount)
        try channel.send(head, secret: secret, within: limit ?? limits.frame)
    }

    /// Sends requests for the first of these secrets, up to the limit of requests in flight, and
    /// receives their answers.
    ///
    /// Receives all answers before it throws an error, so that the connection stays usable.
    ///
    /// - Parameters:
    ///   - names: At least one name.
    ///   - body: Receives the index in `names` of each found secret, its description and its value.
    /// - Returns: The number of requested secrets.
    /// - Throws: The refusal of the first unreadable secret, or the failure of the connection.
    func readSome(
        _ names: ArraySlice<SecretName>, _ body: (Int, SecretItem, borrowing SecretBytes) -> Void
    ) throws -> Int {
        var frames: [[UInt8]] = []
        var size = 0
        for name in names {
            let frame = ReadRequest(name: name).head
            size += frame.count + 4
            guard frames.isEmpty || size <= AgentProtocol.mostAhead else { break }
            frames.append(frame)
        }
        try channel.send(frames, within: limits.frame)
        var refusal: AgentError?
        for index in names.indices.prefix(frames.count) {
            do {
                try next(ValueAnswer.self) { answer, value in
                    if refusal == nil { body(index, answer.item, value) }
                }
            } catch AgentError.vault(.store(.notFound)) {
                continue
            } catch let error as AgentError where error.isRefusal {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return frames.count
    }

    /// Receives the next answer to ``NextChunkRequest``; a chunk is lent to `body`.
    ///
    /// - Returns: `false` if the content has ended.
    func nextChunk(_ body: (RawSpan) throws -> Void) throws -> Bool {
        try receive { payload in
            switch try payload.answer(ChunkAnswer.self, or: DoneAnswer.self) {
            case .first:
                try payload.withBytes { try body($0) }
                return true
            case .second: return false
            }
        }
    }

    /// Receives the next answer and discards it, including a refusal.
    func skipAnswer() throws { try receive { _ in } }

    /// Makes the agent exit, and waits until it has released the vault and the socket.
    func end() throws {
        _ = try ask(EndRequest())
        channel.waitForEnd(within: limits.frame)
    }

    /// Receives the next answer, and throws a refusal.
    func next<Answer: AgentMessage>(
        _ type: Answer.Type, within limit: Duration? = nil
    ) throws -> Answer {
        try receive(within: limit) { payload in try payload.answer(type) }
    }

    /// Receives the next answer, and throws a refusal; `body` also receives the answer's secret,
    /// valid during the call.
    func next<Answer: AgentMessage, Result: ~Copyable>(
        _ type: Answer.Type, _ body: (Answer, borrowing SecretBytes) throws -> Result
    ) throws -> Result {
        try receive { payload in
            let answer = try payload.answer(type)
            return try body(answer, payload)
        }
    }

    private func next<First: AgentMessage, Second: AgentMessage>(
        _ first: First.Type, or second: Second.Type, within limit: Duration?
    ) throws -> OneOf<First, Second> {
        try receive(within: limit) { payload in try payload.answer(first, or: second) }
    }

    private func receive<Result: ~Copyable>(
        within limit: Duration? = nil, _ body: (inout SecretBytes) throws -> Result
    ) throws -> Result {
        try channel.receive(
            largest: AgentProtocol.largestPayload, beginning: limit ?? limits.answer,
            rest: limits.frame, body)
    }

    /// Refuses arguments that are too large for a frame, with the error of the agent.
    private func requireRoom(_ size: Int) throws {
        guard size > AgentProtocol.largestPayload else { return }
        try refuse(.tooLarge(maximum: SecretAttributes.maximumSize))
    }

    /// Refuses a request without the agent; a locked store reports that error first.
    func refuse(_ error: SecureStoreError) throws {
        throw try ask(StatusRequest()).isUnlocked ? error : .locked
    }

    /// Refuses a socket that another user may have placed. The folder above it was verified with the place.
    ///
    /// The corresponding C function is `lstat`.
    private static func requireOwnSocket(_ socket: VaultLocation) throws {
        var status = stat()
        guard unsafe lstat(socket.path, &status) == 0 else {
            throw errno == ENOENT
                ? AgentError.notRunning : AgentError.system("lstat", errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw AgentError.notTrusted(reason: "\(socket.path) is not a socket of this user")
        }
    }
}

/// One of two types of answers.
enum OneOf<First, Second> {
    case first(First)
    case second(Second)
}

extension SecretBytes {
    /// Decodes the answer in a payload, and leaves only its secret, or no bytes, in it.
    ///
    /// - Throws: The refusal in the payload; `malformed`.
    fileprivate mutating func answer<Answer: AgentMessage>(_ type: Answer.Type) throws -> Answer {
        if messageType == WireFailure.messageType {
            throw WireFailure.take(from: &self)?.refusal ?? AgentError.malformed
        }
        guard let answer = Answer.take(from: &self) else { throw AgentError.malformed }
        return answer
    }

    fileprivate mutating func answer<First: AgentMessage, Second: AgentMessage>(
        _ first: First.Type, or second: Second.Type
    ) throws -> OneOf<First, Second> {
        messageType == First.messageType ? .first(try answer(first)) : .second(try answer(second))
    }
}
