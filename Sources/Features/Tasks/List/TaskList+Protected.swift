internal import Database
internal import SecretMemory
public import SecureStorage

/// The text of a task, and the revision at which it was read.
public struct StoredText: Sendable, Hashable {
    /// The text.
    public var text: TaskText
    /// The revision of the vault's item; nil if the text is in the database.
    public let revision: UInt64?

    /// Makes a stored text.
    public init(_ text: TaskText, revision: UInt64? = nil) {
        self.text = text
        self.revision = revision
    }
}

// Changes that may need the vault.
extension TaskList {
    /// Reads the text of a task from the database or the vault.
    ///
    /// - Parameters:
    ///   - task: The task.
    ///   - vault: The vault, which is read only for a protected task.
    /// - Returns: The text.
    /// - Throws: ``TaskListError/conflict(_:found:)`` or ``TaskListError/missing(_:)`` if another program moved it out of the vault since the
    ///   task was read; ``TaskListError/textMissing(_:)``; ``TaskListError/textUnreadable(_:)``.
    public func text(of task: TodoTask, from vault: any SecureStore) throws -> StoredText {
        guard case .protected(let id) = task.content else {
            return StoredText(task.plainText ?? TaskText(name: ""))
        }
        do {
            let found = try vault.read(ProtectedText.name(of: id)) { item, value in
                value.withBytes { ProtectedText.decode($0) }.map {
                    StoredText($0.with(task.subtaskRows), revision: item.revision)
                }
            }
            guard let found else { throw TaskListError.textUnreadable(task.id) }
            return found
        } catch SecureStoreError.notFound {
            throw try whyMissing(id)
        }
    }

