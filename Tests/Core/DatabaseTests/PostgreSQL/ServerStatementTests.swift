@testable import Database
import Foundation
import Testing
import TestSupport

@Suite(
    "A statement on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct ServerStatementTests {
    @Test("gives back what it was given")
    func values() throws {
        try withConnection { connection in
            let bytes: [[UInt8]?] = [
                nil, [], [0], Array(0...255), [UInt8](repeating: 0x5C, count: 1_100_000),
            ]
            let integers: [Int64?] = [nil, 0, -1, 1, .min, .max, 0x0102_0304_0506_0708]
            let texts: [String?] = [nil, "", "a'b\\c", "żółć 🦊 e\u{301}\u{202E}\u{1B}[0m\n"]
            for index in 0..<7 {
                let (first, second, third) = (bytes[index % 5], integers[index], texts[index % 4])
                let rows = try connection.rows(
                    "SELECT $1, $2, $3", [.bytes(first), .integer(second), .text(third)])
                let row = try #require(rows.first)
                #expect(rows.count == 1)
                #expect(row.isNull(0) == (first == nil))
                if let first { #expect(try row.bytes(0) == first) }
                #expect(row.isNull(1) == (second == nil))
                if let second { #expect(try row.integer(1) == second) }
                #expect(row.isNull(2) == (third == nil))
                if let third { #expect(try Array(row.text(2).utf8) == Array(third.utf8)) }
            }
        }
    }

    @Test("converts no column")
    func types() throws {
        try withConnection { connection in
            let rows = try connection.rows(
                "SELECT '\\x31'::bytea, 49::bigint, '1'::text, NULL::bigint, 49::int, '1'::varchar")
            let row = try #require(rows.first)
            for column in [-1, 1, 2, 3, 4, 5, 6] as [Int32] {
                #expect(throws: DatabaseError.mismatch) { _ = try row.bytes(column) }
            }
            for column in [-1, 0, 2, 3, 4, 5, 6] as [Int32] {
                #expect(throws: DatabaseError.mismatch) { _ = try row.integer(column) }
            }
            for column in [-1, 0, 1, 3, 4, 5, 6] as [Int32] {
                #expect(throws: DatabaseError.mismatch) { _ = try row.text(column) }
            }
            #expect(row.isNull(3))
            #expect(try row.bytes(0) == [0x31])
        }
    }

    @Test("tells how many rows it changed, and outlives its connection with its rows")
    func rows() throws {
        var kept: [PostgreSQLRow] = []
        try withConnection { connection in
            try connection.run(script: "CREATE TEMPORARY TABLE numbers (number bigint)")
            #expect(
                try connection.execute(
                    "INSERT INTO numbers SELECT generate_series(1, $1)", [.integer(3_000)])
                    == 3_000)
            #expect(try connection.execute("DELETE FROM numbers WHERE number > 2000") == 1_000)
            kept = try connection.rows("SELECT number FROM numbers ORDER BY number")
        }
        #expect(try kept.map { try $0.integer(0) } == Array(1...2_000))
    }

    @Test("that fails is told by its code alone, and the connection goes on")
    func failing() throws {
        try withConnection { connection in
            expectFailure(DatabaseError(server: .undefinedTable)) {
                _ = try connection.rows("SELECT * FROM missing_table_swordfish")
            }
            try connection.run(script: "CREATE TEMPORARY TABLE one (value text PRIMARY KEY)")
            for _ in 0..<2 {
                let error = failure {
                    try connection.execute(
                        "INSERT INTO one VALUES ($1), ($1)", [.text("swordfish")])
                }
                #expect(error == DatabaseError(server: .uniqueViolation))
                #expect(!String(reflecting: error).contains("swordfish"))
            }
            // Half an answer is none.
            expectFailure(DatabaseError(server: try #require(SQLState(rawValue: "22012")))) {
                _ = try connection.rows(
                    "SELECT (100 / (2000 - number))::text FROM generate_series(1, 3000) AS number"
                )
            }
            #expect(try connection.number("SELECT 1::bigint") == 1)
        }
    }

    @Test("takes the same types each time")
    func otherTypes() throws {
        try withConnection { connection in
            func run(_ parameters: [DatabaseValue]) throws {
                _ = try connection.rows("SELECT $1", parameters)
            }
            try run([.integer(1)])
            expectFailure(.misuse) { try run([.text("1")]) }
            expectFailure(.misuse) { try run([]) }
            try run([.integer(nil)])
        }
    }

    @Test("may not ask for COPY, and ends the connection that does")
    func copy() throws {
        try withConnection { connection in
            expectFailure(.connectionLost) {
                try connection.run(script: "COPY (SELECT 1) TO STDOUT")
            }
            #expect(!connection.isOpen)
            expectFailure(.closed) { try connection.execute("SELECT 1") }
        }
    }

    @Test("whose answer is too large is given up")
    func size() throws {
        try withConnection(PostgreSQLOptions(maximumAnswerSize: 1_000_000)) { connection in
            let small = try connection.rows("SELECT repeat('a', 999000)")
            #expect(small.count == 1)
            expectFailure(.tooLarge) {
                _ = try connection.rows(
                    "SELECT repeat('a', 100000) FROM generate_series(1, 10)")
            }
            #expect(!connection.isOpen)
        }
    }

    /// The largest resident size of this process, in KiB.
    private static func peak() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.filter(\.isNumber)))
    }

    @Test("is refused a huge row by the server, however well that is compressed", .endsProcess)
    func rowSize() async throws {
        let address = try PostgreSQLServer.shared.get().address()
        await #expect(processExitsWith: .success) { [address = address as String] in
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            try connection.run(
                script: """
                    CREATE TEMPORARY TABLE big (id bigint, bytes bytea);
                    INSERT INTO big VALUES (1, convert_to(repeat('x', 100000000), 'UTF8'))
                    """)
            _ = try connection.number("SELECT id FROM big")
            let before = try Self.peak()
            expectFailure(.tooLarge) { _ = try connection.rows("SELECT id, bytes FROM big") }
            expectFailure(.tooLarge) {
                _ = try connection.rows(
                    once: "SELECT bytes FROM big WHERE id = $1", [.integer(1)])
            }
            #expect(try Self.peak() - before < 8_192)
            #expect(try connection.number("SELECT length(bytes)::bigint FROM big") == 100_000_000)
            // The largest item of a vault is smaller.
            let row = try connection.rows("SELECT substr(bytes, 1, 4000000) FROM big").first
            #expect(try row?.bytes(0).count == 4_000_000)
        }
    }

    @Test("ends when it takes too long, and leaves the connection in order")
    func timeout() throws {
        // The client waits so long that only the server ends the statement.
        try withConnection(PostgreSQLOptions(timeout: .seconds(600))) { connection in
            try connection.run(script: "SET statement_timeout = 100")
            expectFailure(DatabaseError(server: .queryCancelled)) {
                _ = try connection.rows("SELECT pg_sleep(600)::text")
            }
            // The limit is one of this statement as well.
            let isReset = until {
                (try? connection.run(script: "SET statement_timeout = 0")) != nil
            }
            #expect(isReset)
            let number = try connection.number("SELECT 1::bigint")
            #expect(number == 1)
        }
    }
}
