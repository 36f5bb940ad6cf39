internal import Database
internal import SecureStorage
internal import Synchronization

/// A command of one machine, whose changes can be undone together. Thread-safe.
public final class UndoableCommand: Sendable {
    let machine: String
    let time: PointInTime
    private let number = Mutex<Int64?>(nil)

    /// Makes a command of a machine at a time.
    public init(machine: String, time: PointInTime) {
        self.machine = machine
        self.time = time
    }

    /// The number among the commands of the machine. The first call gets it from `next`.
    fileprivate func number(_ next: () throws -> Int64) rethrows -> Int64 {
        try number.withLock { number in
            let found = try number ?? next()
            number = found
            return found
        }
    }
}

/// The change of one task by a command.
struct TaskChange {
    /// The task.
    let task: TaskID
    /// The task before, with its subtasks; nil if the command added it, and if text is ``isHidden``.
    let before: TodoTask?
    /// The revision before the command; nil if the command added it.
    let revision: UInt64?
    /// The revision after the command; nil if it removed the task.
    let after: UInt64?
    /// The time of the completion that the command counted for a repeated task.
    let counted: PointInTime?
    /// Whether text went into the vault, out of it, or changed there.
    let isHidden: Bool
    /// Whether the text was in the vault before.
    let wasProtected: Bool
    /// Whether the subtasks are known. A clearing does not change them.
    let hasSubtasks: Bool
}

// The table `changes`, which has the rows as they were before a command.
extension TaskWriter {
    /// Records that a task is added.
    func recordInsertion(of task: TodoTask) throws {
        guard let command else { return }
        try transaction.change(
            """
            INSERT INTO changes (machine, command, task, time, after, hidden)
            VALUES ($1, $2, $3, $4, $5, 0)
            ON CONFLICT (machine, command, task) DO UPDATE SET after = $5
            """, try key(command, task.id) + [.integer(Int64(clamping: task.revision))])
    }

    /// Records a task as it is before a change.
    ///
    /// - Parameters:
    ///   - old: The task.
    ///   - after: The revision after the change; nil for a removal.
    ///   - isHidden: Whether text goes into the vault, out of it, or changes there.
    /// - Throws: `DatabaseError`.
    func record(_ old: TodoTask, after: UInt64?, isHidden: Bool = false) throws {
        guard let command else { return }
        let after = after.map { Int64(clamping: $0) }
        let values = try key(command, old.id) + [.integer(after), .integer(isHidden ? 1 : 0)]
        let inserted = try transaction.change(
            isHidden ? .recordTaskWithoutText : .recordTask,
            values + [.bytes(isHidden && !old.isProtected ? nil : old.encodedSubtasks)])
        if inserted == 0 {
            try transaction.change(
                """
                UPDATE changes SET after = $5, hidden = CASE WHEN $6 = 1 THEN 1 ELSE hidden END, time = $4
                WHERE machine = $1 AND command = $2 AND task = $3
                """, values)
        }
    }

    /// Records the tasks before they are cleared.
    func recordClearing(keptBefore limit: PointInTime) throws {
        try record(.recordClearing, limit)
    }

    /// Records the tasks before they are shown again.
    func recordRestoring(clearedFrom start: PointInTime) throws {
        try record(.recordRestoring, start)
    }

    private func record(_ statement: SQL, _ limit: PointInTime) throws {
        guard let command else { return }
        try transaction.change(
            statement,
            [
                .text(command.machine), .integer(try number(of: command)), .time(command.time),
                .time(limit),
            ])
    }

    /// Records that a completion of a repeated task is counted.
    func recordCompletion(of id: TaskID, at time: PointInTime) throws {
        guard let command else { return }
        try transaction.change(
            """
            UPDATE changes SET counted = $5, time = $4
            WHERE machine = $1 AND command = $2 AND task = $3
            """, try key(command, id) + [.time(time)])
    }

