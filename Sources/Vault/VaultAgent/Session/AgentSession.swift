internal import Passkeys
internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Synchronization
internal import VaultCore
internal import VaultStorage

/// The unlocked vault of an agent, and the time limits of the session.
///
/// Each use reads the clock first, so a passed limit ends the session or the verification before the answer. Thread-safe; the vault
/// runs one call at a time.
final class AgentSession: Sendable {
    /// The state of an unlocked vault.
    struct Open {
        let vault: UnlockedVault
        let storage: any RecordStorage
        var times: SessionLimits
        /// The vault's limits at the last check, readable while another thread uses the vault.
        var limits: VaultSettings
        /// Whether the key of protected secrets is in memory.
        var isVerified = true
        /// The number of verifications of the vault at the last check.
        var verificationCount: UInt64 = 0
        /// The number of mismatches since the owner's last finger, or since the unlock.
        var otherFingers = 0
        /// Whether to suspend the key of protected secrets for a fingerprint.
        var wantsFinger: Bool {
            FingerprintReader.isSupported && limits.isOn(.verifyWithFingerprint)
                && otherFingers < AgentSession.mostOtherFingers
        }
    }

    struct State {
        var open: Open?
        /// The number of locks, so that an attempt that began before a lock does not unlock after
        /// it.
        var locks = 0
        /// Whether unlocking is permanently disabled.
        var isOver = false
        /// Whether the last rollback record could be stored.
        var isRollbackRecordKept = true
        /// Whether another process replaced the keys and ended the last session, and no client has
        /// received this error.
        var isReplacementNoticePending = false
    }

    let state = LockedValue(State())
    let place: VaultPlace
    /// The secrets that are being sent.
    let deliveries = SecretDeliveries()
    /// The secrets of a batch that is being received.
    let batch = SecretBatch()
    /// The client that waits for a fingerprint.
    let fingers = FingerTurn()
    /// The files that clients are writing and reading.
    let openFiles = OpenFiles()
    /// The secrets that end with the session.
    let sessionSecrets = SessionSecrets()
    /// The open ceremonies of passkeys.
    let ceremonies: Mutex<PasskeyCeremonies>
    /// Held during a read. The vault runs one call at a time anyway; without this, the reads of many clients would wait for one another, and change
    /// threads, at each lock that a read takes.
    let readTurn = CallLock()
    private let guessDelay: GuessDelay
    /// Held while the vault's limits are read and stored: the stored limits are then those that were read last.
    let limitsLock = CallLock()
    /// Held while the vault is closed: every call of ``lock()``, in any thread, returns after that.
    private let closeLock = Mutex(())
    let clock: any SessionClock
    /// The log of reads of this machine.
    let readLog: ReadLog?

    /// Creates a locked session.
    init(_ place: VaultPlace, clock: any SessionClock, readLog: ReadLog? = nil) {
        self.place = place
        self.clock = clock
        self.readLog = readLog
        guessDelay = GuessDelay(clock)
        ceremonies = Mutex(PasskeyCeremonies(random: place.environment.random))
    }

    /// The storage and the environment of the vault.
    struct VaultPlace: Sendable {
        /// Opens the vault's storage, at each unlock.
        let open: @Sendable () throws -> any RecordStorage
        /// Limits, randomness, clock and rollback records.
        let environment: VaultEnvironment
        /// Whether the system keeps memory out of swap.
        let isMemoryLocked: @Sendable () -> Bool
    }
}

