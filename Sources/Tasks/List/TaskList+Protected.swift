public import SecureStorage

/// The words of a task, and what they were when they were read.
public struct TaskWords: Sendable, Hashable {
    /// The words.
    public var text: TaskText
    /// The revision of the vault's item; nil where the words are in the database.
    public let revision: UInt64?

    /// Makes words that were read.
    public init(_ text: TaskText, revision: UInt64? = nil) {
        self.text = text
        self.revision = revision
    }
}

// What needs the vault.
extension TaskList {
    /// Reads the words of a task, wherever they are.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - vault: Is asked for the words of a protected one only.
    /// - Returns: The words.
    /// - Throws: `repository(.conflict)` or `repository(.missing)` if somebody else took them out of the vault since the task was read;
    ///   `vault(.notVerified)`, `vault(.locked)`, `wordsMissing`, `wordsUnreadable`, …
    public func words(
        of task: TodoTask, from vault: any SecureStore
    ) throws(TaskListError) -> TaskWords {
        guard case .protected(let id) = task.content else {
            return TaskWords(task.plainText ?? TaskText(name: ""))
        }
        let found: TaskWords?
        do throws(SecureStoreError) {
            found = try vault.read(ProtectedText.name(of: id)) { (item, value) in
                value.withBytes { ProtectedText.decode($0) }.map {
                    TaskWords($0, revision: item.revision)
                }
            }
        } catch .notFound {
            throw try whyMissing(id)
        } catch {
            throw .vault(error)
        }
        guard let found else { throw .wordsUnreadable(task.id) }
        return found
    }

    /// Adds a task whose words only the vault gets.
    ///
    /// - Throws: `vault(.notVerified)`, `invalid`, …
    @discardableResult
    public func addProtected(
        _ text: TaskText, due: PointInTime? = nil, hasReminder: Bool = false,
        in vault: any SecureStore
    ) throws(TaskListError) -> TodoTask {
        let id = TaskID()
        let task = TodoTask(
            id: id, content: .protected(ProtectedWordsID(of: id)), due: due,
            created: now(), hasReminder: hasReminder)
        return try insert(task, words: text, in: vault).task
    }

    /// Adds a protected task as it is, under another id if its own is taken.
    ///
    /// - Parameters:
    ///   - task: What the database gets, a new name for the words apart.
    ///   - text: What only the vault gets.
    ///   - vault: The vault.
    ///   - isSame: Whether a task that has its id, or the one that it would get, is this one, which is left as it is then.
    /// - Returns: The task as it is now, and whether it was added.
    /// - Throws: As ``addProtected(_:due:hasReminder:in:)``.
    @discardableResult
    public func insert(
        _ task: TodoTask, words text: TaskText, in vault: any SecureStore,
        unless isSame: (TodoTask) -> Bool = { _ in false }
    ) throws(TaskListError) -> (task: TodoTask, isNew: Bool) {
        try TaskList.check(text)
        var id = task.id
        while true {
            do throws(TaskListError) {
                return (try insert(task.renamed(id), text, vault), true)
            } catch .repository(.alreadyExists) {
                if let row = try row(id), isSame(row) { return (row, false) }
                id = id.next
            }
        }
    }

    /// Adds a protected task unless its id is taken.
    private func insert(
        _ task: TodoTask, _ text: TaskText, _ vault: any SecureStore
    ) throws(TaskListError) -> TodoTask {
        guard try row(task.id) == nil else { throw .repository(.alreadyExists(task.id)) }
        return try saving(text, of: task.id, in: vault) {
            (words, writer) throws(TaskRepositoryError) in
            var added = task
            added.content = .protected(words)
            try writer.insert(added)
            return added
        }
    }

