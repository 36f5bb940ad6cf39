import AccountStorage
import Accounts
import Database
import Testing
import TestSupport

/// Accounts of version 3, without inboxes and checklists.
@Suite("Accounts of the version before")
struct EarlierVersionTests {
    /// The number of statements of version 3, the first ones of the document.
    private static let count = 19

    /// Expects the rows of account 1, and room for an inbox.
    private func expectMigrated(_ repository: StoredAccounts) throws {
        let made = try StoredAccounts.openOrCreate(.memory)
        defer { made.close() }
        try made.fill(1)
        #expect(try Everything(repository) == Everything(made))
        try repository.change { try $0.insert(InboxSamples.inbox(1)) }
        #expect(try repository.inbox(InboxSamples.id(1)) == InboxSamples.inbox(1))
        #expect(try repository.checklists().isEmpty)
    }

    @Test("in a file are migrated, and keep their rows")
    func file() throws {
        try withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let statements = Checkout.statements(under: "### accounts.db").prefix(Self.count)
            #expect(statements.allSatisfy { !$0.contains("inbox") })
            try HostileAccountFile.make(
                at: path,
                script: statements.joined(separator: ";\n")
                    + ";\nPRAGMA application_id = 1414938947;\nPRAGMA user_version = 3;\n"
                    + HostileAccountFile.rows)
            let repository = try StoredAccounts.openOrCreate(.file(path))
            try expectMigrated(repository)
            repository.close()
            #expect(openErrors(path) == [nil, nil, nil])
        }
    }

    @Test(
        "on a server are migrated, and keep their rows",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func server() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let server = try PostgreSQLConnection(to: address)
            defer { server.close() }
            // One more: the table of the version.
            let statements = Checkout.postgreSQLStatements(under: "### accounts.db")
                .prefix(Self.count + 1)
            let rows = HostileAccountFile.rows.replacing("x'", with: "'\\x")
            try server.run(
                script: """
                    CREATE SCHEMA taskvault_accounts; SET search_path = taskvault_accounts;
                    \(statements.joined(separator: ";\n"));
                    INSERT INTO version VALUES (3); \(rows)
                    """)
            let repository = try StoredAccounts.openOrCreate(.server(address))
            defer { repository.close() }
            try expectMigrated(repository)
        }
    }
}
