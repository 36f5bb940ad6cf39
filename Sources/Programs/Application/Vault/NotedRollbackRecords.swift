internal import Synchronization
package import VaultCore

/// Rollback records that remember a failure, so that a command reports once that this machine could
/// not store one.
///
/// The vault works without them: a rollback record detects an older copy.
/// A machine without a home folder must still be able to read its secrets.
package final class NotedRollbackRecords: RollbackRecords {
    private let records: any RollbackRecords
    private let noted = Mutex<RollbackRecordError?>(nil)

    /// Wraps other rollback records.
    init(_ records: any RollbackRecords) {
        self.records = records
    }

    /// The first failure to read or write a record. The vault itself reports a damaged record and
    /// an unsafe folder.
    package var failure: RollbackRecordError? { noted.withLock { $0 } }

    /// Remembers a failure of the record of the to-do list, too.
    func note(_ error: RollbackRecordError) { noted.withLock { $0 = $0 ?? error } }

    package func read() throws(RollbackRecordError) -> RollbackRecord? {
        try noting { () throws(RollbackRecordError) in try records.read() }
    }

    package func changeCount() throws(RollbackRecordError) -> UInt64? {
        try noting { () throws(RollbackRecordError) in try records.changeCount() }
    }

    package func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try noting { () throws(RollbackRecordError) in try records.readElsewhere() }
    }

    package func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try noting { () throws(RollbackRecordError) in try records.exchange(old, for: new) }
    }

    package func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try noting { () throws(RollbackRecordError) in try records.replace(with: record) }
    }

    package func sync() throws(RollbackRecordError) {
        try noting { () throws(RollbackRecordError) in try records.sync() }
    }

    private func noting<Result>(
        _ body: () throws(RollbackRecordError) -> Result
    ) throws(RollbackRecordError) -> Result {
        do {
            return try body()
        } catch {
            if case .unavailable = error { note(error) }
            throw error
        }
    }
}

/// The rollback records of a machine without a folder for them.
struct AbsentRollbackRecords: RollbackRecords {
    static let absence = RollbackRecordError.unavailable(path: "no home folder", code: 0)

    func read() throws(RollbackRecordError) -> RollbackRecord? { throw Self.absence }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { throw Self.absence }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool { throw Self.absence }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) { throw Self.absence }

    func sync() throws(RollbackRecordError) {}
}
