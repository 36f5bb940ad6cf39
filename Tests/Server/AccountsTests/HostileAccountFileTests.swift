import Accounts
import Database
import Platform
import Testing
import TestSupport

@Suite("A hostile file of accounts")
struct HostileAccountFileTests {
    @Test("made as in the document is not hostile, and opens")
    func control() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try HostileAccountFile.make(
                at: path, script: HostileAccountFile.schema + HostileAccountFile.rows)
            #expect(openErrors(path) == [nil, nil, nil])
            let repository = try AccountRepository.openOrCreate(.file(path))
            let made = try AccountRepository.openOrCreate(.memory)
            try made.fill(1)
            #expect(try Everything(repository) == Everything(made))
            repository.close()
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    static let foreign = DatabaseError.foreign(reason: "not a user database file")
    static let tables = DatabaseError.foreign(
        reason: "the tables are not those of a user database")
    static let version = DatabaseError.foreign(reason: "an unknown storage version")

    @Test(
        "with another schema is refused and not changed",
        arguments: [
            ("PRAGMA application_id = 1414943812", foreign),
            ("PRAGMA application_id = 0", foreign),
            ("PRAGMA user_version = 12", .newerVersion(12)),
            ("PRAGMA user_version = 6", .earlierBuild(schema: nil)),
            ("PRAGMA user_version = 1", .earlierBuild(schema: nil)),
            ("PRAGMA user_version = 0", version), ("PRAGMA user_version = -1", version),
            ("CREATE TRIGGER t AFTER INSERT ON sessions BEGIN DELETE FROM accounts; END", tables),
            ("CREATE VIEW v AS SELECT * FROM accounts", tables),
            ("CREATE INDEX i ON accounts (created)", tables), ("CREATE TABLE zzz (a)", tables),
            ("DROP INDEX sessions_by_expiry", tables), ("DROP TABLE known_devices", tables),
            ("DROP TABLE recovery_codes", tables),
            ("ANALYZE", tables), ("ALTER TABLE accounts ADD COLUMN admin INTEGER", tables),
            (
                "DROP INDEX accounts_by_email; CREATE INDEX accounts_by_email ON accounts (email)",
                tables
            ),
        ] as [(String, DatabaseError)])
    func schema(script: String, expected: DatabaseError) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try HostileAccountFile.make(at: path, script: HostileAccountFile.schema + script)
            let before = try TestFile.read(path)
            #expect(openErrors(path) == [expected, expected, expected])
            #expect(try TestFile.read(path) == before)
            #expect(TestFile.names(in: folder) == ["accounts.db"])
        }
    }

    @Test(
        "with a row that this program never writes is damaged",
        arguments: [
            "accounts SET id = 'x'", "accounts SET id = 'A' || substr(id, 2)",
            "accounts SET email = 'Person1@Example.org'",
            "accounts SET email = 'nobody'", "accounts SET email = CAST(x'ff' AS TEXT)",
            "accounts SET password = 'secret'", "accounts SET password = ''",
            "accounts SET disabled = 2", "accounts SET disabled = -1", "accounts SET verified = 2",
            "sessions SET id = upper(id) || 'x'", "sessions SET client = CAST(x'c3' AS TEXT)",
            "refresh_tokens SET predecessor = x'00'", "refresh_tokens SET session = 'x'",
        ])
    func rows(change: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try HostileAccountFile.make(
                at: path,
                script: HostileAccountFile.schema + HostileAccountFile.rows + "UPDATE \(change)")
            let repository = try AccountRepository.openOrCreate(.file(path))
            defer { repository.close() }
            // Looks the rows up by columns that were not changed.
            let errors = [
                databaseError { _ = try repository.read { try $0.accounts(after: nil, limit: 9) } },
                databaseError {
                    _ = try repository.read { try $0.sessions(of: AccountSamples.accountID(1)) }
                },
                databaseError {
                    _ = try repository.read { try $0.refreshToken(TokenHash(of: "refresh 1")) }
                },
                databaseError { _ = try repository.hasToken() },
            ]
            let expected = DatabaseError.damaged(
                reason: "a column has an unexpected type or range")
            #expect(errors.contains(expected), "\(errors)")
            #expect(errors.allSatisfy { $0 == nil || $0 == expected })
        }
    }

    @Test("An access token is found without reading the password of its account")
    func passwordIsNotRead() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try HostileAccountFile.make(
                at: path,
                script: HostileAccountFile.schema + HostileAccountFile.rows
                    + "UPDATE accounts SET password = 'secret'")
            let repository = try AccountRepository.openOrCreate(.file(path))
            defer { repository.close() }
            #expect(try repository.hasToken())
        }
    }

    @Test(
        "in an unsafe place is refused",
        arguments: [
            ("a symbolic link", "mv accounts.db t; ln -s t accounts.db"),
            ("has more than one hard link", "ln accounts.db t"),
            ("accessible to other users", "chmod 640 accounts.db"),
            ("not a regular file", "rm accounts.db; mkfifo -m 600 accounts.db"),
            ("accessible to other users", "chmod 711 ."),
            ("a symbolic link", "ln -s /etc/passwd accounts.db-wal"),
        ])
    func place(reason: String, script: String) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            try AccountRepository.openOrCreate(.file(path)).close()
            #expect(openErrors(path) == [nil, nil, nil])
            try #require(unsafe system("umask 077; cd '\(folder)' && { \(script); }") == 0)
            for error in openErrors(path) {
                guard case .unsafeLocation(_, let found) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(found == reason)
            }
        }
    }

    @Test("that becomes unsafe while it is open is not opened for another reader")
    func becomesUnsafe() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let repository = try AccountRepository.openOrCreate(.file(path))
            defer { repository.close() }
            try repository.fill(1)
            try #require(unsafe chmod(path, 0o644) == 0)
            let error = databaseError { _ = try repository.hasToken() }
            #expect(
                error == .unsafeLocation(path: path, reason: "accessible to other users"))
            try #require(unsafe chmod(path, 0o600) == 0)
            #expect(try repository.hasToken())
        }
    }
}
