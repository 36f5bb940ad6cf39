extension TaskList {
    /// How long what was cleared can be brought back.
    public static let undoPeriod: Duration = .seconds(86_400)

    /// Clears what was done `period` ago or earlier, and removes what was cleared longer ago than it can be brought back.
    ///
    /// - Parameter period: How long completed tasks are shown; nil for ever.
    /// - Returns: How many were cleared.
    /// - Throws: `repository`.
    @discardableResult
    public func clearOld(after period: Duration?) throws(TaskListError) -> Int {
        // Most of the time there is nothing, and nobody has to wait for others that write.
        let isClearable = try hasAny(.done)
        let isPurgeable = try hasAny(.cleared)
        guard isClearable || isPurgeable else { return 0 }
        let now = now()
        return try changing { (writer) throws(TaskRepositoryError) in
            _ = try writer.purge(
                clearedBefore: now.advanced(by: .zero - TaskList.undoPeriod))
            guard let period else { return 0 }
            return try writer.clear(keptBefore: now.advanced(by: .zero - period), at: now)
        }
    }

    /// Whether there are such tasks. A count would look at all of them.
    private func hasAny(_ state: TaskFilter.State) throws(TaskListError) -> Bool {
        try !tasks(TaskQuery(TaskFilter(state), by: .created, limit: 1)).isEmpty
    }

    /// Clears all completed tasks.
    ///
    /// - Returns: How many.
    public func clear() throws(TaskListError) -> Int {
        let now = now()
        return try changing { (writer) throws(TaskRepositoryError) in
            // Also what was marked in this moment, or by a clock that went ahead.
            try writer.clear(keptBefore: PointInTime(milliseconds: .max), at: now)
        }
    }

    /// Brings back what was cleared, as far as it is not too long ago, and keeps it from now on.
    ///
    /// - Returns: How many.
    public func undoClearing() throws(TaskListError) -> Int {
        let now = now()
        return try changing { (writer) throws(TaskRepositoryError) in
            try writer.restore(
                clearedFrom: now.advanced(by: .zero - TaskList.undoPeriod), at: now)
        }
    }
}
