import Foundation
import TestSupport
import VaultCore

/// Rollback marks that hold up whoever unlocks or verifies, in the middle of it, until the test lets go.
final class HeldMarks: RollbackMarks, @unchecked Sendable {
    private let marks = MemoryRollbackMarks()
    private let changed = NSCondition()
    private var isHolding = false
    private var held = 0

    /// Holds up everybody from now on, or lets everybody go.
    func hold(_ isHolding: Bool) {
        changed.withLock {
            self.isHolding = isHolding
            changed.broadcast()
        }
    }

    /// How many are held up.
    var heldUp: Int { changed.withLock { held } }

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        changed.withLock {
            held += 1
            while isHolding { changed.wait() }
            held -= 1
        }
        return try marks.mark(of: vaultID)
    }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        try marks.remember(mark, force: force)
    }
}
