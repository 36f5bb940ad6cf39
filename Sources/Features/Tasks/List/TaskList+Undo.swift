internal import Database
public import SecureStorage

/// The changes that `task undo` reverted.
public struct UndoneCommand: Sendable, Hashable {
    /// The time at which the command began.
    public var time: PointInTime
    /// The tasks that are as they were before the command.
    public var restored: [TodoTask] = []
    /// The restored tasks that the command had removed.
    public var returned: [TaskID] = []
    /// The tasks that the command had added, and that were removed.
    public var removed: [TaskID] = []
}

extension TaskList {
    /// The time within which a clearing and a command can be undone.
    public static let undoPeriod: Duration = .seconds(86_400)

    /// Reverts the last command of this machine within ``undoPeriod``. A second call reverts the command before.
    ///
    /// All changes of the command are reverted, or none. The text of a protected task that the command removed comes back from the vault; that
    /// of a task that it protected is moved out of the vault.
    ///
    /// - Parameter vault: Unlocked; needed only if ``undoNeedsVault()``.
    /// - Returns: The changes.
    /// - Throws: ``TaskListError/nothingToUndo``; ``TaskListError/changedSince(_:)``; ``TaskListError/textNotUndoable(_:_:)``;
    ///   ``TaskListError/textMissing(_:)`` if the vault no longer has the text; `SecureStoreError.locked`.
    public func undo(in vault: (any SecureStore)?) throws -> UndoneCommand {
        let last = try lastCommand()
        guard last.needsVault else { return try revert(last, [:]) }
        guard let vault else { throw SecureStoreError.locked }
        let texts = Dictionary(
            uniqueKeysWithValues: try last.hidden.map {
                ($0.id, try text(of: $0, from: vault).text)
            })
        guard !last.returning.isEmpty else {
            let undone = try revert(last, texts)
            // The change is durable. A later command finishes the rest.
            try? discard(last.hidden.compactMap(\.textID), in: vault)
            return undone
        }
        try repository.change { writer in
            for textID in last.returning { try writer.put(VaultIntent(.saving, textID, at: now())) }
        }
        do {
            try bringBack(last.returning, in: vault)
            let undone = try revert(last, texts)
            if !texts.isEmpty { try? discard(last.hidden.compactMap(\.textID), in: vault) }
            return undone
        } catch DatabaseError.outcomeUnknown {
            // The intents stay, and a later command finishes them.
            throw DatabaseError.outcomeUnknown
        } catch {
            for textID in last.returning { try? abandon(textID, in: vault) }
            throw error
        }
    }

    /// Whether ``undo(in:)`` needs the vault.
    ///
    /// - Throws: As ``undo(in:)``.
    public func undoNeedsVault() throws -> Bool { try lastCommand().needsVault }

    /// The tasks whose text ``undo(in:)`` moves out of the vault, which must be verified then.
    ///
    /// - Throws: As ``undo(in:)``.
    public func undoUnprotects() throws -> [TaskID] { try lastCommand().hidden.map(\.id) }

    private struct LastCommand {
        let machine: String
        let number: Int64
        /// The texts in the vault of the tasks that the command removed.
        let returning: [ProtectedTextID]
        /// The tasks whose text the command moved into the vault, as they are now.
        let hidden: [TodoTask]

        var needsVault: Bool { !returning.isEmpty || !hidden.isEmpty }
    }

    /// The command that can be undone, if nothing of it was changed since.
    private func lastCommand() throws -> LastCommand {
        try repository.snapshot { transaction in
            let (machine, number) = try transaction.lastCommand(of: command)
            let changes = try transaction.changes(of: number, by: machine)
            var hidden: [TodoTask] = []
            for change in changes {
                let task = try transaction.unchangedTask(of: change)
                if change.isHidden, let task { hidden.append(task) }
            }
            let returning = changes.compactMap { $0.after == nil ? $0.before?.textID : nil }
            return LastCommand(
                machine: machine, number: number, returning: returning, hidden: hidden)
        }
    }

