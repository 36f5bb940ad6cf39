internal import Sealing
public import SecureStorage
internal import Synchronization
internal import VaultStorage

/// An unlocked vault: a ``SecureStore`` whose answers are verified before they are given.
///
/// Several processes and threads may use one vault at the same time; calls on one value take turns. After ``lock()`` the keys are wiped
/// and every operation fails with ``SecureStoreError/locked``.
public final class UnlockedVault: SecureStore {
    let session: Mutex<VaultSession?>

    init(_ session: VaultSession) {
        self.session = Mutex(session)
    }

    deinit {
        lock()
    }

    /// Wipes the keys and remembers the newest state on this machine.
    ///
    /// - Returns: Why this machine could not remember, or nil. Locking twice is allowed.
    @discardableResult
    public func lock() -> RollbackMarkError? {
        // The keys go first: remembering may wait for other processes.
        let last = session.withLock { session in
            defer { session = nil }
            return session?.newestMark
        }
        return Self.remember(last)
    }

    /// Remembers the newest state on this machine; ``lock()`` does that, too.
    ///
    /// - Returns: Why this machine could not remember, or nil.
    @discardableResult
    package func rememberNewestState() -> RollbackMarkError? {
        Self.remember(session.withLock { $0?.newestMark })
    }

    private static func remember(
        _ last: (mark: RollbackMark, marks: any RollbackMarks)?
    ) -> RollbackMarkError? {
        guard let last else { return nil }
        do throws(RollbackMarkError) {
            try last.marks.remember(last.mark, force: false)
            return nil
        } catch {
            return error
        }
    }

    /// Whether values of ``AccessClass/afterVerification`` can be read.
    public var isVerified: Bool {
        session.withLock { $0?.keys.values[.afterVerification] != nil }
    }

    /// Wipes the key of ``AccessClass/afterVerification`` and stays unlocked.
    public func endVerification() {
        session.withLock { $0?.keys.forget(.afterVerification) }
    }

    /// How often the owner was proved since the vault was unlocked.
    package var proofCount: UInt64 {
        session.withLock { $0?.proofCount ?? 0 }
    }

    /// The same as ``endVerification()``, unless the owner was proved again since there were `count` proofs.
    ///
    /// - Parameters:
    ///   - count: See ``proofCount``.
    ///   - isPatient: Whether to wait for a call that is using the vault.
    /// - Returns: `false` if one was, and nothing is changed.
    package func endVerification(ofProof count: UInt64, isPatient: Bool) -> Bool {
        guard isPatient else {
            return session.withLockIfAvailable { $0?.endVerification(ofProof: count) } != nil
        }
        session.withLock { $0?.endVerification(ofProof: count) }
        return true
    }

    /// Proves the owner again and brings the key of ``AccessClass/afterVerification`` back.
    ///
    /// - Throws: As ``LockedVault/authenticate(with:)``, or `store(.locked)` after ``lock()``.
    public func verify(with secret: borrowing VaultSecret) throws(VaultError) {
        // What was seen before the vault is looked at: others write through this session meanwhile, and that is no rollback.
        let (storage, environment, seen) = try use { (session) throws(VaultError) in
            (session.storage, session.environment, session.newest)
        }
        // Accepting an older vault was for the unlocking only.
        var strict = environment
        strict.acceptsOlder = false
        // The derivation takes long; others go on meanwhile.
        let proved = try LockedVault(storage, strict).authenticate(with: secret)
        try use { (session) throws(VaultError) in
            guard session.header.vaultID == proved.session.header.vaultID,
                session.header.keyEpoch == proved.session.header.keyEpoch
            else { throw .keysReplaced }
            if let found = proved.session.newest { try seen?.requireNotOlder(found) }
            session.keys.adopt(.afterVerification, from: proved.session.keys)
            session.proofCount += 1
        }
    }

    /// The security settings as of the last look at the vault, or nil after ``lock()``.
    public var settings: VaultSettings? {
        session.withLock { $0?.newest?.state.settings }
    }

    /// The security settings as they are stored now.
    ///
    /// - Throws: `store(.locked)`, `damaged`, `storage`.
    public func currentSettings() throws(VaultError) -> VaultSettings {
        try use { (session) throws(VaultError) in
            try session.read { (_) throws(VaultError) in
                guard let index = session.index else { throw .damaged(.stateMissing) }
                return index.state.settings
            }
        }
    }

    /// Changes the security settings.
    ///
    /// Whoever finds the vault unlocked can make its sessions shorter; to make them longer takes a fresh proof.
    ///
    /// - Parameter body: Gets the settings as they are stored and changes them. It must not call the vault.
    /// - Returns: The new settings.
    /// - Throws: `invalidSettings` for a limit outside ``VaultSettings/limitRange``, `store(.notVerified)` for wider settings while not
    ///   verified; `store(.locked)`, `conflict`, `storage`, `damaged`.
    @discardableResult
    public func changeSettings(
        _ body: (inout VaultSettings) -> Void
    ) throws(VaultError) -> VaultSettings {
        try use { (session) throws(VaultError) in
            try session.write { (changes) throws(VaultError) in
                var settings = changes.state.settings
                body(&settings)
                guard settings.areAcceptable else { throw .invalidSettings }
                guard
                    !settings.isWider(than: changes.state.settings)
                        || session.keys.values[.afterVerification] != nil
                else { throw .store(.notVerified) }
                changes.state.settings = settings
                return settings
            }
        }
    }

    /// Runs `body` with the session, if there is one.
    func use<Result: ~Copyable>(
        _ body: (VaultSession) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        try session.withLock { (session) throws(VaultError) -> Handed<Result> in
            guard let current = session else { throw .store(.locked) }
            do throws(VaultError) {
                return Handed(try body(current))
            } catch {
                // The keys open nothing any more.
                if error == .keysReplaced { session = nil }
                throw error
            }
        }.take()
    }
}
