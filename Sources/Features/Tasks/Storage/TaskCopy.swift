internal import Database

/// A copy of a task database: tasks, completions and intents.
public struct TaskCopy: Sendable {
    private let tasks: [TodoTask]
    private let completions: [PointInTime]
    private let intents: [VaultIntent]

    /// Reads a database.
    ///
    /// - Throws: `DatabaseError`.
    public init(of source: TaskRepository) throws {
        tasks =
            try source.tasks(TaskSelection(TaskFilter(.openOrDone)))
            + source.tasks(TaskSelection(TaskFilter(.cleared)))
        completions = try source.completions(from: PointInTime(milliseconds: .min))
        intents = try source.intents()
    }

    /// Writes the copy into an empty database in one transaction.
    ///
    /// - Returns: The number of tasks, including cleared ones.
    /// - Throws: ``TaskListError/notEmpty`` if there are tasks or intents; `DatabaseError`.
    public func write(to target: TaskRepository) throws -> Int {
        let count = try target.count(TaskFilter()) + target.count(TaskFilter(.cleared))
        guard try count == 0 && target.intents().isEmpty else { throw TaskListError.notEmpty }
        // A list that returns to an earlier database finds its completions there.
        let known = try target.completions(from: PointInTime(milliseconds: .min))
        let past = completions(without: tasks.compactMap(\.completion?.time) + known)
        try target.change { writer in
            for task in tasks { try writer.insert(task) }
            for time in past { try writer.countCompletion(of: TaskID(), at: time) }
            // The copy has no old bytes to erase.
            for intent in intents where intent.kind != .erasing { try writer.put(intent) }
        }
        return tasks.count
    }

    /// The completions whose tasks are gone and that the target lacks.
    private func completions(without others: [PointInTime]) -> [PointInTime] {
        var counts: [PointInTime: Int] = [:]
        for time in others { counts[time, default: 0] += 1 }
        return completions.filter { time in
            guard let count = counts[time], count > 0 else { return true }
            counts[time] = count - 1
            return false
        }
    }
}

// Backups.
extension TaskCopy {
    /// Replaces the content of a database by the copy, in one transaction.
    ///
    /// A task that the database has too gets a revision above both. Intents to erase stay, because their bytes are still in the file.
    ///
    /// - Parameters:
    ///   - target: The database.
    ///   - keep: Saves the old content over another connection, while no program can change it.
    ///   - texts: Returns the ids of all texts in the vault, inside the transaction. Texts without a task are discarded.
    ///   - now: The time of the intents to discard texts.
    /// - Returns: The number of tasks, including cleared ones, and the number of tasks that lost their protection.
    /// - Throws: `DatabaseError`; the errors of `keep` and `texts`.
    public func replaceAll(
        in target: TaskRepository, keeping keep: () throws -> Void = {},
        texts: () throws -> [ProtectedTextID], now: PointInTime
    ) throws -> (count: Int, unprotected: Int) {
        let past = completions(without: tasks.compactMap(\.completion?.time))
        let unprotected = try target.change { writer in
            try keep()
            let old = try writer.removeAll()
            var unprotected = 0
            for var task in tasks {
                if let known = old[task.id] {
                    task.revision = max(task.revision, known.revision) + 1
                    if known.isProtected, task.textID == nil { unprotected += 1 }
                }
                try writer.insert(task, revision: task.revision)
            }
            for time in past { try writer.countCompletion(of: TaskID(), at: time) }
            for intent in intents where intent.kind != .erasing { try writer.put(intent) }
            let needed = Set(tasks.compactMap(\.textID) + intents.map(\.textID))
            for textID in try texts() where !needed.contains(textID) {
                try writer.put(VaultIntent(.discarding, textID, at: now))
            }
            return unprotected
        }
        return (tasks.count, unprotected)
    }
}

extension TaskRepository {
    /// Copies one snapshot into a new SQLite file at `path`, mode 0600, durably. A server's tasks are held in memory meanwhile.
    ///
    /// - Throws: `DatabaseError.alreadyExists` if the path exists; `DatabaseError.unsafeLocation` for a folder that is not safe.
    public func backup(to path: String) throws {
        guard isOnServer else { return try copyFile(to: path) }
        let content = try TaskCopy(of: self)
        let copy = try TaskRepository.openOrCreate(.file(path))
        defer { copy.close() }
        _ = try content.write(to: copy)
        guard try copy.leaveWALMode() else { throw DatabaseError.busy }
    }
}
