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

/// What a command changed in one task.
struct TaskChange {
    /// The task.
    let task: TaskID
    /// The task before, with its subtasks; nil if the command added it, and if ``isHidden``.
    let before: TodoTask?
    /// Whether the command added it.
    let isNew: Bool
    /// The revision after the command; nil if it removed the task.
    let after: UInt64?
    /// The time of the completion that the command counted for a repeated task.
    let counted: PointInTime?
    /// Whether text went into the vault, out of it, or changed there.
    let isHidden: Bool
    /// Whether the subtasks are known; a clearing leaves them alone.
    let hasSubtasks: Bool
}

// The table `changes`, which has the rows as they were before a command.
extension TaskWriter {
    /// Notes that a task is added.
    func note(insertionOf task: TodoTask) throws {
        guard let command else { return }
        try transaction.change(
            """
            INSERT INTO changes (machine, command, task, time, after, hidden)
            VALUES ($1, $2, $3, $4, $5, 0)
            ON CONFLICT (machine, command, task) DO UPDATE SET after = $5
            """, try key(command, task.id) + [.integer(Int64(clamping: task.revision))])
    }

    /// Notes a task as it is before a change.
    ///
    /// - Parameters:
    ///   - old: The task.
    ///   - after: The revision after the change; nil for a removal.
    ///   - isHidden: Whether text goes into the vault, out of it, or changes there.
    /// - Throws: `DatabaseError`.
    func note(_ old: TodoTask, after: UInt64?, isHidden: Bool = false) throws {
        guard let command else { return }
        let after = after.map { Int64(clamping: $0) }
        let values = try key(command, old.id) + [.integer(after), .integer(isHidden ? 1 : 0)]
        let inserted = try transaction.change(
            """
            INSERT INTO changes (machine, command, task, time, after, hidden, subtasks, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state)
            SELECT $1, $2, id, $4, $5, $6, $7, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state
            FROM tasks WHERE id = $3
            ON CONFLICT (machine, command, task) DO NOTHING
            """, values + [.bytes(old.encodedSubtasks)])
        if inserted == 0 {
            try transaction.change(
                """
                UPDATE changes SET after = $5, hidden = CASE WHEN $6 = 1 THEN 1 ELSE hidden END, time = $4
                WHERE machine = $1 AND command = $2 AND task = $3
                """, values)
        }
    }

    /// Notes the tasks that are about to be cleared.
    func noteClearing(keptBefore limit: PointInTime) throws {
        try noteAll(
            """
            INSERT INTO changes (machine, command, task, time, after, hidden, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state)
            SELECT $1, $2, id, $3, revision + 1, 0, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state
            FROM tasks WHERE state = 1 AND kept_from < $4
            ON CONFLICT (machine, command, task) DO NOTHING
            """, limit)
    }

    /// Notes the tasks that are about to be shown again.
    func noteClearing(undoneFrom start: PointInTime) throws {
        try noteAll(
            """
            INSERT INTO changes (machine, command, task, time, after, hidden, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state)
            SELECT $1, $2, id, $3, revision + 1, 0, revision,
                created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
                priority, list, tags, nickname, words, name, name_key, notes, further, state
            FROM tasks WHERE state = 2 AND cleared >= $4
            ON CONFLICT (machine, command, task) DO NOTHING
            """, start)
    }

    private func noteAll(_ sql: SQL, _ limit: PointInTime) throws {
        guard let command else { return }
        try transaction.change(
            sql,
            [
                .text(command.machine), .integer(try number(of: command)),
                .integer(command.time.milliseconds), .integer(limit.milliseconds),
            ])
    }

    /// Notes that a completion of a repeated task is counted.
    func note(completionOf id: TaskID, at time: PointInTime) throws {
        guard let command else { return }
        try transaction.change(
            """
            UPDATE changes SET counted = $5, time = $4
            WHERE machine = $1 AND command = $2 AND task = $3
            """, try key(command, id) + [.integer(time.milliseconds)])
    }

    /// Takes text that is in the vault now out of the notes of all machines.
    func forgetText(of id: TaskID) throws {
        try transaction.change(
            """
            UPDATE changes SET hidden = 1, name = NULL, name_key = NULL, notes = NULL,
                further = NULL, subtasks = NULL
            WHERE task = $1
            """, [.text(id.text)])
    }

    private func key(_ command: UndoableCommand, _ id: TaskID) throws -> [DatabaseValue] {
        [
            .text(command.machine), .integer(try number(of: command)), .text(id.text),
            .integer(command.time.milliseconds),
        ]
    }

