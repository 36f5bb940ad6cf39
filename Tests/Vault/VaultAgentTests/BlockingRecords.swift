import Foundation
import TestSupport
import VaultCore

/// Rollback records that block each reader or writer until the test releases them.
final class BlockingRecords: RollbackRecords, @unchecked Sendable {
    private let records = MemoryRollbackRecords()
    private let changed = NSCondition()
    private var isHolding = false
    private var isHoldingRaises = false
    private var held = 0

    /// Blocks every read of a record from now on, or releases the blocked ones.
    func hold(_ isHolding: Bool) {
        changed.withLock {
            self.isHolding = isHolding
            changed.broadcast()
        }
    }

    /// Blocks every write of a record from now on, such as a session in use, or releases the blocked ones.
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

    func read() throws(RollbackRecordError) -> RollbackRecord? {
        holdUp { isHolding }
        return try records.read()
    }

    func readElsewhere() throws(RollbackRecordError) -> [RollbackRecord] { [] }

    func exchange(
        _ old: RollbackRecord?, for new: RollbackRecord
    ) throws(RollbackRecordError) -> Bool {
        // Unlocking exchanges a record for an equal one, which raises none.
        holdUp { isHoldingRaises && old != new }
        return try records.exchange(old, for: new)
    }

    func replace(with record: RollbackRecord) throws(RollbackRecordError) {
        try records.replace(with: record)
    }

    func sync() throws(RollbackRecordError) {}
}
