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

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        do {
            return try marks.mark(of: vaultID)
        } catch {
            throw note(error)
        }
    }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        do {
            try marks.remember(mark, force: force)
        } catch {
            throw note(error)
        }
    }

    private func note(_ error: RollbackMarkError) -> RollbackMarkError {
        if case .unavailable = error { noted.withLock { $0 = $0 ?? error } }
        return error
    }
}

/// Marks of a machine that has no place for them.
struct AbsentRollbackMarks: RollbackMarks {
    private let absence = RollbackMarkError.unavailable(path: "no home folder", code: 0)

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? { throw absence }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) { throw absence }
}
