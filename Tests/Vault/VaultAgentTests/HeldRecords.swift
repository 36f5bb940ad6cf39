import Foundation
import TestSupport
import VaultCore

/// Rollback marks that hold up whoever unlocks or verifies, or whoever raises one, in the middle of it, until the test lets go.
final class HeldRecords: RollbackRecords, @unchecked Sendable {
    private let marks = MemoryRollbackRecords()
    private let changed = NSCondition()
    private var isHolding = false
    private var isHoldingRaises = false
    private var held = 0

    /// Holds up everybody who reads a mark from now on, or lets everybody go.
    func hold(_ isHolding: Bool) {
        changed.withLock {
            self.isHolding = isHolding
            changed.broadcast()
        }
    }

    /// Holds up everybody who raises a mark from now on, a session in the middle of its use for one, or lets everybody go.
    func holdRaises(_ isHolding: Bool) {
        changed.withLock {
            isHoldingRaises = isHolding
            changed.broadcast()
        }
    }

    /// How many are held up.
    var heldUp: Int { changed.withLock { held } }

    private func holdUp(while isHeld: () -> Bool) {
        changed.withLock {
            guard isHeld() else { return }
            held += 1
            while isHeld() { changed.wait() }
            held -= 1
        }
    }

    func mark() throws(RollbackRecordError) -> RollbackRecord? {
        holdUp { isHolding }
        return try marks.mark()
    }

    func marksElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { [] }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        // An unlocking exchanges a mark for an equal one, which raises none.
        holdUp { isHoldingRaises && old != new }
        return try marks.exchange(old, for: new)
    }

    func replace(with mark: RollbackRecord) throws(RollbackRecordError) {
        try marks.replace(with: mark)
    }

    func sync() throws(RollbackRecordError) {}
}
