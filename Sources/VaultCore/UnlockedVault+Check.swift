internal import Sealing
internal import SecretMemory
public import SecureStorage
internal import VaultStorage

/// What a check of everything found.
public struct VaultReport: Sendable, Hashable {
    /// One thing that is wrong.
    public struct Problem: Sendable, Hashable {
        /// What is wrong.
        public let failure: FormatFailure
        /// The item that it is in, where its name could be read.
        public let item: SecretName?
        /// The bucket that it is in, where there is one.
        public let bucket: UInt8?
    }

    /// How many items were read in whole.
    public internal(set) var soundItems = 0
    /// How many items could not be read because the owner is not verified.
    public internal(set) var unreadItems = 0
    /// Everything that is wrong, in the order of the check.
    public internal(set) var problems: [Problem] = []
}

extension UnlockedVault {
    /// Reads every bucket and every item, and goes on after each thing that is wrong.
    ///
    /// - Parameter progress: Called with the number of rows done; it must not call the vault.
    /// - Returns: What was found; no problems mean that every answer the vault can give is right.
    /// - Throws: `store(.locked)`, `storage`, `outOfMemory`; damage is in the report.
    public func check(progress: (Int) -> Void = { _ in }) throws(VaultError) -> VaultReport {
        try use { (session) throws(VaultError) in
            var report = VaultReport()
            // Nothing that was verified before is taken for granted.
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
    /// Runs one check and notes damage, the same only once; other errors end the whole.
    ///
    /// - Returns: Whether there was none.
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
