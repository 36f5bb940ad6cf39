@testable import Database
import Testing
import TestSupport

extension DatabaseContract {
    @Test("gives back what it was given", arguments: Implementation.all)
    func values(kind: Implementation) throws {
        let bytes: [[UInt8]?] = [
            nil, [], [0], Array(0...255), [UInt8](repeating: 0x5C, count: 1_100_000),
        ]
        let integers: [Int64?] = [nil, 0, -1, 1, .min, .max, 0x0102_0304_0506_0708]
        let texts: [String?] = [
            nil, "", "a'b\\c $1 ?1", "żółć 🦊 e\u{301} é \u{202E}\u{1B}[0m\n", "NULL",
        ]
        try kind.withPool { pool, _ in
            for index in 0..<7 {
                let (blob, number, text) = (bytes[index % 5], integers[index], texts[index % 5])
                try pool.write {
                    try $0.insert(Int64(index), bytes: blob, number: number, words: text)
                }
                let found = try pool.single { transaction in
                    try transaction.row(
                        "SELECT bytes, number, words FROM notes WHERE id = $1",
                        [.integer(Int64(index))]
                    ) { row in
                        #expect(row.isNull(0) == (blob == nil))
                        #expect(row.isNull(1) == (number == nil))
                        #expect(row.isNull(2) == (text == nil))
                        return (
                            try row.optionalBytes(0), try row.optionalInteger(1),
                            try row.optionalText(2)
                        )
                    }
                }
                let row = try #require(found)
                #expect(row.0 == blob)
                #expect(row.1 == number)
                // By bytes: strings compare by canonical equivalence.
                #expect(row.2.map { Array($0.utf8) } == text.map { Array($0.utf8) })
            }
        }
    }

