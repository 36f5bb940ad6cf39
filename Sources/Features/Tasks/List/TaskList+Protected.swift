internal import Database
internal import SecretMemory
public import SecureStorage

/// The text of a task, and the revision at which it was read.
public struct StoredText: Sendable, Hashable {
    /// The text.
    public var text: TaskText
    /// The revision of the vault's item; nil if the text is in the database.
    public let revision: UInt64?

    /// Makes a text that was read.
    public init(_ text: TaskText, revision: UInt64? = nil) {
        self.text = text
        self.revision = revision
    }
}

// Changes that may need the vault.
extension TaskList {
    /// Reads the text of a task, wherever it is.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - vault: Is asked for the text of a protected task only.
    /// - Returns: The text.
    /// - Throws: ``TaskListError/conflict(_:found:)`` or ``TaskListError/missing(_:)`` if another program took it out of the vault since the
    ///   task was read; ``TaskListError/wordsMissing(_:)``; ``TaskListError/wordsUnreadable(_:)``.
    public func words(of task: TodoTask, from vault: any SecureStore) throws -> StoredText {
        guard case .protected(let id) = task.content else {
            return StoredText(task.plainText ?? TaskText(name: ""))
        }
        do {
            let found = try vault.read(ProtectedText.name(of: id)) { item, value in
                value.withBytes { ProtectedText.decode($0) }.map {
                    StoredText($0.with(task.steps), revision: item.revision)
                }
            }
            guard let found else { throw TaskListError.wordsUnreadable(task.id) }
            return found
        } catch SecureStoreError.notFound {
            throw try whyMissing(id)
        }
    }