    /// Moves the words of a task into the vault, and erases what the database keeps of them in its bytes.
    ///
    /// - Returns: The task as it is now, and whether its old bytes are gone: false where others keep the database from erasing them, which is
    ///   made up for by ``finishErasing()``; nil where nobody can know.
    /// - Throws: `alreadyProtected`, `vault(.notVerified)`, `repository(.conflict)`, …
    @discardableResult
    public func protect(
        _ task: TodoTask, in vault: any SecureStore
    ) throws(TaskListError) -> (task: TodoTask, isErased: Bool?) {
        guard let text = task.plainText else { throw .alreadyProtected(task.id) }
        let changed = try saving(text, of: task.id, in: vault) {
            (words, writer) throws(TaskRepositoryError) in
            var protected = task
            protected.content = .protected(words)
            // Under a name of its own: it outlives the words, if they are discarded before.
            let mark = ProtectedWordsID(of: task.id)
            try writer.put(VaultIntent(.erasing, mark, at: now()))
            return try writer.replace(protected)
        }
        return (changed, try finishErasing())
    }

    /// Moves the words of a protected task back into the database.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: `notProtected`, `vault(.notVerified)`, `repository(.conflict)`, …
    @discardableResult
    public func unprotect(
        _ task: TodoTask, from vault: any SecureStore
    ) throws(TaskListError) -> TodoTask {
        guard let id = task.wordsID else { throw .notProtected(task.id) }
        let words = try words(of: task, from: vault)
        var plain = task
        plain.content = .plain(words.text)
        let changed = try changing { (writer) throws(TaskRepositoryError) in
            let changed = try writer.replace(plain)
            try writer.put(VaultIntent(.discarding, id, at: now()))
            return changed
        }
        // It worked; whatever fails from here on is finished later.
        try? discard(id, in: vault)
        return changed
    }

    /// Removes a task, and the words of a protected one from the vault.
    ///
    /// - Parameters:
    ///   - task: The task, as it was read.
    ///   - vault: Unlocked; nil where the task is not protected.
    /// - Throws: `vault(.locked)`, with nothing changed; `repository(.conflict)`.
    public func remove(
        _ task: TodoTask, from vault: (any SecureStore)?
    ) throws(TaskListError) {
        guard let id = task.wordsID else {
            return try changing { (writer) throws(TaskRepositoryError) in
                try writer.remove(task.id, expecting: task.revision)
            }
        }
        guard let vault else { throw .vault(.locked) }
        try changing { (writer) throws(TaskRepositoryError) in
            try writer.remove(task.id, expecting: task.revision)
            try writer.put(VaultIntent(.discarding, id, at: now()))
        }
        try discard(id, in: vault)
    }

    /// Changes the words of a task, wherever they are, and what the database knows of it, unless somebody else changed them meanwhile.
    ///
    /// - Parameters:
    ///   - task: The task as it was read, with the changes that the database gets.
    ///   - words: The words as they were read.
    ///   - text: The new words.
    ///   - vault: Gets the words of a protected task.
    /// - Returns: The task as it is now.
    /// - Throws: `repository(.conflict)`, `vault(.conflict)`, `invalid`, …
    @discardableResult
    public func edit(
        _ task: TodoTask, _ words: TaskWords, to text: TaskText, in vault: any SecureStore
    ) throws(TaskListError) -> TodoTask {
        try TaskList.check(text)
        guard let id = task.wordsID else {
            return try replace(task, words: text)
        }
        let before = try current(task.id)
        guard before.revision == task.revision else {
            throw .repository(.conflict(task.id, found: before.revision))
        }
        try update(text, id, expecting: words.revision, in: vault)
        return try replace(before, with: task, words: id)
    }

    /// Gives the row what was changed of it, also where somebody else changed other things of it meanwhile: the words are saved already.
    ///
    /// The revision moves also where only words were changed, so that whoever has read the old ones, to unprotect the task, is told.
    private func replace(
        _ before: TodoTask, with edited: TodoTask, words: ProtectedWordsID
    ) throws(TaskListError) -> TodoTask {
        var latest = before
        while true {
            var changed = latest
            if edited.due != before.due { changed.due = edited.due }
            if edited.hasReminder != before.hasReminder { changed.hasReminder = edited.hasReminder }
            do throws(TaskListError) {
                return try replace(changed)
            } catch .repository(.conflict) {
                latest = try current(edited.id)
                // Whoever took the protection away took the old words.
                guard latest.wordsID == words else { throw .interrupted(edited.id) }
            }
        }
    }
}