    @Test("keeps or refuses a text with U+0000, and never cuts it", arguments: Implementation.all)
    func zeros(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            let text = "a\u{0}b"
            guard kind != .server else {
                expectDamage { try pool.write { try $0.insert(1, words: text) } }
                #expect(try pool.ids() == [])
                return try pool.write { try $0.insert(1, words: "a") }
            }
            try pool.write { try $0.insert(1, words: text) }
            let found = try pool.single { transaction in
                try transaction.rows("SELECT words FROM notes") { try $0.text(0) }
            }
            #expect(found.map { Array($0.utf8) } == [Array(text.utf8)])
        }
    }

    @Test("is damaged where a text of a file is no UTF-8")
    func invalidText() throws {
        try Implementation.file.withPool { pool, place in
            try place.run(
                sqlite: "INSERT INTO notes (id, words) VALUES (1, CAST(x'61ff' AS TEXT))",
                postgreSQL: "")
            expectDamage {
                _ = try pool.read { transaction in
                    try transaction.rows("SELECT words FROM notes") { try $0.text(0) }
                }
            }
            #expect(try pool.ids() == [1])
        }
    }

    /// Columns: bytes, integer, text, NULL, and one that there is not.
    @Test("converts no column", arguments: Implementation.all, 0..<5)
    func types(kind: Implementation, column: Int) throws {
        let column = Int32(column)
        try kind.withPool { pool, _ in
            try pool.write { try $0.insert(7, bytes: [0x31], words: "1") }
            func read(_ body: @escaping (any Row) throws -> Void) throws {
                _ = try pool.single { transaction in
                    try transaction.rows("SELECT bytes, id, words, number FROM notes") { row in
                        try body(row)
                    }
                }
            }
            func isRefused(_ body: @escaping (any Row) throws -> Void) -> Bool {
                if case .damaged = databaseError({ try read(body) }) { true } else { false }
            }
            #expect(isRefused { _ = try $0.bytes(column) } == (column != 0))
            #expect(isRefused { _ = try $0.integer(column) } == (column != 1))
            #expect(isRefused { _ = try $0.text(column) } == (column != 2))
            #expect(isRefused { _ = try $0.optionalBytes(column) } == [1, 2].contains(column))
            #expect(isRefused { _ = try $0.optionalInteger(column) } == [0, 2].contains(column))
            #expect(isRefused { _ = try $0.optionalText(column) } == [0, 1].contains(column))
            try read { #expect($0.isNull(column) == (column > 2)) }
        }
    }

    @Test(
        "takes parameters by their numbers, in any order and more than once",
        arguments: Implementation.all)
    func parameters(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { transaction in
                for id in 1...3 { try transaction.insert(Int64(id), number: 10 * Int64(id)) }
            }
            for _ in 0..<2 {
                let found = try pool.single { transaction in
                    try transaction.rows(
                        """
                        SELECT $2, id, $1, $2 FROM notes
                        WHERE number > $3 AND id < $1 OR id = $1 AND number = $3 ORDER BY id
                        """, [.integer(3), .text("b"), .integer(10)]
                    ) {
                        "\(try $0.text(0)) \(try $0.integer(1)) \(try $0.integer(2)) \(try $0.text(3))"
                    }
                }
                #expect(found == ["b 2 3 b"])
            }
            let changed = try pool.write { transaction in
                try transaction.change(
                    "UPDATE notes SET number = $2 WHERE id > $1 AND number > $1",
                    [.integer(1), .integer(5)])
            }
            #expect(changed == 2)
        }
    }

    @Test(
        "refuses fewer values than a statement has parameters", arguments: Implementation.all,
        [0, 1])
    func parameterCount(kind: Implementation, count: Int) throws {
        try kind.withPool { pool, _ in
            let values = [DatabaseValue](repeating: .integer(1), count: count)
            let error = databaseError {
                _ = try pool.write { transaction in
                    try transaction.change(
                        "INSERT INTO notes (id, number) VALUES ($1, $2)", values)
                }
            }
            let ids = try pool.ids()
            #expect(error != nil && ids == [])
        }
    }

    @Test(
        "runs statements that are assembled, and one text for each", arguments: Implementation.all)
    func texts(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { transaction in
                let insert = SQL(
                    assembledForSQLite: "INSERT INTO notes (id) VALUES ($1), ($1 + 1)",
                    postgreSQL: "INSERT INTO notes (id) VALUES ($1), ($1 + 2)")
                for id in [1, 11] as [Int64] {
                    #expect(try transaction.change(insert, [.integer(id)]) == 2)
                }
                #expect(
                    try transaction.ids() == (kind == .server ? [1, 3, 11, 13] : [1, 2, 11, 12]))
                let found = try transaction.rows(
                    SQL(
                        assembledForSQLite: "SELECT 'file', $1",
                        postgreSQL: "SELECT 'server'::text, $1"), [.text("x")]
                ) { try $0.text(0) + $0.text(1) }
                #expect(found == [kind == .server ? "serverx" : "filex"])
                let name = try transaction.row(
                    SQL(sqlite: "SELECT 'file'", postgreSQL: "SELECT 'server'::text")
                ) { try $0.text(0) }
                #expect(name == (kind == .server ? "server" : "file"))
            }
        }
    }

    @Test("counts what was changed, and finds one row or none", arguments: Implementation.all)
    func rows(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { transaction in
                for id in 1...3 { try transaction.insert(Int64(id), number: 5) }
                #expect(try transaction.change("UPDATE notes SET number = 6 WHERE id > 1") == 2)
                #expect(try transaction.change("UPDATE notes SET number = 6 WHERE id > 5") == 0)
                #expect(
                    try transaction.change(
                        "INSERT INTO notes (id) VALUES (3), (4) ON CONFLICT DO NOTHING") == 1)
                #expect(try transaction.change("DELETE FROM notes WHERE id = 4") == 1)
            }
            func row(_ number: Int64) throws -> Int64? {
                try pool.read { transaction in
                    try transaction.row(
                        "SELECT id FROM notes WHERE number = $1", [.integer(number)]
                    ) { try $0.integer(0) }
                }
            }
            #expect(try row(7) == nil)
            #expect(try row(5) == 1)
            expectDamage { _ = try row(6) }
        }
    }

    @Test(
        "goes on after a statement that does not fit, where a file or server does",
        arguments: Implementation.shared)
    func wrongStatement(kind: Implementation) throws {
        try kind.withPool { pool, _ in
            try pool.write { try $0.insert(1) }
            for _ in 0..<2 {
                expectDamage {
                    _ = try pool.single { try $0.rows("SELECT missing FROM notes") { _ in } }
                }
                expectDamage {
                    _ = try pool.write { transaction in
                        try transaction.insert(2)
                        try transaction.change("DELETE FROM missing")
                    }
                }
            }
            #expect(try pool.ids() == [1])
        }
    }
}

@Suite("The tables of a schema")
struct SchemaTests {
    @Test("get PostgreSQL's types on a server")
    func translation() {
        let table = Schema.Entry.table(
            "t",
            """
            CREATE TABLE t (a INTEGER NOT NULL CHECK (a IN (0, 1)), b BLOB, c TEXT NOT NULL, \
            d INTEGER, PRIMARY KEY (a, c)) STRICT, WITHOUT ROWID
            """)
        #expect(
            table.postgreSQL == """
                CREATE TABLE t (a bigint NOT NULL CHECK (a IN (0, 1)), b bytea, \
                c text COLLATE "C" NOT NULL, d bigint, PRIMARY KEY (a, c))
                """)
        let own = Schema.Entry.table("t", "CREATE TABLE t (a INTEGER)", postgreSQL: "x")
        #expect(own.postgreSQL == "x")
        let index = Schema.Entry.index("i", on: "t", "CREATE INDEX i ON t (a)")
        #expect(index.postgreSQL == index.sqlite)
    }
}
