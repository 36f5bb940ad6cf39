internal import Platform
internal import Sealing
public import SecureStorage
package import VaultStorage

/// An unlocked vault: a ``SecureStore`` that verifies every answer before returning it.
///
/// Several processes and threads may use one vault concurrently; an instance runs one call at a time. ``lock()`` wipes the keys. After it, or
/// after the error ``SecureStoreError/keysReplaced``, every operation fails with ``SecureStoreError/locked``.
public final class UnlockedVault: SecureStore {
    let session: LockedValue<VaultSession?>

    init(_ session: VaultSession) {
        self.session = LockedValue(session)
    }

    deinit {
        lock()
    }

    /// Wipes the keys, and makes the rollback record of the newest state durable.
    ///
    /// - Returns: Why the rollback record could not be written, or nil. A second call does nothing.
    @discardableResult
    public func lock() -> RollbackRecordError? {
        // Wipe the keys first: the sync may take long.
        let last = session.withLock { session in
            defer { session = nil }
            return session.map {
                (failure: $0.rollbackRecordFailure, records: $0.environment.rollbackRecords)
            }
        }
        guard let last else { return nil }
        do throws(RollbackRecordError) {
            try last.records.sync()
            return last.failure
        } catch {
            return error
        }
    }

    /// Why the rollback record of the newest state could not be written, or nil.
    public var rollbackRecordFailure: RollbackRecordError? {
        session.withLock { $0?.rollbackRecordFailure }
    }

    /// The time of a backup that was restored since this machine last saw the vault, in milliseconds since 1970-01-01 UTC; nil if none was.
    public var restoredBackup: Int64? { session.withLock { $0?.restoredBackup } }

    /// Returns ``restoredBackup`` and clears it, so that the owner gets one notice of each restore.
    package func takeRestoredBackup() -> Int64? {
        session.withLock { session in
            defer { session?.restoredBackup = nil }
            return session?.restoredBackup
        }
    }

    /// Whether copies of erased values are still in the vault's files, because another program is reading them. Tries to erase them first.
    package var hasOldValues: Bool { session.withLock { $0?.hasOldValues() ?? false } }

    /// Whether values of ``AccessClass/afterVerification`` can be read.
    public var isVerified: Bool {
        session.withLock { $0?.keys.values[.afterVerification] != nil }
    }

    /// Wipes the key of ``AccessClass/afterVerification``; the vault stays unlocked.
    public func endVerification() {
        session.withLock { $0?.keys.wipeProtectedKey() }
    }

    /// The number of verifications since the vault was unlocked.
    package var verificationCount: UInt64 {
        session.withLock { $0?.verificationCount ?? 0 }
    }

    /// As ``endVerification()``, unless the owner was verified again after verification number `count`.
    ///
    /// - Parameters:
    ///   - count: See ``verificationCount``.
    ///   - mayWait: Whether to wait while another call uses the vault.
    ///   - isSuspending: Whether to suspend the key, for ``resumeVerification()``, instead of wiping it.
    /// - Returns: `false`, with no change, if another call is using the vault.
    package func endVerification(
        number count: UInt64, mayWait: Bool, suspending isSuspending: Bool = false
    ) -> Bool {
        guard mayWait else {
            return session.withLockIfAvailable {
                $0?.endVerification(number: count, suspending: isSuspending)
            } != nil
        }
        session.withLock { $0?.endVerification(number: count, suspending: isSuspending) }
        return true
    }

    /// Whether a suspended key exists.
    package var canResumeVerification: Bool { session.withLock { $0?.keys.suspended != nil } }

    /// Resumes the suspended key of ``AccessClass/afterVerification``, after the owner was verified by fingerprint.
    ///
    /// - Returns: Whether the key is in memory now.
    /// - Throws: `store(.locked)`, `outOfMemory`.
    package func resumeVerification() throws(VaultError) -> Bool {
        try use { session in
            guard try session.keys.resumeProtectedKey() else { return false }
            session.verificationCount += 1
            return true
        }
    }

    /// Logs a verification by other means than a slot; see ``VaultEnvironment/logVerification``.
    ///
    /// - Throws: `store(.locked)`.
    package func logVerification(of id: [UInt8]) throws(VaultError) {
        let (environment, vaultID) = try use { ($0.environment, $0.header.vaultID) }
        environment.logVerification(vaultID, id)
    }

