internal import Platform
internal import Sealing
internal import SecretMemory
public import VaultStorage

/// The result of a restore.
public struct RestoreOutcome: Sendable, Hashable {
    /// The number of the owner's secrets in the restored vault.
    public let secrets: Int
    /// The path of a copy of the vault before, if there was one.
    public let keptFile: String?
    /// Why the rollback record was not written although the restore is stored; nil if it was, or a new lineage began.
    public let recordFailure: VaultError?
}

// Each leaves the vault as it was, or restores all of it.
extension VaultFile {
    /// Replaces the rows of a vault by those of its backup, as one commit on its history: header, slots, keys, lineage and settings stay.
    ///
    /// Some items of the program's own stay although the backup lacks them (`Docs/Format.md`, section 9).
    ///
    /// - Parameters:
    ///   - backup: A backup of the same vault.
    ///   - vault: The vault.
    ///   - path: The path beside which a copy of the vault before is written.
    /// - Returns: The outcome, also if only the rollback record could not be written.
    /// - Throws: `damaged` if any part of either is damaged; `otherVault` if it is not the backup's vault; `storage(.busy)` if other
    ///   processes change it all the time; `storage`, `conflict`, `outOfMemory`. Nothing was changed then, unless it is
    ///   `storage(.outcomeUnknown)`.
    public static func restore(
        _ backup: borrowing OpenedBackup, over vault: borrowing AuthenticatedVault,
        keepingOldBesides path: String
    ) throws(VaultError) -> RestoreOutcome {
        do {
            // A file may have been exchanged since its id was compared.
            guard backup.vaultID == vault.session.header.vaultID else {
                throw VaultError.otherVault(isDestroyed: false)
            }
            for _ in 0..<5 {
                let old = try backup.keep(vault.session.storage, besides: path)
                if let secrets = try replaceRows(of: vault.session, by: backup, keptAs: old) {
                    return RestoreOutcome(
                        secrets: secrets, keptFile: old.path,
                        recordFailure: vault.session.recordRestore())
                }
            }
            throw DatabaseError.busy
        } catch {
            throw VaultError(translating: error)
        }
    }

    /// Replaces the rows by one commit. Without it, the copy of the vault is removed.
    ///
    /// - Returns: The number of the owner's secrets; nil, with no change, if another process changed the vault after it was copied.
    private static func replaceRows(
        of target: VaultSession, by backup: borrowing OpenedBackup, keptAs old: KeptVault
    ) throws -> Int? {
        let source = backup.vault.session
        let time = backup.time
        var isAttempted = false
        do {
            return try source.read { reader in
                try source.verifyEverything(reader)
                return try target.commit { changes in
                    // Otherwise the last change would be neither in the copy nor in the vault.
                    guard try old.isCopy(of: changes.writer) else { throw Outdated() }
                    changes.noteRestore(from: time)
                    let secrets = try changes.replaceAll(by: source, reader)
                    isAttempted = true
                    return secrets
                }
            }
        } catch DatabaseError.outcomeUnknown {
            throw DatabaseError.outcomeUnknown
        } catch {
            // After a failed commit, only if the vault is certainly as it was.
            let isUnchanged = !isAttempted || (try? target.storage.read(old.isCopy)) == true
            if isUnchanged { try? FileSystem.remove(old.path) }
            guard error is Outdated else { throw error }
            return nil
        }
    }

    /// Puts the vault of a backup into a file, in a new lineage. The secrets of the backup's time open it.
    ///
    /// - Parameters:
    ///   - backup: The backup, whose vault is used up; its folder is on the disk of `path`.
    ///   - path: The path of the vault, which need not exist.
    ///   - isReplacing: Whether to replace a file at `path`, which is kept under another name.
    ///   - environment: Limits, randomness, time and the rollback record, which does not prevent the restore.
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
            // Closing would also do it, but hides failures. Only this file gets the vault's name, so it must be complete.
            let isWhole = try backup.storage.eraseOldBytes()
            guard isWhole == true else { throw VaultError.storage(.busy) }
            backup.storage.close()
            try staged.take(backup.vaultPath)
            let kept = try staged.install(replacing: isReplacing)
            // Not earlier: a rollback record of the new lineage would turn a crash before this point into a fork.
            environment.record(try backup.vault.newestMark())
            return RestoreOutcome(secrets: secrets, keptFile: kept, recordFailure: nil)
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
                copy = try backup.keep(storage, besides: path).path
            }
            try backup.storage.read { reader in
                try storage.write { writer in
                    // Later writes of another machine would be in neither copy.
                    guard try writer.state() == old.state, try writer.header() == old.header
                    else { throw DatabaseError.busy }
                    try writer.replaceAll(with: reader)
                }
            }
            environment.record(try backup.vault.newestMark())
            return RestoreOutcome(secrets: secrets, keptFile: copy, recordFailure: nil)
        } catch {
            throw VaultError(translating: error)
        }
    }
}

