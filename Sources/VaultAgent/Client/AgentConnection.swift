internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import VaultCore
internal import VaultStorage

/// A connection to an agent that runs as this user and has exchanged hellos.
final class AgentConnection {
    /// The version of the agent's program.
    let programVersion: String
    /// The identifier of its vault, 16 bytes.
    let vaultID: [UInt8]
    private let speaksOurVersion: Bool
    private let channel: FrameChannel
    private let limits: AgentTimeLimits

    /// Connects.
    ///
    /// - Parameters:
    ///   - place: The vault's place.
    ///   - programVersion: The version of this program, for the agent.
    ///   - limits: The timeouts.
    /// - Throws: `notRunning`, `notTrusted`, `silent`, `connectionLost`, `malformed`, `system`.
    init(
        _ place: AgentPlace, programVersion: String, _ limits: AgentTimeLimits = .standard
    ) throws(AgentError) {
        try Self.requireOwnSocket(place.socket)
        let folder = try SocketFolder(of: place.socket)
        let descriptor = unsafe platform_connect(folder.socketPath)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ECONNREFUSED { throw .notRunning }
            // The listener accepted no client for five seconds.
            if errno == EAGAIN { throw .silent(process: nil) }
            throw .system("connect", errno)
        }
        channel = FrameChannel(descriptor)
        self.limits = limits
        guard PeerUser.isThisUser(channel.descriptor) else {
            throw .notTrusted(reason: "another user answers at \(place.socket.path)")
        }
        let answer: AgentAnswer
        do throws(ChannelError) {
            let hello = AgentRequest.hello(
                protocolVersion: AgentProtocol.version, programVersion: programVersion)
            try channel.send(hello.head, within: limits.frame)
            answer = try Self.answer(
                on: channel, limits.hello, limits, largest: AgentProtocol.largestHello)
        } catch .timedOut {
            throw .silent(process: PeerUser.process(channel.descriptor))
        } catch .ended {
            // The agent was exiting; no request was sent yet.
            throw .notRunning
        } catch {
            throw AgentError(error)
        }
        guard case .hello(let version, let program, let vaultID) = answer else { throw .malformed }
        self.programVersion = program
        self.vaultID = vaultID
        speaksOurVersion = version == AgentProtocol.version
    }

    /// Refuses an agent with another protocol version.
    func requireOurVersion() throws(AgentError) {
        guard speaksOurVersion else { throw .otherVersion(programVersion) }
    }

    /// Whether the agent has closed the connection.
    var isStale: Bool { channel.isStale }

    /// Sends a request without a secret, and waits for its answer up to the given limit or the default one.
    func ask(
        _ request: AgentRequest, within limit: Duration? = nil
    ) throws(AgentError) -> AgentAnswer {
        let head = request.head
        try requireRoom(head.count)
        return try explaining { () throws(ChannelError) in
            try channel.send(head, within: limit ?? limits.frame)
            return try Self.answer(on: channel, limit ?? limits.answer, limits)
        }
    }

    /// Sends a request with a secret, and gets its answer.
    func ask(
        _ request: AgentRequest, _ secret: RawSpan
    ) throws(AgentError) -> AgentAnswer {
        let head = request.head
        try requireRoom(head.count + 4 + secret.byteCount)
        return try explaining { () throws(ChannelError) in
            try channel.send(head, secret: secret, within: limits.frame)
            return try Self.answer(
                on: channel, request.isProof ? limits.proof : limits.answer, limits)
        }
    }

    /// Sends a request whose answer carries a secret; `body` gets both.
    func ask<Result: ~Copyable>(
        _ request: AgentRequest,
        _ body: (AgentAnswer, consuming SecretBytes) throws(AgentError) -> Result
    ) throws(AgentError) -> Result {
        var answer: AgentAnswer?
        let secret: SecretBytes
        do throws(ChannelError) {
            try channel.send(request.head, within: limits.frame)
            secret = try channel.receive(
                largest: AgentProtocol.largestPayload, beginning: limits.answer,
                rest: limits.frame
            ) { (payload) throws(ChannelError) in
                answer = AgentAnswer.take(from: &payload)
                do {
                    return try payload.copy()
                } catch {
                    throw .outOfMemory
                }
            }
        } catch {
            throw AgentError(error)
        }
        guard let answer else { throw .malformed }
        return try body(try Self.accepted(answer), secret)
    }

    /// Sends requests without secrets; each gets an answer.
    func sendAll(_ heads: [[UInt8]]) throws(AgentError) {
        do throws(ChannelError) {
            try channel.send(heads, within: limits.frame)
        } catch {
            throw AgentError(error)
        }
    }

    /// Receives the next answer; for a value, `body` gets the description and, during the call, the secret.
    func takeValue(
        _ body: (SecretItem, borrowing SecretBytes) -> Void
    ) throws(AgentError) {
        let answer = try explaining { () throws(ChannelError) in
            try channel.receive(
                largest: AgentProtocol.largestPayload, beginning: limits.answer,
                rest: limits.frame
            ) { (payload) throws(ChannelError) in
                guard let answer = AgentAnswer.take(from: &payload) else { throw .malformed }
                if case .value(let item) = answer { body(item, payload) }
                return answer
            }
        }
        guard case .value = answer else { throw .malformed }
    }

    /// Makes the agent exit, and waits until it has released the vault and the socket.
    func end() throws(AgentError) {
        guard case .done = try ask(.end) else { throw .malformed }
        channel.waitForEnd(within: limits.frame)
    }

    /// Receives one more answer to the last request.
    func next() throws(AgentError) -> AgentAnswer {
        try explaining { () throws(ChannelError) in
            try Self.answer(on: channel, limits.answer, limits)
        }
    }

    /// Refuses arguments that are too large for a frame, with the error of the agent.
    private func requireRoom(_ size: Int) throws(AgentError) {
        guard size > AgentProtocol.largestPayload else { return }
        // A locked store reports that first.
        guard try ask(.status).asStatus().isUnlocked else { throw .vault(.store(.locked)) }
        throw .vault(.store(.tooLarge(maximum: SecretAttributes.maximumSize)))
    }

    private func explaining(
        _ body: () throws(ChannelError) -> AgentAnswer
    ) throws(AgentError) -> AgentAnswer {
        let answer: AgentAnswer
        do throws(ChannelError) {
            answer = try body()
        } catch {
            throw AgentError(error)
        }
        return try Self.accepted(answer)
    }

    /// Converts a failure into an error.
    private static func accepted(_ answer: AgentAnswer) throws(AgentError) -> AgentAnswer {
        guard case .failure(let failure) = answer else { return answer }
        guard let refusal = failure.refusal else { throw .malformed }
        throw AgentError(refusal)
    }

    private static func answer(
        on channel: FrameChannel, _ beginning: Duration?, _ limits: AgentTimeLimits,
        largest: Int = AgentProtocol.largestPayload
    ) throws(ChannelError) -> AgentAnswer {
        try channel.receive(
            largest: largest, beginning: beginning, rest: limits.frame
        ) { (payload) throws(ChannelError) in
            guard let answer = AgentAnswer.take(from: &payload) else { throw .malformed }
            return answer
        }
    }

    /// Refuses a socket that another user may have placed. The folder above it was verified with the place.
    ///
    /// The corresponding C function is `lstat`.
    private static func requireOwnSocket(_ socket: VaultLocation) throws(AgentError) {
        var status = stat()
        guard unsafe lstat(socket.path, &status) == 0 else {
            throw errno == ENOENT ? .notRunning : .system("lstat", errno)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK, status.st_uid == geteuid() else {
            throw .notTrusted(reason: "\(socket.path) is not a socket of this user")
        }
    }
}

extension AgentError {
    init(_ error: ChannelError) {
        switch error {
        case .ended, .timedOut: self = .connectionLost
        case .malformed: self = .malformed
        case .outOfMemory: self = .vault(.outOfMemory)
        case .failed(let code): self = .system("socket", code)
        }
    }
}
