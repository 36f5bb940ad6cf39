/// A task as it is shown: with its words, or without them.
public struct ShownTask: Sendable, Hashable {
    /// What is shown of the words.
    public enum Words: Sendable, Hashable {
        /// All of them.
        case shown(TaskText)
        /// A lock: they are in the vault.
        case hidden
        /// They should be in the vault, and are not, or are not understood.
        case missing
    }

    /// The task.
    public let task: TodoTask
    /// What is shown of its words.
    public let words: Words

    /// Makes a task with its words, or without them.
    public init(_ task: TodoTask, _ words: Words) {
        self.task = task
        self.words = words
    }

    /// A task whose words are hidden if they are protected.
    public init(_ task: TodoTask) {
        self.init(task, task.plainText.map { .shown($0) } ?? .hidden)
    }

    /// The words, if they are shown.
    public var text: TaskText? {
        guard case .shown(let text) = words else { return nil }
        return text
    }
}
