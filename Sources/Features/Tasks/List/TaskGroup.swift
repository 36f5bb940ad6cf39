/// The tasks whose ids begin with the same two characters. A program that keeps the digests of all groups finds what has changed since.
public struct TaskGroup: Sendable, Hashable {
    /// The number of characters that the ids have in common.
    public static let prefixLength = 2
    /// The number of characters of a digest.
    public static let digestLength = 6

    /// The ids, in ascending order.
    public private(set) var ids: [TaskID] = []
    private var sum: UInt64 = 0

    /// A digest of ids and revisions: 30 bits, for this process only.
    public var digest: String { TaskID.characters(Self.digestLength, of: sum) }

    /// Adds a task. The order of the tasks does not change the digest.
    mutating func add(_ id: TaskID, _ revision: UInt64) {
        var hasher = Hasher()
        hasher.combine(id)
        hasher.combine(revision)
        sum &+= UInt64(bitPattern: Int64(hasher.finalize()))
        ids.append(id)
    }
}

extension TaskList {
    /// All tasks except cleared ones, by the beginning of their ids.
    ///
    /// - Throws: `DatabaseError`.
    public func groups() throws -> [String: TaskGroup] {
        var groups: [String: TaskGroup] = [:]
        for (id, revision) in try repository.revisions() {
            groups[String(id.text.prefix(TaskGroup.prefixLength)), default: TaskGroup()]
                .add(id, revision)
        }
        return groups
    }
}
