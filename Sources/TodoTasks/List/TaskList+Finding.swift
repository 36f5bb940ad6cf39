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
        let key = NameKey(needle)
        var found = FoundTasks()
        var open = vault
        for task in try tasks(searched) {
            switch try shown(task, in: &open).words {
            case .hidden: found.unsearched += 1
            case .missing: continue
            case .shown(let text):
                if text.contains(key) { found.tasks.append(ShownTask(task)) }
            }
        }
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
        var shown: [ShownTask] = []
        for task in try tasks(all) { shown.append(try reveal(task, from: vault)) }
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

    /// A task with its words, where they can be read; where not, nobody is asked again.
    private func shown(
        _ task: TodoTask, in vault: inout (any SecureStore)?
    ) throws(TaskListError) -> ShownTask {
        guard task.isProtected, let open = vault else { return ShownTask(task) }
        do throws(TaskListError) {
            return try reveal(task, from: open)
        } catch {
            guard error == .vault(.notVerified) || error == .vault(.locked) else { throw error }
            vault = nil
            return ShownTask(task)
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

extension TaskText {
    /// Whether name, notes or a subtask hold a text.
    func contains(_ key: NameKey) -> Bool {
        NameKey(name).contains(key) || NameKey(notes).contains(key)
            || subtasks.contains { NameKey($0.name).contains(key) }
    }
}
