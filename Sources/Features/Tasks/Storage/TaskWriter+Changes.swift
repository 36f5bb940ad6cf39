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
    /// The task before, with its subtasks; nil if the command added it, and if text is ``hidden``.
    let before: TodoTask?
    /// Whether the command added it.
    let isNew: Bool
    /// The revision after the command; nil if it removed the task.
    let after: UInt64?
    /// The time of the completion that the command counted for a repeated task.
    let counted: PointInTime?
    /// Whether text went into the vault, out of it, or changed there.
    let isHidden: Bool
    /// Whether the text was in the vault before.
    let wasProtected: Bool
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
            Self.copy(
                "after, hidden, subtasks", as: "$5, $6, $7",
                text: isHidden ? "NULL, NULL, NULL, NULL" : nil, where: "id = $3", time: "$4"),
            values + [.bytes(isHidden && !old.isProtected ? nil : old.encodedSubtasks)])
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
        try noteAll("state = 1 AND kept_from < $4", limit)
    }

    /// Notes the tasks that are about to be shown again.
    func noteClearing(undoneFrom start: PointInTime) throws {
        try noteAll("state = 2 AND cleared >= $4", start)
    }

    private func noteAll(_ condition: String, _ limit: PointInTime) throws {
        guard let command else { return }
        try transaction.change(
            Self.copy(
                "after, hidden", as: "revision + 1, 0", where: condition, time: "$3"),
            [
                .text(command.machine), .integer(try number(of: command)),
                .integer(command.time.milliseconds), .integer(limit.milliseconds),
            ])
    }

    /// A statement that copies rows of `tasks`. Parameters 1 and 2 are the machine and the number of the command.
    private static func copy(
        _ columns: String, as values: String, text: String? = nil, where condition: String,
        time: String
    ) -> SQL {
        let publicPart = """
            revision, created, due, completed, kept_from, cleared, wait, reminder, snooze, repetition,
            priority, list, tags, nickname, words, state
            """
        let statement = """
            INSERT INTO changes (machine, command, task, time, \(columns), \(publicPart),
                name, name_key, notes, further)
            SELECT $1, $2, id, \(time), \(values), \(publicPart),
                \(text ?? "name, name_key, notes, further")
            FROM tasks WHERE \(condition)
            ON CONFLICT (machine, command, task) DO NOTHING
            """
        return SQL(assembledForSQLite: statement, postgreSQL: statement)
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
    ///
    /// - Returns: Whether there was any.
    func forgetText(of id: TaskID) throws -> Bool {
        try transaction.change(
            """
            UPDATE changes SET hidden = 1, name = NULL, name_key = NULL, notes = NULL,
                further = NULL, subtasks = NULL
            WHERE task = $1 AND name IS NOT NULL
            """, [.text(id.text)]) > 0
    }

    private func key(_ command: UndoableCommand, _ id: TaskID) throws -> [DatabaseValue] {
        [
            .text(command.machine), .integer(try number(of: command)), .text(id.text),
            .integer(command.time.milliseconds),
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

    /// Removes what can no longer be undone.
    func forgetChanges(_ old: OldChanges) throws {
        try transaction.change(
            "DELETE FROM changes WHERE machine = $1 AND (time < $2 OR time > $3) OR time < $4",
            old.values)
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

    /// Tells the commands of all machines that tasks which they changed were cleared, of which no owner asked anything.
    func move(changesOfTasksClearedAt time: PointInTime) throws {
        try transaction.change(
            """
            UPDATE changes SET after = after + 1
            WHERE EXISTS (
                SELECT 1 FROM tasks
                WHERE id = changes.task AND revision = changes.after + 1 AND state = 2 AND cleared = $1)
            """, [.integer(time.milliseconds)])
    }

    /// Removes the notes of a command that was undone.
    func forgetChanges(of command: Int64, by machine: String) throws {
        try transaction.change(
            "DELETE FROM changes WHERE machine = $1 AND command = $2",
            [.text(machine), .integer(command)])
    }
}

/// Which changes can no longer be undone: those of this machine after a day, and those that a clock ahead of the present one noted. Those of
/// others after a week, because their clocks may differ.
struct OldChanges {
    fileprivate let values: [DatabaseValue]

    init(of machine: String?, at now: PointInTime) {
        let day = TaskList.undoPeriod
        values =
            [.text(machine ?? "")]
            + [.zero - day, day, .zero - day * 7].map {
                .integer(now.advanced(by: $0).milliseconds)
            }
    }
}

// Reading them.
extension Transaction {
    /// Whether there are changes that can no longer be undone.
    func has(_ old: OldChanges) throws -> Bool {
        try row(
            """
            SELECT 1 FROM changes
            WHERE machine = $1 AND (time < $2 OR time > $3) OR time < $4 LIMIT 1
            """, old.values
        ) { _ in true } ?? false
    }

    /// The number of the last command of a machine since a time; nil if there is none.
    func lastCommand(of machine: String, since start: PointInTime) throws -> Int64? {
        let last = try row(
            "SELECT coalesce(max(command), 0) FROM changes WHERE machine = $1 AND time >= $2",
            [.text(machine), .integer(start.milliseconds)]
        ) { try $0.integer(0) }
        return last == 0 ? nil : last
    }

    /// When a command noted its first change; nil if it noted none.
    func time(of command: Int64, by machine: String) throws -> PointInTime? {
        try row(
            "SELECT time FROM changes WHERE machine = $1 AND command = $2 ORDER BY time LIMIT 1",
            [.text(machine), .integer(command)]
        ) { PointInTime(milliseconds: try $0.integer(0)) }
    }

    /// What a command changed, page by page: a page of the longest texts is 64 MiB.
    func changes(of command: Int64, by machine: String) throws -> [TaskChange] {
        var found: [TaskChange] = []
        while true {
            let page = try changes(
                "machine = $1 AND command = $2 AND task > $3 ORDER BY task LIMIT 64",
                [.text(machine), .integer(command), .text(found.last?.task.text ?? "")])
            // A server that repeats rows must not cause an endless loop.
            if let first = page.first, let last = found.last, first.task <= last.task {
                throw DatabaseError.damagedTask
            }
            found += page
            guard page.count == 64 else { return found }
        }
    }

    /// What the noted changes of a protected task found of its subtasks, the latest first.
    func earlierSteps(of id: TaskID) throws -> [SubtaskRow] {
        try rows(
            """
            SELECT subtasks FROM changes WHERE task = $1 AND name IS NULL AND subtasks IS NOT NULL
            ORDER BY time DESC, command DESC
            """, [.text(id.text)]
        ) { try TodoTask.subtasks(in: $0.bytes(0)).map(SubtaskRow.init) }.flatMap(\.self)
    }

    /// The task that had this text in the vault before it was removed last; nil if no note has it.
    func removedTask(with words: ProtectedTextID) throws -> TodoTask? {
        try changes(
            "words = $1 AND after IS NULL AND hidden = 0 ORDER BY time DESC LIMIT 1",
            [.text(words.text)]
        ).first?.before
    }

    private func changes(
        _ condition: String, _ values: [DatabaseValue]
    ) throws -> [TaskChange] {
        let statement = """
            SELECT task, revision, created, due, completed, kept_from, cleared, wait, reminder,
                snooze, repetition, priority, list, tags, nickname, words, name, notes, further,
                after, counted, hidden, subtasks
            FROM changes WHERE \(condition)
            """
        return try rows(SQL(assembledForSQLite: statement, postgreSQL: statement), values) { row in
            let isHidden = try row.integer(21) != 0
            let isNew = row.isNull(1)
            let subtasks = try row.optionalBytes(22)
            var before: TodoTask?
            if !isNew, !isHidden {
                var task = try TodoTask(row)
                if let subtasks { task.take(try TodoTask.subtasks(in: subtasks)) }
                before = task
            }
            return TaskChange(
                task: try row.taskID(0), before: before, isNew: isNew,
                after: try row.optionalInteger(19).map { UInt64(clamping: $0) },
                counted: try row.optionalInteger(20).map { PointInTime(milliseconds: $0) },
                isHidden: isHidden, wasProtected: !row.isNull(15), hasSubtasks: subtasks != nil)
        }
    }
}

extension TodoTask {
    /// The subtasks: u32 count ‖ count × (text id ‖ u8 done ‖ time due ‖ time reminder ‖ time snooze ‖ text name). A time is u8 1 ‖ i64, or
    /// u8 0. The names of a protected task's subtasks are empty.
    fileprivate var encodedSubtasks: [UInt8] {
        let all = plainText?.subtasks ?? steps.map { TodoSubtask($0, name: "") }
        var writer = ByteWriter()
        writer.integer(UInt32(all.count))
        for subtask in all {
            writer.text(subtask.id.text)
            writer.integer(UInt8(subtask.isDone ? 1 : 0))
            for time in [subtask.due, subtask.reminder, subtask.snooze] {
                writer.integer(UInt8(time == nil ? 0 : 1))
                if let time { writer.integer(time.milliseconds) }
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
                var times: [PointInTime?] = []
                for _ in 0..<3 {
                    guard let isSet = reader.integer(UInt8.self) else { return nil }
                    let time = isSet == 0 ? nil : reader.integer(Int64.self)
                    guard isSet == 0 || time != nil else { return nil }
                    times.append(time.map { PointInTime(milliseconds: $0) })
                }
                guard let name = reader.text() else { return nil }
                var subtask = TodoSubtask(
                    id: id, name: name, isDone: done != 0, due: times[0], reminder: times[1])
                subtask.snooze = times[2]
                found.append(subtask)
            }
            return reader.isAtEnd ? found : nil
        }
        guard let found else { throw DatabaseError.damagedTask }
        return found
    }

    fileprivate mutating func take(_ found: [TodoSubtask]) {
        if var text = plainText {
            text.subtasks = found
            content = .plain(text)
        } else {
            steps = found.map(SubtaskRow.init)
        }
    }
}
