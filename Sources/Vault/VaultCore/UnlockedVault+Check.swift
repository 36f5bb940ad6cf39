internal import Sealing
internal import SecretMemory
public import SecureStorage
internal import VaultStorage

/// The result of a full check.
public struct VaultReport: Sendable, Hashable {
    /// One error found by a check.
    public struct Problem: Sendable, Hashable {
        /// The kind of error.
        public let failure: FormatFailure
        /// The affected item, if its name could be read.
        public let item: SecretName?
        /// The affected bucket, if there is one.
        public let bucket: Int?
    }

    /// The number of items read completely, except the two items of the log of reads.
    public internal(set) var soundItems = 0
    /// The number of items, earlier values and removed items that were skipped because the owner is not verified.
    public internal(set) var unreadItems = 0
    /// The number of earlier values and removed items read completely.
    public internal(set) var soundEarlier = 0
    /// The number of orphaned chunks; nil if not every item could be read.
    public internal(set) var orphanedChunks: Int?
    /// The ids of the files, by the bytes of their names.
    var fileIDs: [[UInt8]: [String]] = [:]
    /// The names of files that do not find exactly one of them, each with the ids of its files. They are no damage.
    public var unusableFileNames: [(name: String, ids: [String])] {
        fileIDs.map { (name: String(decoding: $0, as: UTF8.self), ids: $1.sorted()) }
            .filter { $0.ids.count > 1 || (try? VaultFiles.checkName($0.name)) == nil }
            .sorted { $0.name.precedesInBytes($1.name) }
    }
    /// The chunks that files reference.
    var files: Set<FileChunks> = []
    /// All errors, in the order of the check.
    public internal(set) var problems: [Problem] = []
}

extension UnlockedVault {
    /// Reads every link, every bucket and every row, and continues after each error. Checks the form of the whole file, too.
    ///
    /// - Parameter progress: Called with the number of rows checked. It must not call the vault.
    /// - Returns: The report; without problems, every answer of the vault is correct.
    /// - Throws: `store(.locked)`, `storage`, `outOfMemory`; damage is listed in the report.
    public func check(progress: (Int) -> Void = { _ in }) throws(VaultError) -> VaultReport {
        try use { session -> VaultReport in
            // Discard the results of earlier verification.
            session.index = nil
            var report = VaultReport()
            var isWellFormed = try session.storage.isWellFormed()
            do {
                report = try session.catchingUp {
                    try session.storage.read { reader in
                        var report = VaultReport()
                        try report.note(in: nil) { try session.refresh(reader) }
                        try session.checkLinks(reader, &report)
                        try session.checkBuckets(reader, &report, progress)
                        try session.countOrphanedChunks(reader, &report)
                        return report
                    }
                }
            } catch DatabaseError.damaged {
                isWellFormed = false
            }
            if !isWellFormed {
                report.problems.insert(
                    VaultReport.Problem(failure: .fileDamaged, item: nil, bucket: nil), at: 0)
            }
            return report
        }
    }

    /// Verifies every row, and that no file lacks a part of its content, without what was verified before. Opens no value.
    ///
    /// - Throws: `damaged`, `storage`, `store(.locked)`.
    package func verifyEverything() throws(VaultError) {
        try use { session in
            session.index = nil
            try session.read { reader in
                try session.verifyEverything(reader)
                guard try session.incompleteFiles(reader).isEmpty else {
                    throw VaultError.damaged(.chunkMissing)
                }
            }
        }
    }
}

extension VaultReport {
    /// Runs one check. Records each kind of damage once; other errors end the whole check.
    ///
    /// - Returns: Whether the check found no damage.
    @discardableResult
    fileprivate mutating func note(
        in bucket: Int?, item: SecretName? = nil, _ check: () throws -> Void
    ) throws -> Bool {
        let failure: FormatFailure
        do {
            try check()
            return true
        } catch VaultError.damaged(let found) {
            failure = found
        } catch VaultError.rolledBack {
            failure = .rolledBack
        } catch VaultError.forked {
            failure = .forked
        }
        let problem = Problem(failure: failure, item: item, bucket: bucket)
        if !problems.contains(problem) { problems.append(problem) }
        return false
    }
}

extension VaultSession {
    /// Requires exactly the links that a machine may still need.
    fileprivate func checkLinks(_ reader: any RecordReader, _ report: inout VaultReport) throws {
        guard let newest, try reader.state() == newest.record else { return }
        let expected = keptLinks(of: newest.state)
        var next = expected.lowerBound
        try reader.forEachLink(1...LinkRecord.largestCounter) { record in
            try report.note(in: nil) {
                guard expected.contains(record.counter), record.counter >= next else {
                    throw VaultError.damaged(.linkDamaged)
                }
                defer { next = record.counter + 1 }
                guard record.counter == next else { throw VaultError.damaged(.linkMissing) }
                _ = try CommitLink(record, under: keys.state, vaultID: header.vaultID)
            }
        }
        try report.note(in: nil) {
            guard next > expected.upperBound else { throw VaultError.damaged(.linkMissing) }
        }
    }

