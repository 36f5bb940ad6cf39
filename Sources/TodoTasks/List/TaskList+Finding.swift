public import SecureStorage

/// Tasks that were found, and how many could not be looked into.
public struct FoundTasks: Sendable, Hashable {
    /// The tasks, in the order that was asked for.
    public var tasks: [ShownTask] = []
    /// How many protected tasks were not searched, because their words cannot be read now.
    public var unsearched = 0
}

extension TaskList {
    /// Lists tasks with protected words hidden.
    ///
    /// - Parameters:
    ///   - query: Which tasks, in which order.
    ///   - needle: A text that name, notes or subtasks hold (``NameKey``); nil for all tasks.
    ///   - vault: Where protected words are looked into, in memory only; nil where it cannot be asked.
    /// - Returns: The tasks; those are counted apart that could not be looked into.
    /// - Throws: `repository`, `vault`.
    public func find(
        _ query: TaskQuery, containing needle: String? = nil, in vault: (any SecureStore)? = nil
    ) throws(TaskListError) -> FoundTasks {
        guard let needle else {
            return FoundTasks(tasks: try tasks(query).map { ShownTask($0) })
        }
        var searched = query
        searched.limit = nil
        let all = try tasks(searched)
        var search = WordSearch(for: needle, in: all)
        if let vault { try search.lookInto(vault, self) }
        var found = search.found
        if let limit = query.limit { found.tasks = Array(found.tasks.prefix(limit)) }
        return found
    }

    /// Lists tasks with all their words.
    ///
    /// - Throws: `vault(.notVerified)` as soon as words cannot be read, `vault(.locked)`, `repository`.
    public func reveal(
        _ query: TaskQuery, containing needle: String? = nil, from vault: any SecureStore
    ) throws(TaskListError) -> [ShownTask] {
        var all = query
        // The database does not know the names of protected tasks.
        let isByName = query.order == .name || query.order == .nameReversed
        if isByName || needle != nil { all.limit = nil }
        var shown = try tasks(all).map { ShownTask($0) }
        let protected = shown.indices.filter { shown[$0].task.isProtected }
        for index in protected { shown[index] = ShownTask(shown[index].task, .missing) }
        try readWords(of: protected.map { shown[$0].task }, from: vault) { place, text in
            let index = protected[place]
            shown[index] = ShownTask(shown[index].task, text.map { .shown($0) } ?? .missing)
        }
        if let key = needle.map({ NameKey($0) }) {
            shown = shown.filter { $0.text?.contains(key) == true }
        }
        if isByName { shown = Self.sorted(shown, reversed: query.order == .nameReversed) }
        return query.limit.map { Array(shown.prefix($0)) } ?? shown
    }

    /// A task with its words, or that they are missing.
    ///
    /// - Throws: `vault(.notVerified)`, `vault(.locked)`, …
    public func reveal(
        _ task: TodoTask, from vault: any SecureStore
    ) throws(TaskListError) -> ShownTask {
        do throws(TaskListError) {
            return ShownTask(task, .shown(try words(of: task, from: vault).text))
        } catch {
            switch error {
            case .wordsMissing, .wordsUnreadable: return ShownTask(task, .missing)
            default: throw error
            }
        }
    }

    /// Reads the words of protected tasks; `body` gets the place of the task in `tasks`, and nil where its words are not understood.
    func readWords(
        of tasks: [TodoTask], from vault: any SecureStore, _ body: (Int, TaskText?) -> Void
    ) throws(TaskListError) {
        let names = tasks.compactMap { $0.wordsID.map { ProtectedText.name(of: $0) } }
        precondition(names.count == tasks.count, "all of them are protected")
        try TaskListError.vault { () throws(SecureStoreError) in
            try vault.readEach(names) { (place, _, value) throws(SecureStoreError) in
                body(place, value.withBytes { ProtectedText.decode($0) })
            }
        }
    }

    private static func sorted(_ tasks: [ShownTask], reversed isReversed: Bool) -> [ShownTask] {
        let keyed = tasks.map { (key: $0.text.map { NameKey($0.name) }, task: $0) }
        return keyed.sorted { left, right in
            guard let first = left.key, let second = right.key else {
                return left.key != nil && right.key == nil
            }
            if first == second { return left.task.task.id < right.task.task.id }
            return isReversed ? second < first : first < second
        }.map(\.task)
    }
}