    /// Wipes the suspended key.
    package func wipeSuspendedKey() { session.withLock { $0?.keys.wipeSuspendedKey() } }

    /// Verifies the owner again and restores the key of ``AccessClass/afterVerification``.
    ///
    /// - Throws: As ``LockedVault/authenticate(with:)``, or `store(.locked)` after ``lock()``.
    public func verify(with secret: borrowing VaultSecret) throws(VaultError) {
        // Read the newest state before reading the vault: concurrent writes through this session are no rollback.
        let (storage, environment, seen) = try use { session in
            (session.storage, session.environment, session.newest)
        }
        // The owner accepted an older or another vault only for unlocking.
        var strict = environment
        strict.acceptsOlder = false
        strict.acceptsOther = false
        // The derivation is slow, so it must not block other calls.
        let verified = try LockedVault(storage, strict).authenticate(with: secret, following: seen)
        try use { session in
            guard session.header.vaultID == verified.session.header.vaultID,
                session.header.keyEpoch == verified.session.header.keyEpoch
            else { throw SecureStoreError.keysReplaced }
            session.keys.adoptProtectedKey(from: verified.session.keys)
            session.verificationCount += 1
        }
    }

    /// The counter of the newest state that was read; 0 after ``lock()``.
    package var counter: UInt64 { session.withLock { $0?.newest?.state.counter ?? 0 } }

    /// The settings last read from the vault, or nil after ``lock()``.
    public var settings: VaultSettings? {
        session.withLock { $0?.newest?.state.settings }
    }

    /// Reads the stored settings.
    ///
    /// - Throws: `store(.locked)`, `damaged`, `storage`.
    public func currentSettings() throws(VaultError) -> VaultSettings {
        try use { session in
            try session.read { _ in
                guard let index = session.index else { throw VaultError.damaged(.stateMissing) }
                return index.state.settings
            }
        }
    }

    /// Changes the settings.
    ///
    /// Shortening the sessions needs only an unlocked vault. Extending them, or keeping fewer earlier values, requires verification.
    ///
    /// - Parameter body: Gets the stored settings and changes them. It must not call the vault.
    /// - Returns: The new settings.
    /// - Throws: `invalidSettings` for a value outside ``VaultSetting/range``; `store(.notVerified)` for relaxed settings without
    ///   verification; `store(.locked)`, `conflict`, `storage`, `damaged`.
    @discardableResult
    public func changeSettings(
        _ body: (inout VaultSettings) -> Void
    ) throws(VaultError) -> VaultSettings {
        try use { session in
            try session.write { changes in
                var settings = changes.state.settings
                body(&settings)
                guard settings.areAcceptable else { throw VaultError.invalidSettings }
                guard
                    !settings.isWider(than: changes.state.settings)
                        || session.keys.values[.afterVerification] != nil
                else { throw VaultError.store(.notVerified) }
                guard !settings.isOn(.requireRollbackRecord) || session.rollbackRecordFailure == nil
                else {
                    throw VaultError.noRollbackRecord
                }
                let isOtherRetention = settings.retention != changes.state.settings.retention
                changes.state.settings = settings
                if isOtherRetention { try changes.eraseExpired() }
                return settings
            }
        }
    }

    /// Uses another connection to the same vault during `body`, such as one that may write.
    ///
    /// - Throws: `store(.locked)`.
    package func using(_ storage: any RecordStorage, _ body: () -> Void) throws(VaultError) {
        let own = try use { session -> any RecordStorage in
            defer { session.storage = storage }
            return session.storage
        }
        defer { session.withLock { $0?.storage = own } }
        body()
    }

    /// Runs `body` with the session and translates its error; fails after ``lock()``.
    func use<Result: ~Copyable>(
        _ body: (VaultSession) throws -> Result
    ) throws(VaultError) -> Result {
        try VaultError.translating {
            try session.withLock { session in
                guard let current = session else { throw VaultError.store(.locked) }
                do {
                    return try body(current)
                } catch SecureStoreError.keysReplaced {
                    // The keys no longer open the vault.
                    session = nil
                    throw SecureStoreError.keysReplaced
                }
            }
        }
    }
}
