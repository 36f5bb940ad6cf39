/// The order of a list. Equal tasks are in the order of their ids.
public enum TaskOrder: String, Sendable, Hashable, CaseIterable {
    /// By name (`NameKey`), protected tasks at the end.
    case name
    /// By name in reverse, protected tasks at the end.
    case nameReversed = "name-reversed"
    /// By due time, tasks without it at the end; then by priority and time of creation.
    case due
    /// By priority, the highest first; then by due time and time of creation.
    case priority
    /// By time of creation, the newest first.
    case created
}

/// A list: filter, order and limit.
public struct TaskSelection: Sendable, Hashable {
    /// The conditions.
    public var filter: TaskFilter
    /// The order.
    public var order: TaskOrder
    /// The most tasks; nil for all.
    public var limit: Int?

    /// Makes a query.
    public init(_ filter: TaskFilter = TaskFilter(), by order: TaskOrder = .due, limit: Int? = nil)
    {
        self.filter = filter
        self.order = order
        self.limit = limit
    }
}
