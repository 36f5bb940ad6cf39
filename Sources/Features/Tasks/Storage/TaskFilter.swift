/// The conditions for a task in a list. A task must meet all of them.
public struct TaskFilter: Sendable, Hashable {
    /// Whether a task is done.
    public enum State: Sendable, Hashable, CaseIterable {
        /// Open and done tasks, without the cleared ones.
        case openOrDone
        /// Not done.
        case open
        /// Done and not cleared.
        case done
        /// Done and cleared.
        case cleared
    }

    /// Whether the task is done.
    public var state: State
    /// The task is due before this moment.
    public var dueBefore: CalendarMoment?
    /// Whether the task is protected.
    public var isProtected: Bool?
    /// The lists and tags that the task must have, all of them.
    public var labels: [TaskLabel] = []
    /// The condition for the start; nil for any.
    public var start: Start?
    /// Whether an open task comes before the task; nil for both.
    public var isBlocked: Bool?

    /// A condition for the start (``TodoTask/wait``) at a time.
    public enum Start: Sendable, Hashable {
        /// The task starts at this time or earlier, or has no start, or is done.
        case by(CalendarMoment)
        /// The task is open and starts later.
        case after(CalendarMoment)
    }

    /// Makes a filter.
    public init(
        _ state: State = .openOrDone, dueBefore: CalendarMoment? = nil, isProtected: Bool? = nil,
        labels: [TaskLabel] = [], start: Start? = nil
    ) {
        self.state = state
        self.dueBefore = dueBefore
        self.isProtected = isProtected
        self.labels = labels
        self.start = start
    }

    /// Whether a task meets the conditions, except ``isBlocked``, which depends on other tasks.
    public func accepts(_ task: TodoTask) -> Bool {
        if let isProtected, task.isProtected != isProtected { return false }
        if let dueBefore {
            guard let due = task.due, due.isBefore(dueBefore) else { return false }
        }
        switch start {
        case .by(let time): if task.isWaiting(at: time) { return false }
        case .after(let time): if !task.isWaiting(at: time) { return false }
        case nil: break
        }
        guard task.has(labels) else { return false }
        return switch state {
        case .openOrDone: task.completion?.cleared == nil
        case .open: !task.isDone
        case .done: task.isDone && task.completion?.cleared == nil
        case .cleared: task.completion?.cleared != nil
        }
    }
}
