import Accounts
import AccountStorage
import Database
import Testing
import TestSupport
import VaultStorage

/// The service for accounts has its tests over memory; here it meets databases.
@Suite("The service for accounts")
struct ServiceTests {
    private static let steps = 60

    @Test("keeps to its rules over a file", arguments: AccountServiceContract.rules)
    func file(rule: AccountServiceContract) async throws {
        try await withTemporaryFolder { folder in
            let repository = try SQLiteAccountRepository.openOrCreate(at: folder + "/accounts.db")
            defer { repository.close() }
            try await rule.check(repository)
        }
    }

    @Test("agrees with a model of sessions over a file")
    func historyInFile() throws {
        try withTemporaryFolder { folder in
            let repository = try SQLiteAccountRepository.openOrCreate(at: folder + "/accounts.db")
            defer { repository.close() }
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }

    @Test(
        "keeps to its rules over a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountServiceContract.rules)
    func server(rule: AccountServiceContract) async throws {
        try await withPostgreSQLDatabase { text in
            let repository = try PostgreSQLAccountRepository.open(
                PostgreSQLAddress(text), lockTimeout: .seconds(60))
            defer { repository.close() }
            try await rule.check(repository)
        }
    }

    @Test(
        "agrees with a model of sessions over a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func historyOnServer() throws {
        try withPostgreSQLDatabase { text in
            let repository = try PostgreSQLAccountRepository.open(
                PostgreSQLAddress(text), lockTimeout: .seconds(60))
            defer { repository.close() }
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }
}
