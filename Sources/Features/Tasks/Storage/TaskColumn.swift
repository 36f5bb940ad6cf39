internal import Database
internal import TextCoding

/// A column of the table `tasks`.
///
/// To add a column, give ``TodoTask`` a property, and ``all`` a row. The tables, the statements, `task undo`, concurrent edits and
/// TaskVault's own files follow from the row.
struct TaskColumn: Sendable {
    /// The type of the values, and their form in TaskVault's own files.
    enum Kind: Sendable, Equatable {
        /// An integer or bytes. Files lack such columns.
        case integer, bytes
        /// Milliseconds since 1970-01-01 UTC; RFC 3339 in files.
        case time
        /// A day or a point in time (``TaskTime/stored``); a date or RFC 3339 in files.
        case dayOrTime
        /// A text, also in files.
        case text
        /// The index of a name; the name in files.
        case choice([String])
        /// Texts without blanks, joined by blanks; an array in files.
        case tags
    }

    /// The effect of two edits that change the column at the same time.
    enum Edit: Sendable {
        /// No edit changes the column.
        case never
        /// The later edit counts.
        case latest
        /// The later edit fails.
        case exclusive
    }

    /// The JSON objects that have the column as a member.
    enum Export: Sendable {
        case never
        /// TaskVault's own files.
        case file
        /// Files, and the output of commands.
        case fileAndOutput
    }

    /// The name.
    let name: String
    /// The kind of the values.
    let kind: Kind
    /// Whether the value cannot be NULL.
    let isRequired: Bool
    /// Whether the column holds text of the task, so that it is NULL if the task is protected.
    let isText: Bool
    /// The effect of two edits.
    let edit: Edit
    /// The JSON objects that have the member.
    let export: Export
    /// The name of the member.
    let member: String
    /// The limits of a public text.
    let part: TaskTextRule.Part?
    /// The value of a task.
    let value: Value
    /// Gives a task the value of a row. Nil if the reader of an earlier column reads this one too.
    let read: Reader?
    /// Whether other columns determine the value, so that no statement reads it.
    let isComputed: Bool

    typealias Value = @Sendable (TodoTask) -> DatabaseValue
    typealias Reader = @Sendable (inout TodoTask, any Row, Int32) throws -> Void