    /// Adds a task whose text is in the vault only, under another id if its own is taken.
    ///
    /// - Parameters:
    ///   - task: The row for the database; its text gets a new id.
    ///   - text: The text for the vault.
    ///   - vault: The vault.
    ///   - isSame: Whether a stored task that has the id of this one is the same task, which then stays as it is.
    /// - Returns: The task as it is now, and whether it was added.
    /// - Throws: ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func insert(
        _ task: TodoTask, words text: TaskText, in vault: any SecureStore,
        unless isSame: (TodoTask) -> Bool = { _ in false }
    ) throws -> (task: TodoTask, isNew: Bool) {
        try TaskTextRule.check(text)
        try TaskTextRule.check(publicPartOf: task)
        var id = task.id
        while true {
            do {
                if try repository.task(id) == nil {
                    let added = try saving(text, of: id, in: vault) { words, writer in
                        var added = task.renamed(id)
                        added.content = .protected(words)
                        added.steps = text.steps
                        try writer.insert(added)
                        return added
                    }
                    return (added, true)
                }
            } catch TaskListError.alreadyExists {
                // Another program was faster.
            }
            if let row = try repository.task(id), isSame(row) { return (row, false) }
            id = id.next
        }
    }

    /// Tasks with all subtasks of the protected ones, so that ``finish(_:withSubtasks:in:)`` can mark them.
    ///
    /// - Throws: As ``words(of:from:)``.
    public func withAllSteps(
        _ tasks: [TodoTask], from vault: any SecureStore
    ) throws -> [TodoTask] {
        try tasks.map { task in
            guard task.isProtected else { return task }
            var task = task
            task.steps = try words(of: task, from: vault).text.subtasks.map(SubtaskRow.init)
            return task
        }
    }

    /// Moves the text of a task into the vault, and erases the bytes that it leaves in the database.
    ///
    /// - Returns: The task as it is now, and whether its old bytes are erased: `false` if other connections prevented it, so that
    ///   ``finishErasing()`` is to be called later; nil if the database cannot tell.
    /// - Throws: ``TaskListError/alreadyProtected(_:)``; ``TaskListError/conflict(_:found:)``.
    @discardableResult
    public func protect(
        _ task: TodoTask, in vault: any SecureStore
    ) throws -> (task: TodoTask, isErased: Bool?) {
        guard let text = task.plainText else { throw TaskListError.alreadyProtected(task.id) }
        let changed = try saving(text, of: task.id, in: vault) { words, writer in
            var protected = task
            protected.content = .protected(words)
            protected.steps = text.steps
            // The intent has an id of its own, because it stays if the text is discarded.
            let mark = ProtectedTextID(of: task.id)
            try writer.put(VaultIntent(.erasing, mark, at: now()))
            return try writer.replace(protected)
        }
        return (changed, try finishErasing())
    }

    /// Moves the text of a protected task back into the database.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/notProtected(_:)``; ``TaskListError/conflict(_:found:)``; as ``words(of:from:)``.
    @discardableResult
    public func unprotect(_ task: TodoTask, from vault: any SecureStore) throws -> TodoTask {
        guard let id = task.textID else { throw TaskListError.notProtected(task.id) }
        let words = try words(of: task, from: vault)
        var plain = task
        plain.content = .plain(words.text)
        (plain.steps, plain.nickname) = ([], nil)
        let changed = try change { writer in
            let changed = try writer.replace(plain)
            try writer.put(VaultIntent(.discarding, id, at: now()))
            return changed
        }
        // The change is done; a later program finishes the rest.
        try? discard(id, in: vault)
        return changed
    }

    /// Removes a task, and the text of a protected one: the vault keeps it for some time, as every removed secret.
    ///
    /// - Parameters:
    ///   - task: The task as it was read.
    ///   - vault: Unlocked; nil for a plain task.
    /// - Throws: `SecureStoreError.locked`, with nothing changed; ``TaskListError/conflict(_:found:)``; ``TaskListError/missing(_:)``.
    public func remove(_ task: TodoTask, from vault: (any SecureStore)?) throws {
        guard let id = task.textID else {
            return try change { try $0.remove(task.id, expecting: task.revision) }
        }
        guard let vault else { throw SecureStoreError.locked }
        try change { writer in
            try writer.remove(task.id, expecting: task.revision)
            try writer.put(VaultIntent(.discarding, id, at: now()))
        }
        try discard(id, in: vault)
    }

    /// Changes the text of a task, wherever it is, and its row, unless another program changed them since.
    ///
    /// - Parameters:
    ///   - task: The task as it was read, with the changes for the database.
    ///   - words: The text as it was read.
    ///   - text: The new text.
    ///   - vault: Gets the text of a protected task.
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/conflict(_:found:)``; `SecureStoreError.conflict`; ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func edit(
        _ task: TodoTask, _ words: StoredText, to text: TaskText, in vault: any SecureStore
    ) throws -> TodoTask {
        try TaskTextRule.check(text)
        guard let id = task.textID else { return try replace(task, words: text) }
        let before = try current(task.id)
        guard before.revision == task.revision else {
            throw TaskListError.conflict(task.id, found: before.revision)
        }
        var edited = task
        edited.steps = text.steps
        // The text is in the vault before the row, so the row is checked first.
        try TaskTextRule.check(publicPartOf: edited)
        if text.isStored(as: words.text) { return try replace(edited) }
        let value = try ProtectedText.encode(text)
        do {
            try vault.update(ProtectedText.name(of: id), to: value, expecting: words.revision)
        } catch SecureStoreError.notFound {
            throw try whyMissing(id)
        }
        return try replace(before, with: edited, words: id)
    }

    /// Changes a task. What another program changed since stays.
    ///
    /// - Parameters:
    ///   - before: The task as it was read.
    ///   - edited: The task as it should be; its protected text is unchanged.
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/invalidText(_:)``; ``TaskListError/conflict(_:found:)`` if another program changed
    ///   the same part of it, or protected or unprotected it.
    @discardableResult
    public func edit(_ before: TodoTask, to edited: TodoTask) throws -> TodoTask {
        var changed = edited
        while true {
            do {
                return try replace(changed)
            } catch TaskListError.conflict(let id, let found) {
                changed = try current(id)
                guard changed.textID == before.textID, !changed.overlaps(edited, since: before)
                else {
                    throw TaskListError.conflict(id, found: found)
                }
                changed.take(edited, over: before)
            }
        }
    }

    /// Describes the earlier texts of a protected task, the newest first.
    ///
    /// - Throws: ``TaskListError/notProtected(_:)``; ``TaskListError/wordsMissing(_:)``; ``TaskListError/conflict(_:found:)``.
    public func history(
        of task: TodoTask, from vault: any SecureStore
    ) throws -> [EarlierSecret] {
        guard let id = task.textID else { throw TaskListError.notProtected(task.id) }
        do {
            return try vault.history(of: ProtectedText.name(of: id))
        } catch SecureStoreError.notFound {
            throw try whyMissing(id)
        }
    }

    /// Makes an earlier text of a protected task the current one. A subtask that comes back has the times that the database still knows, as
    /// for ``undo(in:)``.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/notProtected(_:)``; `SecureStoreError.notFound` if the text or the earlier one is missing.
    @discardableResult
    public func restore(
        _ task: TodoTask, toRevision revision: UInt64, in vault: any SecureStore
    ) throws -> TodoTask {
        guard let id = task.textID else { throw TaskListError.notProtected(task.id) }
        let replaced = try? words(of: task, from: vault).text
        try vault.restore(ProtectedText.name(of: id), toRevision: revision)
        let current = try current(task.id)
        var restored = current
        if let text = try? words(of: current, from: vault).text {
            let present = Set((replaced?.subtasks.map(\.id) ?? []) + current.steps.map(\.id))
            let earlier = try repository.snapshot { try $0.earlierSteps(of: task.id) }
            restored.steps += text.subtasks.filter { !present.contains($0.id) }.compactMap { new in
                earlier.first { $0.id == new.id }
            }
        }
        return try replace(current, with: restored, words: id)
    }

    /// Changes the row although another program changed other parts of it: the text is already saved.
    ///
    /// The revision also grows if only the text was changed, so that a program that read the old text, to unprotect the task, gets a conflict.
    private func replace(
        _ before: TodoTask, with edited: TodoTask, words: ProtectedTextID
    ) throws -> TodoTask {
        var latest = before
        while true {
            var changed = latest
            changed.take(edited, over: before)
            do {
                return try change { try $0.replace(changed, changesText: true) }
            } catch TaskListError.conflict {
                latest = try current(edited.id)
                // A program that unprotected the task took the old text.
                guard latest.textID == words else { throw TaskListError.interrupted(edited.id) }
            }
        }
    }
}

