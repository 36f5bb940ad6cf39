@testable import Database
import Foundation
import Testing
import TestSupport

@Suite(
    "A connection to a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct ServerConnectionTests {
    @Test("means the same by its statements wherever it is, whatever the server's defaults")
    func settings() throws {
        try withPostgreSQLDatabase { address in
            let name = databaseName(in: address)
            let first = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            for setting in [
                "statement_timeout = 0", "lock_timeout = 0", "standard_conforming_strings = off",
                "search_path = elsewhere", "default_transaction_read_only = on",
                "synchronous_commit = off", "client_encoding = LATIN1", "row_security = on",
                "idle_in_transaction_session_timeout = 0",
            ] {
                try first.run(
                    script: """
                        SET default_transaction_read_only = off;
                        ALTER DATABASE \(name) SET \(setting)
                        """)
            }
            let second = try PostgreSQLConnection(
                to: PostgreSQLAddress(address), options: PostgreSQLOptions(timeout: .seconds(7)))
            func setting(_ name: String) throws -> String {
                try #require(
                    try second.rows("SELECT current_setting($1)", [.text(name)]).first
                ).text(0)
            }
            #expect(try setting("statement_timeout") == "7s")
            #expect(try setting("lock_timeout") == "5s")
            #expect(try setting("idle_in_transaction_session_timeout") == "5min")
            #expect(try setting("standard_conforming_strings") == "on")
            #expect(try setting("search_path") == "pg_catalog, pg_temp")
            #expect(try setting("synchronous_commit") == "on")
            #expect(try setting("client_encoding") == "UTF8")
            #expect(try setting("row_security") == "off")
            #expect(try setting("default_transaction_read_only") == "off")
            // Zero would be no limit.
            let impatient = try PostgreSQLConnection(
                to: PostgreSQLAddress(address), options: PostgreSQLOptions(lockTimeout: .zero))
            let limit = try impatient.rows("SELECT current_setting('lock_timeout')").first?.text(0)
            #expect(limit == "1ms")
        }
    }

    @Test("says why there is none")
    func refusals() throws {
        let server = try PostgreSQLServer.shared.get()
        func failure(_ address: String) -> DatabaseError? {
            DatabaseTests.failure {
                _ = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            }
        }
        #expect(
            failure(server.address(of: "no_such")) == DatabaseError(refused: .undefinedDatabase))
        #expect(
            failure(server.address(user: "stranger"))
                == DatabaseError(refused: try #require(SQLState(rawValue: "28000"))))
        #expect(failure("postgresql://%2Fnonexistent/tasks") == .noServer)
        #expect(failure("postgresql://127.0.0.1:1/tasks") == .noServer)
        // A machine that cannot be looked up.
        #expect(failure("postgresql://host.invalid/tasks") == .noServer)
    }

    @Test(
        "takes a password from the password file, and from nowhere else", .serialized,
        arguments: [1])
    func passwords(_: Int) throws {
        let server = try PostgreSQLServer.shared.get()
        let administrator = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
        try administrator.run(
            script: """
                DROP ROLE IF EXISTS needs_password;
                CREATE ROLE needs_password LOGIN PASSWORD 'swordfish';
                """)
        defer { _ = try? administrator.run(script: "DROP ROLE needs_password") }
        try withTemporaryFolder { folder in
            func failure(_ line: String) throws -> DatabaseError? {
                let file = folder + "/passwords"
                try Data(line.utf8).write(to: URL(filePath: file))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o600], ofItemAtPath: file)
                let address = server.address(user: "needs_password", "passfile=" + file)
                return DatabaseTests.failure {
                    _ = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                }
            }
            let right = try failure("*:*:*:needs_password:swordfish\n")
            #expect(right == nil)
            let wrong = try failure("*:*:*:needs_password:wrong\n")
            #expect(wrong == DatabaseError(refused: .invalidPassword))
            let missing = try failure("*:*:*:somebody:swordfish\n")
            #expect(missing == .passwordMissing)
        }
    }

    @Test("is closed twice without harm, and of no use then")
    func closed() throws {
        try withConnection { connection in
            connection.close()
            connection.close()
            #expect(!connection.isOpen)
            #expect(!connection.isInTransaction)
            expectFailure(.closed) { try connection.run(script: "SELECT 1") }
            expectFailure(.closed) { try connection.begin(.reading) }
            try connection.rollback()
        }
    }

    @Test("that the server ends is lost, and says so")
    func killed() throws {
        try withPostgreSQLDatabase { address in
            let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            let other = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            #expect(
                try other.number(
                    "SELECT pg_terminate_backend(\(connection.serverProcess), 5000)::int::bigint")
                    == 1)
            expectFailure(.connectionLost) { try connection.run(script: "SELECT 1") }
            expectFailure(.closed) { try connection.run(script: "SELECT 1") }
        }
    }
}