    /// The columns, in the order of the table. The long ones are near the end, so that SQLite finds the others on the row's first page.
    static let all: [TaskColumn] = [
        TaskColumn(
            "id", .text, isRequired: true,
            value: { .text($0.id.text) }, read: { $0.id = try $1.taskID($2) }),
        TaskColumn(
            "revision", .integer, isRequired: true,
            value: { .integer(Int64(clamping: $0.revision)) },
            read: { $0.revision = try $1.revision($2) }),
        TaskColumn(
            "due", .dayOrTime, edit: .exclusive, export: .fileAndOutput,
            value: { .time($0.due) }, read: { $0.due = try $1.dayOrTime($2) }),
        TaskColumn(
            "wait", .dayOrTime, edit: .exclusive, export: .fileAndOutput,
            value: { .time($0.wait) }, read: { $0.wait = try $1.dayOrTime($2) }),
        TaskColumn(
            "reminder", .dayOrTime, edit: .exclusive, export: .fileAndOutput,
            value: { .time($0.reminder) }, read: { $0.reminder = try $1.dayOrTime($2) }),
        TaskColumn(
            "snooze", .dayOrTime, edit: .latest, export: .file,
            value: { .time($0.snooze.map { .moment($0) }) },
            read: { $0.snooze = try $1.snooze($2) }),
        TaskColumn(
            "repetition", .text, edit: .exclusive, export: .fileAndOutput, as: "repeat",
            value: { .text($0.repetition?.text) }, read: { $0.repetition = try $1.repetition($2) }),
        TaskColumn(
            "occurrence", .text, edit: .exclusive, export: .file,
            value: { .text($0.occurrence?.text) }, read: { $0.occurrence = try $1.occurrence($2) }),
        TaskColumn(
            "priority", .choice(TaskPriority.allCases.map(\.name)), isRequired: true,
            edit: .exclusive, export: .fileAndOutput,
            value: { .integer($0.priority.rawValue) }, read: { $0.priority = try $1.priority($2) }),
        TaskColumn(
            "list", .text, edit: .exclusive, export: .fileAndOutput, part: .list,
            value: { .text($0.list) }, read: { $0.list = try $1.optionalText($2) }),
        TaskColumn(
            "tags", .tags, isRequired: true, edit: .exclusive, export: .fileAndOutput,
            value: { .text($0.tags.joined(separator: " ")) },
            read: { $0.tags = split(try $1.text($2)) }),
        TaskColumn(
            "depends", .tags, isRequired: true, edit: .exclusive, export: .fileAndOutput,
            as: "after",
            value: { .text($0.dependencies.map(\.text).joined(separator: " ")) },
            read: { $0.dependencies = try $1.taskIDs($2) }),
        TaskColumn(
            "created", .time, isRequired: true, export: .fileAndOutput,
            value: { .time($0.created) },
            read: { $0.created = PointInTime(milliseconds: try $1.integer($2)) }),
        TaskColumn(
            "completed", .time, export: .fileAndOutput,
            value: { .time($0.completion?.time) },
            read: { $0.completion = try $1.completion(from: $2) }),
        TaskColumn(
            "kept_from", .time, export: .file, value: { .time($0.completion?.keptFrom) }),
        TaskColumn(
            "cleared", .time, export: .fileAndOutput, value: { .time($0.completion?.cleared) }),
        TaskColumn(
            "nickname", .text, edit: .exclusive, part: .nickname,
            value: { .text($0.nickname) }, read: { $0.nickname = try $1.optionalText($2) }),
        TaskColumn(
            "text_id", .text,
            value: { .text($0.textID?.text) }, read: { $0.content = try $1.content(from: $2) }),
        TaskColumn("name", .text, isText: true, value: { .text($0.plainText?.name) }),
        TaskColumn(
            "name_key", .bytes, isText: true, isComputed: true,
            value: { .bytes($0.plainText.map { NameKey($0.name).forSorting }) }),
        TaskColumn("notes", .text, isText: true, value: { .text($0.plainText?.notes) }),
        TaskColumn("further", .text, isText: true, value: { .text($0.plainText?.further) }),
        TaskColumn(
            "state", .integer, isRequired: true, isComputed: true,
            value: { .integer($0.completion.map { $0.cleared == nil ? 1 : 2 } ?? 0) }),
    ]

    init(
        _ name: String, _ kind: Kind, isRequired: Bool = false, isText: Bool = false,
        isComputed: Bool = false, edit: Edit = .never, export: Export = .never,
        as member: String? = nil,
        part: TaskTextRule.Part? = nil, value: @escaping Value, read: Reader? = nil
    ) {
        self.name = name
        self.kind = kind
        self.isRequired = isRequired
        self.isText = isText
        self.isComputed = isComputed
        self.edit = edit
        self.export = export
        self.member = member ?? name
        self.part = part
        self.value = value
        self.read = read
    }
}

// Some of the columns, for the users of the table.
extension TaskColumn {
    /// The columns from which a task is read.
    static let readable = all.filter { !$0.isComputed }
    /// The columns of `changes`, which names the task otherwise.
    static let undoable = readable.dropFirst()
    /// The columns that an edit of a task can change.
    static let editable = all.filter { $0.edit != .never }
    /// The columns with times.
    static let times = all.filter { [.time, .dayOrTime].contains($0.kind) }
    /// The columns with times that an owner sets.
    static let ownTimes = times.filter { $0.edit == .exclusive }
    /// The columns with public texts.
    static let publicTexts = all.filter { $0.part != nil }
    /// The columns of files and of the output of commands.
    static let members = all.filter { $0.export != .never }

    /// The readers, and the indexes of their columns among ``readable``. A copy of a whole column would cost more than the call.
    fileprivate static let readers = readable.indices.compactMap { index in
        readable[index].read.map { (index: Int32(index), read: $0) }
    }
    fileprivate static let values = all.map(\.value)

