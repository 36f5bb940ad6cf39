internal import SecureStorage
internal import TextCoding
internal import VaultStorage

extension VaultSession {
    /// The files in this snapshot, by name.
    func files(_ reader: any RecordReader) throws -> [StoredFile] {
        guard let state = index?.stateRecord else { throw VaultError.damaged(.stateMissing) }
        if let fileList, fileList.state == state { return fileList.files }
        let files = FileOrder.name.sorted(
            try fileItems(reader).compactMap { StoredFile($0) })
        fileList = (state, files)
        return files
    }

    /// The items of all files in this snapshot.
    func fileItems(_ reader: any RecordReader) throws -> [SecretItem] {
        try fileItems(labelled: nil, reader)
    }

    /// The names of the files that lack a part of their content, in this snapshot. Counts the parts, without reading them.
    func incompleteFiles(_ reader: any RecordReader) throws -> [String] {
        try fileItems(reader).compactMap { item -> String? in
            guard let content = FileDescription(item.attributes.extra) else { return nil }
            let count = FileChunks.count(ofBytes: content.size)
            let stored = try reader.chunkCount(of: (version: content.version, count: count))
            return stored == Int(count) ? nil : item.attributes.label
        }.sorted()
    }

    /// The item of the file with a name, in this snapshot.
    func fileItem(named name: String, _ reader: any RecordReader) throws -> SecretItem? {
        try fileItems(labelled: name, reader).first { $0.attributes.label.hasSameBytes(as: name) }
    }

    private func fileItems(
        labelled label: String?, _ reader: any RecordReader
    ) throws -> [SecretItem] {
        try describeAll(reader)
        let service = BucketDescriptions.hash(NameKey(ReservedService.file).bytes)
        let hash = label.map { BucketDescriptions.hash(NameKey($0).bytes) }
        return ItemRecord.buckets.flatMap { number in
            // A hash collision with another service is possible.
            descriptions(number).items(service: service, label: hash).filter(\.name.isFile)
        }
    }

    /// The row of a file: the item's row, an earlier version's or the removed file's.
    func fileRow(
        of name: SecretName, _ revision: UInt64?, _ reader: any RecordReader
    ) throws -> (any SealedRow)? {
        let key = RowKey(tag: tag(of: name))
        try verifyBucket(key.bucket, reader)
        let row = try matched(reader.item(tag: key.tag), key)
        guard let revision, revision != row?.revision else { return row }
        guard let id = try row?.itemID ?? removedFile(name, reader)?.itemID else { return nil }
        let earlier = RowKey(itemID: id, revision: revision)
        try verifyBucket(earlier.bucket, reader)
        return try matched(reader.earlier(itemID: id, revision: revision), earlier)
    }

    /// The id of the item of a removed file. Do not call it in a transaction that changes earlier rows: it compares them with the index.
    func removedFileID(_ name: SecretName) throws -> [UInt8]? {
        try read { reader in try removedFile(name, reader)?.itemID }
    }

    /// The row of a removed file.
    func removedFile(_ name: SecretName, _ reader: any RecordReader) throws -> EarlierRecord? {
        var found: EarlierRecord?
        try forEachEarlier(reader) { row, move in
            if move.isRemoval, try self.openAttributes(of: row).name == name { found = row }
        }
        return found
    }
}

extension VaultChanges {
    /// Requires that no other file has this name.
    func requireUnusedFileName(_ label: String, exceptOf name: SecretName) throws {
        let other = try session.fileItem(named: label, writer)
        guard other == nil || other?.name == name else { throw SecureStoreError.duplicate }
    }

    /// The content versions that an item and its earlier rows reference.
    func fileVersions(of row: ItemRecord) throws -> Set<[UInt8]> {
        var rows: [any SealedRow] = [row]
        rows += try earlierRows(of: row.itemID).map(\.earlier.row)
        return try versions(of: rows)
    }

    /// Erases the earlier rows of a removed file.
    ///
    /// - Returns: The versions that they referenced.
    func eraseRemovedFile(_ id: [UInt8]) throws -> Set<[UInt8]> {
        let rows = try earlierRows(of: id).map(\.earlier.row)
        let versions = try versions(of: rows)
        for row in rows { try remove(row) }
        return versions
    }

    private func versions(of rows: [any SealedRow]) throws -> Set<[UInt8]> {
        Set(
            try rows.compactMap { row in
                FileDescription(try session.openAttributes(of: row).extra)?.version
            })
    }
}
