internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultCore
internal import VaultStorage

/// The unlocked vault of an agent, and when it is let go.
///
/// The clock is read before each use, so a limit that has passed ends the session or the verification before anything is answered. Thread-safe;
/// the vault itself lets one caller in at a time.
final class AgentSession: Sendable {
    /// What is there while the vault is unlocked.
    struct Open {
        let vault: UnlockedVault
        let storage: any RecordStorage
        var times: SessionTimes
        /// The vault's limits as of the last look at it: known without waiting for whoever is using it.
        var limits: VaultSettings
        /// Whether the key of protected secrets is there.
        var isVerified = true
        /// How often the vault was proved when that was noted last.
        var proofCount: UInt64 = 0
    }

    struct State {
        var open: Open?
        /// Counts the locks, so that an attempt that began before one does not unlock after it.
        var locks = 0
        /// Whether nothing is unlocked any more.
        var isOver = false
        /// Whether the last mark could be kept.
        var isMarkKept = true
    }

    let state = Mutex(State())
    let place: VaultPlace
    /// What is on its way out of the vault.
    let views = OpenViews()
    private let gate: AttemptGate
    /// Held while the vault's limits are looked at and noted, so that what is noted last was read last.
    let noting = Mutex(())
    /// Held while a vault is let go, so that whoever locks returns after that, whoever does it.
    private let ending = Mutex(())
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
        let open: @Sendable () throws -> any RecordStorage
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
    ///   - isWanted: Whether somebody still waits: who interrupted an unlocking finds the vault locked.
    /// - Throws: What the vault says; ``AgentRefusal/throttled``, ``AgentRefusal/memoryNotLocked``.
    func unlock(
        with secret: borrowing VaultSecret, acceptsOlder: Bool,
        while isWanted: () -> Bool = { true }
    ) throws(AgentRefusal) {
        enforceLimits()
        let locks = state.withLock { $0.locks }
        try attempt { () throws(AgentRefusal) in
            // A session that goes on never accepts an older vault; a new one may. What the old one saw is remembered before that: later
            // it would make the accepted vault too old again.
            if acceptsOlder {
                if let open = state.withLock({ $0.open }) { lock(open) }
            } else if try proveAgain(secret) {
                return
            }
            try begin(with: secret, acceptsOlder, unlessLockedAfter: locks, while: isWanted)
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
        do throws(VaultError) {
            try follow(open)
            try open.vault.verify(with: secret)
        } catch {
            guard isOver(open, by: error) else { throw .vault(error) }
            lock(open)
            return false
        }
        let now = clock.now
        let proofCount = open.vault.proofCount
        return state.withLock { state in
            guard state.open?.vault === open.vault else { return false }
            state.open?.times.prove(at: now)
            state.open?.isVerified = true
            state.open?.proofCount = proofCount
            return true
        }
    }

    /// Makes sure that the file at the vault's path is the one that is open.
    func follow(_ open: Open) throws(VaultError) {
        try VaultError.translating { try open.storage.followPath() }
    }

    /// Opens the vault, proves the owner, and keeps it unlocked; `locks` is how often there was a lock when the attempt came.
    private func begin(
        with secret: borrowing VaultSecret, _ acceptsOlder: Bool, unlessLockedAfter locks: Int,
        while isWanted: () -> Bool
    ) throws(AgentRefusal) {
        guard state.withLock({ $0.mayBegin(unlessLockedAfter: locks) }) else {
            throw .store(.locked)
        }
        var environment = place.environment
        environment.acceptsOlder = acceptsOlder
        let storage: any RecordStorage
        do {
            storage = try place.open()
        } catch {
            throw .vault(VaultError(translating: error))
        }
        let vault: UnlockedVault
        do throws(VaultError) {
            vault = try LockedVault(storage, environment).unlock(with: secret)
        } catch {
            storage.close()
            throw .vault(error)
        }
        let limits = vault.settings ?? .standard
        guard !limits.requiresLockedMemory || place.isMemoryLocked() else {
            vault.lock()
            storage.close()
            throw .memoryNotLocked
        }
        let isMarkKept = vault.rememberNewestState() == nil
        let open = Open(
            vault: vault, storage: storage, times: SessionTimes(unlocked: clock.now),
            limits: limits)
        let (isCurrent, unneeded) = state.withLock { state -> (Bool, Open?) in
            // Somebody locked or gave up while the attempt waited or the passphrase was checked: that wins.
            guard state.mayBegin(unlessLockedAfter: locks), isWanted() else { return (false, open) }
            defer {
                state.open = open
                state.isMarkKept = isMarkKept
            }
            return (true, state.open)
        }
        if let unneeded { ending.withLock { _ in end(unneeded) } }
        if !isCurrent { throw .store(.locked) }
    }

    /// Wipes the keys and closes the vault. Locking twice is allowed.
    func lock() {
        letGo { state in
            state.locks += 1
            return state.open
        }
    }

    /// Locks for good.
    func end() {
        state.withLock { $0.isOver = true }
        lock()
    }

    /// Locks unless another session has begun meanwhile.
    func lock(_ ended: Open) {
        letGo { state in state.open?.vault === ended.vault ? state.open : nil }
    }

    /// Takes an open vault out of the state, and returns when nothing is left of it.
    private func letGo(_ choose: (inout State) -> Open?) {
        ending.withLock { _ in
            let open = state.withLock { state in
                let open = choose(&state)
                if open != nil { state.open = nil }
                return open
            }
            if let open { end(open) }
        }
    }

    private func end(_ open: Open) {
        // Whoever waits for a server that is gone has the vault, and its keys would stay as long as that.
        open.storage.interrupt()
        let failure = open.vault.lock()
        views.end()
        open.storage.close()
        state.withLock { $0.isMarkKept = failure == nil }
        platform_return_free_memory()
    }
}

extension AgentSession.State {
    /// Whether an attempt that came after so many locks may still unlock.
    fileprivate func mayBegin(unlessLockedAfter locks: Int) -> Bool {
        !isOver && self.locks == locks
    }
}

extension VaultError {
    /// Whether the keys of the session open nothing any more.
    var endsSession: Bool { self == .keysReplaced || self == .store(.locked) }

    /// Whether the storage was closed or interrupted, and nothing was changed; or its server is gone.
    var isLostStorage: Bool {
        switch self {
        case .storage(.closed), .storage(.unreachable), .store(.unavailable(.unreachable, _)): true
        default: false
        }
    }
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
