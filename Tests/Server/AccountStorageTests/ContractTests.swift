import Accounts
import AccountStorage
import Database
import Testing
import TestSupport

@Suite("Stored accounts")
struct ContractTests {
    @Test("in memory obey the rules", arguments: AccountRepositoryContract.rules)
    func memory(rule: AccountRepositoryContract) async throws {
        let repository = try StoredAccounts.openOrCreate(.memory)
        defer { repository.close() }
        try await rule.check(AccountRepositoryUnderTest(repository))
    }

    @Test("in a file obey the rules", arguments: AccountRepositoryContract.rules)
    func file(rule: AccountRepositoryContract) async throws {
        try await withAccountFile { repository, path in
            try await rule.check(
                AccountRepositoryUnderTest(repository) { try StoredAccounts.open(.file(path)) })
        }
    }

    @Test(
        "on a server obey the rules",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountRepositoryContract.rules)
    func server(rule: AccountRepositoryContract) async throws {
        try await withAccountServer { repository, address in
            try await rule.check(
                AccountRepositoryUnderTest(repository, manyKeys: 5_000) {
                    try StoredAccounts.open(.server(address), patient)
                })
        }
    }
}

/// Options for several tests at once on a slow machine.
private let patient = DatabaseOptions(lockTimeout: .seconds(60), connections: 5)

/// Runs `body` with an empty file of accounts and its path.
func withAccountFile(_ body: (StoredAccounts, String) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
        let path = folder + "/accounts.db"
        let repository = try StoredAccounts.openOrCreate(.file(path))
        defer { repository.close() }
        try await body(repository, path)
    }
}

/// Runs `body` with empty tables on a server and their address.
func withAccountServer(
    _ body: (StoredAccounts, PostgreSQLAddress) async throws -> Void
) async throws {
    try await withPostgreSQLDatabase { text in
        let address = try PostgreSQLAddress(text)
        let repository = try StoredAccounts.openOrCreate(.server(address), patient)
        defer { repository.close() }
        try await body(repository, address)
    }
}