    /// Removes text that is in the vault now from the records of all machines.
    ///
    /// - Returns: Whether there was any.
    func removeText(of id: TaskID) throws -> Bool {
        try transaction.change(.removeText, [.text(id.text)]) > 0
    }

    private func key(_ command: UndoableCommand, _ id: TaskID) throws -> [DatabaseValue] {
        [
            .text(command.machine), .integer(try number(of: command)), .text(id.text),
            .time(command.time),
        ]
    }

    /// The number of a command.
    private func number(of command: UndoableCommand) throws -> Int64 {
        try command.number {
            let last = try transaction.row(
                "SELECT coalesce(max(command), 0) FROM changes WHERE machine = $1",
                [.text(command.machine)]
            ) { try $0.integer(0) }
            return (last ?? 0) + 1
        }
    }

    /// Removes changes that can no longer be undone.
    func removeChanges(_ old: OldChanges) throws {
        try transaction.change(
            """
            DELETE FROM changes
            WHERE machine <> '' AND (machine = $1 AND (time < $2 OR time > $3) OR time < $4)
            """, old.values)
    }

    /// Stores when a command found cleared tasks or changes too old; nil for none. It is a row without machine and task.
    func setExpiryDoubt(_ time: PointInTime?) throws {
        try transaction.change("DELETE FROM changes WHERE machine = ''", [])
        guard let time else { return }
        try transaction.change(
            "INSERT INTO changes (machine, command, task, time, hidden) VALUES ('', 0, '', $1, 0)",
            [.time(time)])
    }

    /// Stores a later revision for the commands that left a task as it is again.
    ///
    /// - Parameters:
    ///   - revision: The revision of the task as it is again.
    ///   - task: The task.
    ///   - old: Its revision after these commands.
    ///   - machine: Their machine.
    /// - Throws: `DatabaseError`.
    func setRevision(
        _ revision: UInt64, inChangesOf task: TaskID, from old: UInt64, by machine: String
    ) throws {
        try transaction.change(
            "UPDATE changes SET after = $4 WHERE machine = $1 AND task = $2 AND after = $3",
            [
                .text(machine), .text(task.text), .integer(Int64(clamping: old)),
                .integer(Int64(clamping: revision)),
            ])
    }

    /// Stores the next revision for the commands of all machines that changed tasks which were cleared without a command.
    func raiseRevisions(inChangesOfTasksClearedAt time: PointInTime) throws {
        try transaction.change(
            """
            UPDATE changes SET after = after + 1
            WHERE EXISTS (
                SELECT 1 FROM tasks
                WHERE id = changes.task AND revision = changes.after + 1 AND state = 2 AND cleared = $1)
            """, [.integer(time.milliseconds)])
    }

    /// Removes the changes of a command that was undone.
    func removeChanges(of command: Int64, by machine: String) throws {
        try transaction.change(
            "DELETE FROM changes WHERE machine = $1 AND command = $2",
            [.text(machine), .integer(command)])
    }
}

/// The condition for changes that can no longer be undone.
///
/// Changes of this machine can be undone for a day, unless a clock ahead of the present one recorded them. Those of others stay for a week,
/// because their clocks may differ.
struct OldChanges {
    fileprivate let values: [DatabaseValue]

    init(of machine: String?, at now: PointInTime) {
        let day = TaskList.undoPeriod
        values =
            [.text(machine ?? "")]
            + [.zero - day, day, .zero - day * 7].map { .time(now.advanced(by: $0)) }
    }
}

// Reads the table.
extension Transaction {
    /// Whether there are changes that can no longer be undone.
    func has(_ old: OldChanges) throws -> Bool {
        try row(
            """
            SELECT 1 FROM changes
            WHERE machine <> '' AND (machine = $1 AND (time < $2 OR time > $3) OR time < $4)
            LIMIT 1
            """, old.values
        ) { _ in true } ?? false
    }

