internal import Database
internal import SecureStorage
internal import Tasks
internal import TextCoding

extension Failure {
    /// Maps each error of the to-do list to its exit code, code and message.
    init(_ error: TaskListError, _ errors: ErrorContext) {
        switch error {
        case .missing:
            self.init(
                .notFound, code: "unknown_task", "the task no longer exists",
                hint: errors.command("task list"))
        case .alreadyExists(let id):
            self.init(.alreadyExists, code: "task_exists", "task \(id.text) already exists")
        case .conflict(let id, _):
            self.init(
                .refused, code: "conflict", "another program changed task \(id.text)",
                hint: errors.command("task show \(id.text)") + " shows it; nothing was changed")
        case .moved:
            self.init(
                .refused, code: "list_moved",
                "the to-do list was moved to another database",
                hint: "check it and run it again")
        case .rolledBack(let found, let seen):
            self.init(
                .damaged, code: "list_rolled_back",
                "the to-do list \(errors.tasksTitle) is older than the state last seen on this machine: change \(found), last seen \(seen)",
                hint: Self.acceptance(
                    "put the newer one back, a file with its -wal beside it, or restore a backup",
                    errors))
        case .forked(let seen):
            self.init(
                .damaged, code: "list_forked",
                "the to-do list \(errors.tasksTitle) was forked: change \(seen), which this machine saw, is not in it",
                hint: Self.acceptance(
                    "an older copy was put back and changed: compare the other machines and the backups",
                    errors))
        case .recordDamaged:
            self.init(
                .damaged, code: "list_record_damaged",
                "this machine's record of the to-do list \(errors.tasksTitle) is damaged",
                hint: Self.acceptance("compare the list with a backup", errors))
        case .invalidText(let violation):
            self.init(.refused, code: "not_acceptable", "\(violation)")
        case .notEmpty:
            self.init(
                .alreadyExists, code: "database_not_empty",
                "\(errors.tasksTitle) already has tasks",
                hint: errors.tasks.map { place in
                    errors.command("settings set database \(ShellText.quote(place.setting))")
                        + " uses them"
                })
        case .unknownTask:
            self.init(
                .notFound, code: "unknown_task", "there is no task with this id or name",
                hint: errors.command("task list"))
        case .ambiguousTask(let ids):
            self.init(
                .usage, code: "ambiguous_task", "the id is ambiguous: several tasks match",
                hint: "such as " + Self.list(ids))
        case .ambiguousName(let ids):
            self.init(
                .usage, code: "ambiguous_task", "the name is ambiguous: several tasks match",
                hint: "give an id: " + Self.list(ids))
        case .circular(let id):
            self.init(
                .refused, code: "circular", "task \(id.text) would come after itself",
                hint: errors.command("task show \(id.text)"))
        case .nothingToUndo:
            self.init(
                .notFound, code: "nothing_to_undo",
                "there is no task command of this machine to undo in the past 24 hours",
                hint: errors.command("task list"))
        case .changedSince(let id):
            self.init(
                .refused, code: "changed_since",
                "task \(id.text) was changed since; nothing was undone",
                hint: errors.command("task show \(id.text)"))
        case .textNotUndoable(let id, .erased):
            self.init(
                .refused, code: "text_not_undoable",
                "the text of task \(id.text) before the last command was erased when the task was protected; nothing was undone",
                hint: errors.command("task edit \(id.text)"))
        case .textNotUndoable(let id, .unprotected):
            self.init(
                .refused, code: "text_not_undoable",
                "the last command moved the text of task \(id.text) out of the vault; nothing was undone",
                hint: errors.command("task protect \(id.text)"))
        case .textNotUndoable(let id, .edited):
            self.init(
                .refused, code: "text_not_undoable",
                "the last command changed the protected text of task \(id.text); nothing was undone",
                hint: errors.command("task history \(id.text)")
                    + " lists its earlier texts, task restore brings one back")
        case .overtaken:
            self.init(
                .refused, code: "overtaken",
                "another task command ran meanwhile; nothing was undone",
                hint: errors.command("task undo"))
        case .noTimeToRemind:
            self.init(
                .usage, code: "no_time_to_remind",
                "a reminder needs a time, or a due time before which it is",
                hint: "--remind='tomorrow 9:00', or --due tomorrow --remind")
        case .noTimeToRepeat:
            self.init(
                .usage, code: "no_time_to_repeat", "a task that repeats needs a due time",
                hint: "--due 'mon 9:00' --repeat weekly")
        case .unknownSubtask(let id):
            self.init(
                .notFound, code: "unknown_subtask",
                "the task has no subtask at this position or with this id",
                hint: errors.command("task show \(id.text)"))
        case .ambiguousSubtask(let ids):
            self.init(
                .usage, code: "ambiguous_subtask", "the id is ambiguous: several subtasks match",
                hint: "such as " + Self.list(ids))
        case .textMissing(let id):
            self.init(
                .notFound, code: "text_missing",
                "the text of protected task \(id.text) is not in this vault",
                hint: "a backup of the vault may have it")
        case .textUnreadable(let id):
            self.init(
                .damaged, code: "text_unreadable",
                "the text of protected task \(id.text) was written by a newer version or another program"
            )
        case .alreadyProtected(let id):
            self.init(
                .alreadyExists, code: "already_protected",
                "task \(id.text) is already protected")
        case .notProtected(let id):
            self.init(
                .refused, code: "not_protected", "task \(id.text) is not protected",
                hint: errors.command("task protect \(id.text)"))
        case .interrupted(let id):
            self.init(
                .refused, code: "conflict",
                "another program changed task \(id.text) while this one was waiting",
                hint: errors.command("task list") + " shows its current state")
        }
    }

    /// The hint for a list that is refused: advice, and the command that accepts the list.
    private static func acceptance(_ advice: String, _ errors: ErrorContext) -> String {
        "\(advice); \(errors.command("task list --accept-older")) accepts the one that is there"
    }

    /// The first ids, with an ellipsis if there are more.
    private static func list(_ ids: [TaskID]) -> String {
        let texts = ids.prefix(5).map(\.text)
        return (texts + (ids.count > 5 ? ["…"] : [])).joined(separator: ", ")
    }

    /// Maps each error of the tasks' database to its exit code, code and message.
    init(tasks error: DatabaseError, _ errors: ErrorContext) {
        let title = errors.tasksTitle
        switch error {
        case .foreign(let reason):
            self.init(
                .damaged, code: "database_foreign",
                "\(title) is not a TaskVault task database: \(reason)",
                hint: errors.command("restore --replace BACKUP")
                    + " restores a backup and keeps the file")
        case .newerVersion(let version):
            self.init(
                .damaged, code: "newer_version",
                "\(title) was written by a newer version of TaskVault (tasks \(version))",
                hint: "install that version")
        case .damaged(let reason):
            self.init(
                .damaged, code: "database_damaged", "\(title) is damaged: \(reason)",
                hint: errors.command("restore --replace BACKUP")
                    + " restores a backup and keeps the file; protected text is in the vault")
        default:
            self.init(
                error, of: title, place: errors.command("settings get database"),
                outcome: errors.command("task list") + " shows it")
        }
    }
}

extension Failure {
    /// Explains why a file of tasks could not be imported.
    init(_ error: TaskExchangeError, _ errors: ErrorContext) {
        self.init(
            .usage, code: "not_importable", "nothing was imported: \(error)",
            hint: error == .notRecognised
                ? "for a todo.txt give --format todo.txt" : errors.command("task import --help")
        )
    }
}
