internal import SecureStorage

/// A search in the words of tasks: those of protected ones are looked at while they come from the vault, and kept nowhere.
struct WordSearch {
    private let tasks: [TodoTask]
    private let key: NameKey
    /// Which tasks hold the text; nil where nobody has looked.
    private var isMatch: [Bool?]

    /// Searches the words that are no secret.
    init(for needle: String, in tasks: [TodoTask]) {
        let key = NameKey(needle)
        self.key = key
        self.tasks = tasks
        isMatch = tasks.map { $0.plainText?.contains(key) }
    }

    /// Searches protected words, as far as they can be read now; those that are not there hold nothing.
    mutating func lookInto(_ vault: any SecureStore, _ list: TaskList) throws(TaskListError) {
        let protected = tasks.indices.filter { tasks[$0].isProtected }
        do throws(TaskListError) {
            try list.readWords(of: protected.map { tasks[$0] }, from: vault) { place, task in
                isMatch[protected[place]] = task?.text?.contains(key) ?? false
            }
        } catch {
            // Nobody is asked again.
            guard error == .vault(.notVerified) || error == .vault(.locked) else { throw error }
        }
    }

    /// What was found.
    var found: FoundTasks {
        FoundTasks(
            tasks: tasks.indices.filter { isMatch[$0] == true }.map { ShownTask(tasks[$0]) },
            unsearched: isMatch.count { $0 == nil })
    }
}

extension TaskText {
    /// Whether name, notes or a subtask hold a text.
    func contains(_ key: NameKey) -> Bool {
        NameKey(name).contains(key) || NameKey(notes).contains(key)
            || subtasks.contains { NameKey($0.name).contains(key) }
    }
}
