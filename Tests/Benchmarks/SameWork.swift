internal import CSodium
internal import CSQLite

/// The connections that the product opens in this process.
enum ProductConnection {
    private nonisolated(unsafe) static var last: OpaquePointer?

    /// Has SQLite tell of each connection; to be called before the first one.
    ///
    /// `synchronous` and `secure_delete` are settings of a connection and not of the file, so the product's own has to be asked. The
    /// corresponding C function is `sqlite3_auto_extension`.
    static func watch() {
        let note: @convention(c) (OpaquePointer?, UnsafeRawPointer?, UnsafeRawPointer?) -> Int32 = {
            unsafe ProductConnection.last = unsafe $0
            _ = unsafe ($1, $2)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafe unsafeBitCast(note, to: (@convention(c) () -> Void).self))
    }

    /// The connection that was opened last.
    static func newest() throws -> OpaquePointer {
        guard let last = unsafe last else { throw BenchmarkFailure("no connection was seen") }
        return unsafe last
    }
}

/// The properties that product and baseline must share for their times to be comparable, read back from both.
struct Work: Equatable, CustomStringConvertible {
    private let settings: [String]
    private let rows: Int
    private let bytes: Int
    private let digest: [UInt8]

    /// The columns that a measurement handles.
    enum Content: String {
        case items = "SELECT * FROM items ORDER BY tag"
        case buckets = "SELECT * FROM buckets ORDER BY number"
        case links = "SELECT * FROM links ORDER BY counter"
        case state = "SELECT * FROM state"
        case header = "SELECT * FROM header"
        case tasks = "SELECT * FROM tasks ORDER BY id"
        case subtasks = "SELECT * FROM subtasks ORDER BY task, position"
        case completions = "SELECT * FROM completions ORDER BY time, task"
        case intents = "SELECT * FROM intents ORDER BY text_id"
        case labels = "SELECT * FROM labels ORDER BY label, task"
        case changes = "SELECT * FROM changes ORDER BY machine, command, task"
    }

    /// All that a list of tasks consists of.
    static let allOfTasks: [Content] = [
        .tasks, .subtasks, .completions, .intents, .labels, .changes,
    ]

    private static let pragmas = [
        "journal_mode", "synchronous", "secure_delete", "page_size", "cell_size_check",
        "mmap_size", "cache_size", "wal_autocheckpoint", "temp_store", "auto_vacuum",
    ]

    init(_ connection: OpaquePointer, _ content: [Content]) throws {
        settings = try Self.pragmas.map { name in
            let value = try unsafe Self.firstText("PRAGMA \(name)", connection)
            return "\(name)=\(value)"
        }
        var rows = 0
        var all: [UInt8] = []
        for part in content {
            let statement = try unsafe Self.prepare(part.rawValue, connection)
            while try statement.step() {
                rows += 1
                for column in 0..<(unsafe sqlite3_column_count(statement.pointer)) {
                    // A number comes as its decimal digits here.
                    unsafe all.append(contentsOf: statement.blob(at: column))
                }
            }
        }
        self.rows = rows
        bytes = all.count
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe crypto_generichash(&digest, 32, all, UInt64(all.count), nil, 0)
        self.digest = digest
    }

    /// Makes sure that two connections have the same settings and hold the same bytes.
    static func requireSame(
        _ what: String, _ product: OpaquePointer, _ baseline: BareDatabase, _ content: [Content]
    ) throws {
        let (one, other) = unsafe (
            try Work(product, content), try Work(baseline.handle, content)
        )
        if one != other {
            throw BenchmarkFailure("\(what): product \(one), but baseline \(other)")
        }
    }

    var description: String {
        let start = digest.prefix(4).map { String($0, radix: 16) }.joined()
        return "\(settings.joined(separator: " ")), \(rows) rows, \(bytes) bytes, hash \(start)"
    }

    private static func firstText(_ sql: String, _ connection: OpaquePointer) throws -> String {
        let statement = try unsafe prepare(sql, connection)
        guard try statement.step(), let text = unsafe sqlite3_column_text(statement.pointer, 0)
        else { throw BenchmarkFailure("no answer to \(sql)") }
        return unsafe String(cString: text)
    }

    private static func prepare(_ sql: String, _ connection: OpaquePointer) throws -> BareStatement
    {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK,
            let statement = unsafe statement
        else { throw BenchmarkFailure("cannot run \(sql)") }
        return unsafe BareStatement(statement)
    }
}