// Unlocking, verification and locking.
extension AgentSession {
    /// Verifies the owner, and unlocks the vault or, if it is unlocked already, begins a new verification.
    ///
    /// - Parameters:
    ///   - secret: Passphrase, recovery code or output of an authenticator.
    ///   - acceptsOlder: Whether to accept a vault that is older than this machine's rollback record, or forked.
    ///   - acceptsOther: Whether to accept another vault than the one that this machine saw at the place.
    ///   - isWanted: Whether the client still waits: an interrupted unlock leaves the vault locked.
    /// - Throws: Errors of the vault and its storage; ``AgentError/throttled``, ``AgentError/memoryNotLocked``.
    func unlock(
        with secret: borrowing VaultSecret, acceptsOlder: Bool, acceptsOther: Bool = false,
        while isWanted: () -> Bool = { true }
    ) throws {
        enforceLimits()
        let locks = state.withLock { $0.locks }
        try attempt {
            // A continued session never accepts an older or another vault; a new session can.
            if acceptsOlder || acceptsOther {
                if let open = state.withLock({ $0.open }) { lock(open) }
            } else if try proveAgain(secret) {
                state.withLock { $0.open?.otherFingers = 0 }
                return
            }
            var environment = place.environment
            environment.acceptsOlder = acceptsOlder
            environment.acceptsOther = acceptsOther
            try begin(with: secret, environment, unlessLockedAfter: locks, while: isWanted)
        }
    }

    /// Verifies the owner of the unlocked vault again.
    ///
    /// - Throws: `locked` for a locked vault; otherwise as ``unlock(with:acceptsOlder:acceptsOther:while:)``.
    func verify(with secret: borrowing VaultSecret) throws {
        _ = try current()
        try attempt {
            guard try proveAgain(secret) else { throw SecureStoreError.locked }
        }
    }

    /// Verifies the owner and runs `body` with the root key in memory; does not change the session.
    /// Works while the vault is locked.
    ///
    /// - Throws: As ``unlock(with:acceptsOlder:acceptsOther:while:)``; the error of `body`.
    func withOwner(
        verifiedBy secret: borrowing VaultSecret,
        _ body: (consuming AuthenticatedVault) throws -> Void
    ) throws {
        let storage = try place.open()
        defer { storage.close() }
        var vault: AuthenticatedVault?
        try attempt {
            vault = try LockedVault(storage, place.environment).authenticate(with: secret)
        }
        guard let vault = vault.take() else { return }
        guard vault.settings?.isOn(.requireLockedMemory) != true || place.isMemoryLocked() else {
            throw AgentError.memoryNotLocked
        }
        try body(vault)
    }

    /// The slots of the vault; works while it is locked.
    func slots() throws -> [KeySlotDescription] {
        let storage = try place.open()
        defer { storage.close() }
        return try LockedVault(storage, place.environment).slots
    }

    private func attempt(_ body: () throws -> Void) throws {
        let failure = try guessDelay.run { () -> (GuessDelay.Verdict, (any Error)?) in
            do {
                try body()
                return (.right, nil)
            } catch let error as VaultError where error.isWrongSecret {
                return (.wrong, error)
            } catch {
                return (.undecided, error)
            }
        }
        if let failure { throw failure }
    }

    /// Verifies the owner of the unlocked vault.
    ///
    /// - Returns: `false` for a locked vault, or if its keys were replaced in the meantime.
    private func proveAgain(_ secret: borrowing VaultSecret) throws -> Bool {
        guard let open = state.withLock({ $0.open }) else { return false }
        do {
            try open.storage.followPath()
            try open.vault.verify(with: secret)
        } catch {
            guard isOver(open, by: error) else { throw error }
            lock(open, after: error)
            return false
        }
        return noteProof(of: open)
    }

    /// Begins a new verification.
    ///
    /// - Returns: `false` if the session has ended in the meantime.
    func noteProof(of open: Open) -> Bool {
        let now = clock.now
        let verificationCount = open.vault.verificationCount
        return state.withLock { state in
            guard state.open?.vault === open.vault else { return false }
            state.open?.times.prove(at: now)
            state.open?.isVerified = true
            state.open?.verificationCount = verificationCount
            return true
        }
    }

