/// Why a call of the to-do list failed, if neither the database nor the vault did. No case carries the text of a task.
public enum TaskListError: Error, Sendable, Hashable {
    /// The task is not in the database.
    case missing(TaskID)
    /// The database has a task of this id.
    case alreadyExists(TaskID)
    /// Another program changed the task: it has revision `found`, the caller expected another.
    case conflict(TaskID, found: UInt64)
    /// The list was moved to another database.
    case moved
    /// The text cannot be that of a task.
    case invalidText(TaskTextRule.Violation)
    /// The database that is to get a copy has tasks.
    case notEmpty
    /// No task's id has this prefix.
    case unknownTask
    /// Several tasks' ids have this prefix; these are some of them.
    case ambiguousTask([TaskID])
    /// No subtask of the task has this position, or an id with this prefix.
    case unknownSubtask(TaskID)
    /// Several subtasks' ids have this prefix.
    case ambiguousSubtask([TaskID])
    /// The task is protected, and its text is not in this vault.
    case wordsMissing(TaskID)
    /// The vault's item with the text was written by a newer program, or by another one.
    case wordsUnreadable(TaskID)
    /// The task is already protected.
    case alreadyProtected(TaskID)
    /// The task is not protected.
    case notProtected(TaskID)
    /// Another program changed the task while its text was moved; nothing is lost.
    case interrupted(TaskID)
    /// This machine has changed nothing lately.
    case nothingToUndo
    /// The task was changed since the command that is to be undone.
    case changedSince(TaskID)
    /// The command moved text into the vault, out of it, or changed it there.
    case textNotUndoable(TaskID, TextChange)
    /// Another command of this machine came between.
    case overtaken
    /// Several tasks have such a name; these are some of them.
    case ambiguousName([TaskID])
    /// A reminder needs a time, or a due time.
    case noTimeToRemind
    /// A repetition needs a due time.
    case noTimeToRepeat

    /// What a command did to a text.
    public enum TextChange: Sendable, Hashable {
        case protected, unprotected, edited
    }
}
