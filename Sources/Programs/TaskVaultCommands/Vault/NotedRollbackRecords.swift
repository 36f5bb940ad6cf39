internal import Synchronization
internal import VaultCore

/// Rollback marks that remember whether they failed, so that a command can say once that this machine could not keep one.
///
/// The vault goes on without: a mark protects against an older copy put in place, and a machine without a home folder should still be able to
/// read its secrets.
final class NotedRollbackRecords: RollbackRecords {
    private let marks: any RollbackRecords
    private let noted = Mutex<RollbackRecordError?>(nil)

    /// Makes marks over others.
    init(_ marks: any RollbackRecords) {
        self.marks = marks
    }

    /// The first failure to read or keep a mark, apart from those that the vault itself refuses: a damaged mark, or an unsafe folder.
    var failure: RollbackRecordError? { noted.withLock { $0 } }

    func mark() throws(RollbackRecordError) -> RollbackRecord? {
        try noting { () throws(RollbackRecordError) in try marks.mark() }
    }

    func changeCount() throws(RollbackRecordError) -> UInt64? {
        try noting { () throws(RollbackRecordError) in try marks.changeCount() }
    }

    func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord] {
        try noting { () throws(RollbackRecordError) in try marks.marksElsewhere() }
    }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        try noting { () throws(RollbackRecordError) in try marks.exchange(old, for: new) }
    }

    func replace(with mark: RollbackRecord) throws(RollbackRecordError) {
        try noting { () throws(RollbackRecordError) in try marks.replace(with: mark) }
    }

    func sync() throws(RollbackRecordError) {
        try noting { () throws(RollbackRecordError) in try marks.sync() }
    }

    private func noting<Result>(
        _ body: () throws(RollbackRecordError) -> Result
    ) throws(RollbackRecordError) -> Result {
        do {
            return try body()
        } catch {
            if case .unavailable = error { noted.withLock { $0 = $0 ?? error } }
            throw error
        }
    }
}

/// Marks of a machine that has no place for them.
struct AbsentRollbackRecords: RollbackRecords {
    private let absence = RollbackRecordError.unavailable(path: "no home folder", code: 0)

    func mark() throws(RollbackRecordError) -> RollbackRecord? { throw absence }

    func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { throw absence }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool { throw absence }

    func replace(with mark: RollbackRecord) throws(RollbackRecordError) { throw absence }

    func sync() throws(RollbackRecordError) {}
}