    /// Opens the vault, verifies the owner, and keeps the vault unlocked. `locks` is the count of
    /// locks at the start of the attempt.
    private func begin(
        with secret: borrowing VaultSecret, _ environment: VaultEnvironment,
        unlessLockedAfter locks: Int, while isWanted: () -> Bool
    ) throws {
        guard state.withLock({ $0.mayBegin(unlessLockedAfter: locks) }) else {
            throw SecureStoreError.locked
        }
        let storage = try place.open()
        let vaultID: [UInt8]
        let vault: UnlockedVault
        do {
            let locked = try LockedVault(storage, environment)
            vaultID = locked.id
            vault = try locked.unlock(with: secret)
        } catch {
            storage.close()
            throw error
        }
        let limits = vault.settings ?? .standard
        guard !limits.isOn(.requireLockedMemory) || place.isMemoryLocked() else {
            vault.lock()
            storage.close()
            throw AgentError.memoryNotLocked
        }
        let open = Open(
            vault: vault, storage: storage, times: SessionLimits(unlocked: clock.now),
            limits: limits)
        let (isCurrent, unneeded) = state.withLock { state -> (Bool, Open?) in
            // A lock or cancellation during the wait or the verification takes precedence.
            guard state.mayBegin(unlessLockedAfter: locks), isWanted() else { return (false, open) }
            defer {
                state.open = open
                state.isReplacementNoticePending = false
                state.isRollbackRecordKept = vault.rollbackRecordFailure == nil
            }
            return (true, state.open)
        }
        if let unneeded { closeLock.withLock { _ in end(unneeded) } }
        if !isCurrent { throw SecureStoreError.locked }
        readLog?.open(vaultID, in: vault)
        // A lock in between found the log closed.
        if !isOpen(vault) { readLog?.close() }
    }

    /// Wipes the keys and closes the vault. Idempotent.
    func lock() {
        release { state in
            state.locks += 1
            state.isReplacementNoticePending = false
            return state.open
        }
    }

    /// Locks, and disables unlocking permanently.
    func end() {
        state.withLock { $0.isOver = true }
        lock()
    }

    /// Locks unless a new session has begun in the meantime.
    func lock(_ ended: Open) {
        release { state in state.open?.vault === ended.vault ? state.open : nil }
    }

    /// Ends a session after an operation failed because the session is over.
    func lock(_ ended: Open, after error: any Error) {
        lock(ended)
        guard AgentError(translating: error) == .vault(.store(.keysReplaced)) else { return }
        state.withLock { if $0.open == nil { $0.isReplacementNoticePending = true } }
    }

    /// The refusal for a client. After the keys were replaced, the first client of the locked vault
    /// receives that reason.
    func refusal(for error: any Error) -> AgentError {
        let error = AgentError(translating: error)
        guard error == .vault(.store(.locked)) else { return error }
        return state.withLock { state in
            defer { state.isReplacementNoticePending = false }
            return state.isReplacementNoticePending ? .vault(.store(.keysReplaced)) : error
        }
    }

    /// Removes the open vault from the state, and returns after it is closed.
    private func release(_ choose: (inout State) -> Open?) {
        closeLock.withLock { _ in
            let open = state.withLock { state in
                let open = choose(&state)
                if open != nil { state.open = nil }
                return open
            }
            if let open { end(open) }
        }
    }

    private func end(_ open: Open) {
        // An operation may hold the vault and its keys while it waits for an unreachable server.
        open.storage.interrupt()
        fingers.interrupt()
        let failure = open.vault.lock()
        openFiles.end()
        deliveries.end()
        readLog?.close()
        batch.forget()
        sessionSecrets.forget()
        open.storage.close()
        state.withLock { $0.isRollbackRecordKept = failure == nil }
        platform_return_free_memory()
    }
}

extension AgentSession.State {
    /// Whether an attempt that started at this count of locks may still unlock.
    fileprivate func mayBegin(unlessLockedAfter locks: Int) -> Bool {
        !isOver && self.locks == locks
    }
}

extension VaultError {
    /// Whether the keys of the session are no longer valid.
    var endsSession: Bool { self == .store(.keysReplaced) || self == .store(.locked) }

    /// Whether the storage was closed or interrupted without a change, or its server is
    /// unreachable.
    var isLostStorage: Bool {
        switch self {
        case .storage(.closed), .storage(.unreachable), .store(.unavailable(.unreachable, _)): true
        default: false
        }
    }
}