    /// The number of a command. The first change removes what can no longer be undone.
    private func number(of command: UndoableCommand) throws -> Int64 {
        try command.number {
            let end = command.time.advanced(by: .zero - TaskList.undoPeriod)
            try transaction.change(
                "DELETE FROM changes WHERE time < $1", [.integer(end.milliseconds)])
            let last = try transaction.row(
                "SELECT coalesce(max(command), 0) FROM changes WHERE machine = $1",
                [.text(command.machine)]
            ) { try $0.integer(0) }
            return (last ?? 0) + 1
        }
    }
}

// Reading them.
extension TaskWriter {
    /// The number of the last command of a machine since a time; nil if there is none.
    func lastCommand(of machine: String, since start: PointInTime) throws -> Int64? {
        let last = try transaction.row(
            "SELECT coalesce(max(command), 0) FROM changes WHERE machine = $1 AND time >= $2",
            [.text(machine), .integer(start.milliseconds)]
        ) { try $0.integer(0) }
        return last == 0 ? nil : last
    }

    /// What a command changed.
    func changes(of command: Int64, by machine: String) throws -> [TaskChange] {
        try transaction.rows(
            """
            SELECT task, revision, created, due, completed, kept_from, cleared, wait, reminder,
                snooze, repetition, priority, list, tags, nickname, words, name, notes, further,
                after, counted, hidden, subtasks
            FROM changes WHERE machine = $1 AND command = $2 ORDER BY task
            """, [.text(machine), .integer(command)]
        ) { row in
            let isHidden = try row.integer(21) != 0
            let isNew = row.isNull(1)
            let subtasks = try row.optionalBytes(22)
            var before: TodoTask?
            if !isNew, !isHidden {
                var task = try TodoTask(row)
                if let subtasks { try task.readSubtasks(subtasks) }
                before = task
            }
            return TaskChange(
                task: try row.taskID(0), before: before, isNew: isNew,
                after: try row.optionalInteger(19).map { UInt64(clamping: $0) },
                counted: try row.optionalInteger(20).map { PointInTime(milliseconds: $0) },
                isHidden: isHidden, hasSubtasks: subtasks != nil)
        }
    }

    /// Tells the commands that left a task in one revision that it is now another one.
    func move(changesOf task: TodoTask, to revision: UInt64, by machine: String) throws {
        try transaction.change(
            "UPDATE changes SET after = $4 WHERE machine = $1 AND task = $2 AND after = $3",
            [
                .text(machine), .text(task.id.text), .integer(Int64(clamping: task.revision)),
                .integer(Int64(clamping: revision)),
            ])
    }

    /// Removes the notes of a command that was undone.
    func forgetChanges(of command: Int64, by machine: String) throws {
        try transaction.change(
            "DELETE FROM changes WHERE machine = $1 AND command = $2",
            [.text(machine), .integer(command)])
    }
}

extension TodoTask {
    /// The subtasks: u32 count ‖ count × (text id ‖ u8 done ‖ u8 flags ‖ i64 due ‖ i64 reminder ‖ text name). Flags: 1 a due time, 2 a
    /// reminder. The names of a protected task's subtasks are empty.
    fileprivate var encodedSubtasks: [UInt8] {
        let all = plainText?.subtasks ?? steps.map { TodoSubtask($0, name: "") }
        var writer = ByteWriter()
        writer.integer(UInt32(all.count))
        for subtask in all {
            writer.text(subtask.id.text)
            writer.integer(UInt8(subtask.isDone ? 1 : 0))
            writer.integer(UInt8((subtask.due == nil ? 0 : 1) | (subtask.reminder == nil ? 0 : 2)))
            writer.integer(subtask.due?.milliseconds ?? 0)
            writer.integer(subtask.reminder?.milliseconds ?? 0)
            writer.text(subtask.name)
        }
        return writer.bytes
    }

    fileprivate mutating func readSubtasks(_ bytes: [UInt8]) throws {
        let found = unsafe ByteReader.reading(bytes.span.bytes) { reader -> [TodoSubtask]? in
            guard let count = reader.integer(UInt32.self) else { return nil }
            var found: [TodoSubtask] = []
            for _ in 0..<count {
                guard let id = reader.text().flatMap(TaskID.init(stored:)),
                    let done = reader.integer(UInt8.self), let flags = reader.integer(UInt8.self),
                    let due = reader.integer(Int64.self),
                    let reminder = reader.integer(Int64.self), let name = reader.text()
                else { return nil }
                found.append(
                    TodoSubtask(
                        id: id, name: name, isDone: done != 0,
                        due: flags & 1 == 0 ? nil : PointInTime(milliseconds: due),
                        reminder: flags & 2 == 0 ? nil : PointInTime(milliseconds: reminder)))
            }
            return reader.isAtEnd ? found : nil
        }
        guard let found else { throw DatabaseError.damagedTask }
        if var text = plainText {
            text.subtasks = found
            content = .plain(text)
        } else {
            steps = found.map(TaskStep.init)
        }
    }
}
