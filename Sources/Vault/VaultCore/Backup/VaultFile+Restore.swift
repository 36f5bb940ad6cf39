internal import Platform
internal import Sealing
internal import SecretMemory
internal import SecureStorage
public import VaultStorage

/// The result of a restore.
public struct RestoreOutcome: Sendable, Hashable {
    /// The number of the owner's secrets in the restored vault.
    public let secrets: Int
    /// The path of the copy of the previous vault; nil if there was none.
    public let previousVaultPath: String?
    /// Why the rollback record was not written although the restore is stored; nil if it was written, or a new lineage began.
    public let rollbackRecordFailure: VaultError?
}

// Each restore is atomic: it leaves the vault unchanged or restores all of it.
extension VaultFile {
    /// Replaces the rows of a vault by those of its backup, as one commit on its history. Header, slots, keys, lineage and settings stay.
    ///
    /// Some of TaskVault's own items stay although the backup lacks them (`Docs/Format.md`, section 9).
    ///
    /// - Parameters:
    ///   - backup: A backup of the same vault.
    ///   - vault: The vault.
    ///   - path: The path beside which the copy of the previous vault is written.
    /// - Returns: The outcome, also if only the rollback record could not be written.
    /// - Throws: `damaged` if any part of either is damaged; `otherVault` if it is not the backup's vault; `storage(.busy)` if other
    /// processes keep changing it; `storage`, `conflict`, `outOfMemory`. The vault is then unchanged, except after
    /// `storage(.outcomeUnknown)`.
    public static func restore(
        _ backup: borrowing OpenedBackup, over vault: borrowing AuthenticatedVault,
        keepingOldBesides path: String
    ) throws(VaultError) -> RestoreOutcome {
        do {
            // The file may have been replaced since its id was compared.
            guard backup.vaultID == vault.session.header.vaultID else {
                throw VaultError.otherVault(isDestroyed: false)
            }
            for _ in 0..<5 {
                let old = try backup.copyVault(vault.session.storage, besides: path)
                if let secrets = try replaceRows(of: vault.session, by: backup, keptAs: old) {
                    return RestoreOutcome(
                        secrets: secrets, previousVaultPath: old.path,
                        rollbackRecordFailure: vault.session.recordRestore())
                }
            }
            throw DatabaseError.busy
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Replaces the rows in one commit. If it fails, the copy of the vault is removed.
    ///
    /// - Returns: The number of the owner's secrets; nil, with no change, if another process changed the vault after it was copied.
    private static func replaceRows(
        of target: VaultSession, by backup: borrowing OpenedBackup, keptAs old: VaultCopy
    ) throws -> Int? {
        let source = backup.vault.session
        let time = backup.time
        var isAttempted = false
        do {
            return try source.read { reader in
                try source.verifyEverything(reader)
                return try target.commit { changes in
                    // Otherwise the last change of the other process would be in neither the copy nor the vault.
                    guard try old.isCopy(of: changes.writer) else { throw StaleCopy() }
                    changes.setRestoredBackup(from: time)
                    let secrets = try changes.replaceAll(by: source, reader)
                    isAttempted = true
                    return secrets
                }
            }
        } catch DatabaseError.outcomeUnknown {
            throw DatabaseError.outcomeUnknown
        } catch {
            // After a failed commit, remove the copy only if the vault is certainly unchanged.
            let isUnchanged = !isAttempted || (try? target.storage.read(old.isCopy)) == true
            if isUnchanged { try? FileSystem.remove(old.path) }
            guard error is StaleCopy else { throw error }
            return nil
        }
    }

    /// Installs the vault of a backup as a file, in a new lineage. The secrets at the time of the backup open it.
    ///
    /// - Parameters:
    ///   - backup: The backup. Its vault is consumed; its folder is on the disk of `path`.
    ///   - path: The path of the vault, which need not exist.
    ///   - isReplacing: Whether to replace a file at `path`. The old file is kept under another name.
    ///   - environment: Limits, randomness, time and the rollback record. An unwritable record does not prevent the restore.
    /// - Returns: The outcome.
    /// - Throws: `storage(.alreadyExists)` if `path` exists and `isReplacing` is false; `storage(.busy)` while another process uses it;
    ///   `damaged`, `storage`, `outOfMemory`.
    public static func install(
        _ backup: borrowing OpenedBackup, at path: String, replacing isReplacing: Bool,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        do {
            let staged = try StagedVaultFile(for: path)
            let secrets = try backup.startLineage(environment)
            // Closing would do the same, but hides failures. The file that gets the vault's name must be complete.
            let isWhole = try backup.storage.eraseOldBytes()
            guard isWhole == true else { throw VaultError.storage(.busy) }
            backup.storage.close()
            try staged.adopt(backup.vaultPath)
            let kept = try staged.install(replacing: isReplacing)
            // Not earlier: after a crash before this point, a record of the new lineage would make the old vault look forked.
            environment.record(try backup.vault.newestRollbackRecord())
            return RestoreOutcome(
                secrets: secrets, previousVaultPath: kept, rollbackRecordFailure: nil)
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Replaces the content of a storage by the vault of a backup, in a new lineage.
    ///
    /// - Parameters:
    ///   - backup: The backup.
    ///   - storage: The storage of the vault; empty, or with the records of a vault.
    ///   - path: The path beside which a copy of a replaced vault is written; nil to refuse a replacement.
    ///   - environment: As for ``install(_:at:replacing:_:)``.
    /// - Returns: The outcome.
    /// - Throws: `storage(.alreadyExists)` if a vault exists and `path` is nil; `storage(.busy)` if another process changes it meanwhile;
    ///   `damaged`, `storage`, `outOfMemory`.
    public static func install(
        _ backup: borrowing OpenedBackup, into storage: any RecordStorage,
        keepingOldBesides path: String?, _ environment: VaultEnvironment
    ) throws(VaultError) -> RestoreOutcome {
        do {
            let old = try storage.read { reader in
                (header: try reader.header(), state: try reader.state())
            }
            let secrets = try backup.startLineage(environment)
            var copy: String?
            if old.header != nil {
                guard let path else { throw DatabaseError.alreadyExists }
                copy = try backup.copyVault(storage, besides: path).path
            }
            try backup.storage.read { reader in
                try storage.write { writer in
                    // Later writes of another machine would be in neither copy.
                    guard try writer.state() == old.state, try writer.header() == old.header
                    else { throw DatabaseError.busy }
                    try writer.replaceAll(with: reader)
                }
            }
            environment.record(try backup.vault.newestRollbackRecord())
            return RestoreOutcome(
                secrets: secrets, previousVaultPath: copy, rollbackRecordFailure: nil)
        } catch {
            throw VaultError(translating: error)
        }
    }
}

/// The vault changed after it was copied.
private struct StaleCopy: Error {}

/// A copy of a vault that is about to be replaced.
private struct VaultCopy {
    let path: String
    let header: [UInt8]?
    let state: [UInt8]?

    /// Whether the vault is still as copied: each commit replaces the state record.
    func isCopy(of reader: any RecordReader) throws -> Bool {
        try reader.state() == state && reader.header() == header
    }
}

extension VaultSession {
    /// Records the commit of a restore.
    ///
    /// - Returns: The reason if that failed; otherwise nil.
    fileprivate func recordRestore() -> VaultError? {
        defer { try? environment.rollbackRecords.sync() }
        do {
            try recordCommit()
            return nil
        } catch {
            return VaultError(translating: error)
        }
    }
}

extension OpenedBackup {
    /// Copies a vault that is about to be replaced, durably. The copy is made in the folder of the backup's parts, so that a killed process
    /// leaves nothing behind.
    ///
    /// - Parameters:
    ///   - storage: The vault.
    ///   - path: The path beside which the copy gets its name.
    /// - Returns: The copy.
    /// - Throws: `DatabaseError`, `SystemFailure`.
    fileprivate borrowing func copyVault(
        _ storage: any RecordStorage, besides path: String
    ) throws -> VaultCopy {
        let temporary = vaultPath + ".old"
        try storage.backup(to: temporary)
        let file = try VaultDatabase.open(.file(temporary), mode: .readOnly)
        let (header, state) = try file.read { (try $0.header(), try $0.state()) }
        file.close()
        let copy = try StagedVaultFile.moveAside(temporary, besides: path)
        try FileSystem.sync(folder: SafeFolder.split(copy).folder)
        return VaultCopy(path: copy, header: header, state: state)
    }

    /// Starts a lineage with a counter above every known one.
    ///
    /// - Returns: The number of the owner's secrets.
    fileprivate borrowing func startLineage(_ environment: VaultEnvironment) throws -> Int {
        let vaultID = vault.session.header.vaultID
        return try vault.startLineage(
            above: environment.knownCounter(of: vaultID), restoring: time,
            isCopy: environment.knowsOnlyElsewhere(vaultID))
    }
}

extension AuthenticatedVault {
    /// Verifies the vault and starts a new lineage. Sessions of other programs end, and every copy of the old lineage counts as forked.
    /// Sessions at auth servers are removed.
    ///
    /// - Parameters:
    ///   - counter: A lower bound. The new counter exceeds it and the vault's own.
    ///   - time: The time of the restored backup; nil if none is restored.
    ///   - isCopy: Whether the vault goes on elsewhere on this machine. The copy then leaves its log of reads alone, and begins another one.
    /// - Returns: The number of the owner's secrets.
    /// - Throws: `damaged`, `storage`, `conflict`, `outOfMemory`.
    @discardableResult
    borrowing func startLineage(
        above counter: UInt64, restoring time: Int64? = nil, isCopy: Bool = false
    ) throws -> Int {
        try session.write { changes in
            let session = changes.session
            var tags: [[UInt8]] = []
            var secrets = 0
            try session.verifyAll(EarlierRecord.self, changes.writer)
            try session.verifyAll(ItemRecord.self, changes.writer) { row in
                let name = try session.open(row).name
                if !name.isReserved { secrets += 1 }
                if name.isSession || isCopy && name.service == SecretName.readsService {
                    tags.append(row.tag)
                }
            }
            for tag in tags {
                guard let row = try changes.item(tag: tag) else { continue }
                try changes.remove(row)
            }
            guard counter < LinkRecord.largestCounter else { throw VaultError.counterExhausted }
            changes.state.counter = counter + 1
            changes.state.lineage = session.environment.random.bytes(count: 16)
            if let time { changes.setRestoredBackup(from: time) }
            return secrets
        }
    }
}
