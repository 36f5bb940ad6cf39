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
        state.withLock { $0.open?.limits = settings }
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
        let stored = try ending(open) { () throws(VaultError) in
            try follow(open)
            return try open.vault.currentSettings()
        }
        if stored == open.limits { return open }
        // What another process has made narrower holds for this use already.
        state.withLock { state in
            if state.open?.vault === open.vault { state.open?.limits = stored }
        }
        return try current()
    }

    /// Runs a call of the vault; where the keys open nothing any more, what is left of the session goes, too.
    private func ending<Result>(
        _ open: Open, _ body: () throws(VaultError) -> Result
    ) throws(AgentRefusal) -> Result {
        do throws(VaultError) {
            return try body()
        } catch {
            guard error.endsSession else { throw .vault(error) }
            lock(open)
            throw .store(.locked)
        }
    }

    /// The session as it is now, after the limits were looked at.
    func current() throws(AgentRefusal) -> Open {
        enforceLimits()
        guard let open = state.withLock({ $0.open }) else { throw .store(.locked) }
        return open
    }

    /// Ends what a limit has ended; waits for nobody if none has.
    ///
    /// - Returns: When the next limit passes if nothing is used; nil while locked.
    @discardableResult
    func enforceLimits() -> Duration? {
        guard let open = state.withLock({ $0.open }) else { return nil }
        let limits = open.limits
        let now = clock.now
        guard now < open.times.end(limits) else {
            lock(open)
            return nil
        }
        guard open.isVerified else { return open.times.end(limits) }
        guard now < open.times.verificationEnd(limits) else {
            endVerification(of: open, at: now)
            return open.times.end(limits)
        }
        return min(open.times.verificationEnd(limits), open.times.end(limits))
    }

    /// Wipes the key of protected secrets and stays unlocked, unless the window was prolonged meanwhile.
    private func endVerification(of open: Open, at now: Duration) {
        let proofCount = state.withLock { state -> UInt64? in
            guard let current = state.open, current.vault === open.vault,
                now >= current.times.verificationEnd(current.limits)
            else { return nil }
            state.open?.isVerified = false
            return current.proofCount
        }
        // Whoever is using the vault is waited for here, and nobody has to wait for that. A proof that comes in between keeps its key.
        if let proofCount { open.vault.endVerification(ofProof: proofCount) }
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
