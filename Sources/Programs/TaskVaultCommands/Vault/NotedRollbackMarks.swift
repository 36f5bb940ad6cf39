internal import Synchronization
internal import VaultCore

/// Rollback marks that remember whether they failed, so that a command can say once that this machine could not keep one.
///
/// The vault goes on without: a mark protects against an older copy put in place, and a machine without a home folder should still be able to
/// read its secrets.
final class NotedRollbackMarks: RollbackMarks {
    private let marks: any RollbackMarks
    private let noted = Mutex<RollbackMarkError?>(nil)

    /// Makes marks over others.
    init(_ marks: any RollbackMarks) {
        self.marks = marks
    }

    /// The first failure to read or keep a mark, apart from those that the vault itself refuses: a damaged mark, or an unsafe folder.
    var failure: RollbackMarkError? { noted.withLock { $0 } }

    func mark() throws(RollbackMarkError) -> RollbackMark? {
        try noting { () throws(RollbackMarkError) in try marks.mark() }
    }

    func changeCount() throws(RollbackMarkError) -> UInt64? {
        try noting { () throws(RollbackMarkError) in try marks.changeCount() }
    }

    func marksElsewhere() throws(RollbackMarkError) -> [RollbackMark] {
        try noting { () throws(RollbackMarkError) in try marks.marksElsewhere() }
    }

    func exchange(
        _ old: RollbackMark?, for new: RollbackMark
    ) throws(RollbackMarkError) -> Bool {
        try noting { () throws(RollbackMarkError) in try marks.exchange(old, for: new) }
    }

    func replace(with mark: RollbackMark) throws(RollbackMarkError) {
        try noting { () throws(RollbackMarkError) in try marks.replace(with: mark) }
    }

    func sync() throws(RollbackMarkError) {
        try noting { () throws(RollbackMarkError) in try marks.sync() }
    }

    private func noting<Result>(
        _ body: () throws(RollbackMarkError) -> Result
    ) throws(RollbackMarkError) -> Result {
        do {
            return try body()
        } catch {
            if case .unavailable = error { noted.withLock { $0 = $0 ?? error } }
            throw error
        }
    }
}

/// Marks of a machine that has no place for them.
struct AbsentRollbackMarks: RollbackMarks {
    private let absence = RollbackMarkError.unavailable(path: "no home folder", code: 0)

    func mark() throws(RollbackMarkError) -> RollbackMark? { throw absence }

    func marksElsewhere() throws(RollbackMarkError) -> [RollbackMark] { throw absence }

    func exchange(
        _ old: RollbackMark?, for new: RollbackMark
    ) throws(RollbackMarkError) -> Bool { throw absence }

    func replace(with mark: RollbackMark) throws(RollbackMarkError) { throw absence }

    func sync() throws(RollbackMarkError) {}
}