    /// Adds a protected task, under another id if its own is taken.
    ///
    /// - Parameters:
    ///   - task: The row for the database; its text gets a new id.
    ///   - text: The text for the vault.
    ///   - vault: The vault.
    ///   - isSame: Whether a stored task of the same id is the same task, which is then not changed.
    /// - Returns: The task as it is now, and whether it was added.
    /// - Throws: ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func insert(
        _ task: TodoTask, text: TaskText, in vault: any SecureStore,
        unless isSame: (TodoTask) -> Bool = { _ in false }
    ) throws -> (task: TodoTask, isNew: Bool) {
        try TaskTextRule.check(text)
        try TaskTextRule.check(publicPartOf: task)
        var id = task.id
        while true {
            do {
                if try repository.task(id) == nil {
                    let added = try saving([(id, text)], in: vault) { textIDs, writer in
                        let added = task.renamed(id).protected(
                            by: textIDs[0], text, in: SystemCalendar())
                        try writer.insert(added)
                        return added
                    }
                    return (added, true)
                }
            } catch TaskListError.alreadyExists {
                // Another program added the id meanwhile.
            }
            if let row = try repository.task(id), isSame(row) { return (row, false) }
            id = id.next
        }
    }

    /// Adds the rows of all subtasks to protected tasks, so that ``finish(_:withSubtasks:in:)`` can change them.
    ///
    /// - Throws: As ``text(of:from:)``.
    public func withAllSubtaskRows(
        _ tasks: [TodoTask], from vault: any SecureStore
    ) throws -> [TodoTask] {
        try tasks.map { task in
            guard task.isProtected else { return task }
            var task = task
            task.subtaskRows = try text(of: task, from: vault).text.subtasks.map(\.row)
            return task
        }
    }

    /// Moves the text of a task into the vault; see ``protect(_:in:)-([TodoTask],_)``.
    @discardableResult
    public func protect(
        _ task: TodoTask, in vault: any SecureStore
    ) throws -> (task: TodoTask, isErased: Bool?) {
        let (tasks, isErased) = try protect([task], in: vault)
        return (tasks[0], isErased)
    }

    /// Moves the text of tasks into the vault, all or none, and erases their old bytes in the database.
    ///
    /// - Returns: The new tasks, and whether their old bytes are erased: `false` if other connections prevented it, so that the caller calls
    ///   ``finishErasing()`` later; nil if that is unknown.
    /// - Throws: ``TaskListError/alreadyProtected(_:)``; ``TaskListError/conflict(_:found:)``.
    @discardableResult
    public func protect(
        _ tasks: [TodoTask], in vault: any SecureStore
    ) throws -> (tasks: [TodoTask], isErased: Bool?) {
        let texts = try tasks.map { task in
            guard let text = task.plainText else { throw TaskListError.alreadyProtected(task.id) }
            return (task: task.id, text: text)
        }
        let changed = try saving(texts, in: vault) { textIDs, writer in
            try tasks.indices.map { index in
                let task = tasks[index]
                let protected = task.protected(
                    by: textIDs[index], texts[index].text, in: SystemCalendar())
                // The intent has an id of its own, because it stays if the text is discarded.
                let intentID = ProtectedTextID(of: task.id)
                try writer.put(VaultIntent(.erasing, intentID, at: now()))
                return try writer.replace(protected)
            }
        }
        return (changed, try finishErasing())
    }

    /// Moves the text of a protected task back into the database.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/notProtected(_:)``; ``TaskListError/conflict(_:found:)``; as ``text(of:from:)``.
    @discardableResult
    public func unprotect(_ task: TodoTask, from vault: any SecureStore) throws -> TodoTask {
        guard let id = task.textID else { throw TaskListError.notProtected(task.id) }
        let stored = try text(of: task, from: vault)
        var plain = task
        plain.content = .plain(stored.text)
        (plain.subtaskRows, plain.nickname) = ([], nil)
        if plain.repetition == nil { plain.occurrence = nil }
        let changed = try change { writer in
            let changed = try writer.replace(plain)
            try writer.put(VaultIntent(.discarding, id, at: now()))
            return changed
        }
        // The change is durable. A later command finishes the rest.
        try? discard(id, in: vault)
        return changed
    }

    /// Removes a task and its text; see ``remove(_:from:)-([TodoTask],_)``.
    public func remove(_ task: TodoTask, from vault: (any SecureStore)?) throws {
        try remove([task], from: vault)
    }

    /// Removes tasks and their text, all or none. The vault keeps removed text for some time, as every removed secret.
    ///
    /// - Parameters:
    ///   - tasks: The tasks as they were read.
    ///   - vault: Unlocked; nil if none is protected.
    /// - Throws: `SecureStoreError.locked`, with nothing changed; ``TaskListError/conflict(_:found:)``; ``TaskListError/missing(_:)``.
    public func remove(_ tasks: [TodoTask], from vault: (any SecureStore)?) throws {
        let textIDs = tasks.compactMap(\.textID)
        guard textIDs.isEmpty || vault != nil else { throw SecureStoreError.locked }
        try change { writer in
            for task in tasks {
                try writer.remove(task.id, expecting: task.revision)
                if let id = task.textID { try writer.put(VaultIntent(.discarding, id, at: now())) }
            }
        }
        if let vault, !textIDs.isEmpty { try discard(textIDs, in: vault) }
    }

    /// Changes the text and the row of a task, unless another program changed them since.
    ///
    /// - Parameters:
    ///   - task: The task as it was read, with the changes for the database.
    ///   - stored: The text as it was read.
    ///   - text: The new text.
    ///   - vault: The vault for the text of a protected task.
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/conflict(_:found:)``; `SecureStoreError.conflict`; ``TaskListError/invalidText(_:)``.
    @discardableResult
    public func edit(
        _ task: TodoTask, _ stored: StoredText, to text: TaskText, in vault: any SecureStore
    ) throws -> TodoTask {
        try TaskTextRule.check(text)
        guard let id = task.textID else { return try replace(task, text: text) }
        let before = try current(task.id)
        guard before.revision == task.revision else {
            throw TaskListError.conflict(task.id, found: before.revision)
        }
        var edited = task
        edited.subtaskRows = text.subtaskRows
        // The text is in the vault before the row, so the row is checked first.
        try TaskTextRule.check(publicPartOf: edited)
        if text.isStored(as: stored.text) { return try replace(edited) }
        let value = try ProtectedText.encode(text)
        do {
            try vault.update(ProtectedText.name(of: id), to: value, expecting: stored.revision)
        } catch SecureStoreError.notFound {
            throw try whyMissing(id)
        }
        return try replace(before, with: edited, textID: id)
    }

    /// Changes a task, and keeps the changes that another program made since.
    ///
    /// - Parameters:
    ///   - before: The task as it was read.
    ///   - edited: The changed task. Its protected text is unchanged.
    /// - Returns: The task as it is now.
    /// - Throws: As ``edit(_:)``.
    @discardableResult
    public func edit(_ before: TodoTask, to edited: TodoTask) throws -> TodoTask {
        try edit([(before, edited)])[0]
    }

    /// Changes tasks in one transaction, and keeps the changes that other programs made since.
    ///
    /// - Parameter edits: Each task as it was read, and as it shall be. Its protected text is unchanged.
    /// - Returns: The tasks as they are now.
    /// - Throws: ``TaskListError/missing(_:)``; ``TaskListError/invalidText(_:)``; ``TaskListError/circular(_:)``;
    ///   ``TaskListError/conflict(_:found:)`` if another program changed the same part of a task, or protected or unprotected it. No task is
    ///   changed then.
    @discardableResult
    public func edit(_ edits: [(before: TodoTask, edited: TodoTask)]) throws -> [TodoTask] {
        for edit in edits { try TaskTextRule.check(publicPartOf: edit.edited) }
        return try change { writer in
            try edits.map { try edit($0.before, to: $0.edited, writer) }
        }
    }

    private func edit(
        _ before: TodoTask, to edited: TodoTask, _ writer: TaskWriter
    ) throws -> TodoTask {
        do {
            return try writer.replace(edited)
        } catch TaskListError.conflict(let id, let found) {
            guard var latest = try writer.task(id), latest.textID == before.textID,
                !latest.overlaps(edited, since: before)
            else { throw TaskListError.conflict(id, found: found) }
            try latest.apply(edited, since: before)
            return try writer.replace(latest)
        }
    }

    /// Describes the earlier texts of a protected task, the newest first.
    ///
    /// - Throws: ``TaskListError/notProtected(_:)``; ``TaskListError/textMissing(_:)``; ``TaskListError/conflict(_:found:)``.
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

    /// Restores an earlier text of a protected task. A restored subtask gets the times that the database still has for ``undo(in:)``.
    ///
    /// - Returns: The task as it is now.
    /// - Throws: ``TaskListError/notProtected(_:)``; `SecureStoreError.notFound` if the text or the earlier one is missing.
    @discardableResult
    public func restore(
        _ task: TodoTask, toRevision revision: UInt64, in vault: any SecureStore
    ) throws -> TodoTask {
        guard let id = task.textID else { throw TaskListError.notProtected(task.id) }
        let replaced = try? text(of: task, from: vault).text
        try vault.restore(ProtectedText.name(of: id), toRevision: revision)
        let current = try current(task.id)
        var restored = current
        if let text = try? text(of: current, from: vault).text {
            let present = Set((replaced?.subtasks.map(\.id) ?? []) + current.subtaskRows.map(\.id))
            let earlier = try repository.snapshot { try $0.earlierSubtaskRows(of: task.id) }
            restored.subtaskRows += text.subtasks.filter { !present.contains($0.id) }.compactMap {
                new in
                earlier.first { $0.id == new.id }
            }
        }
        return try replace(current, with: restored, textID: id)
    }

    /// Changes the row also if another program changed other parts of it, because the text is already saved.
    ///
    /// The revision grows even if only the text changed. A program that read the old text to unprotect the task gets a conflict.
    private func replace(
        _ before: TodoTask, with edited: TodoTask, textID: ProtectedTextID
    ) throws -> TodoTask {
        var latest = before
        while true {
            var changed = latest
            try changed.apply(edited, since: before)
            do {
                return try change { try $0.replace(changed, changesText: true) }
            } catch TaskListError.conflict {
                latest = try current(edited.id)
                // A program that unprotected the task used the old text.
                guard latest.textID == textID else { throw TaskListError.interrupted(edited.id) }
            }
        }
    }
}

