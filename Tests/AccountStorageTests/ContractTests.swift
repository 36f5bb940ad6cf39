import Accounts
import AccountStorage
import Database
import Testing
import TestSupport

/// The rules of repositories, and those of the service, over each kind of database.
@Suite("Stored accounts")
struct ContractTests {
    private static let steps = 60
    /// Longer than several tests at once need on a slow machine.
    private static let patient = DatabaseOptions(lockTimeout: .seconds(60), connections: 5)

    /// Runs `body` with an empty file of accounts and its path.
    private func withFile(_ body: (StoredAccounts, String) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let repository = try StoredAccounts.openOrCreate(.file(path))
            defer { repository.close() }
            try await body(repository, path)
        }
    }

    /// Runs `body` with empty tables on a server and their address.
    private func withServer(
        _ body: (StoredAccounts, PostgreSQLAddress) async throws -> Void
    ) async throws {
        try await withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let repository = try StoredAccounts.openOrCreate(.server(address), Self.patient)
            defer { repository.close() }
            try await body(repository, address)
        }
    }

    @Test("in memory obey the rules", arguments: AccountRepositoryContract.rules)
    func memory(rule: AccountRepositoryContract) async throws {
        let repository = try StoredAccounts.openOrCreate(.memory)
        defer { repository.close() }
        try await rule.check(AccountRepositoryUnderTest(repository))
    }

    @Test("in a file obey the rules", arguments: AccountRepositoryContract.rules)
    func file(rule: AccountRepositoryContract) async throws {
        try await withFile { repository, path in
            try await rule.check(
                AccountRepositoryUnderTest(repository) { try StoredAccounts.open(.file(path)) })
        }
    }

    @Test(
        "on a server obey the rules",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountRepositoryContract.rules)
    func server(rule: AccountRepositoryContract) async throws {
        try await withServer { repository, address in
            try await rule.check(
                AccountRepositoryUnderTest(repository, manyKeys: 5_000) {
                    try StoredAccounts.open(.server(address), Self.patient)
                })
        }
    }

    @Test("in a file serve the rules of the service", arguments: AccountServiceContract.rules)
    func serviceInFile(rule: AccountServiceContract) async throws {
        try await withFile { repository, _ in try await rule.check(repository) }
    }

    @Test(
        "on a server serve the rules of the service",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountServiceContract.rules)
    func serviceOnServer(rule: AccountServiceContract) async throws {
        try await withServer { repository, _ in try await rule.check(repository) }
    }

    @Test("in a file agree with a model of sessions")
    func historyInFile() async throws {
        try await withFile { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }

    @Test(
        "on a server agree with a model of sessions",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func historyOnServer() async throws {
        try await withServer { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: Self.steps)
        }
    }
}