/// The vault was changed after it was copied.
private struct Outdated: Error {}

/// A copy of a vault that is about to be replaced.
private struct KeptVault {
    let path: String
    let header: [UInt8]?
    let state: [UInt8]?

    /// Whether the vault is still as it was copied: each commit replaces the state record.
    func isCopy(of reader: any RecordReader) throws -> Bool {
        try reader.state() == state && reader.header() == header
    }
}

extension VaultSession {
    /// Records the commit of a restore.
    ///
    /// - Returns: Why that failed; nil if it did not.
    fileprivate func recordRestore() -> VaultError? {
        defer { try? environment.marks.sync() }
        do {
            try recordCommit()
            return nil
        } catch {
            return VaultError(translating: error)
        }
    }
}

extension OpenedBackup {
    /// Copies a vault that is about to be replaced, durably. The copy is made in the folder of the backup's parts, so that nothing of it
    /// is left by a process that is killed meanwhile.
    ///
    /// - Parameters:
    ///   - storage: The vault.
    ///   - path: The path beside which the copy gets its name.
    /// - Returns: The copy.
    /// - Throws: `DatabaseError`, `SystemFailure`.
    fileprivate borrowing func keep(
        _ storage: any RecordStorage, besides path: String
    ) throws -> KeptVault {
        let temporary = vaultPath + ".old"
        try storage.backup(to: temporary)
        let file = try VaultDatabase.open(.file(temporary), mode: .readOnly)
        let (header, state) = try file.read { (try $0.header(), try $0.state()) }
        file.close()
        let copy = try StagedVaultFile.keep(temporary, besides: path)
        try FileSystem.sync(folder: SafeFolder.split(copy).folder)
        return KeptVault(path: copy, header: header, state: state)
    }

    /// Starts a lineage above every known counter.
    ///
    /// - Returns: The number of the owner's secrets.
    fileprivate borrowing func startLineage(_ environment: VaultEnvironment) throws -> Int {
        try vault.startLineage(
            above: environment.knownCounter(of: vault.session.header.vaultID), restoring: time)
    }
}

extension AuthenticatedVault {
    /// Verifies the vault and starts a new lineage. Sessions of other programs end, and every copy of the old lineage counts as forked.
    /// Sessions at auth servers are removed.
    ///
    /// - Parameters:
    ///   - counter: A lower bound: the new counter exceeds this one and the vault's own.
    ///   - time: The time of the backup that is restored so; nil for none.
    /// - Returns: The number of the owner's secrets.
    /// - Throws: `damaged`, `storage`, `conflict`, `outOfMemory`.
    @discardableResult
    borrowing func startLineage(
        above counter: UInt64, restoring time: Int64? = nil
    ) throws -> Int {
        try session.write { changes in
            let session = changes.session
            var tags: [[UInt8]] = []
            var secrets = 0
            try session.verifyAll(EarlierRecord.self, changes.writer)
            try session.verifyAll(ItemRecord.self, changes.writer) { row in
                let name = try session.open(row).name
                if !name.isReserved { secrets += 1 }
                if name.isSession { tags.append(row.tag) }
            }
            for tag in tags {
                guard let row = try changes.item(tag: tag) else { continue }
                try changes.remove(row)
            }
            guard counter < LinkRecord.largestCounter else { throw VaultError.countedToTheEnd }
            changes.state.counter = counter + 1
            changes.state.lineage = session.environment.random.bytes(count: 16)
            if let time { changes.noteRestore(from: time) }
            return secrets
        }
    }
}
