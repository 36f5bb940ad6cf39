internal import CPlatform
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultCore
internal import VaultSealing
internal import VaultStorage

/// The unlocked vault of an agent, and when it is let go.
///
/// The clock is read before each use, so a limit that has passed ends the session or the verification before anything is answered. Thread-safe;
/// the vault itself lets one caller in at a time.
final class AgentSession: Sendable {
    /// What is there while the vault is unlocked.
    private struct Open {
        let vault: UnlockedVault
        let storage: any RecordStorage
        var times: SessionTimes
    }

    private struct State {
        var open: Open?
        /// Counts the locks, so that an attempt that began before one does not unlock after it.
        var locks = 0
        /// Whether the last mark could be kept.
        var isMarkKept = true
    }

    private let state = Mutex(State())
    private let gate: AttemptGate
    private let place: VaultPlace
    let clock: any SessionClock

    /// Makes a session, locked.
    init(_ place: VaultPlace, clock: any SessionClock) {
        self.place = place
        self.clock = clock
        gate = AttemptGate(clock)
    }

    /// Where a session finds its vault.
    struct VaultPlace: Sendable {
        /// Opens the vault's storage; each unlocking does.
        let open: @Sendable () throws(StorageError) -> any RecordStorage
        /// Makes sure that an open storage is still the one at the vault's path.
        let follow: @Sendable (any RecordStorage) throws(StorageError) -> Void
        /// Limits, randomness, time and marks.
        let environment: VaultEnvironment
        /// Whether the system keeps memory out of swap.
        let isMemoryLocked: @Sendable () -> Bool
    }
}

// Unlocking, proving and locking.
extension AgentSession {
    /// Proves the owner, and unlocks the vault or, if it is unlocked already, begins a new verification.
    ///
    /// - Parameters:
    ///   - secret: Passphrase or recovery code.
    ///   - acceptsOlder: Whether a vault older than this machine's mark is accepted.
    /// - Throws: What the vault says; ``AgentRefusal/throttled``, ``AgentRefusal/memoryNotLocked``.
    func unlock(
        with secret: borrowing VaultSecret, acceptsOlder: Bool
    ) throws(AgentRefusal) {
        enforceLimits()
        try attempt { () throws(AgentRefusal) in
            // A session that goes on never accepts an older vault; a new one may.
            if acceptsOlder { return try begin(with: secret, acceptsOlder) }
            if try !proveAgain(secret) { try begin(with: secret, acceptsOlder) }
        }
    }

    /// Proves the owner of the unlocked vault again.
    ///
    /// - Throws: `locked` if it is not unlocked; otherwise as ``unlock(with:acceptsOlder:)``.
    func verify(with secret: borrowing VaultSecret) throws(AgentRefusal) {
        _ = try current()
        try attempt { () throws(AgentRefusal) in
            guard try proveAgain(secret) else { throw .store(.locked) }
        }
    }

    private func attempt(_ body: () throws(AgentRefusal) -> Void) throws(AgentRefusal) {
        let failure = try gate.run { () -> (AttemptGate.Verdict, AgentRefusal?) in
            do throws(AgentRefusal) {
                try body()
                return (.right, nil)
            } catch {
                return (error.verdict, error)
            }
        }
        if let failure { throw failure }
    }

    /// Proves the owner of the vault that is unlocked.
    ///
    /// - Returns: `false` if none is, or its keys were replaced meanwhile.
    private func proveAgain(_ secret: borrowing VaultSecret) throws(AgentRefusal) -> Bool {
        guard let open = state.withLock({ $0.open }) else { return false }
        do throws(StorageError) {
            try place.follow(open.storage)
        } catch {
            throw .vault(.storage(error))
        }
        do throws(VaultError) {
            try open.vault.verify(with: secret)
        } catch {
            guard error == .keysReplaced || error == .store(.locked) else { throw .vault(error) }
            lock(open)
            return false
        }
        let now = clock.now
        state.withLock { state in
            if state.open?.vault === open.vault { state.open?.times.prove(at: now) }
        }
        return true
    }

    /// Opens the vault, proves the owner, and keeps it unlocked.
    private func begin(
        with secret: borrowing VaultSecret, _ acceptsOlder: Bool
    ) throws(AgentRefusal) {
        let locks = state.withLock { $0.locks }
        var environment = place.environment
        environment.acceptsOlder = acceptsOlder
        let storage: any RecordStorage
        do throws(StorageError) {
            storage = try place.open()
        } catch {
            throw .vault(.storage(error))
        }
        let vault: UnlockedVault
        do throws(VaultError) {
            vault = try LockedVault(storage, environment).unlock(with: secret)
        } catch {
            storage.close()
            throw .vault(error)
        }
        guard vault.settings?.requiresLockedMemory != true || place.isMemoryLocked() else {
            vault.lock()
            storage.close()
            throw .memoryNotLocked
        }
        let open = Open(
            vault: vault, storage: storage, times: SessionTimes(unlocked: clock.now))
        let (isCurrent, unneeded) = state.withLock { state -> (Bool, Open?) in
            // Somebody locked while the passphrase was checked: that wins.
            guard state.locks == locks else { return (false, open) }
            defer { state.open = open }
            return (true, state.open)
        }
        if let unneeded { end(unneeded) }
        if !isCurrent { throw .store(.locked) }
    }

