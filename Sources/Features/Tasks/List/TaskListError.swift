/// The failure of a call of the to-do list, beside failures of database and vault. No case has the text of a task.
public enum TaskListError: Error, Sendable, Hashable {
    /// The task is not in the database.
    case missing(TaskID)
    /// The database has a task of this id.
    case alreadyExists(TaskID)
    /// Another program changed the task: it has revision `found`, the caller expected another.
    case conflict(TaskID, found: UInt64)
    /// The list was moved to another database.
    case moved
    /// The list has `found` changes; this machine saw change `seen`.
    case rolledBack(found: Int64, seen: Int64)
    /// The list does not show that it follows from change `seen`, which this machine saw.
    case forked(seen: Int64)
    /// This machine's record of the list is damaged.
    case recordDamaged
    /// The text breaks ``TaskTextRule``.
    case invalidText(TaskTextRule.Violation)
    /// The target of a copy has tasks.
    case notEmpty
    /// No id begins with the typed text, and no name or nickname contains it.
    case unknownTask
    /// Several ids begin with the typed text. The value has up to six of them.
    case ambiguousTask([TaskID])
    /// The task has no subtask at the typed position, and none with an id that begins with the typed text.
    case unknownSubtask(TaskID)
    /// Several subtasks of the task have ids that begin with the typed text.
    case ambiguousSubtask([TaskID])
    /// The task is protected, and its text is not in this vault.
    case textMissing(TaskID)
    /// The vault's item with the text was written by a newer program, or by another one.
    case textUnreadable(TaskID)
    /// The task is already protected.
    case alreadyProtected(TaskID)
    /// The task is not protected.
    case notProtected(TaskID)
    /// Another program changed the task while its text was moved; nothing is lost.
    case interrupted(TaskID)
    /// This machine made no change within ``TaskList/undoPeriod``.
    case nothingToUndo
    /// The task was changed since the command to undo.
    case changedSince(TaskID)
    /// The text before the command was erased, or the command moved it out of the vault or changed it there.
    case textNotUndoable(TaskID, TextChange)
    /// Another command of this machine changed tasks meanwhile.
    case overtaken
    /// The typed text fits several tasks. The value has some of their ids.
    case ambiguousName([TaskID])
    /// The task would come after itself.
    case circular(TaskID)
    /// A reminder needs a time, or a due time.
    case noTimeToRemind
    /// A repetition needs a due time.
    case noTimeToRepeat

    /// The effect of a command on a text.
    public enum TextChange: Sendable, Hashable {
        /// Erased when a later command moved the text into the vault.
        case erased
        case unprotected, edited
    }
}
