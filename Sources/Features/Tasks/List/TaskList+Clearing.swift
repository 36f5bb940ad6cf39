// Clearing hides tasks that are done. They still count in the statistics.
extension TaskList {
    /// Clears tasks that were done `period` ago or earlier. Removes tasks that were cleared longer ago than ``undoPeriod``, and changes that
    /// ``undo(in:)`` can no longer revert.
    ///
    /// - Parameter period: The time for which done tasks are shown; nil for ever.
    /// - Returns: The number of cleared tasks.
    /// - Throws: `DatabaseError`.
    @discardableResult
    public func clearOld(after period: Duration?) throws -> Int {
        let now = now()
        let keptBefore = period.map { now.advanced(by: .zero - $0) }
        let clearedBefore = now.advanced(by: .zero - TaskList.undoPeriod)
        let changes = OldChanges(of: command?.machine, at: now)
        // Usually no task is old, and the call need not wait for another writer.
        let isNeeded = try repository.snapshot { transaction in
            try transaction.hasOld(keptBefore: keptBefore, clearedBefore: clearedBefore)
                || transaction.has(changes)
        }
        guard isNeeded else { return 0 }
        return try repository.change { writer in
            _ = try writer.purge(clearedBefore: clearedBefore)
            try writer.removeChanges(changes)
            guard let keptBefore else { return 0 }
            return try writer.clear(keptBefore: keptBefore, at: now)
        }
    }

    /// Clears all done tasks.
    ///
    /// - Returns: The number of cleared tasks.
    public func clear() throws -> Int {
        let now = now()
        return try change { writer in
            // The limit includes a task that was done just now, or by a clock ahead.
            try writer.clear(keptBefore: PointInTime(milliseconds: .max), at: now)
        }
    }

    /// Shows the tasks again that were cleared within ``undoPeriod``, and keeps them from now on.
    ///
    /// - Returns: The number of tasks.
    public func undoClearing() throws -> Int {
        let now = now()
        return try change { writer in
            try writer.restore(
                clearedFrom: now.advanced(by: .zero - TaskList.undoPeriod), at: now)
        }
    }
}
