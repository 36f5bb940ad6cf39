internal import SecureStorage
internal import VaultStorage

extension VaultChanges {
    /// Records in the state that this commit restores a backup.
    ///
    /// - Parameter time: The backup's time.
    func setRestoredBackup(from time: Int64) {
        state.counter = max(state.counter, oldCounter + 1)
        // 0 is reserved for none.
        state.restoredFrom = time == 0 ? 1 : time
        state.restoredAt = state.counter
    }

    /// Replaces all rows by those of a verified session, resealed.
    ///
    /// - Returns: The number of the owner's secrets.
    func replaceAll(
        by source: VaultSession, _ reader: any RecordReader
    ) throws -> Int {
        try session.verifyEverything(writer)
        var current = try Dictionary(
            uniqueKeysWithValues: session.keys(of: ItemRecord.self).compactMap { key in
                try item(tag: key.tag).map { (key, try StoredItem($0, session)) }
            })
        let revisions = Dictionary(current.values.map { ($0.id, $0.revision) }) { max($0, $1) }
        let protected = try protectedItems(current.values, without: revisions)
        var files: Set<FileChunks> = []
        var secrets = 0
        for key in source.keys(of: ItemRecord.self) {
            guard let row = try source.matched(reader.item(tag: key.tag), key) else {
                throw VaultError.damaged(.bucketRows)
            }
            let description = try source.open(row)
            let place = RowKey(tag: session.tag(of: description.name))
            if description.name.isSession || current[place]?.isMachineSpecific == true { continue }
            if description.name.isFile {
                try addContent(of: row, from: source, reader, unlessAmong: &files)
            }
            let new = try sealed(
                row, description, from: source, above: revisions[row.itemID],
                isProtected: protected.contains(row.itemID))
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
            by: source, reader, exceptOf: Set(current.values.filter(\.stays).map(\.id)), protected,
            &files)
        return secrets
    }

    /// The ids of protected items, and of removed items that were protected. A restore keeps them protected.
    private func protectedItems(
        _ items: some Sequence<StoredItem>, without revisions: [[UInt8]: UInt64]
    ) throws -> Set<[UInt8]> {
        var ids = Set(items.filter(\.isProtected).map(\.id))
        for key in session.keys(of: EarlierRecord.self) where revisions[key.itemID] == nil {
            if let row = try earlier(key), row.isProtected { ids.insert(row.itemID) }
        }
        return ids
    }

    /// Adds the chunks of a file's row. Skips a malformed value: readers of the file report it.
    private func addContent(
        of row: some SealedRow, from source: VaultSession, _ reader: any RecordReader,
        unlessAmong files: inout Set<FileChunks>
    ) throws {
        do {
            try addChunks(of: source.fileValue(of: row), reader, unlessAmong: &files)
        } catch VaultError.damaged(.fileContent) {}
    }

    /// Adds the chunks of a file that the vault lacks, or whose stored content is damaged.
    private func addChunks(
        of file: borrowing FileValue, _ reader: any RecordReader,
        unlessAmong files: inout Set<FileChunks>
    ) throws {
        let chunks = file.chunks
        guard files.insert(chunks).inserted else { return }
        var differs = false
        for number in 0..<chunks.count {
            let stored = try writer.chunk(version: chunks.version, number: number)
            guard let chunk = try reader.chunk(version: chunks.version, number: number),
                stored?.bytes != chunk.bytes
            else { continue }
            if stored == nil { try writer.putChunk(chunk) } else { differs = true }
        }
        guard differs else { return }
        do {
            try session.verifyChunks(of: file, writer)
        } catch VaultError.damaged {
            for number in 0..<chunks.count {
                if let chunk = try reader.chunk(version: chunks.version, number: number) {
                    try writer.putChunk(chunk)
                }
            }
        }
    }

    /// Reseals a row of a backup.
    private func sealed(
        _ row: ItemRecord, _ description: ItemDescription, from source: VaultSession,
        above known: UInt64?, isProtected: Bool
    ) throws -> ItemRecord {
        var revision = row.revision
        if let known {
            guard max(known, revision) < UInt64(Int64.max) else {
                throw VaultError.counterExhausted
            }
            revision = max(known, revision) + 1
        }
        let accessClass = try isProtected ? .afterVerification : VaultSession.accessClass(of: row)
        return try source.withValue(of: row) { value in
            try value.withBytes { value in
                try session.seal(
                    value, description, accessClass, itemID: row.itemID, revision: revision)
            }
        }
    }

    /// Replaces the earlier rows, except those of items that stay.
    private func replaceEarlier(
        by source: VaultSession, _ reader: any RecordReader, exceptOf staying: Set<[UInt8]>,
        _ protected: Set<[UInt8]>, _ files: inout Set<FileChunks>
    ) throws {
        for key in session.keys(of: EarlierRecord.self) where !staying.contains(key.itemID) {
            if let row = try earlier(key) { try remove(row) }
        }
        for key in source.keys(of: EarlierRecord.self) where !staying.contains(key.itemID) {
            let found = try reader.earlier(itemID: key.itemID, revision: key.revision)
            guard let row = try source.matched(found, key) else {
                throw VaultError.damaged(.bucketRows)
            }
            let accessClass =
                try protected.contains(row.itemID)
                ? .afterVerification : VaultSession.accessClass(of: row)
            let new = try source.resealed(row, accessClass, for: session)
            try insert(session.earlier(new, source.openMove(of: row)))
            if try source.openAttributes(of: row).name.isFile {
                try addContent(of: row, from: source, reader, unlessAmong: &files)
            }
        }
    }
}

/// An item of the vault before the restore.
private struct StoredItem {
    let id: [UInt8]
    let revision: UInt64
    let isProtected: Bool
    /// Whether the item belongs to a machine. The backup's item is then left out.
    let isMachineSpecific: Bool
    /// Whether the item stays if the backup lacks it. The texts of listed tasks stay until the list is restored, too.
    let stays: Bool

    init(_ row: ItemRecord, _ session: VaultSession) throws {
        let name = try session.open(row).name
        id = row.itemID
        revision = row.revision
        isProtected = row.isProtected
        isMachineSpecific =
            name.isSession
            || [ReservedService.backup, SecretName.readsService].contains(name.service)
        stays = isMachineSpecific || name.service == ReservedService.task
    }
}

extension SealedRow {
    /// Whether the item is readable only after verification.
    fileprivate var isProtected: Bool {
        accessClass == AccessClass.afterVerification.rawValue
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
    /// Whether the item is a session at an auth server. Its tokens are valid only once.
    var isSession: Bool { service.hasPrefix(ReservedService.session) }
}
