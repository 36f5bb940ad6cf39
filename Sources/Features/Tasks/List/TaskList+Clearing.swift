internal import Database

// Clearing hides tasks that are done. They still count in the statistics.
extension TaskList {
    /// Clears tasks that were done `period` ago or earlier. Removes tasks that were cleared longer ago than ``undoPeriod``, and changes that
    /// ``undo(in:)`` can no longer revert, if an earlier call a day ago found them too old, and none since by a clock a day earlier.
    ///
    /// - Parameter period: The time for which done tasks are shown; nil for ever.
    /// - Returns: The number of cleared tasks.
    /// - Throws: `DatabaseError`.
    @discardableResult
    public func clearOld(after period: Duration?) throws -> Int {
        let now = now()
        let keptBefore = period.map { now.advanced(by: .zero - $0) }
        // Usually no task is old, and the call need not wait for another writer.
        let isNeeded = try repository.snapshot { transaction in
            try transaction.hasOld(keptBefore: keptBefore, clearedBefore: nil)
                || expiry(in: transaction, at: now) != .unchanged
        }
        guard isNeeded else { return 0 }
        return try repository.change { writer in
            switch try expiry(in: writer.transaction, at: now) {
            case .unchanged: break
            case .doubted(let time): try writer.setExpiryDoubt(time)
            case .confirmed(let time):
                _ = try writer.purge(clearedBefore: clearedBefore(time))
                try writer.removeChanges(OldChanges(of: command?.machine, at: time))
                let isMore = try hasExpired(in: writer.transaction, at: now)
                try writer.setExpiryDoubt(isMore ? now : nil)
            }
            guard let keptBefore else { return 0 }
            return try writer.clear(keptBefore: keptBefore, at: now)
        }
    }

    /// The consequence of a look at the clock for cleared tasks and changes. One command under a wrong clock erases none.
    private enum Expiry: Equatable {
        case unchanged
        /// The time of the first look that finds them too old; nil if this one does not.
        case doubted(PointInTime?)
        /// Those that were too old at this time are erased.
        case confirmed(PointInTime)
    }

    private func expiry(in transaction: Transaction, at now: PointInTime) throws -> Expiry {
        let doubt = try transaction.expiryDoubt()
        guard try hasExpired(in: transaction, at: now) else {
            return doubt == nil ? .unchanged : .doubted(nil)
        }
        guard let doubt else { return .doubted(now) }
        if doubt <= now.advanced(by: .zero - Self.undoPeriod) { return .confirmed(doubt) }
        return doubt > now.advanced(by: Self.undoPeriod) ? .doubted(now) : .unchanged
    }

    private func hasExpired(in transaction: Transaction, at now: PointInTime) throws -> Bool {
        try transaction.hasOld(keptBefore: nil, clearedBefore: clearedBefore(now))
            || transaction.has(OldChanges(of: command?.machine, at: now))
    }

    private func clearedBefore(_ now: PointInTime) -> PointInTime {
        now.advanced(by: .zero - Self.undoPeriod)
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