    /// Reverts the command. `texts` are those of the tasks that it protected.
    private func revert(
        _ last: LastCommand, _ texts: [TaskID: TaskText]
    ) throws -> UndoneCommand {
        try repository.change { writer in
            let (machine, number) = try writer.transaction.lastCommand(of: command)
            guard number == last.number else { throw TaskListError.overtaken }
            var undone = UndoneCommand(
                time: try writer.transaction.time(of: number, by: machine) ?? now())
            for change in try writer.transaction.changes(of: number, by: machine) {
                if change.isHidden {
                    try writer.unprotect(change, texts, &undone, at: now())
                } else {
                    try writer.revert(change, &undone, at: now())
                }
                if let old = change.revision, let new = undone.restored.last, new.id == change.task
                {
                    // The command before left the task as it is again.
                    try writer.setRevision(
                        new.revision, inChangesOf: new.id, from: old, by: machine)
                }
            }
            for textID in last.returning { _ = try writer.take(VaultIntent(.saving, textID)) }
            try writer.removeChanges(of: number, by: machine)
            return undone
        }
    }

    /// Brings text back that left the vault, with its earlier texts.
    ///
    /// - Throws: ``TaskListError/textMissing(_:)`` if the vault no longer has it; `SecureStoreError`.
    package func bringBack(_ texts: [ProtectedTextID], in vault: any SecureStore) throws {
        let removed = try vault.removed()
        let kept = Set(try vault.list().map(\.name))
        for textID in texts {
            let name = ProtectedText.name(of: textID)
            if kept.contains(name) { continue }
            guard let text = removed.first(where: { $0.item.name == name }) else {
                throw TaskListError.textMissing(textID.task)
            }
            try vault.restore(removed: text.id, as: nil)
        }
    }
}

extension Transaction {
    /// The last command of a machine that can be undone.
    fileprivate func lastCommand(
        of present: UndoableCommand?
    ) throws -> (machine: String, number: Int64) {
        guard let present,
            let number = try lastCommand(
                of: present.machine,
                since: present.time.advanced(by: .zero - TaskList.undoPeriod))
        else { throw TaskListError.nothingToUndo }
        return (present.machine, number)
    }

    /// The task of a change as it is now, if it can be reverted; nil if the command removed the task.
    fileprivate func unchangedTask(of change: TaskChange) throws -> TodoTask? {
        let found = try task(change.task)
        guard found?.revision == change.after else {
            throw TaskListError.changedSince(change.task)
        }
        guard change.isHidden else { return found }
        let isProtected = found?.isProtected ?? false
        switch (change.wasProtected, isProtected) {
        case (false, true): return found
        case (false, false): throw TaskListError.textNotUndoable(change.task, .erased)
        case (true, true): throw TaskListError.textNotUndoable(change.task, .edited)
        case (true, false): throw TaskListError.textNotUndoable(change.task, .unprotected)
        }
    }
}

extension TaskWriter {
    /// Moves the text of a task that the command protected back into the row, unless the task was changed since.
    fileprivate func unprotect(
        _ change: TaskChange, _ texts: [TaskID: TaskText], _ undone: inout UndoneCommand,
        at now: PointInTime
    ) throws {
        guard var task = try transaction.unchangedTask(of: change), let textID = task.textID,
            let text = texts[task.id]
        else { throw TaskListError.overtaken }
        task.content = .plain(text)
        (task.subtaskRows, task.nickname) = ([], nil)
        undone.restored.append(try replace(task))
        try put(VaultIntent(.discarding, textID, at: now))
    }

    /// Reverts one change, unless the task was changed since.
    fileprivate func revert(
        _ change: TaskChange, _ undone: inout UndoneCommand, at now: PointInTime
    ) throws {
        let found = try transaction.unchangedTask(of: change)
        guard var before = change.before else {
            if let found {
                try remove(found.id, expecting: found.revision)
                if let textID = found.textID { try put(VaultIntent(.discarding, textID, at: now)) }
                if let time = found.completion?.time {
                    try removeCompletion(of: found.id, at: time)
                }
                undone.removed.append(found.id)
            }
            return
        }
        // A task that comes back into the list is not cleared at once.
        if found == nil || found?.completion?.cleared != nil { before.completion?.keptFrom = now }
        if let found {
            if !change.hasSubtasks { before.allSubtasks = found.allSubtasks }
            before.revision = found.revision
            undone.restored.append(try replace(before))
            if let time = change.counted { try removeCompletion(of: found.id, at: time) }
        } else {
            before.revision += 1
            try insert(before, revision: before.revision)
            undone.restored.append(before)
            undone.returned.append(before.id)
        }
    }
}
