internal import Synchronization
internal import VaultCore

/// Rollback marks that remember whether they failed, so that a command can say once that this machine could not keep one.
///
/// The vault goes on without: a mark protects against an older copy put in place, and a machine without a home folder should still be able to
/// read its secrets.
final class NotedRollbackMarks: RollbackMarks {
    private let marks: any RollbackMarks
    private let noted = Mutex<VaultError?>(nil)

    /// Makes marks over others.
    init(_ marks: any RollbackMarks) {
        self.marks = marks
    }

    /// The first failure to read or keep a mark, a damaged mark apart: the vault itself refuses that.
    var failure: VaultError? { noted.withLock { $0 } }

    func mark(of vaultID: [UInt8]) throws(VaultError) -> RollbackMark? {
        try noting { () throws(VaultError) in try marks.mark(of: vaultID) }
    }

    func remember(_ mark: RollbackMark, force: Bool) throws(VaultError) {
        try noting { () throws(VaultError) in try marks.remember(mark, force: force) }
    }

    private func noting<Result>(
        _ body: () throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        do {
            return try body()
        } catch {
            if error != .damaged(.markDamaged) { noted.withLock { $0 = $0 ?? error } }
            throw error
        }
    }
}

/// Marks of a machine that has no place for them.
struct AbsentRollbackMarks: RollbackMarks {
    private let absence = VaultError.storage(.notFound)

    func mark(of vaultID: [UInt8]) throws(VaultError) -> RollbackMark? { throw absence }

    func remember(_ mark: RollbackMark, force: Bool) throws(VaultError) { throw absence }
}
