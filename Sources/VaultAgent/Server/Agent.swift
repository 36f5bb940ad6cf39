internal import Platform
internal import SecretMemory
public import VaultCore
public import VaultStorage

/// The agent of a vault: holds it unlocked for the user's other processes, and lets go in time.
///
/// Made and run once, by a process that does nothing else.
public final class Agent {
    /// What an agent works with.
    public struct Options: Sendable {
        /// The path of the vault file.
        public var vaultFile: String
        /// Opens the vault's records where they are not in the vault file; the file's folder is the agent's all the same.
        public var openStorage: (@Sendable (StorageMode) throws -> any RecordStorage)?
        /// `$XDG_RUNTIME_DIR`, or nil to have the socket in the vault's folder.
        public var runtimeFolder: String?
        /// Limits, randomness, time and marks of the vault.
        public var environment: VaultEnvironment
        /// The version of this program, which clients are told.
        public var programVersion: String
        /// The clock of the session.
        public var clock: any SessionClock = SystemSessionClock()
        /// How long the agent stays, locked and without a request.
        public var longestRest: Duration = .seconds(900)
        /// Whether `SIGUSR1` locks, and `SIGTERM`, `SIGINT` and `SIGHUP` lock and end; they belong to the whole process.
        public var handlesSignals = true
        /// Whether the vault is locked when the machine goes to sleep and when the desktop session is locked, where logind tells.
        public var followsLogin = true
        /// Whether the system keeps memory out of swap.
        public var isMemoryLocked: @Sendable () -> Bool = { MemoryLocking.isAvailable }

        /// Makes options.
        public init(
            vaultFile: String, runtimeFolder: String?, environment: VaultEnvironment,
            programVersion: String
        ) {
            self.vaultFile = vaultFile
            self.runtimeFolder = runtimeFolder
            self.environment = environment
            self.programVersion = programVersion
        }
    }

    /// How long the agent sleeps at most, so that a folder that is gone, or a limit that passed in a machine's sleep, is soon noticed.
    private static let longestNap: Duration = .seconds(1)

    private let options: Options
    private let lock: AgentLock
    private let watch: AgentWatch
    private let server: AgentServer
    let session: AgentSession

    /// Becomes the agent of a vault, locked; clients can connect from now on.
    ///
    /// - Throws: `AgentError.alreadyRunning` if there is one; `vault` where there is no sound header; `system`.
    public init(_ options: Options) throws(AgentError) {
        self.options = options
        let place: AgentPlace
        let vaultID: [UInt8]
        do throws(VaultError) {
            place = try Self.place(options)
            vaultID = try Self.vaultID(place, options)
        } catch {
            throw .vault(error)
        }
        lock = try AgentLock(place)
        let path = place.vault.path
        let openStorage = Self.opening(path, options)
        session = AgentSession(
            AgentSession.VaultPlace(
                open: { try Self.openStorage(openStorage) },
                environment: options.environment, isMemoryLocked: options.isMemoryLocked),
            clock: options.clock)
        server = try AgentServer(
            place, session, vaultID: vaultID, programVersion: options.programVersion, holding: lock)
        watch = AgentWatch(place, isVaultFileNeeded: options.openStorage == nil)
    }

    private static func opening(
        _ path: String, _ options: Options
    ) -> @Sendable (StorageMode) throws -> any RecordStorage {
        if let openStorage = options.openStorage { return openStorage }
        return { try VaultDatabase.open(.file(path), mode: $0) }
    }

    /// Opens the vault for changes; where that cannot be, on a read-only medium or a full one, for reading.
    private static func openStorage(
        _ open: (StorageMode) throws -> any RecordStorage
    ) throws -> any RecordStorage {
        do {
            return try open(.readWrite)
        } catch DatabaseError.readOnly, DatabaseError.full {
            return try open(.readOnly)
        }
    }

    private static func place(_ options: Options) throws(VaultError) -> AgentPlace {
        try VaultError.translating {
            try AgentPlace(
                vaultFile: options.vaultFile, runtimeFolder: options.runtimeFolder, preparing: true)
        }
    }

    private static func vaultID(
        _ place: AgentPlace, _ options: Options
    ) throws(VaultError) -> [UInt8] {
        let storage = try VaultError.translating {
            try opening(place.vault.path, options)(.readOnly)
        }
        defer { storage.close() }
        return try LockedVault(storage, options.environment).id
    }

    /// Serves until a signal, a client, the disappearance of the vault, or a long rest ends it; then the vault is locked.
    ///
    /// - Throws: `system` if the signals cannot be had.
    public func run() throws(AgentError) {
        // Each client's thread would get a heap of its own.
        platform_limit_heaps()
        var signals: Int32 = -1
        if options.handlesSignals {
            signals = platform_agent_signals_begin()
            guard signals >= 0 else { throw .system("sigaction", errno) }
        }
        var login = options.followsLogin ? LoginEvents() : nil
        var rested = options.clock.now
        while true {
            // This loop has to notice who wants the vault locked: it waits for no use of it.
            let limit = session.enforceLimits(isPatient: false)
            let now = options.clock.now
            if session.isOpen { rested = now }
            rested = max(rested, server.lastRequest)
            if server.isEndAsked || !watch.isInPlace || now - rested >= options.longestRest {
                break
            }
            nap(until: limit, now, signals, login)
            takeEvents(&login)
            server.admit()
            if takeSignals(signals) { break }
        }
        session.end()
        server.close(holding: lock)
    }

    /// Waits for a client, a signal, or the next limit. The corresponding C function is `poll`.
    private func nap(
        until limit: Duration?, _ now: Duration, _ signals: Int32, _ login: LoginEvents?
    ) {
        let pause = min(limit.map { max($0 - now, .zero) } ?? Self.longestNap, Self.longestNap)
        // Rounded up, so that the limit has passed afterwards.
        var timeout = Int32(pause.milliseconds + 1)
        var requests = [server.descriptor, server.endDescriptor, signals].map {
            pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
        }
        if let login {
            requests.append(pollfd(fd: login.descriptor, events: login.pollEvents, revents: 0))
            if login.pollTimeout >= 0 { timeout = min(timeout, login.pollTimeout) }
        }
        _ = unsafe poll(&requests, nfds_t(requests.count), timeout)
    }

    /// Locks where the login manager says that the machine is about to sleep, or that the desktop session was locked.
    private func takeEvents(_ login: inout LoginEvents?) {
        while let event = login?.next() {
            switch event {
            case .willSleep:
                session.lock()
                login?.releaseSleep()
            case .didWake: login?.delaySleep()
            case .sessionLocked: session.lock()
            case .disconnected: login = nil
            }
        }
    }

    /// Does what signals ask for.
    ///
    /// - Returns: Whether the agent ends.
    private func takeSignals(_ signals: Int32) -> Bool {
        guard signals >= 0 else { return false }
        while true {
            let number = platform_agent_signals_take()
            if number == 0 { return false }
            session.lock()
            if number != SIGUSR1 { return true }
        }
    }
}
