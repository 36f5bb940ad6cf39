/// Which tasks a list has. Every condition that is set must hold.
public struct TaskFilter: Sendable, Hashable {
    /// Whether a task was done.
    public enum State: Sendable, Hashable, CaseIterable {
        /// Both, those apart that were cleared.
        case openOrDone
        /// Not done.
        case open
        /// Done, and not cleared.
        case done
        /// Done and cleared.
        case cleared
    }

    /// Whether it was done.
    public var state: State
    /// It is due before this time.
    public var dueBefore: PointInTime?
    /// Whether its words are in the vault.
    public var isProtected: Bool?

    /// Makes a filter.
    public init(
        _ state: State = .openOrDone, dueBefore: PointInTime? = nil, isProtected: Bool? = nil
    ) {
        self.state = state
        self.dueBefore = dueBefore
        self.isProtected = isProtected
    }

    /// Whether a task is one of these.
    public func accepts(_ task: TodoTask) -> Bool {
        if let isProtected, task.isProtected != isProtected { return false }
        if let dueBefore {
            guard let due = task.due, due < dueBefore else { return false }
        }
        return switch state {
        case .openOrDone: task.completion?.cleared == nil
        case .open: !task.isDone
        case .done: task.isDone && task.completion?.cleared == nil
        case .cleared: task.completion?.cleared != nil
        }
    }
}

/// In which order a list has tasks. Equal ones are in the order of their ids.
public enum TaskOrder: String, Sendable, Hashable, CaseIterable {
    /// By name (``NameKey``); those whose name is in the vault at the end.
    case name
    /// By name, the last one first; those whose name is in the vault at the end.
    case nameReversed = "name-reversed"
    /// By the time when they are due; those without one at the end.
    case due
    /// By the time when they were made, the newest first.
    case created
}

/// A list that is asked for.
public struct TaskQuery: Sendable, Hashable {
    /// Which tasks.
    public var filter: TaskFilter
    /// In which order.
    public var order: TaskOrder
    /// How many at most; nil for all.
    public var limit: Int?

    /// Makes a query.
    public init(_ filter: TaskFilter = TaskFilter(), by order: TaskOrder = .due, limit: Int? = nil)
    {
        self.filter = filter
        self.order = order
        self.limit = limit
    }
}
