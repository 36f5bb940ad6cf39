internal import Platform
internal import SecureStorage
internal import Synchronization
internal import VaultCore
internal import VaultStorage

// Operations on the unlocked vault.
extension AgentSession {
    /// Runs an operation on the unlocked vault; only a successful one counts as a use.
    ///
    /// - Parameter body: Runs the operation, and returns the kind of use.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; `locked`.
    func use<Result>(
        _ body: (UnlockedVault) throws -> (Result, Use)
    ) throws -> Result {
        // The use counts from its start: an operation that suspend interrupts must not extend the
        // session beyond a limit.
        let now = clock.now
        let open = try refreshed()
        let (result, use) = try callVault(of: open) { try body(open.vault) }
        note(use, of: open, at: now)
        return result
    }

    /// Runs a step of a long operation that began with ``use(_:)``; it counts as a use of the same
    /// kind.
    ///
    /// - Parameters:
    ///   - use: The kind of use.
    ///   - isRefreshing: Whether to read limits that another process may have tightened, which
    ///     takes longer than the step.
    ///   - body: Runs the step.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; `locked`.
    func continueUse<Result>(
        _ use: Use, refreshing isRefreshing: Bool, _ body: () throws -> Result
    ) throws -> Result {
        let now = clock.now
        let open = try isRefreshing ? refreshed() : current()
        let result = try callVault(of: open) { try body() }
        note(use, of: open, at: now)
        return result
    }

    /// Changes a security setting of the vault; the session applies it at once.
    ///
    /// - Throws: `memoryNotLocked` for a requirement that this session does not meet; errors of the vault.
    func change(_ setting: VaultSetting, to value: UInt32) throws -> VaultSettings {
        if setting == .requireLockedMemory, value != 0, !place.isMemoryLocked() {
            throw AgentError.memoryNotLocked
        }
        let settings = try use { vault in
            (try vault.changeSettings { $0[setting] = value }, .plain)
        }
        // Another change may have followed this one.
        _ = try? refreshed()
        return settings
    }

    /// The time of a backup that was restored since this machine last saw the vault, or nil. It is
    /// reported once.
    func takeRestoredBackup() -> Int64? {
        state.withLock { $0.open }?.vault.takeRestoredBackup()
    }

    /// Whether copies of erased values are still in the vault's files; see ``UnlockedVault``.
    var hasOldValues: Bool { state.withLock { $0.open }?.vault.hasOldValues ?? false }

    /// Erases the expired earlier versions. After a failure, a later change erases them.
    func eraseExpired() {
        guard let open = state.withLock({ $0.open }) else { return }
        try? callVault(of: open) { try open.vault.eraseExpired() }
    }

    /// The current session, with the vault's stored limits.
    func refreshed() throws -> Open {
        let open = try current()
        let isChanged = try limitsLock.withLock {
            let stored = try callVault(of: open) {
                try open.storage.followPath()
                return try open.vault.currentSettings()
            }
            if !stored.isOn(.verifyWithFingerprint) { open.vault.wipeSuspendedKey() }
            let isRollbackRecordKept = open.vault.rollbackRecordFailure == nil
            return state.withLock { state in
                if state.open?.vault === open.vault {
                    state.isRollbackRecordKept = isRollbackRecordKept
                    state.open?.limits = stored
                }
                // Also true if another thread has stored them in the meantime.
                return open.limits != stored
            }
        }
        // A limit that another process has tightened applies to this use already.
        return isChanged ? try current() : open
    }

    /// Calls the vault. Ends the session if its keys are no longer valid. A call interrupted by a lock fails with `locked`.
    private func callVault<Result>(of open: Open, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard isOver(open, by: error) else { throw error }
            lock(open, after: error)
            throw SecureStoreError.locked
        }
    }

    /// Whether a call failed because the session is over. Its keys are invalid, or it was locked
    /// and its storage closed.
    func isOver(_ open: Open, by error: any Error) -> Bool {
        guard case .vault(let error) = AgentError(translating: error) else { return false }
        if error.endsSession { return true }
        return error.isLostStorage && state.withLock { $0.open?.vault !== open.vault }
    }

    /// The status of the session.
    func status(processID: UInt32) -> AgentStatus {
        // If the vault cannot be read now, reports the state of the last check.
        _ = try? refreshed()
        let (open, isRollbackRecordKept) = state.withLock { ($0.open, $0.isRollbackRecordKept) }
        var status = AgentStatus(
            isUnlocked: false, isVerified: false, isMemoryLocked: place.isMemoryLocked(),
            isRollbackRecordKept: isRollbackRecordKept, verificationLeft: 0, idleTimeLeft: 0,
            absoluteTimeLeft: 0,
            processID: processID, areFilesLimited: FileAccessLimits.areApplied)
        guard let open else { return status }
        status.finger = fingerState(open)
        let limits = open.limits
        let now = clock.now
        func left(_ end: Duration) -> UInt64 { UInt64(max(0, (end - now).milliseconds)) }
        status.isUnlocked = true
        status.idleTimeLeft = left(open.times.idleEnd(limits))
        status.absoluteTimeLeft = left(open.times.absoluteEnd(limits))
        if open.isVerified {
            status.isVerified = true
            status.verificationLeft = left(open.times.verificationEnd(limits))
        }
        return status
    }

    /// Whether the vault is unlocked, without a check of the limits.
    var isOpen: Bool { state.withLock { $0.open != nil } }

    /// Whether this vault is the one that is unlocked, without a check of the limits.
    func isOpen(_ vault: UnlockedVault) -> Bool { state.withLock { $0.open?.vault === vault } }
}
