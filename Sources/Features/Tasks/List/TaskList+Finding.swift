public import SecureStorage
internal import TextCoding

/// A task with its text, or without it.
public struct ShownTask: Sendable, Hashable {
    /// Whether the text is shown.
    public enum Visibility: Sendable, Hashable {
        /// The whole text.
        case shown(TaskText)
        /// The text is in the vault and was not read.
        case hidden
        /// The vault lacks the text.
        case missing
        /// The vault has bytes of a newer program, or of another one, in its place.
        case unreadable
    }

    /// The task.
    public let task: TodoTask
    /// Whether the text is shown, and the text.
    public let visibility: Visibility

    /// Makes a task with its text, or without it.
    public init(_ task: TodoTask, _ visibility: Visibility) {
        self.task = task
        self.visibility = visibility
    }

    /// A task whose text is hidden if it is protected.
    public init(_ task: TodoTask) {
        self.init(task, task.plainText.map { .shown($0) } ?? .hidden)
    }

    /// The text, if it is shown.
    public var text: TaskText? {
        guard case .shown(let text) = visibility else { return nil }
        return text
    }
}

/// The result of a search.
public struct FoundTasks: Sendable, Hashable {
    /// The tasks, in the order of the query.
    public var tasks: [ShownTask] = []
    /// The number of protected tasks whose text cannot be read now.
    public var unsearched = 0

    /// Makes a result.
    public init(tasks: [ShownTask] = [], unsearched: Int = 0) {
        self.tasks = tasks
        self.unsearched = unsearched
    }
}

/// A list or a tag, and how many open tasks have it.
public struct LabelCount: Sendable, Hashable {
    /// The name.
    public let name: String
    /// The number of tasks.
    public let count: Int
}

extension TaskList {
    /// Finds a task by the beginning of its id, else by name.
    ///
    /// A typed text is compared with the names of plain tasks and with nicknames: first as a whole, then as a beginning, then as a part.
    /// Case does not matter (`NameKey`). A text that begins one id and the name of another task is ambiguous.
    ///
    /// - Parameters:
    ///   - typed: The text.
    ///   - isDone: The state to prefer among several tasks of such a name; nil for neither.
    /// - Returns: The task, which may be a cleared one.
    /// - Throws: ``TaskListError/unknownTask``; ``TaskListError/ambiguousTask(_:)``; ``TaskListError/ambiguousName(_:)``.
    public func find(_ typed: String, preferringDone isDone: Bool? = nil) throws -> TodoTask {
        guard let prefix = TaskIDPrefix(typed) else { return try find(named: typed, isDone) }
        let ids = try repository.ids(startingWith: prefix, limit: 6)
        if ids.count == 1 {
            let others =
                prefix.text.utf8.count == TaskID.length
                ? [] : try repository.ids(ofNamesFrom: typed).filter { $0 != ids[0] }
            guard others.isEmpty else { throw TaskListError.ambiguousName(ids + others) }
            return try current(ids[0])
        }
        // One or two letters are the beginning of many ids.
        if ids.count > 1, prefix.text.utf8.count > 2 { throw TaskListError.ambiguousTask(ids) }
        do {
            return try find(named: typed, isDone)
        } catch is TaskListError where ids.count > 1 {
            throw TaskListError.ambiguousTask(ids)
        }
    }

    private func find(named typed: String, _ isDone: Bool?) throws -> TodoTask {
        let key = NameKey(typed)
        guard !key.bytes.isEmpty else { throw TaskListError.unknownTask }
        let names = try repository.names()
        let kinds: [(NameKey) -> Bool] = [
            { $0 == key }, { $0.bytes.starts(with: key.bytes) }, { $0.contains(key) },
        ]
        for matches in kinds {
            let found = names.filter { matches($0.key) }
            let preferred = found.filter { $0.isDone == isDone }
            let meant = preferred.count == 1 ? preferred : found
            if meant.count > 1 { throw TaskListError.ambiguousName(meant.prefix(6).map(\.id)) }
            if let task = meant.first { return try current(task.id) }
        }
        throw TaskListError.unknownTask
    }