extension TodoTask {
    /// Whether this task and another one changed the same part of `before` differently.
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
        return isChangedTwice(\.plainText?.name) || isChangedTwice(\.plainText?.notes)
            || TaskColumn.editable.contains { column in
                let (own, new, old) = (
                    column.value(self), column.value(other), column.value(before)
                )
                return column.edit == .exclusive && own != old && new != old && own != new
            }
    }
}

extension TaskText {
    /// Applies the changes that an edit made to the text `before`. Subtasks are matched by their ids.
    fileprivate mutating func apply(_ edited: TaskText, since before: TaskText) {
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
    /// Applies the changes that an edit made to the task `before`.
    fileprivate mutating func apply(_ edited: TodoTask, since before: TodoTask) throws {
        for column in TaskColumn.editable where column.value(edited) != column.value(before) {
            try set(column, to: column.value(edited))
        }
        if edited.subtaskRows != before.subtaskRows { subtaskRows = edited.subtaskRows }
        if let new = edited.plainText, let old = before.plainText {
            changePlainText { $0.apply(new, since: old) }
        }
    }
}

// The steps of a change of database and vault.
extension TaskList {
    /// Saves texts in the vault, and then runs `body` in the transaction that removes the intents.
    private func saving<Result>(
        _ texts: [(task: TaskID, text: TaskText)], in vault: any SecureStore,
        _ body: ([ProtectedTextID], TaskWriter) throws -> Result
    ) throws -> Result {
        let textIDs = texts.map { ProtectedTextID(of: $0.task) }
        for each in texts { try TaskTextRule.check(each.text) }
        try repository.change { writer in
            for textID in textIDs { try writer.put(VaultIntent(.saving, textID, at: now())) }
        }
        var saved = 0
        do {
            while saved < texts.count {
                var size = 0
                try vault.saveEach { () throws(SecureStoreError) in
                    guard saved < texts.count, size < Self.mostTogether else { return nil }
                    let value = try Self.encoded(texts[saved].text)
                    size += value.count
                    // Counted first, because a failed step may have saved it.
                    saved += 1
                    return NewSecret(
                        value, as: ProtectedText.name(of: textIDs[saved - 1]),
                        SecretAttributes(accessClass: .afterVerification))
                }
            }
            return try change { writer in
                for index in texts.indices {
                    let (task, textID) = (texts[index].task, textIDs[index])
                    if try writer.take(VaultIntent(.saving, textID)) { continue }
                    // Another program finished the intent. Its row of a new task lacks everything but the text.
                    guard let row = try writer.task(task), row.textID == textID else {
                        throw TaskListError.interrupted(task)
                    }
                    try writer.remove(task, expecting: row.revision)
                }
                return try body(textIDs, writer)
            }
        } catch DatabaseError.outcomeUnknown {
            // The intents stay, and a later command finishes them.
            throw DatabaseError.outcomeUnknown
        } catch {
            for textID in textIDs.prefix(saved) { try? abandon(textID, in: vault) }
            // The vault never had the others.
            if saved < textIDs.count {
                try? repository.change { writer in
                    for textID in textIDs.dropFirst(saved) {
                        _ = try writer.take(VaultIntent(.saving, textID))
                    }
                }
            }
            throw error
        }
    }