extension TodoTask {
    /// Whether this task and another one differ in a part that both changed since they were `before`.
    fileprivate func overlaps(_ other: TodoTask, since before: TodoTask) -> Bool {
        func isChangedTwice<Value: Equatable>(_ path: KeyPath<TodoTask, Value>) -> Bool {
            let old = before[keyPath: path]
            let (own, new) = (self[keyPath: path], other[keyPath: path])
            return own != old && new != old && own != new
        }
        let texts = [plainText, other.plainText, before.plainText].compactMap(\.self)
        if texts.count == 3 {
            let subtasks = texts.map { text in
                Dictionary(text.subtasks.map { ($0.id, $0) }) { first, _ in first }
            }
            for (id, old) in subtasks[2] {
                let (own, new) = (subtasks[0][id], subtasks[1][id])
                if own != old, new != old, own != new { return true }
            }
        }
        return isChangedTwice(\.due) || isChangedTwice(\.wait) || isChangedTwice(\.reminder)
            || isChangedTwice(\.repetition) || isChangedTwice(\.priority)
            || isChangedTwice(\.list) || isChangedTwice(\.tags) || isChangedTwice(\.nickname)
            || isChangedTwice(\.plainText?.name) || isChangedTwice(\.plainText?.notes)
    }
}

extension TaskText {
    /// Takes over what was edited in a text that was `before`. Subtasks are matched by their ids.
    fileprivate mutating func take(_ edited: TaskText, over before: TaskText) {
        if edited.name != before.name { name = edited.name }
        if edited.notes != before.notes { notes = edited.notes }
        let old = Dictionary(before.subtasks.map { ($0.id, $0) }) { first, _ in first }
        let kept = Set(edited.subtasks.map(\.id))
        subtasks.removeAll { old[$0.id] != nil && !kept.contains($0.id) }
        for subtask in edited.subtasks where old[subtask.id] != subtask {
            if let index = subtasks.firstIndex(where: { $0.id == subtask.id }) {
                subtasks[index] = subtask
            } else if old[subtask.id] == nil {
                subtasks.append(subtask)
            }
        }
    }
}

