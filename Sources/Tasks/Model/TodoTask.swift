// Points in time are part of a task.
@_exported public import struct TextCoding.PointInTime

/// A task as the database has it.
///
/// The text of a protected task is in the vault. The rest tells that the task exists, when it is due and whether it is done.
public struct TodoTask: Sendable, Hashable {
    /// The text of a task, or where it is.
    public enum Content: Sendable, Hashable {
        /// The text of a plain task.
        case plain(TaskText)
        /// The text is in the vault, under this id.
        case protected(ProtectedWordsID)
    }

    /// The id, which never changes.
    public let id: TaskID
    /// The text, or its id in the vault.
    public var content: Content
    /// The due time, if there is one.
    public var due: PointInTime?
    /// The time of creation, for information and order.
    public var created: PointInTime
    /// The completion of a done task.
    public var completion: TaskCompletion?
    /// Whether the owner wants a reminder. Stored for a later version.
    public var hasReminder: Bool
    /// 1 at insertion, one more at each change. The repository counts.
    public var revision: UInt64

    /// Makes a task.
    public init(
        id: TaskID, content: Content, due: PointInTime? = nil, created: PointInTime,
        completion: TaskCompletion? = nil, hasReminder: Bool = false, revision: UInt64 = 1
    ) {
        self.id = id
        self.content = content
        self.due = due
        self.created = created
        self.completion = completion
        self.hasReminder = hasReminder
        self.revision = revision
    }

    /// Whether the text is in the vault.
    public var isProtected: Bool { wordsID != nil }

    /// The id of the text in the vault; nil for a plain task.
    public var wordsID: ProtectedWordsID? {
        guard case .protected(let id) = content else { return nil }
        return id
    }

    /// Whether it is done.
    public var isDone: Bool { completion != nil }

    /// The text of a plain task; nil for a protected one.
    public var plainText: TaskText? {
        guard case .plain(let text) = content else { return nil }
        return text
    }

    /// Whether it is open and its due time has passed.
    public func isOverdue(at now: PointInTime) -> Bool {
        guard let due, !isDone else { return false }
        return due < now
    }
}

/// The completion of a task, and its later clearing.
public struct TaskCompletion: Sendable, Hashable {
    /// The time at which the task was marked as done.
    public var time: PointInTime
    /// Start of the time until clearing: ``time``, or the time of an undone clearing.
    public var keptFrom: PointInTime
    /// The time of clearing, which hides the task; nil while it is shown.
    public var cleared: PointInTime?

    /// Makes a completion.
    public init(time: PointInTime, keptFrom: PointInTime? = nil, cleared: PointInTime? = nil) {
        self.time = time
        self.keptFrom = keptFrom ?? time
        self.cleared = cleared
    }
}
