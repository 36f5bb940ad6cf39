@testable import Database
import Testing

@Suite("A statement")
struct StatementTests {
    @Test("gives back the blob that was bound", arguments: [0, 1, 32, 4_096, 1_048_576])
    func blobs(count: Int) throws {
        try withDatabase { database in
            let blob = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let statement = try database.statement("SELECT $1, typeof($1)")
            try statement.bind([.bytes(blob)])
            #expect(try statement.step())
            #expect(try statement.row.bytes(0) == blob)
            #expect(try statement.row.textBytes(1) == Array("blob".utf8))
            #expect(try !statement.step())
        }
    }

    @Test("gives back integers", arguments: [Int64.min, -1, 0, 1, Int64.max])
    func integers(number: Int64) throws {
        try withDatabase { database in
            let statement = try database.statement("SELECT $1")
            try statement.bind([.integer(number)])
            #expect(try statement.step())
            #expect(try statement.row.integer(0) == number)
        }
    }

    /// Columns: integer, real, text, blob, NULL.
    @Test("converts nothing", arguments: 0..<5)
    func types(column: Int32) throws {
        try withDatabase { database in
            let statement = try database.statement("SELECT 1, 1.0, '1', x'31', NULL")
            #expect(try statement.step())
            func isMismatch(_ body: () throws -> Void) -> Bool {
                do {
                    try body()
                    return false
                } catch {
                    return (error as? DatabaseError) == .mismatch
                }
            }
            #expect(isMismatch { _ = try statement.row.integer(column) } == (column != 0))
            #expect(isMismatch { _ = try statement.row.textBytes(column) } == (column != 2))
            #expect(isMismatch { _ = try statement.row.text(column) } == (column != 2))
            #expect(isMismatch { _ = try statement.row.bytes(column) } == (column != 3))
            #expect(statement.row.isNull(column) == (column == 4))
        }
    }

    @Test("gives back texts, and strings of those that are valid")
    func strings() throws {
        try withDatabase { database in
            let statement = try database.statement("SELECT $1, '', CAST(x'61ff' AS TEXT)")
            let text = "zażółć\u{0}🙂"
            try statement.bind([.text(text)])
            #expect(try statement.step())
            #expect(try Array(statement.row.text(0).utf8) == Array(text.utf8))
            #expect(try statement.row.textBytes(0) == Array(text.utf8))
            #expect(try statement.row.text(1) == "")
            let error = #expect(throws: DatabaseError.self) { _ = try statement.row.text(2) }
            #expect(error == .mismatch)
            #expect(try statement.row.textBytes(2) == [0x61, 0xff])
        }
    }

    @Test("is reset and unbound when its run ends, also by an error")
    func reset() throws {
        try withDatabase { database in
            func run(_ bytes: [UInt8]?) throws -> Bool {
                let statement = try database.statement("SELECT $1 IS NULL")
                if let bytes { try statement.bind([.bytes(bytes)]) }
                guard try statement.step() else { return false }
                if bytes != nil { throw CancellationError() }
                return try statement.row.integer(0) == 1
            }
            #expect(throws: CancellationError.self) { try run([1]) }
            #expect(try run(nil))
            // An unfinished run would keep its lock, and the file could not be changed.
            try database.run(script: "CREATE TABLE t (a); DROP TABLE t")
        }
    }

    @Test("can run inside a run of itself")
    func nested() throws {
        try withDatabase { database in
            try database.run(script: "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2), (3)")
            func rows(_ body: (Int64) throws -> Void) throws {
                let statement = try database.statement("SELECT a FROM t ORDER BY a")
                while try statement.step() { try body(try statement.row.integer(0)) }
            }
            var pairs: [Int64] = []
            try rows { outer in try rows { inner in pairs.append(outer * 10 + inner) } }
            #expect(pairs == [11, 12, 13, 21, 22, 23, 31, 32, 33])
        }
    }

    @Test("that does not exist is an error without its text or what was bound")
    func errorsCarryNoText() throws {
        try withDatabase { database in
            let error = #expect(throws: DatabaseError.self) {
                _ = try database.statement("SELECT canary FROM canaries").step()
            }
            #expect(error == .damaged(reason: "the tables changed after they were checked"))
        }
    }

    @Test("refuses more or fewer parameters than it has")
    func parameterNumber() throws {
        try withDatabase { database in
            let statement = try database.statement("SELECT $1")
            for count in [0, 2] {
                let error = #expect(throws: DatabaseError.self) {
                    try statement.bind([DatabaseValue](repeating: .bytes([1]), count: count))
                }
                #expect(error == .inputOutput(operation: "bind", code: 25))
            }
        }
    }

    @Test("tells a taken key from other broken rules")
    func duplicateKey() throws {
        try withDatabase { database in
            try database.run(
                script: """
                    CREATE TABLE t (a BLOB PRIMARY KEY CHECK (length(a) = 1)) STRICT, WITHOUT ROWID;
                    INSERT INTO t VALUES (x'01');
                    """)
            func insert(_ bytes: [UInt8]) throws {
                let statement = try database.statement("INSERT INTO t VALUES ($1)")
                try statement.bind([.bytes(bytes)])
                while try statement.step() {}
            }
            let duplicate = #expect(throws: DatabaseError.self) { try insert([1]) }
            #expect(duplicate == .damaged(reason: "a row violates the schema"))
            let check = #expect(throws: DatabaseError.self) { try insert([1, 2]) }
            #expect(check == .damaged(reason: "a row violates the schema"))
            try insert([2])
            #expect(database.changedRows == 1)
        }
    }
}
