/// A task on its way out of the list or into it: with its words, also where the vault keeps them.
public struct ExchangedTask: Sendable, Hashable {
    /// Its id.
    public let id: TaskID
    /// Its words; nil for a protected task whose words are not told.
    public var text: TaskText?
    /// Whether its words belong into the vault.
    public var isProtected: Bool
    /// When it is to be done.
    public var due: PointInTime?
    /// When it was made.
    public var created: PointInTime
    /// Whether ``created`` is only the first moment of the day on which it was made.
    public var isDayOnly = false
    /// That it was done.
    public var completion: TaskCompletion?
    /// Whether the person wants to be reminded.
    public var hasReminder: Bool

    /// Makes a task that is not protected.
    init(id: TaskID, text: TaskText, created: PointInTime) {
        self.id = id
        self.text = text
        self.created = created
        isProtected = false
        hasReminder = false
    }

    /// Makes a task from one of the list.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - words: The words of a protected one, where they may be told.
    public init(_ task: TodoTask, words: TaskText? = nil) {
        id = task.id
        text = task.plainText ?? words
        isProtected = task.isProtected
        due = task.due
        created = task.created
        completion = task.completion
        hasReminder = task.hasReminder
    }

    /// The task as the list takes it; nil for a protected one.
    public var plainTask: TodoTask? {
        guard !isProtected, let text else { return nil }
        return TodoTask(
            id: id, content: .plain(text), due: due, created: created, completion: completion,
            hasReminder: hasReminder)
    }

    /// A protected task and its words, as the list takes them; nil for another one, and for one whose words are not told.
    public var protectedTask: (TodoTask, TaskText)? {
        guard isProtected, let text else { return nil }
        let words = ProtectedWordsID(of: id)
        return (
            TodoTask(
                id: id, content: .protected(words), due: due, created: created,
                completion: completion, hasReminder: hasReminder), text
        )
    }

    /// Whether a task of the list with the id of this one is this one, and not another one that got the id by chance: it was made in the same second,
    /// or on the same day where only that is known, or has the same name.
    public func isSame(as task: TodoTask) -> Bool {
        // No day is longer than 25 hours.
        let latest = created.seconds + (isDayOnly ? 90_000 : 1)
        if (created.seconds..<latest).contains(task.created.seconds) { return true }
        return text.map { $0.name == task.plainText?.name } ?? false
    }
}