    /// When a command found cleared tasks or changes too old; nil if none did.
    func expiryDoubt() throws -> PointInTime? {
        try row("SELECT time FROM changes WHERE machine = ''", []) {
            PointInTime(milliseconds: try $0.integer(0))
        }
    }

    /// The number of the last command of a machine since a time; nil if there is none.
    func lastCommand(of machine: String, since start: PointInTime) throws -> Int64? {
        let last = try row(
            "SELECT coalesce(max(command), 0) FROM changes WHERE machine = $1 AND time >= $2",
            [.text(machine), .time(start)]
        ) { try $0.integer(0) }
        return last == 0 ? nil : last
    }

    /// The time of a command's first change; nil if it changed nothing.
    func time(of command: Int64, by machine: String) throws -> PointInTime? {
        try row(
            "SELECT time FROM changes WHERE machine = $1 AND command = $2 ORDER BY time LIMIT 1",
            [.text(machine), .integer(command)]
        ) { PointInTime(milliseconds: try $0.integer(0)) }
    }

    /// The changes of a command, read page by page: a page of the longest texts is 64 MiB.
    func changes(of command: Int64, by machine: String) throws -> [TaskChange] {
        var found: [TaskChange] = []
        while true {
            let page = try changes(
                .changesOfCommand,
                [.text(machine), .integer(command), .text(found.last?.task.text ?? "")])
            // A server that repeats rows must not cause an endless loop.
            if let first = page.first, let last = found.last, first.task <= last.task {
                throw DatabaseError.damagedTask
            }
            found += page
            guard page.count == 64 else { return found }
        }
    }

    /// The subtasks of a protected task, from its recorded changes, the latest change first.
    func earlierSubtaskRows(of id: TaskID) throws -> [SubtaskRow] {
        try rows(
            """
            SELECT subtasks FROM changes WHERE task = $1 AND name IS NULL AND subtasks IS NOT NULL
            ORDER BY time DESC, command DESC
            """, [.text(id.text)]
        ) { try TodoTask.subtasks(in: $0.bytes(0)).map(\.row) }.flatMap(\.self)
    }

    /// The task that had this text in the vault before it was removed last; nil if no change has it.
    func removedTask(with textID: ProtectedTextID) throws -> TodoTask? {
        try changes(.removalWithText, [.text(textID.text)]).first?.before
    }

    private func changes(_ statement: SQL, _ values: [DatabaseValue]) throws -> [TaskChange] {
        let after = Int32(TaskColumn.readable.count)
        let (counted, hidden, subtasks, revision) = (after + 1, after + 2, after + 3, Int32(1))
        return try rows(statement, values) { row in
            let isHidden = try row.integer(hidden) != 0
            let old = try row.optionalInteger(revision).map { UInt64(clamping: $0) }
            let subtasks = try row.optionalBytes(subtasks)
            var before: TodoTask?
            if old != nil, !isHidden {
                var task = try TodoTask(row)
                if let subtasks { task.allSubtasks = try TodoTask.subtasks(in: subtasks) }
                before = task
            }
            return TaskChange(
                task: try row.taskID(0), before: before, revision: old,
                after: try row.optionalInteger(after).map { UInt64(clamping: $0) },
                counted: try row.time(counted), isHidden: isHidden,
                wasProtected: !row.isNull(TaskColumn.textID), hasSubtasks: subtasks != nil)
        }
    }
}

extension SQL {
    fileprivate static let recordTask = copy(
        "after, hidden, subtasks", "$5, $6, $7", time: "$4", where: "id = $3")
    fileprivate static let recordTaskWithoutText = copy(
        "after, hidden, subtasks", "$5, $6, $7", time: "$4", where: "id = $3", hidesText: true)
    fileprivate static let recordClearing = copy(
        "after, hidden", "revision + 1, 0", time: "$3", where: "state = 1 AND kept_from < $4")
    fileprivate static let recordRestoring = copy(
        "after, hidden", "revision + 1, 0", time: "$3", where: "state = 2 AND cleared >= $4")

