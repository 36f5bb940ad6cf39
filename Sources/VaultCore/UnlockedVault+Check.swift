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
        try use { (session) throws(VaultError) in
            var report = VaultReport()
            // Discard the results of earlier verification.
            session.index = nil
            do {
                try session.storage.read { reader in
                    report = VaultReport()
                    try report.note(in: nil) { () throws(VaultError) in
                        try session.refresh(reader)
                    }
                    try session.checkBuckets(reader, &report, progress)
                }
            } catch {
                throw VaultError(translating: error)
            }
            return report
        }
    }
}

extension VaultReport {
    /// Runs one check and records each kind of damage once; other errors end the whole check.
    ///
    /// - Returns: Whether the check found no damage.
    @discardableResult
    fileprivate mutating func note(
        in bucket: UInt8?, item: SecretName? = nil, _ check: () throws(VaultError) -> Void
    ) throws(VaultError) -> Bool {
        do {
            try check()
            return true
        } catch {
            guard case .damaged(let failure) = error else { throw error }
            let problem = Problem(failure: failure, item: item, bucket: bucket)
            if !problems.contains(problem) { problems.append(problem) }
            return false
        }
    }
}

extension VaultSession {
    fileprivate func checkBuckets(
        _ reader: any RecordReader, _ report: inout VaultReport, _ progress: (Int) -> Void
    ) throws(VaultError) {
        var rows = 0
        let isReadable = try report.note(in: nil) { () throws(VaultError) in try checkSizes(reader)
        }
        guard isReadable else { return }
        for number in UInt8.min...UInt8.max {
            if index != nil {
                try report.note(in: number) { () throws(VaultError) in
                    try verifyBucket(number, reader)
                }
            }
            do {
                try reader.forEachItem(inBucket: number) { row in
                    try check(row, &report)
                    rows += 1
                    progress(rows)
                }
            } catch {
                throw VaultError(translating: error)
            }
        }
        if let index, index.state.itemCount != UInt64(rows),
            !report.problems.contains(where: { $0.failure == .bucketRows })
        {
            report.problems.append(.init(failure: .itemsCount, item: nil, bucket: nil))
        }
    }

    private func check(_ row: ItemRecord, _ report: inout VaultReport) throws(VaultError) {
        let bucket = row.tag.first
        var name: SecretName?
        var isRead = false
        let isOpen = try report.note(in: bucket) { () throws(VaultError) in
            _ = try element(of: row)
            name = try open(row).name
        }
        guard isOpen else { return }
        let isSound = try report.note(in: bucket, item: name) { () throws(VaultError) in
            guard keys.values[try Self.accessClass(of: row)] != nil else { return }
            try withValue(of: row) { (_) throws(VaultError) in }
            isRead = true
        }
        guard isSound else { return }
        if isRead { report.soundItems += 1 } else { report.unreadItems += 1 }
    }
}
