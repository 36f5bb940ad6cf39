@testable import Database
@testable import Tasks
import Testing
import TestSupport

@Suite("The tables of tasks on a server, as the page describes them")
struct PostgreSQLPageTests {
    /// The statements of `Docs/Storage.md`: those of the file with the differences that the page lists.
    private static func statements() throws -> [String] {
        let differences = Checkout.text("Docs/Storage.md").split(separator: "`").map(String.init)
        return try Checkout.statements(under: "### tasks.db").map { statement in
            var statement = statement
            for (type, other) in [
                (" STRICT, WITHOUT ROWID", ""), (" STRICT", ""), ("INTEGER", "bigint"),
                ("BLOB", "bytea"),
                ("TEXT", "text COLLATE \"C\""),
            ] { statement = statement.replacing(type, with: other) }
            if let start = statement.firstRange(of: "CHECK (state =")?.lowerBound {
                let check = try #require(differences.first { $0.hasPrefix("CHECK (state =") })
                statement = statement[..<start] + check + ")"
            }
            guard let index = statement.split(separator: " ").dropFirst(2).first,
                let columns = differences.first(where: { $0.hasPrefix("\(index) ON ") })
            else { return statement }
            return "CREATE INDEX " + columns
        }
    }

    @Test("are those that the program makes")
    func texts() throws {
        let made = Schema.tasks.entries.map(\.postgreSQL)
        let told = try Self.statements()
        #expect(told.sorted() == made.sorted())
        #expect(told.count == 20)
    }

    @Test(
        "are opened as a task list",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func open() throws {
        try withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let server = try PostgreSQLConnection(to: address)
            defer { server.close() }
            let version = ["CREATE TABLE version (version bigint NOT NULL)"]
            let script = try Self.statements() + version + ["INSERT INTO version VALUES (3)"]
            try server.run(
                script: "CREATE SCHEMA taskvault_tasks; SET search_path = taskvault_tasks;"
                    + script.joined(separator: ";\n"))
            let repository = try #require(try TaskRepository.open(.server(address)))
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1), TaskSamples.protected(2)])
            #expect(try repository.everything().count == 2)
        }
    }
}
