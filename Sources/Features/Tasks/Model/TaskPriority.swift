/// The priority of a task.
public enum TaskPriority: Int64, Sendable, Hashable, Comparable, CaseIterable {
    case none = 0
    case low, medium, high

    /// The name, as options and files have it.
    public var name: String {
        switch self {
        case .none: "none"
        case .low: "low"
        case .medium: "medium"
        case .high: "high"
        }
    }

    /// The priority of a name; nil for any other text.
    public init?(name: String) {
        guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// Orders by urgency.
    public static func < (left: TaskPriority, right: TaskPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}
