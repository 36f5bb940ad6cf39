import Database
import Foundation
import Tasks
import Testing
import TestSupport
import VaultStorage

@Suite(
    "The tables that the page tells",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLPageTests {
    /// The statements of `Docs/Storage.md`, and the rows of the versions.
    private static let script: String = {
        let lines = Checkout.statements(under: "### The tables")
        let versions = ["vault", "task"].map { "INSERT INTO taskvault.\($0)_version VALUES (1);" }
        return "CREATE SCHEMA taskvault;\n"
            + (lines + versions).joined(separator: "\n")
    }()

    @Test("are opened as a vault and a task list, and are as the program makes them")
    func asMade() throws {
        let told = try withPostgreSQLDatabase { text in
            let server = try PostgreSQLConnection(to: PostgreSQLAddress(text))
            defer { server.close() }
            try server.run(script: Self.script)
            try server.run(script: "INSERT INTO taskvault.vault_header VALUES (1, '')")
            try VaultDatabase.openServer(at: text, mode: .readWrite).close()
            let repository = try PostgreSQLTaskRepository.open(PostgreSQLAddress(text))
            try repository.insert([TaskSamples.plain(1), TaskSamples.protected(2)])
            #expect(try repository.everything().count == 2)
            repository.close()
            return try Self.description(server)
        }
        let made = try withPostgreSQLDatabase { text in
            try VaultDatabase.createServer(at: text).close()
            try PostgreSQLTaskRepository.open(PostgreSQLAddress(text)).close()
            let server = try PostgreSQLConnection(to: PostgreSQLAddress(text))
            defer { server.close() }
            return try Self.description(server)
        }
        #expect(told == made)
        #expect(told.count > 60)
    }

    private static func description(_ server: PostgreSQLConnection) throws -> [String] {
        try server.description(ofTablesNamed: "", in: "taskvault")
    }
}
