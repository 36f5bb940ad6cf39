/// Something to be done.
///
/// A protected task has no words here: they are in the vault. What is left tells that it exists, when it is due and whether it is done.
public struct TodoTask: Sendable, Hashable {
    /// What a task says.
    public enum Content: Sendable, Hashable {
        /// Words that everybody who can read the database may know.
        case plain(TaskText)
        /// Words that only the vault knows, under this name.
        case protected(ProtectedWordsID)
    }

    /// Its id, which never changes.
    public let id: TaskID
    /// Its words, or that they are in the vault.
    public var content: Content
    /// When it is to be done, if that was said.
    public var due: PointInTime?
    /// When it was made. For information and order.
    public var created: PointInTime
    /// That it was done, if it was.
    public var completion: TaskCompletion?
    /// Whether the person wants to be reminded. Stored, and not acted on yet.
    public var hasReminder: Bool
    /// How often it was written: 1 after the insertion, one more after each change. The repository counts.
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

    /// Whether its words are in the vault.
    public var isProtected: Bool { wordsID != nil }

    /// Under what name the vault has its words; nil where they are no secret.
    public var wordsID: ProtectedWordsID? {
        guard case .protected(let id) = content else { return nil }
        return id
    }

    /// Whether it was done.
    public var isDone: Bool { completion != nil }

    /// Its words, where they are no secret.
    public var plainText: TaskText? {
        guard case .plain(let text) = content else { return nil }
        return text
    }

    /// Whether it is to be done and its time has passed.
    public func isOverdue(at now: PointInTime) -> Bool {
        guard let due, !isDone else { return false }
        return due < now
    }
}

/// That a task was done, and what becomes of it then.
public struct TaskCompletion: Sendable, Hashable {
    /// When it was marked as done.
    public var time: PointInTime
    /// From when on the time until it is cleared counts: when it was marked, or brought back.
    public var keptFrom: PointInTime
    /// When it was cleared, which hides it everywhere; nil as long as it is shown.
    public var cleared: PointInTime?

    /// Makes a completion.
    public init(time: PointInTime, keptFrom: PointInTime? = nil, cleared: PointInTime? = nil) {
        self.time = time
        self.keptFrom = keptFrom ?? time
        self.cleared = cleared
    }
}
