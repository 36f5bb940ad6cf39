internal import Platform
internal import SecretMemory
public import VaultCore
public import VaultStorage

/// The agent of a vault: keeps it unlocked for the user's other processes, and locks it at its time
/// limits.
///
/// It is created and run once, in its own process.
public final class Agent {
    /// The configuration of an agent.
    public struct Options: Sendable {
        /// The path of the vault file.
        public var vaultFile: String
        /// Opens the vault's records if they are not in the vault file. The agent still uses the folder of the vault file.
        public var openStorage: (@Sendable (StorageMode) throws -> any RecordStorage)?
        /// `$XDG_RUNTIME_DIR`, or nil to place the socket in the vault's folder.
        public var runtimeFolder: String?
        /// Limits, randomness, clock and rollback records of the vault.
        public var environment: VaultEnvironment
        /// The place of the read log; nil for no log.
        public var readLog: ReadLogPlace?
        /// The version of this program, which clients receive.
        public var programVersion: String
        /// The clock of the session.
        public var clock: any SessionClock = SystemSessionClock()
        /// The time limit of an idle agent with a locked vault.
        public var longestIdleTime: Duration = .seconds(900)
        /// Whether `SIGUSR1` locks, and `SIGTERM`, `SIGINT` and `SIGHUP` lock and exit. The handlers belong to the whole process.
        public var handlesSignals = true
        /// Whether the vault locks on suspend and on a lock of the desktop session, as logind
        /// reports them.
        public var followsLogin = true
        /// Whether the system keeps memory out of swap.
        public var isMemoryLocked: @Sendable () -> Bool = { MemoryLocking.isAvailable }
        /// The time limits of clients.
        var limits = AgentTimeLimits.standard

        /// Creates options.
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

    /// The longest sleep of the agent's loop. It bounds the delay until a removed folder or a limit
    /// passed in suspend is detected.
    private static let longestNap: Duration = .seconds(1)

    private let options: Options
    private let lock: AgentLock
    private let watch: AgentWatch
    private let server: AgentServer
    let session: AgentSession

    /// Starts the locked agent of a vault; clients can connect from now on.
    ///
    /// - Throws: `AgentError.alreadyRunning`; `vault` without a valid header; `system`.
    public init(_ options: Options) throws {
        self.options = options
        let place: AgentPlace
        let vaultID: [UInt8]
        do {
            place = try AgentPlace(
                vaultFile: options.vaultFile, runtimeFolder: options.runtimeFolder, preparing: true)
            let storage = try Self.opening(place.vault.path, options)(.readOnly)
            defer { storage.close() }
            vaultID = try LockedVault(storage, options.environment).id
        } catch {
            throw AgentError(translating: error)
        }
        lock = try AgentLock(place)
        let path = place.vault.path
        var environment = options.environment
        let readLog = options.readLog.map { [environment] in
            ReadLog($0, now: environment.now, random: environment.random)
        }
        if let readLog { environment.deferredSecrets = { readLog.deferredSecrets() } }
        let openStorage = Self.opening(path, options)
        session = AgentSession(
            AgentSession.VaultPlace(
                open: { try Self.openStorage(openStorage) },
                environment: environment, isMemoryLocked: options.isMemoryLocked),
            clock: options.clock, readLog: readLog)
        server = try AgentServer(
            place, session, vaultID: vaultID, programVersion: options.programVersion,
            options.limits, holding: lock)
        watch = AgentWatch(place, isVaultFileNeeded: options.openStorage == nil)
    }

    private static func opening(
        _ path: String, _ options: Options
    ) -> @Sendable (StorageMode) throws -> any RecordStorage {
        if let openStorage = options.openStorage { return openStorage }
        return { try VaultDatabase.open(.file(path), mode: $0) }
    }

    /// Opens the vault for changes, or for reading on a read-only or full medium.
    private static func openStorage(
        _ open: (StorageMode) throws -> any RecordStorage
    ) throws -> any RecordStorage {
        do {
            return try open(.readWrite)
        } catch DatabaseError.readOnly, DatabaseError.full {
            return try open(.readOnly)
        }
    }

    /// Serves until a signal, a client, the removal of the vault or the idle limit ends the agent.
    /// Then the vault is locked.
    ///
    /// - Throws: `system` if the signal handlers cannot be installed.
    public func run() throws {
        // Without the limit, glibc creates a heap for each client's thread.
        platform_limit_heaps()
        var signals: Int32 = -1
        if options.handlesSignals {
            signals = platform_agent_signals_begin()
            guard signals >= 0 else { throw AgentError.system("sigaction", errno) }
        }
        var login = options.followsLogin ? SleepAndLockEvents() : nil
        var lastUse = options.clock.now
        var rested = Duration.zero
        while true {
            // The loop must detect requests to lock, so it does not wait for operations on the
            // vault.
            let limit = session.enforceLimits(mayWait: false)
            let now = options.clock.now
            if session.isOpen { lastUse = now }
            let lastRequest = server.lastRequest
            lastUse = max(lastUse, lastRequest)
            if lastRequest > rested, now - lastRequest >= Self.longestNap {
                // A list of a large vault leaves as much free memory as the vault needs, and code that
                // waits is two thirds of the rest.
                platform_rest()
                rested = lastRequest
            }
            if server.isEndAsked || !watch.isInPlace || now - lastUse >= options.longestIdleTime {
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

    /// Waits for a client, a signal or the next limit. The corresponding C function is `poll`.
    private func nap(
        until limit: Duration?, _ now: Duration, _ signals: Int32, _ login: SleepAndLockEvents?
    ) {
        let pause = min(limit.map { max($0 - now, .zero) } ?? Self.longestNap, Self.longestNap)
        // The timeout is rounded up, so that the limit has passed afterwards.
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

    /// Locks when the login manager reports a suspend or a lock of the desktop session.
    private func takeEvents(_ login: inout SleepAndLockEvents?) {
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

    /// Handles received signals.
    ///
    /// - Returns: Whether the agent exits.
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

/// An event of the machine or the desktop session, as reported by the login manager.
enum SleepOrLockEvent {
    /// The machine is about to suspend, and waits a few seconds for ``SleepAndLockEvents/releaseSleep()``.
    case willSleep
    /// The machine has resumed; call ``SleepAndLockEvents/delaySleep()``.
    case didWake
    /// A desktop session of this user was locked.
    case sessionLocked
    /// The bus is disconnected; this is the last event.
    case disconnected
}
