internal import Database

/// A change of a list. The newest one is the head of the list, and whoever has it has all changes before it.
public struct TaskHead: Sendable, Hashable {
    /// The number of the change, counted from 1; 0 for a list without changes.
    public let number: Int64
    /// A random number that no other change has; 0 for a list without changes.
    public let mark: Int64

    /// Creates a value.
    public init(number: Int64, mark: Int64) {
        self.number = number
        self.mark = mark
    }

    fileprivate static let none = TaskHead(number: 0, mark: 0)
}

/// The newest change that this machine saw of a list, kept outside the list (`Docs/Storage.md`). Thread-safe.
public protocol SeenTaskHead: Sendable {
    /// The treatment of a list without this change.
    var rule: SeenTaskRule { get }
    /// Reads the change; nil if none is recorded, or if it cannot be read.
    ///
    /// - Throws: ``TaskListError/recordDamaged``.
    func read() throws -> TaskHead?
    /// Records a change unless a later one is recorded. A failure does not fail the change, which is made.
    func raise(to head: TaskHead)
    /// Records a change in any case.
    func replace(with head: TaskHead)
}

/// The treatment of a list that lacks a change which this machine saw.
public enum SeenTaskRule: Sendable {
    /// The list is refused.
    case requiring
    /// The owner accepts the list.
    case accepting
    /// The owner replaces the content of the list, which counts from the end of that change on.
    case replacing
}

extension SeenTaskHead {
    /// The change that the list must have; nil if any list is good.
    func required() throws -> TaskHead? { rule == .requiring ? try read() : nil }
}

extension Transaction {
    /// The number of changes after which an earlier one is forgotten, so that no list shows any more that it follows from it.
    private static let keptCount: Int64 = 10_000

    /// The head of the list.
    ///
    /// - Parameter seen: A change that the list must have.
    /// - Returns: The newest change.
    /// - Throws: ``TaskListError/rolledBack(found:seen:)``; ``TaskListError/forked(seen:)``.
    func head(after seen: TaskHead?) throws -> TaskHead {
        let head =
            try row("SELECT number, mark FROM commits ORDER BY number DESC LIMIT 1") {
                TaskHead(number: try $0.integer(0), mark: try $0.integer(1))
            } ?? .none
        guard let seen, seen.number > 0, seen != head else { return head }
        guard head.number >= seen.number else {
            throw TaskListError.rolledBack(found: head.number, seen: seen.number)
        }
        let mark = try row("SELECT mark FROM commits WHERE number = $1", [.integer(seen.number)]) {
            try $0.integer(0)
        }
        guard mark == seen.mark else { throw TaskListError.forked(seen: seen.number) }
        return head
    }

    /// Adds the change that this transaction makes.
    func advance(_ head: TaskHead) throws -> TaskHead {
        guard (0..<Int64.max).contains(head.number) else {
            throw DatabaseError.damaged(reason: "the number of a change is out of range")
        }
        let next = TaskHead(number: head.number + 1, mark: .random(in: 1...Int64.max))
        try change(
            "INSERT INTO commits (number, mark) VALUES ($1, $2)",
            [.integer(next.number), .integer(next.mark)])
        if next.number % 1_000 == 0 {
            try change(
                "DELETE FROM commits WHERE number <= $1",
                [.integer(next.number - Self.keptCount)])
        }
        return next
    }
}
