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
        public let bucket: UInt8?
    }

    /// The number of items read completely.
    public internal(set) var soundItems = 0
    /// The number of items skipped because the owner is not verified.
    public internal(set) var unreadItems = 0
    /// All errors, in the order of the check.
    public internal(set) var problems: [Problem] = []
}

extension UnlockedVault {
    /// Reads every bucket and every item, and continues after each error.
    ///
    /// - Parameter progress: Called with the number of rows checked. It must not call the vault.
    /// - Returns: The report; without problems, every answer of the vault is correct.
    /// - Throws: `store(.locked)`, `storage`, `outOfMemory`; damage is listed in the report.
    public func check(progress: (Int) -> Void = { _ in }) throws(VaultError) -> VaultReport {
        try use { session in
            // Discard the results of earlier verification.
            session.index = nil
            return try session.storage.read { reader in
                var report = VaultReport()
                try report.note(in: nil) { try session.refresh(reader) }
                try session.checkBuckets(reader, &report, progress)
                return report
            }
        }
    }
}

extension VaultReport {
    /// Runs one check and records each kind of damage once; other errors end the whole check.
    ///
    /// - Returns: Whether the check found no damage.
    @discardableResult
    fileprivate mutating func note(
        in bucket: UInt8?, item: SecretName? = nil, _ check: () throws -> Void
    ) throws -> Bool {
        do {
            try check()
            return true
        } catch VaultError.damaged(let failure) {
            let problem = Problem(failure: failure, item: item, bucket: bucket)
            if !problems.contains(problem) { problems.append(problem) }
            return false
        }
    }
}

extension VaultSession {
    fileprivate func checkBuckets(
        _ reader: any RecordReader, _ report: inout VaultReport, _ progress: (Int) -> Void
    ) throws {
        var rows = 0
        let isReadable = try report.note(in: nil) { try checkSizes(reader) }
        guard isReadable else { return }
        for number in UInt8.min...UInt8.max {
            if index != nil {
                try report.note(in: number) { try verifyBucket(number, reader) }
            }
            try reader.forEachItem(inBucket: number) { row in
                try check(row, &report)
                rows += 1
                progress(rows)
            }
        }
        if let index, index.state.itemCount != UInt64(rows),
            !report.problems.contains(where: { $0.failure == .bucketRows })
        {
            report.problems.append(.init(failure: .itemsCount, item: nil, bucket: nil))
        }
    }

    private func check(_ row: ItemRecord, _ report: inout VaultReport) throws {
        let bucket = row.tag.first
        var name: SecretName?
        var isRead = false
        let isOpen = try report.note(in: bucket) {
            _ = try element(of: row)
            name = try open(row).name
        }
        guard isOpen else { return }
        let isSound = try report.note(in: bucket, item: name) {
            guard keys.values[try Self.accessClass(of: row)] != nil else { return }
            try withValue(of: row) { _ in }
            isRead = true
        }
        guard isSound else { return }
        if isRead { report.soundItems += 1 } else { report.unreadItems += 1 }
    }
}
