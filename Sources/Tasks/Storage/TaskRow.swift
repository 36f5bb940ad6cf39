internal import Database
internal import VaultStorage

/// A row of the table of tasks as it is stored.
struct TaskRow {
    /// The columns in the order in which a row is read.
    static let columns =
        "id, revision, created, due, completed, kept_from, cleared, reminder, words, name, notes"

    let id: [UInt8]
    let revision: Int64
    let created: Int64
    let due: Int64?
    let completed: Int64?
    let keptFrom: Int64?
    let cleared: Int64?
    let hasReminder: Int64
    let words: [UInt8]?
    let name: [UInt8]?
    let notes: [UInt8]?

    /// Makes a row from its columns.
    init(
        id: [UInt8], revision: Int64, created: Int64, due: Int64?, completed: Int64?,
        keptFrom: Int64?, cleared: Int64?, hasReminder: Int64, words: [UInt8]?, name: [UInt8]?,
        notes: [UInt8]?
    ) {
        self.id = id
        self.revision = revision
        self.created = created
        self.due = due
        self.completed = completed
        self.keptFrom = keptFrom
        self.cleared = cleared
        self.hasReminder = hasReminder
        self.words = words
        self.name = name
        self.notes = notes
    }

    /// Reads the columns of a row.
    init(_ statement: borrowing SQLiteStatement) throws(SQLiteError) {
        id = try statement.text(at: 0)
        revision = try statement.integer(at: 1)
        created = try statement.integer(at: 2)
        due = try statement.optionalInteger(at: 3)
        completed = try statement.optionalInteger(at: 4)
        keptFrom = try statement.optionalInteger(at: 5)
        cleared = try statement.optionalInteger(at: 6)
        hasReminder = try statement.integer(at: 7)
        words = try statement.optionalText(at: 8)
        name = try statement.optionalText(at: 9)
        notes = try statement.optionalText(at: 10)
    }

    /// The task without its subtasks.
    ///
    /// - Throws: ``DatabaseError/damaged(reason:)`` for a row that this program never writes.
    func task() throws(DatabaseError) -> TodoTask {
        guard let id = Self.id(id), let revision = UInt64(exactly: revision), revision > 0,
            let content = content(of: id), completed != nil || (keptFrom == nil && cleared == nil)
        else { throw .damagedTask }
        return TodoTask(
            id: id, content: content, due: due.map(PointInTime.init(milliseconds:)),
            created: PointInTime(milliseconds: created), completion: completion,
            hasReminder: hasReminder != 0, revision: revision)
    }

    private func content(of id: TaskID) -> TodoTask.Content? {
        switch (words, name, notes) {
        case (let words?, nil, nil):
            String(validating: words, as: UTF8.self).flatMap(ProtectedWordsID.init)
                .map { .protected($0) }
        case (nil, let name?, let notes?):
            if let name = String(validating: name, as: UTF8.self),
                let notes = String(validating: notes, as: UTF8.self)
            {
                .plain(TaskText(name: name, notes: notes))
            } else {
                nil
            }
        default: nil
        }
    }

    private var completion: TaskCompletion? {
        completed.map { time in
            TaskCompletion(
                time: PointInTime(milliseconds: time),
                keptFrom: keptFrom.map(PointInTime.init(milliseconds:)),
                cleared: cleared.map(PointInTime.init(milliseconds:)))
        }
    }

    /// An id, if it is stored as ids are.
    static func id(_ bytes: [UInt8]) -> TaskID? {
        String(validating: bytes, as: UTF8.self).flatMap(TaskID.init)
            .flatMap { $0.text.utf8.elementsEqual(bytes) ? $0 : nil }
    }
}

extension DatabaseError {
    static let damagedTask = DatabaseError.damaged(reason: "a row is not that of a task")
}

extension SQLiteStatement {
    func optionalInteger(at column: Int32) throws(SQLiteError) -> Int64? {
        isNull(at: column) ? nil : try integer(at: column)
    }

    func optionalText(at column: Int32) throws(SQLiteError) -> [UInt8]? {
        isNull(at: column) ? nil : try text(at: column)
    }

    /// Binds a point in time; none stays NULL, as every parameter is at first.
    func bind(_ time: PointInTime?, at index: Int32) throws(SQLiteError) {
        if let time { try bind(time.milliseconds, at: index) }
    }
}