    /// Narrows tasks to those that typed texts mean: those whose name or nickname contains the text, or else those whose id begins with it.
    ///
    /// - Parameters:
    ///   - tasks: The tasks.
    ///   - typed: The texts; a task that one of them means stays.
    /// - Returns: The tasks, in their order.
    /// - Throws: ``TaskListError/unknownTask`` for a text that means none of them.
    public static func narrow(_ tasks: [TodoTask], to typed: [String]) throws -> [TodoTask] {
        let keys = tasks.map { ($0.plainText?.name ?? $0.nickname).map { NameKey($0) } }
        var meant: Set<Int> = []
        for text in typed {
            let key = NameKey(text)
            var found = keys.indices.filter {
                !key.bytes.isEmpty && keys[$0]?.contains(key) ?? false
            }
            if found.isEmpty, let prefix = TaskIDPrefix(text) {
                found = tasks.indices.filter { tasks[$0].id.text.hasPrefix(prefix.text) }
            }
            guard !found.isEmpty else { throw TaskListError.unknownTask }
            meant.formUnion(found)
        }
        return meant.sorted().map { tasks[$0] }
    }

    /// The lists and the tags of open tasks by name, with the numbers of their tasks.
    ///
    /// Names that are equal for filters are counted together, under the first of them.
    public func labels() throws -> (lists: [LabelCount], tags: [LabelCount]) {
        var lists: [NameKey: LabelCount] = [:]
        var tags: [NameKey: LabelCount] = [:]
        func add(_ name: String, _ count: Int, to counts: inout [NameKey: LabelCount]) {
            let known = counts[NameKey(name)] ?? LabelCount(name: name, count: 0)
            counts[NameKey(name)] = LabelCount(
                name: min(known.name, name), count: known.count + count)
        }
        for row in try repository.labelCounts() {
            if let list = row.list { add(list, row.count, to: &lists) }
            for tag in row.tags.unicodeScalars.split(separator: " ") {
                add(String(tag), row.count, to: &tags)
            }
        }
        func sorted(_ counts: [NameKey: LabelCount]) -> [LabelCount] {
            counts.sorted { $0.key < $1.key }.map(\.value)
        }
        return (sorted(lists), sorted(tags))
    }

    /// The number of characters of each id that suffice to find the task.
    public func shortestPrefixes(of ids: [TaskID]) throws -> [TaskID: Int] {
        try repository.neighbours(of: ids).mapValues { neighbours in
            neighbours.others.map { other in
                zip(other.text.utf8, neighbours.id.text.utf8).prefix { $0 == $1 }.count + 1
            }.max() ?? 1
        }
    }

    /// Lists tasks, with the text of protected ones hidden.
    ///
    /// - Parameters:
    ///   - query: Filter, order and limit.
    ///   - needle: A text that name, notes or subtasks contain (`NameKey`); nil for all tasks.
    ///   - vault: The vault with the text of protected tasks, which is searched in memory only; nil if there is none.
    /// - Returns: The tasks, and the number of those that could not be searched.
    /// - Throws: `DatabaseError`; `SecureStoreError`, except `notVerified` and `locked`.
    public func find(
        _ query: TaskSelection, containing needle: String? = nil, in vault: (any SecureStore)? = nil
    ) throws -> FoundTasks {
        guard let needle else {
            return FoundTasks(tasks: try tasks(query).map { ShownTask($0) })
        }
        var searched = query
        searched.limit = nil
        let tasks = try tasks(searched)
        let key = NameKey(needle)
        // Whether each task contains the text; nil if it was not searched.
        var isMatch = tasks.map { task -> Bool? in
            if let nickname = task.nickname, NameKey(nickname).contains(key) { return true }
            return task.plainText?.contains(key)
        }
        let protected = tasks.indices.filter { isMatch[$0] == nil }
        do {
            if let vault {
                try readText(of: protected.map { tasks[$0] }, from: vault) { place, task in
                    isMatch[protected[place]] = task?.text?.contains(key) ?? false
                }
            }
        } catch SecureStoreError.notVerified, SecureStoreError.locked, SecureStoreError.keysReplaced
        {
            // A search does not ask for verification.
        }
        let found = tasks.indices.filter { isMatch[$0] == true }.map { ShownTask(tasks[$0]) }
        return FoundTasks(
            tasks: query.limit.map { Array(found.prefix($0)) } ?? found,
            unsearched: isMatch.count { $0 == nil })
    }

