@testable import Database
import Foundation
import Synchronization
import Testing
import TestSupport

/// Where a contract is tested.
enum Implementation: String, Sendable, CaseIterable {
    case memory, file, server

    /// All that this machine has.
    static var all: [Implementation] {
        allCases.filter { $0 != .server || PostgreSQLServer.isWanted }
    }
    /// Those that several pools can open.
    static var shared: [Implementation] { all.filter { $0 != .memory } }

    /// Runs `body` with a new empty place.
    func withPlace(_ body: (DatabasePlace) throws -> Void) throws {
        switch self {
        case .memory: try body(.memory)
        case .file: try withTemporaryFolder { try body(.file($0 + "/notes.db")) }
        case .server:
            try withPostgreSQLDatabase { try body(.server(PostgreSQLAddress($0))) }
        }
    }

    /// Runs `body` with a new pool for notes.
    func withPool(
        _ options: DatabaseOptions = DatabaseOptions(),
        _ body: (DatabasePool, DatabasePlace) throws -> Void
    ) throws {
        try withPlace { place in
            let pool = try DatabasePool.openOrCreate(place, .notes, options)
            defer { pool.close() }
            try body(pool, place)
        }
    }

    /// Runs `body` with two pools for notes on one place.
    func withTwoPools(
        _ options: DatabaseOptions = DatabaseOptions(),
        _ body: (DatabasePool, DatabasePool) throws -> Void
    ) throws {
        try withPool(options) { first, place in
            let second = try DatabasePool.open(place, .notes, options)
            defer { second.close() }
            try body(first, second)
        }
    }
}

extension DatabasePlace {
    /// Runs statements past every pool.
    func run(sqlite: String, postgreSQL: String) throws {
        switch self {
        case .file(let path):
            let connection = try SQLiteConnection(
                path: path, options: SQLiteOptions(access: .readWrite))
            defer { connection.close() }
            try connection.run(script: sqlite)
        case .server(let address):
            let connection = try PostgreSQLConnection(to: address)
            defer { connection.close() }
            try connection.run(script: postgreSQL)
        case .memory: Issue.record("only its pool can reach it")
        }
    }

    /// The names of all tables.
    func tables() throws -> Set<String> {
        switch self {
        case .file(let path):
            let connection = try SQLiteConnection(
                path: path, options: SQLiteOptions(access: .readWrite))
            defer { connection.close() }
            let statement = try connection.statement(
                "SELECT name FROM sqlite_schema WHERE type = 'table'")
            var names: Set<String> = []
            while try statement.step() { names.insert(try statement.row.text(0)) }
            return names
        case .server(let address):
            let connection = try PostgreSQLConnection(to: address)
            defer { connection.close() }
            let rows = try connection.rows(
                """
                SELECT tablename::text FROM pg_tables
                WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
                    AND tablename <> 'version'
                """)
            return Set(try rows.map { try $0.text(0) })
        case .memory: return []
        }
    }
}

extension Schema {
    private static let notesTable = Entry.table(
        "notes",
        """
        CREATE TABLE notes (id INTEGER NOT NULL PRIMARY KEY, bytes BLOB, number INTEGER, words TEXT) \
        STRICT, WITHOUT ROWID
        """)
    private static let moreTable = Entry.table(
        "more", "CREATE TABLE more (id INTEGER NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID")
    private static let moreIndex = Entry.index(
        "notes_number", on: "notes", "CREATE INDEX notes_number ON notes (number)")
    private static let first = Migration(version: 1, making: [notesTable])
    /// Adds a table, an index, and the note 1,000.
    private static let second = Migration(
        version: 3,
        sqlite: [moreTable.sqlite, moreIndex.sqlite, addition],
        postgreSQL: [moreTable.postgreSQL, moreIndex.postgreSQL, addition])
    private static let addition = "INSERT INTO notes (id) VALUES (1000)"

    private static func of(_ entries: [Entry], _ migrations: [Migration]) -> Schema {
        Schema(
            noun: "notebook", serverName: "taskvault_notes", applicationID: 0x6E6F_7465,
            holdsText: true, entries: entries, migrations: migrations)
    }

    /// The first version of notes.
    static let notes = of([notesTable], [first])
    /// Version 3, of a newer program.
    static let newerNotes = of([notesTable, moreTable, moreIndex], [first, second])
    /// As the newer one, whose step takes a moment.
    static let slowNotes = of(
        [notesTable, moreTable, moreIndex],
        [
            first,
            Migration(
                version: 3, sqlite: [second.sqlite],
                postgreSQL: [
                    "SELECT pg_sleep(0.3)", moreTable.postgreSQL, moreIndex.postgreSQL, addition,
                ]),
        ])
    /// A version whose last step fails.
    static let brokenNotes = of(
        [notesTable, moreTable, moreIndex],
        [
            first, second,
            Migration(version: 4, sqlite: [broken], postgreSQL: [broken]),
        ])
    private static let broken = "INSERT INTO more (id) VALUES (1), (1)"
}

extension Transaction {
    /// Adds a note.
    func insert(
        _ id: Int64, bytes: [UInt8]? = nil, number: Int64? = nil, words: String? = nil
    ) throws {
        try change(
            "INSERT INTO notes (id, bytes, number, words) VALUES ($1, $2, $3, $4)",
            [.integer(id), .bytes(bytes), .integer(number), .text(words)])
    }

    /// The ids of all notes.
    func ids() throws -> [Int64] {
        try rows("SELECT id FROM notes ORDER BY id") { try $0.integer(0) }
    }
}

extension DatabasePool {
    /// The ids of all notes.
    func ids() throws -> [Int64] {
        try read { try $0.ids() }
    }
}

/// An error of the tests.
struct BodyError: Error, Equatable {
    var number = 7
}

/// The error of the database that `body` throws; nil if it throws none or another.
func databaseError(_ body: () throws -> Void) -> DatabaseError? {
    do {
        try body()
        return nil
    } catch {
        return error as? DatabaseError
    }
}

/// Expects that `body` fails like this. See ``expectFailure(_:sourceLocation:_:)``.
func expect(
    _ expected: DatabaseError?, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) {
    let found = databaseError(body)
    #expect(found == expected, sourceLocation: sourceLocation)
}

/// Expects that `body` finds something that is not as it should be.
func expectDamage(
    sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) {
    let found = databaseError(body)
    guard case .damaged = found else {
        Issue.record("\(String(describing: found))", sourceLocation: sourceLocation)
        return
    }
}

/// Runs `body` with 0, 1, … on as many threads, which may wait for one another, and waits for all. They are to throw nothing.
func onOwnThreads(
    _ count: Int, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable (Int) throws -> Void
) {
    let failures = Mutex<[String]>([])
    let ended = DispatchSemaphore(value: 0)
    for number in 0..<count {
        Thread.detachNewThread {
            do {
                try body(number)
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
            ended.signal()
        }
    }
    for _ in 0..<count { ended.wait() }
    #expect(failures.withLock { $0 } == [], sourceLocation: sourceLocation)
}
