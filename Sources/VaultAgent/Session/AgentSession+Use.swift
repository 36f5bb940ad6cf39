internal import SecureStorage
internal import Synchronization
internal import VaultCore
internal import VaultStorage

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
        // A use counts from its beginning: one that a sleep of the machine came into does not carry the session over a limit.
        let now = clock.now
        let open = try refreshed()
        let (result, use) = try ending(open) { () throws(VaultError) in try body(open.vault) }
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
        let settings = try use { (vault) throws(VaultError) in
            (try vault.changeSettings { $0[setting] = value }, .plain)
        }
        // Another change may have come after this one.
        _ = try? refreshed()
        return settings
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

    /// The session as it is now, by the vault's limits as they are stored now.
    private func refreshed() throws(AgentRefusal) -> Open {
        let open = try current()
        let isChanged = try noting.withLock { _ throws(AgentRefusal) in
            let stored = try ending(open) { () throws(VaultError) in
                try follow(open)
                return try open.vault.currentSettings()
            }
            return state.withLock { state in
                guard state.open?.vault === open.vault, state.open?.limits != stored else {
                    return false
                }
                state.open?.limits = stored
                return true
            }
        }
        // What another process has made narrower holds for this use already.
        return isChanged ? try current() : open
    }

    /// Runs a call of the vault; where the keys open nothing any more, what is left of the session goes, too. A call that a lock interrupted
    /// finds the vault locked.
    private func ending<Result>(
        _ open: Open, _ body: () throws(VaultError) -> Result
    ) throws(AgentRefusal) -> Result {
        do throws(VaultError) {
            return try body()
        } catch {
            guard isOver(open, by: error) else { throw .vault(error) }
            lock(open)
            throw .store(.locked)
        }
    }

    /// Whether a call failed because the session is over: its keys open nothing any more, or it was let go meanwhile, and its storage with it.
    func isOver(_ open: Open, by error: VaultError) -> Bool {
        if error.endsSession { return true }
        return error.isLostStorage && state.withLock { $0.open?.vault !== open.vault }
    }

    /// The session as it is now, after the limits were looked at.
    func current() throws(AgentRefusal) -> Open {
        enforceLimits()
        guard let open = state.withLock({ $0.open }) else { throw .store(.locked) }
        return open
    }

    /// Ends what a limit has ended; waits for nobody if none has.
    ///
    /// - Parameter isPatient: Whether the end of the verification waits for whoever is using the vault. Whoever uses it next has to be; whoever
    ///   has to notice a lock must not, as a server that is gone may hold up a use for long.
    /// - Returns: When the next limit passes if nothing is used, or when to try again; nil while locked.
    @discardableResult
    func enforceLimits(isPatient: Bool = true) -> Duration? {
        guard let open = state.withLock({ $0.open }) else { return nil }
        let limits = open.limits
        let now = clock.now
        guard now < open.times.end(limits) else {
            lock(open)
            return nil
        }
        guard open.isVerified else { return open.times.end(limits) }
        guard now < open.times.verificationEnd(limits) else {
            let isDone = endVerification(of: open, at: now, isPatient: isPatient)
            return isDone ? open.times.end(limits) : now + Self.secondTry
        }
        return min(open.times.verificationEnd(limits), open.times.end(limits))
    }

    /// When the end of a verification is tried again that a use was in the way of.
    private static let secondTry: Duration = .milliseconds(50)

    /// Wipes the key of protected secrets and stays unlocked, unless the window was prolonged meanwhile.
    ///
    /// - Returns: Whether that is done.
    private func endVerification(of open: Open, at now: Duration, isPatient: Bool) -> Bool {
        let proofCount = state.withLock { state -> UInt64? in
            guard let current = state.open, current.vault === open.vault,
                now >= current.times.verificationEnd(current.limits)
            else { return nil }
            return current.proofCount
        }
        // A proof that comes in between keeps its key.
        guard let proofCount else { return true }
        guard open.vault.endVerification(ofProof: proofCount, isPatient: isPatient) else {
            return false
        }
        state.withLock { state in
            guard state.open?.vault === open.vault, state.open?.proofCount == proofCount else {
                return
            }
            state.open?.isVerified = false
        }
        return true
    }

    /// What there is to say of the session.
    func status(processID: UInt32) -> AgentStatus {
        // Where the vault cannot be read now, its state is that of the last look at it.
        _ = try? refreshed()
        let (open, isMarkKept) = state.withLock { ($0.open, $0.isMarkKept) }
        var status = AgentStatus(
            isUnlocked: false, isVerified: false, isMemoryLocked: place.isMemoryLocked(),
            isMarkKept: isMarkKept, verificationLeft: 0, idleTimeLeft: 0, absoluteTimeLeft: 0,
            processID: processID)
        guard let open else { return status }
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

    /// Whether the vault is unlocked, whatever the limits say.
    var isOpen: Bool { state.withLock { $0.open != nil } }
}
