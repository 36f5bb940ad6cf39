public import SecureStorage

/// Why something could not be done with the to-do list. No case carries words of a task.
public enum TaskListError: Error, Sendable, Hashable {
    /// The database did not do it.
    case repository(TaskRepositoryError)
    /// The vault did not do it.
    case vault(SecureStoreError)
    /// No task's id begins so.
    case unknownTask
    /// The ids of several tasks begin so; these are some of them.
    case ambiguousTask([TaskID])
    /// No subtask's id begins so.
    case unknownSubtask
    /// The ids of several subtasks begin so.
    case ambiguousSubtask([TaskID])
    /// The words cannot be those of a task.
    case invalid(TaskTextRule.Violation)
    /// The task is protected, and its words are not in this vault.
    case wordsMissing(TaskID)
    /// What the vault has in place of the words was written by a newer program, or by another one.
    case wordsUnreadable(TaskID)
    /// The task is protected already.
    case alreadyProtected(TaskID)
    /// The task is not protected.
    case notProtected(TaskID)
    /// Somebody changed the task while its words were on their way; nothing is lost.
    case interrupted(TaskID)
}

extension TaskListError {
    /// Runs a call of the database.
    static func repository<Result>(
        _ body: () throws(TaskRepositoryError) -> Result
    ) throws(TaskListError) -> Result {
        do throws(TaskRepositoryError) {
            return try body()
        } catch .invalid(let violation) {
            throw .invalid(violation)
        } catch {
            throw .repository(error)
        }
    }

    /// Runs a call of the vault.
    static func vault<Result: ~Copyable>(
        _ body: () throws(SecureStoreError) -> Result
    ) throws(TaskListError) -> Result {
        do throws(SecureStoreError) {
            return try body()
        } catch {
            throw .vault(error)
        }
    }
}

extension TaskRepository {
    /// Runs a transaction in which both the list and the database can fail.
    func changing<Result>(
        _ body: (any TaskWriter) throws(TaskListError) -> Result
    ) throws(TaskListError) -> Result {
        do throws(TaskRepositoryFailure<TaskListError>) {
            return try change(body)
        } catch {
            switch error {
            case .body(let error): throw error
            case .repository(let error):
                return try TaskListError.repository { () throws(TaskRepositoryError) in
                    throw error
                }
            }
        }
    }
}
