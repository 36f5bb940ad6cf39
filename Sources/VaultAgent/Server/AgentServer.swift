internal import Platform
internal import Synchronization
internal import VaultCore
internal import VaultStorage

/// Listens at the socket of a vault's agent and gives each client a thread of its own.
///
/// A thread for each client keeps a slow one from being in the way of others; there are ``mostClients`` of them at most, and a further one takes
/// the place of the one that has been idle for the longest time.
final class AgentServer: Sendable {
    /// How many clients are connected at most.
    static let mostClients = 256

    private let place: AgentPlace
    private let session: AgentSession
    private let programVersion: String
    private let limits: AgentTimeLimits
    private let listener: Int32
    private let clients: ClientTable
    private let turns = LargeFrameTurns()
    private let wake: WakePipe
    private let vaultID: [UInt8]

    /// Binds the socket; one that is there was left by an agent that died, because this process has the lock.
    init(
        _ place: AgentPlace, _ session: AgentSession, vaultID: [UInt8], programVersion: String,
        _ limits: AgentTimeLimits = .standard, holding lock: borrowing AgentLock
    ) throws(AgentError) {
        self.place = place
        self.session = session
        self.vaultID = vaultID
        self.programVersion = programVersion
        self.limits = limits
        clients = ClientTable(limit: Self.mostClients)
        wake = try WakePipe()
        guard lock.folder.removeSocket() else { throw .system("unlinkat", errno) }
        listener = unsafe platform_listen(lock.folder.socketPath, 128)
        guard listener >= 0 else { throw .system("bind", errno) }
    }

    /// The descriptor that can be read when a client comes.
    var descriptor: Int32 { listener }

    /// The descriptor that can be read once a client has asked the agent to end.
    var endDescriptor: Int32 { wake.reader }

    /// Whether a client asked the agent to end.
    var isEndAsked: Bool { clients.isEndAsked }

    /// When a client asked for something the last time, by the session's clock.
    var lastRequest: Duration { clients.lastRequest }

    /// Lets in clients that are waiting; not so many that the limits are not looked at for long.
    func admit() {
        for _ in 0..<64 {
            let descriptor = platform_accept(listener)
            guard descriptor >= 0 else {
                // Descriptors are used up: room is made for the next try, and time given for it to be free.
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
            let isStarted = DetachedThread.start { [self] in
                serve(client)
                clients.remove(client)
            }
            if !isStarted { clients.remove(client) }
        }
    }

    /// Removes the socket, gives the lock up and hangs up on everybody: whoever sees that can start the next agent.
    func close(holding lock: borrowing AgentLock) {
        Self.closeDescriptor(listener)
        lock.folder.removeSocket()
        lock.release()
        clients.hangUpAll()
    }

    private static func closeDescriptor(_ descriptor: Int32) {
        Platform.close(descriptor)
    }

    /// Serves a client until one of both hangs up.
    private func serve(_ client: ClientTable.Client) {
        let channel = client.channel
        let handler = RequestHandler(
            session: session, processID: UInt32(getpid()), limits: limits)
        do throws(ChannelError) {
            let speaksOurVersion = try greet(channel)
            while true {
                try channel.receive(
                    largest: AgentProtocol.largestPayload, beginning: nil, rest: limits.frame,
                    begun: { clients.begin(client, at: session.clock.now) }
                ) { (payload) throws(ChannelError) in
                    guard let request = AgentRequest.take(from: &payload) else {
                        throw .malformed
                    }
                    if case .end = request { return try end(client) }
                    // There is one hello.
                    if case .hello = request { throw .malformed }
                    guard speaksOurVersion else { throw .malformed }
                    try handler.answer(request, payload, on: channel)
                }
                clients.rest(client, at: session.clock.now)
            }
        } catch .malformed {
            try? channel.send(AgentAnswer.failure(.malformed).head, within: limits.frame)
        } catch {
            // The client is gone, or too slow to be told.
        }
    }

    /// Exchanges hellos.
    ///
    /// - Returns: Whether the client speaks this version of the protocol.
    private func greet(_ channel: FrameChannel) throws(ChannelError) -> Bool {
        let hello = try channel.receive(
            largest: AgentProtocol.largestHello, beginning: limits.hello, rest: limits.hello
        ) { (payload) throws(ChannelError) in
            guard let request = AgentRequest.take(from: &payload) else { throw .malformed }
            return request
        }
        guard case .hello(let version, _) = hello else { throw .malformed }
        let answer = AgentAnswer.hello(
            protocolVersion: AgentProtocol.version, programVersion: programVersion,
            vaultID: vaultID)
        try channel.send(answer.head, within: limits.frame)
        return version == AgentProtocol.version
    }

    private func end(_ client: ClientTable.Client) throws(ChannelError) {
        session.lock()
        // Said before it is done: nothing is left to do that could fail.
        try client.channel.send(AgentAnswer.done.head, within: limits.frame)
        clients.askForEnd(client)
        wake.signal()
    }
}