    /// Counts orphaned chunks. They are not damage, and no restore brings them back.
    fileprivate func countOrphanedChunks(
        _ reader: any RecordReader, _ report: inout VaultReport
    ) throws {
        guard report.problems.isEmpty, report.unreadItems == 0 else { return }
        let named = try report.files.map { file in
            try reader.chunkCount(of: (version: file.version, count: file.count))
        }
        report.orphanedChunks = max(0, try reader.chunkCount(of: nil) - named.reduce(0, +))
    }

    fileprivate func checkBuckets(
        _ reader: any RecordReader, _ report: inout VaultReport, _ progress: (Int) -> Void
    ) throws {
        var rows = 0
        try checkRows(reader, &report) { (row: ItemRecord, report) in
            try check(row, in: row.tag.first.map(Int.init) ?? 0, reader, &report)
            rows += 1
            progress(rows)
        }
        try checkRows(reader, &report) { (row: EarlierRecord, report) in
            let bucket = 256 + (row.itemID.first.map(Int.init) ?? 0)
            try check(row, in: bucket, reader, &report)
            rows += 1
            progress(rows)
        }
    }

    /// Checks the buckets of a table; `body` gets each row.
    private func checkRows<Row: SealedRow>(
        _ reader: any RecordReader, _ report: inout VaultReport,
        _ body: (Row, inout VaultReport) throws -> Void
    ) throws {
        let isReadable = try report.note(in: nil) { try checkSizes(Row.self, reader) }
        guard isReadable else { return }
        var count: UInt64 = 0
        for number in Row.buckets {
            if index != nil {
                try report.note(in: number) { try verifyBucket(number, reader) }
            }
            try Row.forEach(inBucket: number, reader) { row in
                try body(row, &report)
                count += 1
            }
        }
        if let index, index.state[countOf: Row.table] != count,
            !report.problems.contains(where: {
                $0.failure == .bucketRows && $0.bucket.map(Row.buckets.contains) == true
            })
        {
            let failure = Row.table == .items ? FormatFailure.itemsCount : .earlierCount
            report.problems.append(.init(failure: failure, item: nil, bucket: nil))
        }
    }

    private func check(
        _ row: ItemRecord, in bucket: Int, _ reader: any RecordReader, _ report: inout VaultReport
    ) throws {
        var description: ItemDescription?
        let isRead = try check(row, in: bucket, reader, &report) {
            let found = try open(row)
            description = found
            return found.name
        }
        let name = description?.name
        if let description, description.name.isFile {
            report.fileIDs[Array(description.label.utf8), default: []].append(
                description.name.account)
        }
        let isOfLog = name?.service.hasSameBytes(as: SecretName.readsService) == true
        if isRead == true, !isOfLog { report.soundItems += 1 }
    }

    private func check(
        _ row: EarlierRecord, in bucket: Int, _ reader: any RecordReader,
        _ report: inout VaultReport
    ) throws {
        let isRead = try check(row, in: bucket, reader, &report) {
            _ = try openMove(of: row)
            return try openAttributes(of: row).name
        }
        if isRead == true { report.soundEarlier += 1 }
    }

    /// Reads a row completely, if the key of its class is in memory.
    ///
    /// - Returns: Whether the value was read; nil for a damaged row.
    @discardableResult
    private func check(
        _ row: some SealedRow, in bucket: Int, _ reader: any RecordReader,
        _ report: inout VaultReport, _ openName: () throws -> SecretName
    ) throws -> Bool? {
        var name: SecretName?
        let isOpen = try report.note(in: bucket) {
            _ = try element(of: row)
            name = try openName()
        }
        guard isOpen else { return nil }
        var isRead = false
        var chunks: FileChunks?
        let known = report.files
        let isSound = try report.note(in: bucket, item: name) {
            guard keys.values[try Self.accessClass(of: row)] != nil else { return }
            if name?.isFile == true {
                let file = try fileValue(of: row)
                chunks = file.chunks
                // An item and its earlier rows may reference the same content.
                if !known.contains(file.chunks) { try verifyChunks(of: file, reader) }
            } else {
                try withValue(of: row) { _ in }
            }
            isRead = true
        }
        guard isSound else { return nil }
        if let chunks { report.files.insert(chunks) }
        if !isRead { report.unreadItems += 1 }
        return isRead
    }
}