    /// The size of texts from which others are saved in the next step, in bytes: far below the limit of an agent.
    private static let mostTogether = 16_777_216

    private static func encoded(_ text: TaskText) throws(SecureStoreError) -> SecretBytes {
        do {
            return try ProtectedText.encode(text)
        } catch {
            throw SecureStoreError(translating: error)
        }
    }

    /// Discards the text of a failed change, unless a row has it: another program recovered it, or the commit is stored after all.
    func abandon(_ textID: ProtectedTextID, in vault: any SecureStore) throws {
        let isUnneeded = try repository.change { writer in
            guard try writer.task(textID.task)?.textID != textID else { return false }
            try writer.put(VaultIntent(.discarding, textID, at: now()))
            return true
        }
        if isUnneeded { try discard(textID, in: vault) }
    }

    /// The reason why the vault lacks a text. Another program may have changed the row, which happens before it removes the text.
    private func whyMissing(_ textID: ProtectedTextID) throws -> TaskListError {
        let row = try current(textID.task)
        return row.textID == textID
            ? .textMissing(row.id) : .conflict(row.id, found: row.revision)
    }

    /// Removes texts that no row needs from the vault, and then their intents.
    func discard(_ textIDs: [ProtectedTextID], in vault: any SecureStore) throws {
        let changes = textIDs.map {
            SecretChange(ProtectedText.name(of: $0), expecting: nil, .remove(permanently: false))
        }
        guard (try? vault.change(changes)) != nil else {
            // Some of them were removed before.
            for textID in textIDs { try discard(textID, in: vault) }
            return
        }
        try repository.change { writer in
            for textID in textIDs { _ = try writer.take(VaultIntent(.discarding, textID)) }
        }
    }

    /// Removes text that no row needs from the vault, and then its intent.
    func discard(_ textID: ProtectedTextID, in vault: any SecureStore) throws {
        do {
            try vault.remove(ProtectedText.name(of: textID))
        } catch SecureStoreError.notFound {
            // The text was removed before.
        }
        try repository.change { _ = try $0.take(VaultIntent(.discarding, textID)) }
    }
}