    /// Wipes the keys and closes the vault. Locking twice is allowed.
    func lock() {
        let open = state.withLock { state in
            state.locks += 1
            defer { state.open = nil }
            return state.open
        }
        if let open { end(open) }
    }

    /// Locks unless another session has begun meanwhile.
    private func lock(_ ended: Open) {
        let open = state.withLock { state -> Open? in
            guard state.open?.vault === ended.vault else { return nil }
            defer { state.open = nil }
            return state.open
        }
        if let open { end(open) }
    }

    private func end(_ open: Open) {
        let failure = open.vault.lock()
        open.storage.close()
        state.withLock { $0.isMarkKept = failure == nil }
        platform_return_free_memory()
    }

    /// Wipes the key of protected secrets and stays unlocked.
    func endVerification() {
        state.withLock { $0.open }?.vault.endVerification()
    }
}

// Using the unlocked vault.
extension AgentSession {
    /// Runs an operation on the unlocked vault; only a successful one counts as a use.
    ///
    /// - Parameter body: Runs it, and tells what kind of use it was.
    /// - Returns: What `body` returns.
    /// - Throws: What it throws; `locked`.
    func use<Result>(
        _ body: (UnlockedVault) throws(VaultError) -> (Result, Use)
    ) throws(AgentRefusal) -> Result {
        let open = try current()
        let result: Result
        let use: Use
        do throws(VaultError) {
            do throws(StorageError) {
                try place.follow(open.storage)
            } catch {
                throw .storage(error)
            }
            (result, use) = try body(open.vault)
        } catch {
            // The keys open nothing any more: what is left of the session goes, too.
            if error == .keysReplaced || error == .store(.locked) {
                lock(open)
                throw .store(.locked)
            }
            throw .vault(error)
        }
        let now = clock.now
        state.withLock { state in
            guard state.open?.vault === open.vault else { return }
            switch use {
            case .none: break
            case .plain: state.open?.times.use(isProtected: false, at: now)
            case .protected: state.open?.times.use(isProtected: true, at: now)
            }
        }
        return result
    }

    /// Changes a security setting of the vault; the session obeys it from now on.
    ///
    /// - Throws: `memoryNotLocked` for a demand that this session does not meet itself; what the vault says.
    func change(_ setting: VaultSetting, to value: UInt32) throws(AgentRefusal) -> VaultSettings {
        if setting == .requiresLockedMemory, value != 0, !place.isMemoryLocked() {
            throw .memoryNotLocked
        }
        return try use { (vault) throws(VaultError) in
            (try vault.changeSettings { $0[setting] = value }, .plain)
        }
    }

    /// What an operation was, for the limits.
    enum Use: Sendable {
        /// Nothing that extends anything, such as a list.
        case none
        /// A use of the session.
        case plain
        /// A use of a protected secret.
        case protected

        /// The use of a secret of this class.
        init(_ accessClass: AccessClass) {
            self = accessClass == .afterVerification ? .protected : .plain
        }
    }

    /// The session as it is now, after the limits were looked at.
    private func current() throws(AgentRefusal) -> Open {
        enforceLimits()
        guard let open = state.withLock({ $0.open }) else { throw .store(.locked) }
        return open
    }

    /// Ends what a limit has ended.
    ///
    /// - Returns: When the next limit passes if nothing is used; nil while locked.
    @discardableResult
    func enforceLimits() -> Duration? {
        guard let open = state.withLock({ $0.open }) else { return nil }
        let limits = open.vault.settings
        let now = clock.now
        guard let limits, now < open.times.end(limits) else {
            lock(open)
            return nil
        }
        guard now < open.times.verificationEnd(limits) else {
            open.vault.endVerification()
            return open.times.end(limits)
        }
        return min(open.times.verificationEnd(limits), open.times.end(limits))
    }

    /// What there is to say of the session.
    func status(processID: UInt32) -> AgentStatus {
        enforceLimits()
        let (open, isMarkKept) = state.withLock { ($0.open, $0.isMarkKept) }
        var status = AgentStatus(
            isUnlocked: false, isVerified: false, isMemoryLocked: place.isMemoryLocked(),
            isMarkKept: isMarkKept, verificationLeft: 0, idleTimeLeft: 0, absoluteTimeLeft: 0,
            processID: processID)
        guard let open, let limits = open.vault.settings else { return status }
        let now = clock.now
        func left(_ end: Duration) -> UInt64 { UInt64(max(0, (end - now).milliseconds)) }
        status.isUnlocked = true
        status.idleTimeLeft = left(open.times.idleEnd(limits))
        status.absoluteTimeLeft = left(open.times.absoluteEnd(limits))
        if open.vault.isVerified {
            status.isVerified = true
            status.verificationLeft = left(open.times.verificationEnd(limits))
        }
        return status
    }

    /// Whether the vault is unlocked, whatever the limits say.
    var isOpen: Bool { state.withLock { $0.open != nil } }
}

extension AgentRefusal {
    /// What an attempt that ended so says about whoever tried.
    fileprivate var verdict: AttemptGate.Verdict {
        switch self {
        case .vault(.wrongPassphrase), .vault(.wrongRecoveryCode): .wrong
        default: .undecided
        }
    }
}
