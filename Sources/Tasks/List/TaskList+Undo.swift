internal import Database
public import SecureStorage

/// What `task undo` reverted.
public struct UndoneCommand: Sendable, Hashable {
    /// The tasks that are as they were, as they are now.
    public var restored: [TodoTask] = []
    /// The tasks that the command had added, and that are gone.
    public var removed: [TaskID] = []
}

extension TaskList {
    /// Reverts the last command of this machine within ``undoPeriod``. A second call reverts the command before.
    ///
    /// All changes of the command are reverted, or none. The text of a protected task that the command removed comes back from the vault.
    ///
    /// - Parameter vault: Unlocked; needed only if ``undoNeedsVault()``.
    /// - Returns: What was reverted.
    /// - Throws: ``TaskListError/nothingToUndo``; ``TaskListError/changedSince(_:)``; ``TaskListError/textNotUndoable(_:)``;
    ///   ``TaskListError/wordsMissing(_:)`` if the vault no longer has the text; `SecureStoreError.locked`.
    public func undo(in vault: (any SecureStore)?) throws -> UndoneCommand {
        let returning = try withLastCommand { writer, last, machine in
            try writer.changes(of: last, by: machine).compactMap(\.removedText)
        }
        if !returning.isEmpty {
            guard let vault else { throw SecureStoreError.locked }
            try bringBack(returning, in: vault)
        }
        return try withLastCommand { writer, last, machine in
            var undone = UndoneCommand()
            for change in try writer.changes(of: last, by: machine) {
                try writer.revert(change, &undone, at: now())
                if let old = change.before, let new = undone.restored.last, new.id == old.id {
                    // The command before left the task as it is again.
                    try writer.move(changesOf: old, to: new.revision, by: machine)
                }
            }
            for words in returning { _ = try writer.take(VaultIntent(.saving, words)) }
            try writer.forgetChanges(of: last, by: machine)
            return undone
        }
    }

    /// Whether ``undo(in:)`` has to bring text back from the vault.
    ///
    /// - Throws: ``TaskListError/nothingToUndo``.
    public func undoNeedsVault() throws -> Bool {
        try withLastCommand { writer, last, machine in
            try writer.changes(of: last, by: machine).contains { $0.removedText != nil }
        }
    }

    private func withLastCommand<Result>(
        _ body: (TaskWriter, Int64, String) throws -> Result
    ) throws -> Result {
        guard let command else { throw TaskListError.nothingToUndo }
        let start = command.time.advanced(by: .zero - TaskList.undoPeriod)
        return try repository.change { writer in
            guard let last = try writer.lastCommand(of: command.machine, since: start) else {
                throw TaskListError.nothingToUndo
            }
            return try body(writer, last, command.machine)
        }
    }

    /// Brings back text that left the vault. An intent stays until the rows are there again.
    private func bringBack(_ texts: [ProtectedWordsID], in vault: any SecureStore) throws {
        let removed = try vault.removed()
        let kept = Set(try vault.list().map(\.name))
        for words in texts {
            let name = ProtectedText.name(of: words)
            try repository.change { try $0.put(VaultIntent(.saving, words, at: now())) }
            if kept.contains(name) { continue }
            guard let text = removed.first(where: { $0.item.name == name }) else {
                throw TaskListError.wordsMissing(words.task)
            }
            try vault.restore(removed: text.id, as: nil)
        }
    }
}

extension TaskChange {
    /// The text in the vault of a task that the command removed.
    fileprivate var removedText: ProtectedWordsID? { after == nil ? before?.wordsID : nil }
}

extension TaskWriter {
    /// Reverts one change, unless the task was changed since.
    fileprivate func revert(
        _ change: TaskChange, _ undone: inout UndoneCommand, at now: PointInTime
    ) throws {
        let found = try task(change.task)
        guard found?.revision == change.after else {
            throw TaskListError.changedSince(change.task)
        }
        guard !change.isHidden else { throw TaskListError.textNotUndoable(change.task) }
        guard var before = change.before else {
            if let found {
                try remove(found.id, expecting: found.revision)
                if let words = found.wordsID { try put(VaultIntent(.discarding, words, at: now)) }
                if let time = found.completion?.time {
                    try removeCompletion(of: found.id, at: time)
                }
                undone.removed.append(found.id)
            }
            return
        }
        if let found {
            if !change.hasSubtasks { before.takeSubtasks(of: found) }
            before.revision = found.revision
            undone.restored.append(try replace(before))
            if let time = change.counted { try removeCompletion(of: found.id, at: time) }
        } else {
            before.revision += 1
            try insert(before, revision: before.revision)
            undone.restored.append(before)
        }
    }
}

extension TodoTask {
    fileprivate mutating func takeSubtasks(of other: TodoTask) {
        steps = other.steps
        if var text = plainText, let subtasks = other.plainText?.subtasks {
            text.subtasks = subtasks
            content = .plain(text)
        }
    }
}
