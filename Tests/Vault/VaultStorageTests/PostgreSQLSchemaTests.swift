import Database
import Testing
import TestSupport
import VaultStorage

@Suite(
    "A vault's tables on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLSchemaTests {
    private static let shape = DatabaseError.foreign(reason: "the tables are not those of a vault")

    private func run(_ script: String, at address: String) throws {
        let connection = try PostgreSQLConnection(to: PostgreSQLAddress(address))
        try connection.run(script: script)
        connection.close()
    }

    private func openError(
        _ address: String, mode: StorageMode = .readWrite
    ) -> DatabaseError? {
        storageError { try VaultDatabase.openServer(at: address, mode: mode).close() }
    }

    private func createError(_ address: String) -> DatabaseError? {
        storageError { try VaultDatabase.createServer(at: address).close() }
    }

    @Test("are missing, are made, and are not made again")
    func create() throws {
        try withPostgreSQLDatabase { address in
            #expect(openError(address) == .notFound)
            #expect(openError(address, mode: .readOnly) == .notFound)
            #expect(createError(address) == nil)
            // Somebody began, and stopped before there was a vault, or has not come to it yet.
            for mode in [StorageMode.readOnly, .readWrite] {
                #expect(openError(address, mode: mode) == .notFound)
            }
            #expect(createError(address) == nil)
            for script in [
                "INSERT INTO taskvault_vault.header VALUES (1, '')",
                "INSERT INTO taskvault_vault.state VALUES (1, '')",
                "INSERT INTO taskvault_vault.buckets VALUES (7, '')",
                "INSERT INTO taskvault_vault.items VALUES ('', '', 0, 0, 0, '', '')",
            ] {
                try run(script, at: address)
                #expect(createError(address) == .alreadyExists)
                #expect(openError(address, mode: .readOnly) == nil)
                try run(
                    """
                    TRUNCATE taskvault_vault.header, taskvault_vault.state, taskvault_vault.buckets,
                        taskvault_vault.items
                    """, at: address)
            }
            #expect(createError(address) == nil)
        }
    }

    @Test("of a newer program are left alone")
    func newer() throws {
        try withPostgreSQLDatabase { address in
            let storage = try VaultDatabase.createServer(at: address)
            defer { storage.close() }
            try storage.write { try $0.putHeader([1]) }
            try run("UPDATE taskvault_vault.version SET version = 9", at: address)
            #expect(openError(address) == .newerVersion(9))
            #expect(openError(address, mode: .readOnly) == .newerVersion(9))
            #expect(createError(address) == .newerVersion(9))
            // It has been open all the time.
            let error = storageError { try storage.write { try $0.putHeader([2]) } }
            #expect(error == .newerVersion(9))
        }
    }

    @Test("of an earlier build are named, and not ignored")
    func earlier() throws {
        try withPostgreSQLDatabase { address in
            try run(
                "CREATE SCHEMA taskvault; CREATE TABLE taskvault.vault_version (version bigint)",
                at: address)
            #expect(openError(address) == .earlierBuild(schema: "taskvault"))
            #expect(openError(address, mode: .readOnly) == .earlierBuild(schema: "taskvault"))
            #expect(createError(address) == .earlierBuild(schema: "taskvault"))
            try run("ALTER SCHEMA taskvault RENAME TO old", at: address)
            #expect(openError(address) == .notFound)
            #expect(createError(address) == nil)
            try run("UPDATE taskvault_vault.version SET version = 1", at: address)
            for mode in [StorageMode.readOnly, .readWrite] {
                #expect(openError(address, mode: mode) == .earlierBuild(schema: "taskvault_vault"))
            }
            #expect(createError(address) == .earlierBuild(schema: "taskvault_vault"))
        }
    }

    @Test(
        "are no vault's without their version",
        arguments: [
            "DROP TABLE taskvault_vault.version", "DELETE FROM taskvault_vault.version",
            "UPDATE taskvault_vault.version SET version = 0",
        ])
    func shape(script: String) throws {
        try withPostgreSQLDatabase { address in
            try VaultDatabase.createServer(at: address).close()
            try run(script, at: address)
            #expect(openError(address) == Self.shape)
            #expect(openError(address, mode: .readOnly) == Self.shape)
            #expect(createError(address) == Self.shape)
        }
    }

    @Test("are not made where somebody else's have their names")
    func foreign() throws {
        try withPostgreSQLDatabase { address in
            try run(
                "CREATE SCHEMA taskvault_vault; CREATE TABLE taskvault_vault.items (name text)",
                at: address)
            #expect(openError(address) == Self.shape)
            #expect(createError(address) == Self.shape)
        }
    }

    @Test("leave those of other schemas alone")
    func others() throws {
        try withPostgreSQLDatabase { address in
            try run(
                "CREATE SCHEMA taskvault_tasks; CREATE TABLE taskvault_tasks.items (name text)",
                at: address)
            #expect(openError(address) == .notFound)
            #expect(createError(address) == nil)
            #expect(openError(address) == .notFound)
        }
    }

    @Test("are not changed by a user who may only read")
    func rights() throws {
        try withPostgreSQLDatabase { address in
            let made = try VaultDatabase.createServer(at: address)
            try made.write { try $0.putHeader([7]) }
            made.close()
            let role = "reader_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try run("CREATE ROLE \(role) LOGIN", at: address)
            defer { try? run("DROP OWNED BY \(role); DROP ROLE \(role)", at: address) }
            let reader = address.replacing("vault@", with: role + "@")
            let refusal = DatabaseError.unreachable(
                reason: "the server's user lacks a privilege in this database")
            #expect(openError(reader) == refusal)
            try run(
                """
                GRANT USAGE ON SCHEMA taskvault_vault TO \(role);
                GRANT SELECT ON ALL TABLES IN SCHEMA taskvault_vault TO \(role)
                """, at: address)
            let storage = try VaultDatabase.openServer(at: reader, mode: .readWrite)
            defer { storage.close() }
            let header = try storage.read { try $0.header() }
            #expect(header == [7])
            #expect(storageError { try storage.write { try $0.putHeader([1]) } } == refusal)
            let careful = try VaultDatabase.openServer(at: reader, mode: .readOnly)
            defer { careful.close() }
            #expect(storageError { try careful.write { try $0.putHeader([1]) } } == .readOnly)
        }
    }
}
