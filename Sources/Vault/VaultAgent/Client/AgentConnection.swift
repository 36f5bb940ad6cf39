internal import Passkeys
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
    let limits: AgentTimeLimits

    /// Connects.
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
        let answer: AgentAnswer
        do {
            let hello = AgentRequest.hello(
                protocolVersion: AgentProtocol.version, programVersion: programVersion)
            try channel.send(hello.head, within: limits.frame)
            answer = try Self.answer(
                on: channel, limits.hello, limits, largest: AgentProtocol.largestHello)
        } catch AgentError.connectionLost {
            // The agent was exiting; no request was sent yet.
            throw AgentError.notRunning
        }
        guard case .hello(let version, let program, let vaultID) = answer else {
            throw AgentError.malformed
        }
        self.programVersion = program
        self.vaultID = vaultID
        speaksOurVersion = version == AgentProtocol.version
    }

    /// Refuses an agent with another protocol version.
    func requireOurVersion() throws {
        guard speaksOurVersion else { throw AgentError.otherVersion(programVersion) }
    }

    /// Whether the agent has closed the connection.
    var isStale: Bool { channel.isStale }

    /// The socket, readable when an answer begins.
    var descriptor: Int32 { channel.descriptor }

    /// Sends a request without a secret, and waits for its answer up to the given limit or the default one.
    func ask(_ request: AgentRequest, within limit: Duration? = nil) throws -> AgentAnswer {
        let head = request.head
        try requireRoom(head.count)
        try channel.send(head, within: limit ?? limits.frame)
        return try next(within: limit ?? (request.isSlow ? limits.proof : nil))
    }

    /// Sends a request with a secret, and gets its answer.
    func ask(_ request: AgentRequest, _ secret: RawSpan) throws -> AgentAnswer {
        let head = request.head
        try requireRoom(head.count + 4 + secret.byteCount)
        try channel.send(head, secret: secret, within: limits.frame)
        return try next(within: request.isSlow ? limits.proof : nil)
    }

    /// Sends a request without waiting for its answer; ``next(within:)`` gets that.
    func send(_ request: AgentRequest) throws {
        try channel.send(request.head, within: limits.frame)
    }

    /// Sends a request with a secret without waiting for its answer.
    func send(_ request: AgentRequest, _ secret: RawSpan) throws {
        // The agent may wait for other processes before it receives the next one.
        try channel.send(request.head, secret: secret, within: limits.answer)
    }

    /// Sends a request whose answer carries a secret; `body` gets both.
    func ask<Result: ~Copyable>(
        _ request: AgentRequest,
        _ body: (AgentAnswer, consuming SecretBytes) throws -> Result
    ) throws -> Result {
        try channel.send(request.head, within: limits.frame)
        var answer: AgentAnswer?
        let secret = try channel.receive(
            largest: AgentProtocol.largestPayload, beginning: limits.answer, rest: limits.frame
        ) { payload in
            answer = AgentAnswer.take(from: &payload)
            return try payload.copy()
        }
        guard let answer else { throw AgentError.malformed }
        return try body(try Self.accepted(answer), secret)
    }

    /// Sends requests for the first of these secrets, as many as may be in flight, and receives their answers.
    ///
    /// Receives all answers before it throws an error, so that the connection stays usable.
    ///
    /// - Parameters:
    ///   - names: At least one name.
    ///   - body: Gets the index in `names` of each secret found, its description and its value.
    /// - Returns: The number of requested secrets.
    /// - Throws: The refusal of the first unreadable secret, or the failure of the connection.
    func readSome(
        _ names: ArraySlice<SecretName>, _ body: (Int, SecretItem, borrowing SecretBytes) -> Void
    ) throws -> Int {
        var frames: [[UInt8]] = []
        var size = 0
        for name in names {
            let frame = AgentRequest.read(name).head
            size += frame.count + 4
            guard frames.isEmpty || size <= AgentProtocol.mostAhead else { break }
            frames.append(frame)
        }
        try channel.send(frames, within: limits.frame)
        var refusal: AgentError?
        for index in names.indices.prefix(frames.count) {
            do {
                try takeValue { item, value in
                    if refusal == nil { body(index, item, value) }
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

    /// Receives the next answer; for a value, `body` gets the description and, during the call, the secret.
    private func takeValue(_ body: (SecretItem, borrowing SecretBytes) -> Void) throws {
        let answer = try channel.receive(
            largest: AgentProtocol.largestPayload, beginning: limits.answer, rest: limits.frame
        ) { payload in
            guard let answer = AgentAnswer.take(from: &payload) else { throw AgentError.malformed }
            if case .value(let item) = answer { body(item, payload) }
            return answer
        }
        guard case .value = try Self.accepted(answer) else { throw AgentError.malformed }
    }

    /// Receives the next answer; a chunk is lent to `body`.
    ///
    /// - Returns: `false` if the answer is that there is none.
    func nextChunk(_ body: (RawSpan) throws -> Void) throws -> Bool {
        var refusal: AgentAnswer?
        let isThere = try channel.receive(
            largest: AgentProtocol.largestPayload, beginning: limits.answer, rest: limits.frame
        ) { payload in
            switch AgentAnswer.take(from: &payload) {
            case .chunk:
                try payload.withBytes { try body($0) }
                return true
            case .done: return false
            case .failure(let failure):
                refusal = .failure(failure)
                return false
            default: throw AgentError.malformed
            }
        }
        if let refusal { _ = try Self.accepted(refusal) }
        return isThere
    }

    /// Sends a request whose answer is a list of secrets.
    func listItems(_ request: AgentRequest) throws -> [SecretItem] {
        var all: [SecretItem] = []
        var answer = try ask(request)
        while case .items(let page) = answer {
            all += page
            answer = try next()
        }
        guard case .done = answer else { throw AgentError.malformed }
        return all
    }

    /// Sends a request whose answer is a list of earlier versions.
    func listEarlier(_ request: AgentRequest) throws -> [EarlierSecret] {
        var all: [EarlierSecret] = []
        var answer = try ask(request)
        while case .earlier(let page) = answer {
            all += page
            answer = try next()
        }
        guard case .done = answer else { throw AgentError.malformed }
        return all
    }

    /// Makes the agent exit, and waits until it has released the vault and the socket.
    func end() throws {
        guard case .done = try ask(.end) else { throw AgentError.malformed }
        channel.waitForEnd(within: limits.frame)
    }

    /// Receives an answer to the last request.
    func next(within limit: Duration? = nil) throws -> AgentAnswer {
        try Self.accepted(Self.answer(on: channel, limit ?? limits.answer, limits))
    }

    /// Refuses arguments that are too large for a frame, with the error of the agent.
    private func requireRoom(_ size: Int) throws {
        guard size > AgentProtocol.largestPayload else { return }
        try refuse(.tooLarge(maximum: SecretAttributes.maximumSize))
    }

    /// Refuses a request in place of the agent; a locked store reports that first.
    func refuse(_ error: SecureStoreError) throws {
        throw try ask(.status).asStatus().isUnlocked ? error : .locked
    }

    /// Converts a failure into an error.
    private static func accepted(_ answer: AgentAnswer) throws -> AgentAnswer {
        guard case .failure(let failure) = answer else { return answer }
        throw failure.refusal ?? .malformed
    }

    private static func answer(
        on channel: FrameChannel, _ beginning: Duration?, _ limits: AgentTimeLimits,
        largest: Int = AgentProtocol.largestPayload
    ) throws -> AgentAnswer {
        try channel.receive(
            largest: largest, beginning: beginning, rest: limits.frame
        ) { payload in
            guard let answer = AgentAnswer.take(from: &payload) else { throw AgentError.malformed }
            return answer
        }
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

/// Checks that an answer has the kind that the request expects; another kind is malformed.
extension AgentAnswer {
    func asStatus() throws -> AgentStatus {
        guard case .status(let status) = self else { throw AgentError.malformed }
        return status
    }

    func asSettings() throws -> VaultSettings {
        guard case .settings(let settings) = self else { throw AgentError.malformed }
        return settings
    }

    func asSlots() throws -> [KeySlotDescription] {
        guard case .slots(let slots) = self else { throw AgentError.malformed }
        return slots
    }

    func asPasskey() throws -> PasskeyChallenge {
        guard case .passkey(let challenge) = self else { throw AgentError.malformed }
        return challenge
    }

    func asItem() throws -> SecretItem {
        guard case .item(let item) = self else { throw AgentError.malformed }
        return item
    }
}