    /// Copies rows of `tasks`. Parameters 1 and 2 are the machine and the number of the command.
    private static func copy(
        _ columns: String, _ values: String, time: String, where condition: String,
        hidesText: Bool = false
    ) -> SQL {
        let copied = TaskColumn.undoable.map { hidesText && $0.isText ? "NULL" : $0.name }
        return SQL(
            constant: """
                INSERT INTO changes (machine, command, task, time, \(columns),
                    \(TaskColumn.names(TaskColumn.undoable)))
                SELECT $1, $2, id, \(time), \(values), \(copied.joined(separator: ", "))
                FROM tasks WHERE \(condition)
                ON CONFLICT (machine, command, task) DO NOTHING
                """)
    }

    fileprivate static let removeText = SQL(
        constant: "UPDATE changes SET hidden = 1, subtasks = NULL, "
            + TaskColumn.undoable.filter(\.isText).map { "\($0.name) = NULL" }
            .joined(separator: ", ") + " WHERE task = $1 AND name IS NOT NULL")

    fileprivate static let changesOfCommand = changes(
        where: "machine = $1 AND command = $2 AND task > $3 ORDER BY task LIMIT 64")
    fileprivate static let removalWithText = changes(
        where: "text_id = $1 AND after IS NULL AND hidden = 0 ORDER BY time DESC LIMIT 1")

    /// Reads changes: the columns ``TaskColumn/readable``, then those of the change.
    private static func changes(where condition: String) -> SQL {
        SQL(
            constant: """
                SELECT task, \(TaskColumn.names(TaskColumn.undoable)), after, counted, hidden, subtasks
                FROM changes WHERE \(condition)
                """)
    }
}

extension TodoTask {
    /// The subtasks: u32 count ‖ count × (text id ‖ u8 done ‖ time due ‖ time reminder ‖ time snooze ‖ text name). A time is u8 1 ‖ i64
    /// (``TaskTime/stored``), or u8 0. The names of a protected task's subtasks are empty.
    fileprivate var encodedSubtasks: [UInt8] {
        let subtasks = allSubtasks
        var writer = ByteWriter()
        writer.integer(UInt32(subtasks.count))
        for subtask in subtasks {
            writer.text(subtask.id.text)
            writer.integer(UInt8(subtask.isDone ? 1 : 0))
            for time in [subtask.due, subtask.reminder, subtask.snooze.map { .moment($0) }] {
                writer.integer(UInt8(time == nil ? 0 : 1))
                if let time { writer.integer(time.stored) }
            }
            writer.text(subtask.name)
        }
        return writer.bytes
    }

    fileprivate static func subtasks(in bytes: [UInt8]) throws -> [TodoSubtask] {
        let found = unsafe ByteReader.reading(bytes.span.bytes) { reader -> [TodoSubtask]? in
            guard let count = reader.integer(UInt32.self) else { return nil }
            var found: [TodoSubtask] = []
            for _ in 0..<count {
                guard let id = reader.text().flatMap(TaskID.init(stored:)),
                    let done = reader.integer(UInt8.self)
                else { return nil }
                var times: [TaskTime?] = []
                for _ in 0..<3 {
                    guard let isSet = reader.integer(UInt8.self) else { return nil }
                    let time =
                        isSet == 0
                        ? nil : reader.integer(Int64.self).flatMap { TaskTime(stored: $0) }
                    guard isSet == 0 || time != nil else { return nil }
                    times.append(time)
                }
                guard let name = reader.text() else { return nil }
                let row = SubtaskRow(
                    id: id, isDone: done != 0, due: times[0], reminder: times[1],
                    snooze: times[2]?.moment)
                found.append(TodoSubtask(row, name: name))
            }
            return reader.isAtEnd ? found : nil
        }
        guard let found else { throw DatabaseError.damagedTask }
        return found
    }
}
