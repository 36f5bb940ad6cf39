/// What a repository in memory holds.
struct MemoryTasks: Sendable {
    /// That a task was completed, whether or not the task is still there.
    struct Completion: Sendable, Hashable {
        let task: TaskID
        let time: PointInTime
    }

    var tasks: [TaskID: TodoTask] = [:]
    var completions: Set<Completion> = []
    var intents: [ProtectedWordsID: VaultIntent] = [:]

    func ids(startingWith prefix: TaskIDPrefix, limit: Int) -> [TaskID] {
        let found = tasks.values.filter {
            $0.completion?.cleared == nil && $0.id.text.utf8.starts(with: prefix.text.utf8)
        }
        return Array(found.map(\.id).sorted().prefix(max(limit, 0)))
    }

    func tasks(_ query: TaskQuery) -> [TodoTask] {
        let found = tasks.values.filter { query.filter.accepts($0) }
        // A key is made once for each task and not for each comparison.
        let sorted = found.map { (key: query.order.key(of: $0), task: $0) }
            .sorted { query.order.places($0, before: $1) }.map(\.task)
        guard let limit = query.limit else { return sorted }
        return Array(sorted.prefix(max(limit, 0)))
    }
}

/// By what a task is ordered.
private enum OrderKey {
    case name([UInt8]), time(Int64)
    /// At the end of every order.
    case none
}

extension TaskOrder {
    fileprivate func key(of task: TodoTask) -> OrderKey {
        switch self {
        case .name, .nameReversed:
            task.plainText.map { .name(NameKey($0.name).forSorting) } ?? .none
        case .due: task.due.map { .time($0.milliseconds) } ?? .none
        case .created: .time(task.created.milliseconds)
        }
    }

    fileprivate func places(
        _ left: (key: OrderKey, task: TodoTask), before right: (key: OrderKey, task: TodoTask)
    ) -> Bool {
        let isReversed = self == .nameReversed || self == .created
        switch (left.key, right.key) {
        case (.none, .none): break
        case (.none, _): return false
        case (_, .none): return true
        case (.name(let first), .name(let second)):
            if first != second { return first.lexicographicallyPrecedes(second) != isReversed }
        case (.time(let first), .time(let second)):
            if first != second { return (first < second) != isReversed }
        case (.name, .time), (.time, .name): preconditionFailure("an order has keys of one kind")
        }
        return left.task.id < right.task.id
    }
}
