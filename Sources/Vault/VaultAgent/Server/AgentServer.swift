internal import Platform
internal import Synchronization
internal import VaultCore
internal import VaultStorage

/// Listens at the socket of a vault's agent and runs a thread for each client.
///
/// With separate threads, a slow client does not delay others. At most ``mostClients`` are
/// connected.
/// A further client replaces the one with the longest idle time.
final class AgentServer: Sendable {
    /// The largest number of connected clients.
    static let mostClients = 256

    private let place: AgentPlace
    private let session: AgentSession
    private let programVersion: String
    private let limits: AgentTimeLimits
    private let listener: Int32
    private let clients: ClientTable
    private let turns = LargeFrameTurns()
    /// The stack size of a client's thread, in bytes: slightly more than SQLite and libsodium need.
    private static let stackSize = 1 << 20

    private let wake: SystemPipe
    private let vaultID: [UInt8]

    /// Binds the socket. Removes an existing socket: this process holds the lock, so a dead agent
    /// left it.
    init(
        _ place: AgentPlace, _ session: AgentSession, vaultID: [UInt8], programVersion: String,
        _ limits: AgentTimeLimits, holding lock: borrowing AgentLock
    ) throws {
        self.place = place
        self.session = session
        self.vaultID = vaultID
        self.programVersion = programVersion
        self.limits = limits
        clients = ClientTable(limit: Self.mostClients)
        do {
            wake = try SystemPipe(isBlocking: false)
        } catch {
            throw AgentError(translating: error)
        }
        guard lock.folder.removeSocket() else { throw AgentError.system("unlinkat", errno) }
        listener = unsafe platform_listen(lock.folder.socketPath, 128)
        guard listener >= 0 else { throw AgentError.system("bind", errno) }
    }

    /// A descriptor that becomes readable when a client connects.
    var descriptor: Int32 { listener }

    /// A descriptor that becomes readable when a client has asked the agent to exit.
    var endDescriptor: Int32 { wake.reader }

    /// Whether a client asked the agent to exit.
    var isEndAsked: Bool { clients.isEndAsked }

    /// The time of the last request, by the session's clock.
    var lastRequest: Duration { clients.lastRequest }

    /// Accepts waiting clients, but only a limited number, so that the limits are checked often enough.
    func admit() {
        for _ in 0..<64 {
            let descriptor = platform_accept(listener)
            guard descriptor >= 0 else {
                // No descriptors are left. The server disconnects a client and waits for its
                // descriptor.
                if errno == EMFILE || errno == ENFILE {
                    clients.hangUpIdlest()
                    SystemSleep.sleep(.milliseconds(10))
                    return
                }
                if errno == EINTR || errno == ECONNABORTED { continue }
                return
            }
            let channel = FrameChannel(descriptor, turns)
            guard PeerUser.isThisUser(descriptor) else { continue }
            let client = clients.add(channel)
            let isStarted = DetachedThread.start(stackSize: Self.stackSize) { [self] in
                serve(client)
                clients.remove(client)
            }
            if !isStarted { clients.remove(client) }
        }
    }

    /// Removes the socket, releases the lock and disconnects all clients: a client that sees this can start the next agent.
    func close(holding lock: borrowing AgentLock) {
        Self.closeDescriptor(listener)
        lock.folder.removeSocket()
        lock.release()
        clients.hangUpAll()
    }

    private static func closeDescriptor(_ descriptor: Int32) {
        Platform.close(descriptor)
    }

    /// Serves a client until either end closes the connection.
    private func serve(_ client: ClientTable.Client) {
        let channel = client.channel
        let program = ConnectedProgram()
        let handler = RequestHandler(
            session: session, channel: channel, processID: UInt32(getpid()), limits: limits,
            file: OpenFile(session, program), client: program)
        do {
            let speaksOurVersion = try greet(channel)
            while true {
                try channel.receive(
                    largest: AgentProtocol.largestPayload, beginning: nil, rest: limits.frame,
                    begun: { clients.begin(client, at: session.clock.now) }
                ) { payload in
                    if payload.messageType == EndRequest.messageType {
                        guard EndRequest.take(from: &payload) != nil else {
                            throw AgentError.malformed
                        }
                        return try end(client)
                    }
                    guard speaksOurVersion else { throw AgentError.malformed }
                    try handler.serve(&payload)
                }
                clients.finish(client, at: session.clock.now)
            }
        } catch AgentError.malformed {
            try? channel.send(WireFailure.malformed.head, within: limits.frame)
        } catch {
            // The client has disconnected, or is too slow for an answer.
        }
        session.batch.forget(of: ObjectIdentifier(channel))
        handler.file.close()
    }

    /// Exchanges hellos.
    ///
    /// - Returns: Whether the client has this protocol version.
    private func greet(_ channel: FrameChannel) throws -> Bool {
        let hello = try channel.receive(
            largest: AgentProtocol.largestHello, beginning: limits.hello, rest: limits.hello
        ) { payload in
            guard let request = HelloRequest.take(from: &payload) else {
                throw AgentError.malformed
            }
            return request
        }
        let answer = HelloAnswer(
            protocolVersion: AgentProtocol.version, programVersion: programVersion,
            vaultID: vaultID)
        try channel.send(answer.head, within: limits.frame)
        return hello.protocolVersion == AgentProtocol.version
    }

    private func end(_ client: ClientTable.Client) throws {
        session.lock()
        // The answer is sent first, because no step that can fail remains.
        try client.channel.send(DoneAnswer().head, within: limits.frame)
        clients.askForEnd(client)
        wake.signal()
    }
}