    /// The indexes of columns among ``readable``.
    static let (notes, textID) = (index(of: "notes"), index(of: "text_id"))

    private static func index(of name: String) -> Int32 {
        Int32(readable.firstIndex { $0.name == name } ?? 0)
    }

    /// The names of ``readable``.
    static let readableNames = names(readable)

    /// The names with commas between them.
    static func names(_ columns: some Sequence<TaskColumn>) -> String {
        columns.map(\.name).joined(separator: ", ")
    }

    /// The declarations of ``undoable``, where each may be NULL.
    static var nullableDeclarations: String {
        undoable.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
    }

    /// The declarations of ``all``.
    static var declarations: String {
        all.map { "\($0.name) \($0.type)\($0.isRequired ? " NOT NULL" : "")" }
            .joined(separator: ", ")
    }

    /// The condition that a row has its text, all of it, or a text id.
    static var textCondition: String {
        let texts = all.filter(\.isText).map(\.name)
        let rest = texts.dropFirst().map { " AND (\(texts[0]) IS NULL) = (\($0) IS NULL)" }
        return "(text_id IS NULL) = (\(texts[0]) IS NOT NULL)" + rest.joined()
    }

    private var type: String {
        switch kind {
        case .integer, .time, .dayOrTime, .choice: "INTEGER"
        case .text, .tags: "TEXT"
        case .bytes: "BLOB"
        }
    }

    /// The text of a task; nil for NULL.
    func text(of task: TodoTask) -> String? {
        guard case .text(let text) = value(task) else { return nil }
        return text
    }

    /// Whether the time of a task is missing or of the years that can be typed.
    func hasTypableTime(in task: TodoTask) -> Bool {
        guard case .integer(let number?) = value(task) else { return true }
        return DueTimeParser.accepts(
            kind == .time
                ? .moment(PointInTime(milliseconds: number)) : TaskTime(stored: number))
    }

    /// The tags of a stored text. A combining character after a blank belongs to the tag, so that characters cannot be compared.
    static func split(_ text: String) -> [String] {
        // Most tasks have none.
        if text.isEmpty { return [] }
        return text.unicodeScalars.split(separator: " ").map { String($0) }
    }
}

extension TodoTask {
    /// A task before its columns are read.
    private static let blank = TodoTask(
        id: TaskID(number: 0 as UInt64), content: .plain(TaskText(name: "")),
        created: PointInTime(milliseconds: 0))

    /// Reads a task from a row that begins with the columns ``TaskColumn/readable``. The task has no subtasks yet, and no notes if that
    /// column is NULL.
    ///
    /// - Throws: `DatabaseError.damaged` for a row that this program never writes.
    init(_ row: any Row) throws {
        self = .blank
        for column in TaskColumn.readers { try column.read(&self, row, column.index) }
    }

    /// The values of ``TaskColumn/all``.
    var values: [DatabaseValue] { TaskColumn.values.map { $0(self) } }

    /// Sets one of the columns ``TaskColumn/editable``.
    mutating func set(_ column: TaskColumn, to value: DatabaseValue) throws {
        try column.read?(&self, ValueRow(value: value), 0)
    }
}

/// One value as a row.
private struct ValueRow: Row {
    let value: DatabaseValue

    func isNull(_ column: Int32) -> Bool {
        switch value {
        case .bytes(nil), .integer(nil), .text(nil): true
        default: false
        }
    }

    func bytes(_ column: Int32) throws -> [UInt8] {
        guard case .bytes(let bytes?) = value else { throw DatabaseError.damagedTask }
        return bytes
    }

    func integer(_ column: Int32) throws -> Int64 {
        guard case .integer(let integer?) = value else { throw DatabaseError.damagedTask }
        return integer
    }

    func text(_ column: Int32) throws -> String {
        guard case .text(let text?) = value else { throw DatabaseError.damagedTask }
        return text
    }
}

