/// Why a database of tasks could not be copied into another one. Nothing was changed in either.
public enum TaskCopyError: Error, Sendable, Hashable {
    /// The one that is copied failed.
    case source(TaskRepositoryError)
    /// The one that gets the copy failed.
    case target(TaskRepositoryError)
    /// The one that gets the copy has tasks already.
    case notEmpty
}

/// Copies a database of tasks into an empty one: tasks, completions and notes, all or nothing.
public struct TaskCopy: Sendable {
    private let source: any TaskRepository
    private let target: any TaskRepository

    /// Makes a copy from one database to another.
    public init(from source: any TaskRepository, to target: any TaskRepository) {
        self.source = source
        self.target = target
    }

    /// Copies.
    ///
    /// - Returns: The number of tasks, cleared ones included.
    /// - Throws: `notEmpty`, `source`, `target`.
    public func run() throws(TaskCopyError) -> Int {
        let (tasks, completions, intents) = try reading {
            () throws(TaskRepositoryError) -> ([TodoTask], [PointInTime], [VaultIntent]) in
            (
                try source.tasks(TaskQuery(TaskFilter(.openOrDone)))
                    + source.tasks(TaskQuery(TaskFilter(.cleared))),
                try source.completions(from: PointInTime(milliseconds: .min)),
                try source.intents()
            )
        }
        let isEmpty = try writing { () throws(TaskRepositoryError) in
            let tasks = try target.count(TaskFilter()) + target.count(TaskFilter(.cleared))
            let intents = try target.intents()
            return tasks == 0 && intents.isEmpty
        }
        guard isEmpty else { throw .notEmpty }
        let known = try writing { () throws(TaskRepositoryError) in
            try target.completions(from: PointInTime(milliseconds: .min))
        }
        // A list that comes back to where it was finds there what was completed then.
        let past = Self.completions(
            completions, without: tasks.compactMap(\.completion?.time) + known)
        do throws(TaskRepositoryFailure<TaskRepositoryError>) {
            try target.change { (writer) throws(TaskRepositoryError) in
                for task in tasks { try writer.insert(task) }
                for time in past {
                    try writer.countCompletion(of: TaskID(), at: time)
                }
                // The bytes of the words that are to be erased are not in the copy.
                for intent in intents where intent.kind != .erasing { try writer.put(intent) }
            }
        } catch {
            switch error {
            case .repository(let error), .body(let error): throw .target(error)
            }
        }
        return tasks.count
    }

    /// The completions that are not counted otherwise: with their tasks, or in the target already.
    private static func completions(
        _ all: [PointInTime], without others: [PointInTime]
    ) -> [PointInTime] {
        var counted: [PointInTime: Int] = [:]
        for time in others { counted[time, default: 0] += 1 }
        return all.filter { time in
            guard let count = counted[time], count > 0 else { return true }
            counted[time] = count - 1
            return false
        }
    }

    private func reading<Result>(
        _ body: () throws(TaskRepositoryError) -> Result
    ) throws(TaskCopyError) -> Result {
        do throws(TaskRepositoryError) { return try body() } catch { throw .source(error) }
    }

    private func writing<Result>(
        _ body: () throws(TaskRepositoryError) -> Result
    ) throws(TaskCopyError) -> Result {
        do throws(TaskRepositoryError) { return try body() } catch { throw .target(error) }
    }
}
