import Foundation
import TestSupport
import VaultCore

/// Rollback marks that hold up whoever unlocks or verifies, or whoever raises one, in the middle of it, until the test lets go.
final class HeldMarks: RollbackMarks, @unchecked Sendable {
    private let marks = MemoryRollbackMarks()
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

    func mark(of vaultID: [UInt8]) throws(RollbackMarkError) -> RollbackMark? {
        changed.withLock {
            held += 1
            while isHolding { changed.wait() }
            held -= 1
        }
        return try marks.mark(of: vaultID)
    }

    func remember(_ mark: RollbackMark, force: Bool) throws(RollbackMarkError) {
        changed.withLock {
            held += 1
            while isHoldingRaises { changed.wait() }
            held -= 1
        }
        try marks.remember(mark, force: force)
    }
}