extension TodoTask {
    /// Takes over what was edited in a task that was `before`.
    fileprivate mutating func take(_ edited: TodoTask, over before: TodoTask) {
        func take<Value: Equatable>(_ path: WritableKeyPath<TodoTask, Value>) {
            if edited[keyPath: path] != before[keyPath: path] {
                self[keyPath: path] = edited[keyPath: path]
            }
        }
        take(\.due)
        take(\.wait)
        take(\.reminder)
        take(\.snooze)
        take(\.repetition)
        take(\.priority)
        take(\.list)
        take(\.tags)
        take(\.nickname)
        take(\.steps)
        if var text = plainText, let new = edited.plainText, let old = before.plainText {
            text.take(new, over: old)
            content = .plain(text)
        }
    }
}

// The steps of a change that database and vault make together.
extension TaskList {
    /// Saves text in the vault, and then runs `body` in the transaction that removes the intent.
    private func saving(
        _ text: TaskText, of task: TaskID, in vault: any SecureStore,
        _ body: (ProtectedTextID, TaskWriter) throws -> TodoTask
    ) throws -> TodoTask {
        let words = ProtectedTextID(of: task)
        let value = try ProtectedText.encode(text)
        try repository.change { try $0.put(VaultIntent(.saving, words, at: now())) }
        do {
            _ = try vault.save(
                value, as: ProtectedText.name(of: words),
                SecretAttributes(accessClass: .afterVerification))
            return try change { writer in
                if try writer.take(VaultIntent(.saving, words)) { return try body(words, writer) }
                // Another program took this one for dead. A task that was to be added has a row by now, which lacks the rest.
                guard let row = try writer.task(task), row.textID == words else {
                    throw TaskListError.interrupted(task)
                }
                try writer.remove(task, expecting: row.revision)
                return try body(words, writer)
            }
        } catch DatabaseError.outcomeUnknown {
            // The intent stays, and a later program finds out.
            throw DatabaseError.outcomeUnknown
        } catch {
            try? abandon(words, in: vault)
            throw error
        }
    }

    /// Takes back what was begun with text, unless a row has it: another program recovered it, or a commit is stored whose sync failed.
    func abandon(_ words: ProtectedTextID, in vault: any SecureStore) throws {
        let isUnneeded = try repository.change { writer in
            guard try writer.task(words.task)?.textID != words else { return false }
            try writer.put(VaultIntent(.discarding, words, at: now()))
            return true
        }
        if isUnneeded { try discard(words, in: vault) }
    }

    /// Why the vault lacks text that a row had: a row stops naming its text before the text leaves the vault.
    private func whyMissing(_ words: ProtectedTextID) throws -> TaskListError {
        let row = try current(words.task)
        return row.textID == words
            ? .wordsMissing(row.id) : .conflict(row.id, found: row.revision)
    }

    /// Removes text from the vault that no row needs, and the intent that says so.
    func discard(_ words: ProtectedTextID, in vault: any SecureStore) throws {
        do {
            try vault.remove(ProtectedText.name(of: words))
        } catch SecureStoreError.notFound {
            // It is done already.
        }
        try repository.change { _ = try $0.take(VaultIntent(.discarding, words)) }
    }
}
