import Accounts
import AccountStorage
import Testing
import TestSupport

/// AccountsTests run the same rules in memory.
@Suite("The account service")
struct ServiceTests {
    private static let steps = 60

    @Test("in a file obeys its rules", arguments: AccountServiceContract.rules)
    func file(rule: AccountServiceContract) async throws {
        try await withAccountFile { repository, _ in try await rule.check(repository) }
    }

    @Test(
        "on a server obeys its rules",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountServiceContract.rules)
    func server(rule: AccountServiceContract) async throws {
        try await withAccountServer { repository, _ in try await rule.check(repository) }
    }

    @Test("in a file agrees with a model of sessions")
    func historyInFile() async throws {
        try await withAccountFile { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }

    @Test(
        "on a server agrees with a model of sessions",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func historyOnServer() async throws {
        try await withAccountServer { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }
}
