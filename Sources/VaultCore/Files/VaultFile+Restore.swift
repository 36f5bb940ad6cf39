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
    /// - Returns: The outcome.
    /// - Throws: `damaged` if any part of either is damaged; `storage`, `conflict`, `outOfMemory`.
    public static func restore(
        _ backup: borrowing OpenedBackup, over vault: borrowing AuthenticatedVault,
        keepingOldBesides path: String
    ) throws(VaultError) -> RestoreOutcome {
        do {
            let target = vault.session
            let source = backup.vault.session
            precondition(source.header.vaultID == target.header.vaultID)
            let copy = try backup.keep(target.storage, besides: path)
            let secrets: Int
            do {
                let time = backup.time
                secrets = try source.read { reader in
                    try source.verifyEverything(reader)
                    return try target.write { changes in
                        changes.noteRestore(from: time)
                        return try changes.replaceAll(by: source, reader)
                    }
                }
            } catch DatabaseError.outcomeUnknown {
                throw DatabaseError.outcomeUnknown
            } catch {
                _ = try? FileSystem.remove(copy)
                throw error
            }
            try? target.environment.marks.sync()
            return RestoreOutcome(secrets: secrets, keptFile: copy)
        } catch {
            throw VaultError(translating: error)
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
            return RestoreOutcome(secrets: secrets, keptFile: kept)
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
                copy = try backup.keep(storage, besides: path)
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
            return RestoreOutcome(secrets: secrets, keptFile: copy)
        } catch {
            throw VaultError(translating: error)
        }
    }
}

extension OpenedBackup {
    /// Copies a vault that is about to be replaced, durably. The copy is made in the folder of the backup's parts, so that nothing of it
    /// is left by a process that is killed meanwhile.
    ///
    /// - Returns: The path of the copy, beside `path`.
    fileprivate borrowing func keep(
        _ storage: any RecordStorage, besides path: String
    ) throws -> String {
        let copy = try StagedVaultFile.freePath(besides: path)
        let temporary = vaultPath + ".old"
        try storage.backup(to: temporary)
        try FileSystem.rename(temporary, to: copy)
        try FileSystem.sync(folder: SafeFolder.split(copy).folder)
        return copy
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

extension VaultChanges {
    /// Notes that this commit restores a backup.
    ///
    /// - Parameter time: The backup's time.
    fileprivate func noteRestore(from time: Int64) {
        state.counter = max(state.counter, oldCounter + 1)
        // 0 means none.
        state.restoredFrom = time == 0 ? 1 : time
        state.restoredAt = state.counter
    }

    /// Replaces all rows by those of a verified session, sealed again.
    ///
    /// - Returns: The number of the owner's secrets.
    fileprivate func replaceAll(
        by source: VaultSession, _ reader: any RecordReader
    ) throws -> Int {
        try session.verifyEverything(writer)
        var current = try Dictionary(
            uniqueKeysWithValues: session.keys(of: ItemRecord.self).compactMap { key in
                try item(tag: key.tag).map { (key, try StoredItem($0, session)) }
            })
        let revisions = Dictionary(current.values.map { ($0.id, $0.revision) }) { max($0, $1) }
        var secrets = 0
        for key in source.keys(of: ItemRecord.self) {
            guard let row = try source.matched(reader.item(tag: key.tag), key) else {
                throw VaultError.damaged(.bucketRows)
            }
            let description = try source.open(row)
            let place = RowKey(tag: session.tag(of: description.name))
            if description.name.isSession || current[place]?.isOfMachine == true { continue }
            let new = try sealed(row, description, from: source, above: revisions[row.itemID])
            if current.removeValue(forKey: place) != nil, let old = try item(tag: new.tag) {
                try replace(old, by: new)
            } else {
                try insert(new)
            }
            if !description.name.isReserved { secrets += 1 }
        }
        for (key, stored) in current where !stored.stays {
            if let row = try item(tag: key.tag) { try remove(row) }
        }
        try replaceEarlier(
            by: source, reader, exceptOf: Set(current.values.filter(\.stays).map(\.id)))
        try reader.forEachChunk { try writer.putChunk($0) }
        return secrets
    }

    /// Seals a row of a backup again.
    private func sealed(
        _ row: ItemRecord, _ description: ItemDescription, from source: VaultSession,
        above known: UInt64?
    ) throws -> ItemRecord {
        var revision = row.revision
        if let known {
            guard max(known, revision) < UInt64(Int64.max) else { throw VaultError.countedToTheEnd }
            revision = max(known, revision) + 1
        }
        let accessClass = try VaultSession.accessClass(of: row)
        return try source.withValue(of: row) { value in
            try value.withBytes { value in
                try session.seal(
                    value, description, accessClass, itemID: row.itemID, revision: revision)
            }
        }
    }

    /// Replaces the earlier rows of all items but those that stay.
    private func replaceEarlier(
        by source: VaultSession, _ reader: any RecordReader, exceptOf staying: Set<[UInt8]>
    ) throws {
        for key in session.keys(of: EarlierRecord.self) where !staying.contains(key.itemID) {
            if let row = try earlier(key) { try remove(row) }
        }
        for key in source.keys(of: EarlierRecord.self) where !staying.contains(key.itemID) {
            let found = try reader.earlier(itemID: key.itemID, revision: key.revision)
            guard let row = try source.matched(found, key) else {
                throw VaultError.damaged(.bucketRows)
            }
            let new = try source.resealed(row, VaultSession.accessClass(of: row), for: session)
            try insert(session.earlier(new, source.openMove(of: row)))
        }
    }
}

/// An item of the vault before a restore.
private struct StoredItem {
    let id: [UInt8]
    let revision: UInt64
    /// Whether it belongs to a machine, so that the backup's is left out.
    let isOfMachine: Bool
    /// Whether it stays if the backup lacks it. The texts of listed tasks do, until the list is restored, too.
    let stays: Bool

    init(_ row: ItemRecord, _ session: VaultSession) throws {
        let name = try session.open(row).name
        id = row.itemID
        revision = row.revision
        isOfMachine = name.isSession || name.service == ReservedService.backup
        stays = isOfMachine || name.service == ReservedService.task
    }
}

extension VaultSession {
    /// The keys of the verified rows of a table.
    fileprivate func keys<Row: SealedRow>(of type: Row.Type) -> [RowKey] {
        Row.buckets.flatMap { number in
            index?.buckets[number].map { Array($0.digests.keys) } ?? []
        }
    }
}

extension SecretName {
    /// Whether it is a session at an auth server, with tokens that are valid once.
    fileprivate var isSession: Bool { service.hasPrefix(ReservedService.session) }
}
