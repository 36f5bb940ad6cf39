import Database
import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Attacks of a server on the tables of a vault, as SQL.
@Suite(
    "A vault on a server that tampers",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct ServerAttackTests {
    /// A vault, and a connection that may change its tables behind its back.
    private func withVault(
        _ body: (VaultDatabase, VaultUnderAttack, PostgreSQLConnection) throws -> Void
    ) throws {
        try withPostgreSQLDatabase { address in
            let storage = try VaultDatabase.createServer(at: address)
            defer { storage.close() }
            let vault = try VaultUnderAttack(filling: storage)
            let server = try PostgreSQLConnection(to: PostgreSQLAddress(address))
            defer { server.close() }
            try server.run(script: "CREATE SCHEMA kept")
            try keep("old", server)
            try body(storage, vault, server)
        }
    }

    private static let tables = ["header", "state", "buckets", "links", "earlier", "items"]

    /// Keeps a copy of all tables under a name.
    private func keep(_ name: String, _ server: PostgreSQLConnection) throws {
        for table in Self.tables {
            try server.run(
                script:
                    "CREATE TABLE kept.\(table)_\(name) AS SELECT * FROM taskvault_vault.\(table)")
        }
    }

    private func putBack(
        _ name: String, _ server: PostgreSQLConnection, tables: [String] = Self.tables
    ) throws {
        for table in tables {
            try server.run(
                script: """
                    TRUNCATE taskvault_vault.\(table);
                    INSERT INTO taskvault_vault.\(table) SELECT * FROM kept.\(table)_\(name)
                    """)
        }
    }

    /// The name under which the damage is told, by whatever asks first.
    private func damage(_ storage: any RecordStorage, _ vault: VaultUnderAttack) -> String? {
        do {
            let session = try vault.unlock(storage)
            _ = try session.list()
            for item in vault.contents.keys { _ = try session.value(of: item.name) }
            return nil
        } catch VaultError.damaged(let failure) {
            return failure.rawValue
        } catch SecureStoreError.damaged(let failure) {
            return failure
        } catch {
            return "not told: \(error)"
        }
    }

    private func expectRefused(
        _ storage: any RecordStorage, _ vault: VaultUnderAttack, _ attack: String
    ) {
        let answer = vault.answer(storage)
        #expect(answer == .refused, "\(attack)")
        let name = damage(storage, vault)
        #expect(name != nil, "\(attack)")
        #expect(name?.contains("not told") == false, "\(attack): \(name ?? "")")
    }

    @Test("is noticed whichever column of whichever row is changed")
    func columns() throws {
        try withVault { storage, vault, server in
            var attacks: [String] = []
            for (table, key) in [
                ("header", "id"), ("state", "id"), ("buckets", "number"),
            ] {
                for place in ["0", "length(bytes) / 2", "length(bytes) - 1"] {
                    attacks.append(
                        """
                        UPDATE taskvault_vault.\(table)
                            SET bytes = set_byte(bytes, \(place), get_byte(bytes, \(place)) # 1)
                            WHERE \(key) = (SELECT max(\(key)) FROM taskvault_vault.\(table))
                        """)
                }
                attacks.append("UPDATE taskvault_vault.\(table) SET bytes = ''")
                attacks.append(
                    "UPDATE taskvault_vault.\(table) SET bytes = bytes || '\\x00'::bytea")
            }
            attacks.append(
                """
                UPDATE taskvault_vault.buckets SET number = number + 1000
                    WHERE number = (SELECT max(number) FROM taskvault_vault.buckets)
                """)
            for row in 0..<vault.contents.count {
                let condition =
                    "WHERE tag = (SELECT tag FROM taskvault_vault.items ORDER BY tag OFFSET \(row) LIMIT 1)"
                for column in ["tag", "item_id", "attributes", "value"] {
                    attacks.append(
                        """
                        UPDATE taskvault_vault.items
                            SET \(column) = set_byte(\(column), 9, get_byte(\(column), 9) # 128)
                            \(condition)
                        """)
                    attacks.append(
                        "UPDATE taskvault_vault.items SET \(column) = '' \(condition)")
                }
                for column in ["class", "revision", "format"] {
                    for value in [
                        "\(column) + 1", "0", "-1", "9223372036854775807", "3 - \(column)",
                    ] {
                        attacks.append(
                            "UPDATE taskvault_vault.items SET \(column) = \(value) \(condition)")
                    }
                }
            }
            for attack in attacks {
                try server.run(script: attack)
                let isChanged = try hasChanged(server)
                if isChanged { expectRefused(storage, vault, attack) }
                // `3 - revision` is the revision of one that was written once or twice.
                #expect(isChanged || attack.contains("3 - "), "\(attack)")
                try putBack("old", server)
            }
            let answer = vault.answer(storage)
            #expect(answer == .unchanged, "the harness itself must not break the vault")
        }
    }

    private func hasChanged(_ server: PostgreSQLConnection) throws -> Bool {
        for table in Self.tables {
            let rows = try server.rows(
                once: """
                    (SELECT 1::bigint FROM (TABLE taskvault_vault.\(table) EXCEPT TABLE kept.\(table)_old) AS a)
                    UNION ALL
                    (SELECT 1::bigint FROM (TABLE kept.\(table)_old EXCEPT TABLE taskvault_vault.\(table)) AS b)
                    """)
            if !rows.isEmpty { return true }
        }
        return false
    }

    @Test("is noticed when rows are gone, doubled or exchanged")
    func rows() throws {
        try withVault { storage, vault, server in
            var attacks = [
                "DELETE FROM taskvault_vault.header", "DELETE FROM taskvault_vault.state",
                "DELETE FROM taskvault_vault.buckets", "DELETE FROM taskvault_vault.items",
                "INSERT INTO taskvault_vault.buckets SELECT 512, bytes FROM taskvault_vault.buckets LIMIT 1",
                // Two buckets exchanged.
                """
                UPDATE taskvault_vault.buckets AS a SET bytes = b.bytes FROM taskvault_vault.buckets AS b
                    WHERE a.number = (SELECT min(number) FROM taskvault_vault.buckets)
                    AND b.number = (SELECT max(number) FROM taskvault_vault.buckets)
                """,
                "UPDATE taskvault_vault.header SET bytes = (SELECT bytes FROM taskvault_vault.state)",
            ]
            for row in 0..<vault.contents.count {
                let tag =
                    "(SELECT tag FROM taskvault_vault.items ORDER BY tag OFFSET \(row) LIMIT 1)"
                let other =
                    "(SELECT tag FROM taskvault_vault.items ORDER BY tag OFFSET \((row + 1) % vault.contents.count) LIMIT 1)"
                attacks.append("DELETE FROM taskvault_vault.items WHERE tag = \(tag)")
                attacks.append(
                    """
                    INSERT INTO taskvault_vault.items
                        SELECT set_byte(tag, 31, get_byte(tag, 31) # 1), item_id, class, revision, format,
                            attributes, value
                        FROM taskvault_vault.items WHERE tag = \(tag)
                    """)
                for columns in [
                    ["value"], ["attributes"], ["item_id"], ["attributes", "value"],
                    ["item_id", "class", "revision", "format", "attributes", "value"],
                ] {
                    let list = columns.joined(separator: ", ")
                    attacks.append(
                        """
                        UPDATE taskvault_vault.items SET (\(list)) = (
                            SELECT \(list) FROM taskvault_vault.items WHERE tag = \(other))
                            WHERE tag = \(tag)
                        """)
                }
            }
            for attack in attacks {
                try server.run(script: attack)
                expectRefused(storage, vault, attack)
                try putBack("old", server)
            }
        }
    }

    @Test("is noticed when some of the tables are an older time's")
    func olderTime() throws {
        try withVault { storage, vault, server in
            let session = try vault.unlock(storage)
            try session.update(TestVault.name(0), to: Samples.secret("later"))
            session.lock()
            try keep("new", server)
            for part in 1..<15 {
                let parts = [["header"], ["state", "links"], ["buckets"], ["earlier", "items"]]
                let older = parts.enumerated().filter { part & (1 << $0.offset) != 0 }
                    .flatMap(\.element)
                // The header is the same at both times.
                if older == ["header"] || older == parts.dropFirst().flatMap(\.self) { continue }
                try putBack("new", server)
                try putBack("old", server, tables: older)
                expectRefused(storage, vault, "\(older)")
            }
            // A single row of an older time, too.
            try putBack("new", server)
            try server.run(
                script: """
                    UPDATE taskvault_vault.items AS a
                        SET (revision, attributes, value) = (
                            SELECT revision, attributes, value FROM kept.items_old AS b
                            WHERE b.tag = a.tag)
                    """)
            expectRefused(storage, vault, "older rows")
        }
    }

    @Test("is noticed when all of it is an older time's, where a machine remembers the newer one")
    func rolledBack() throws {
        try withVault { storage, vault, server in
            let records = MemoryRollbackRecords()
            let environment = TestVault.environment(rollbackRecords: records)
            let session = try vault.unlock(storage, environment)
            try session.update(TestVault.name(0), to: Samples.secret("later"))
            session.lock()
            try putBack("old", server)
            do {
                _ = try vault.unlock(storage, environment).list()
                Issue.record("an older state was believed")
            } catch {
                #expect("\(error)".contains("rolledBack"))
            }
        }
    }

    @Test("is noticed by a session that has verified everything before")
    func warmSession() throws {
        try withVault { storage, vault, server in
            for attack in [
                "DELETE FROM taskvault_vault.items",
                "UPDATE taskvault_vault.items SET value = set_byte(value, 9, get_byte(value, 9) # 1)",
                "UPDATE taskvault_vault.items SET revision = revision + 1",
                "UPDATE taskvault_vault.items SET class = 3 - class",
            ] {
                let session = try vault.unlock(storage)
                _ = try session.list()
                try server.run(script: attack)
                for item in vault.contents.keys {
                    #expect(throws: (any Error).self, "\(attack)") {
                        _ = try session.value(of: item.name)
                    }
                }
                // The list is the one that was verified.
                #expect(try Set(session.list()) == Set(vault.contents.keys), "\(attack)")
                try putBack("old", server)
            }
        }
    }

    @Test("is told by name when tables are gone or of another shape", arguments: [true, false])
    func shape(isWarm: Bool) throws {
        for attack in [
            "DROP TABLE taskvault_vault.items", "DROP TABLE taskvault_vault.state",
            "DROP SCHEMA taskvault_vault CASCADE",
            "ALTER TABLE taskvault_vault.items ALTER COLUMN revision TYPE text",
            "ALTER TABLE taskvault_vault.items RENAME COLUMN value TO other",
        ] {
            try withPostgreSQLDatabase { address in
                let storage = try VaultDatabase.createServer(at: address)
                defer { storage.close() }
                let vault = try VaultUnderAttack(filling: storage)
                if isWarm { _ = try vault.unlock(storage).list() }
                let server = try PostgreSQLConnection(to: PostgreSQLAddress(address))
                try server.run(script: attack)
                let answer = vault.answer(storage)
                #expect(answer == .refused)
                var found: DatabaseError?
                do {
                    _ = try VaultDatabase.openServer(at: address, mode: .readWrite)
                } catch {
                    found = error as? DatabaseError
                }
                // Columns of another shape show when they are read.
                let expected: DatabaseError? =
                    attack.contains("SCHEMA")
                    ? .notFound
                    : attack.contains("DROP")
                        ? .damaged(reason: "the tables differ from the expected ones") : nil
                #expect(found == expected)
            }
        }
    }
}