extension DatabaseValue {
    /// The milliseconds of a time.
    static func time(_ time: PointInTime?) -> DatabaseValue { .integer(time?.milliseconds) }

    /// The stored form of a day or a point in time.
    static func time(_ time: TaskTime?) -> DatabaseValue { .integer(time?.stored) }
}

extension Row {
    /// A column with the id of a task.
    func taskID(_ column: Int32) throws -> TaskID {
        guard let id = TaskID(stored: try text(column)) else { throw DatabaseError.damagedTask }
        return id
    }

    /// A column with the ids of tasks, joined by blanks.
    func taskIDs(_ column: Int32) throws -> [TaskID] {
        try TaskColumn.split(try text(column)).map { text in
            guard let id = TaskID(stored: text) else { throw DatabaseError.damagedTask }
            return id
        }
    }

    /// A column with the id of protected text, or NULL.
    func textID(_ column: Int32) throws -> ProtectedTextID? {
        guard let text = try optionalText(column) else { return nil }
        guard let id = ProtectedTextID(text) else { throw DatabaseError.damagedTask }
        return id
    }

    /// A column with a time, or NULL.
    func time(_ column: Int32) throws -> PointInTime? {
        try optionalInteger(column).map { PointInTime(milliseconds: $0) }
    }

    /// A column with a day or a point in time, or NULL.
    func dayOrTime(_ column: Int32) throws -> TaskTime? {
        guard let number = try optionalInteger(column) else { return nil }
        guard let time = TaskTime(stored: number) else { throw DatabaseError.damagedTask }
        return time
    }

    /// A column with the time of a postponed reminder, or NULL.
    func snooze(_ column: Int32) throws -> PointInTime? {
        guard let time = try dayOrTime(column) else { return nil }
        guard case .moment(let moment) = time else { throw DatabaseError.damagedTask }
        return moment
    }

    fileprivate func occurrence(_ column: Int32) throws -> Occurrence? {
        guard let text = try optionalText(column) else { return nil }
        guard let occurrence = Occurrence(text) else { throw DatabaseError.damagedTask }
        return occurrence
    }

    /// The content of a task, from the columns `text_id`, `name`, `notes` and `further`.
    fileprivate func content(from column: Int32) throws -> TodoTask.Content {
        switch (try textID(column), try optionalText(column + 1), try optionalText(column + 2)) {
        case (let id?, nil, nil): return .protected(id)
        case (nil, let name?, let notes):
            var text = TaskText(name: name, notes: notes ?? "")
            // A server leaves out long notes, and the attributes with them.
            if notes != nil { text.further = try self.text(column + 3) }
            return .plain(text)
        default: throw DatabaseError.damagedTask
        }
    }

    /// The completion of a task, from the columns `completed`, `kept_from` and `cleared`.
    fileprivate func completion(from column: Int32) throws -> TaskCompletion? {
        let (keptFrom, cleared) = (try time(column + 1), try time(column + 2))
        guard let time = try time(column) else {
            guard keptFrom == nil, cleared == nil else { throw DatabaseError.damagedTask }
            return nil
        }
        return TaskCompletion(time: time, keptFrom: keptFrom, cleared: cleared)
    }

    func revision(_ column: Int32) throws -> UInt64 {
        guard let revision = UInt64(exactly: try integer(column)), revision > 0 else {
            throw DatabaseError.damagedTask
        }
        return revision
    }

    fileprivate func repetition(_ column: Int32) throws -> RepeatRule? {
        guard let text = try optionalText(column) else { return nil }
        guard let rule = try? RepeatRule(rule: text) else { throw DatabaseError.damagedTask }
        return rule
    }

    fileprivate func priority(_ column: Int32) throws -> TaskPriority {
        guard let priority = TaskPriority(rawValue: try integer(column)) else {
            throw DatabaseError.damagedTask
        }
        return priority
    }
}

extension DatabaseError {
    /// A row that this program never writes.
    static let damagedTask = DatabaseError.damaged(reason: "a row is not that of a task")
}