    /// Lists tasks with all their text.
    ///
    /// Tasks that are removed while their text is read are skipped.
    ///
    /// - Throws: `SecureStoreError`, such as `notVerified` and `locked`, as soon as text cannot be read.
    public func reveal(
        _ query: TaskSelection, containing needle: String? = nil, from vault: any SecureStore
    ) throws -> [ShownTask] {
        var all = query
        // The database does not know the names of protected tasks.
        let isByName = query.order == .name || query.order == .nameReversed
        if isByName || needle != nil { all.limit = nil }
        let tasks = try tasks(all)
        var found: [ShownTask?] = tasks.map { ShownTask($0) }
        let protected = tasks.indices.filter { tasks[$0].isProtected }
        try readText(of: protected.map { tasks[$0] }, from: vault) { found[protected[$0]] = $1 }
        var shown = found.compactMap(\.self).filter { query.filter.accepts($0.task) }
        if let key = needle.map({ NameKey($0) }) {
            shown = shown.filter {
                $0.text?.contains(key) ?? false
                    || $0.task.nickname.map { NameKey($0).contains(key) } ?? false
            }
        }
        if isByName { shown = Self.sorted(shown, reversed: query.order == .nameReversed) }
        return query.limit.map { Array(shown.prefix($0)) } ?? shown
    }

    /// Reads the text of a task. If another program moved the text out of the vault meanwhile, the task is read again.
    ///
    /// - Throws: ``TaskListError/missing(_:)`` if the task was removed; as ``text(of:from:)``.
    public func reveal(_ task: TodoTask, from vault: any SecureStore) throws -> ShownTask {
        var latest = task
        var attempts = 8
        while true {
            do {
                return ShownTask(latest, .shown(try text(of: latest, from: vault).text))
            } catch TaskListError.conflict where attempts > 1 {
                attempts -= 1
                latest = try current(task.id)
            }
        }
    }

    /// Reads the text of protected tasks.
    ///
    /// - Parameters:
    ///   - tasks: The tasks as they were read.
    ///   - vault: The vault with the text.
    ///   - body: Gets the index of each task and the task. If another program moved its text out of the vault, the task is read again; nil
    ///     if it was removed.
    /// - Throws: `SecureStoreError`, as soon as text cannot be read; `DatabaseError`.
    private func readText(
        of tasks: [TodoTask], from vault: any SecureStore, _ body: (Int, ShownTask?) -> Void
    ) throws {
        let names = tasks.compactMap { $0.textID.map { ProtectedText.name(of: $0) } }
        precondition(names.count == tasks.count, "all of them are protected")
        var isFound = tasks.map { _ in false }
        try vault.readEach(names) { place, _, value in
            let text = value.withBytes { ProtectedText.decode($0) }?.with(tasks[place].subtaskRows)
            isFound[place] = true
            body(place, ShownTask(tasks[place], text.map { .shown($0) } ?? .unreadable))
        }
        for place in tasks.indices where !isFound[place] {
            body(place, try revealAgain(tasks[place], from: vault))
        }
    }

    /// Reads a task again whose text was not in the vault; nil if it was removed.
    private func revealAgain(_ task: TodoTask, from vault: any SecureStore) throws -> ShownTask? {
        guard let row = try repository.task(task.id) else { return nil }
        guard row.textID != task.textID else { return ShownTask(row, .missing) }
        do {
            return try reveal(row, from: vault)
        } catch TaskListError.textMissing {
            return ShownTask(task, .missing)
        } catch TaskListError.textUnreadable {
            return ShownTask(task, .unreadable)
        } catch TaskListError.missing {
            return nil
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
    /// Whether name, notes or a subtask contain a text.
    fileprivate func contains(_ key: NameKey) -> Bool {
        NameKey(name).contains(key) || NameKey(notes).contains(key)
            || subtasks.contains { NameKey($0.name).contains(key) }
    }
}
