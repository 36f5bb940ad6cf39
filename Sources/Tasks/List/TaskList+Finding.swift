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
    /// Tasks that are not in the list any more when their words are looked for are left out.
    ///
    /// - Throws: `vault(.notVerified)` as soon as words cannot be read, `vault(.locked)`, `repository`.
    public func reveal(
        _ query: TaskQuery, containing needle: String? = nil, from vault: any SecureStore
    ) throws(TaskListError) -> [ShownTask] {
        var all = query
        // The database does not know the names of protected tasks.
        let isByName = query.order == .name || query.order == .nameReversed
        if isByName || needle != nil { all.limit = nil }
        let tasks = try tasks(all)
        var found: [ShownTask?] = tasks.map { ShownTask($0) }
        let protected = tasks.indices.filter { tasks[$0].isProtected }
        try readWords(of: protected.map { tasks[$0] }, from: vault) { found[protected[$0]] = $1 }
        var shown = found.compactMap(\.self).filter { query.filter.accepts($0.task) }
        if let key = needle.map({ NameKey($0) }) {
            shown = shown.filter { $0.text?.contains(key) == true }
        }
        if isByName { shown = Self.sorted(shown, reversed: query.order == .nameReversed) }
        return query.limit.map { Array(shown.prefix($0)) } ?? shown
    }

    /// A task with its words; as it is now, if somebody else took them out of the vault since it was read.
    ///
    /// - Throws: `repository(.missing)` if it is gone; `vault(.notVerified)`, `vault(.locked)`, `wordsMissing`, `wordsUnreadable`, …
    public func reveal(
        _ task: TodoTask, from vault: any SecureStore
    ) throws(TaskListError) -> ShownTask {
        var latest = task
        var attempts = 8
        while true {
            do throws(TaskListError) {
                return ShownTask(latest, .shown(try words(of: latest, from: vault).text))
            } catch .repository(.conflict) where attempts > 1 {
                attempts -= 1
                latest = try current(task.id)
            }
        }
    }

    /// Reads the words of protected tasks.
    ///
    /// - Parameters:
    ///   - tasks: The tasks as they were read.
    ///   - vault: Has the words.
    ///   - body: Gets the place of each task in `tasks` and the task: as it is now, if somebody else took its words out of the vault meanwhile;
    ///     nil if it is gone.
    /// - Throws: `vault(.notVerified)` as soon as words cannot be read, `vault(.locked)`, `repository`.
    func readWords(
        of tasks: [TodoTask], from vault: any SecureStore, _ body: (Int, ShownTask?) -> Void
    ) throws(TaskListError) {
        let names = tasks.compactMap { $0.wordsID.map { ProtectedText.name(of: $0) } }
        precondition(names.count == tasks.count, "all of them are protected")
        var isFound = tasks.map { _ in false }
        try TaskListError.vault { () throws(SecureStoreError) in
            try vault.readEach(names) { (place, _, value) throws(SecureStoreError) in
                let text = value.withBytes { ProtectedText.decode($0) }
                isFound[place] = true
                body(place, ShownTask(tasks[place], text.map { .shown($0) } ?? .missing))
            }
        }
        for place in tasks.indices where !isFound[place] {
            body(place, try revealAgain(tasks[place], from: vault))
        }
    }

    /// A task whose words were not in the vault, as it is now; nil if it is gone.
    private func revealAgain(
        _ task: TodoTask, from vault: any SecureStore
    ) throws(TaskListError) -> ShownTask? {
        do throws(TaskListError) {
            let row = try current(task.id)
            guard row.wordsID != task.wordsID else { return ShownTask(row, .missing) }
            return try reveal(row, from: vault)
        } catch {
            switch error {
            case .wordsMissing, .wordsUnreadable: return ShownTask(task, .missing)
            case .repository(.missing): return nil
            default: throw error
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
