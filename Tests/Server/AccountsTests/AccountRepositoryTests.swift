import Accounts
import Database
import Testing
import TestSupport

@Suite("Stored accounts")
struct AccountRepositoryTests {
    @Test("in memory obey the rules", arguments: AccountRepositoryContract.rules)
    func memory(rule: AccountRepositoryContract) async throws {
        let repository = try AccountRepository.openOrCreate(.memory)
        defer { repository.close() }
        try await rule.check(AccountRepositoryUnderTest(repository))
    }

    @Test("in a file obey the rules", arguments: AccountRepositoryContract.rules)
    func file(rule: AccountRepositoryContract) async throws {
        try await withAccountFile { repository, path in
            try await rule.check(
                AccountRepositoryUnderTest(repository) { try AccountRepository.open(.file(path)) })
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
                    try AccountRepository.open(.server(address), patient)
                })
        }
    }
}

/// Options for several tests at once on a slow machine.
let patient = DatabaseOptions(lockTimeout: .seconds(60), connections: 5)

/// Runs `body` with an empty file of accounts and its path.
func withAccountFile(
    _ options: DatabaseOptions = AccountRepository.standardOptions,
    _ body: (AccountRepository, String) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        let path = folder + "/accounts.db"
        let repository = try AccountRepository.openOrCreate(.file(path), options)
        defer { repository.close() }
        try await body(repository, path)
    }
}

/// Runs `body` with empty tables on a server and their address.
func withAccountServer(
    _ options: DatabaseOptions = patient,
    _ body: (AccountRepository, PostgreSQLAddress) async throws -> Void
) async throws {
    try await withPostgreSQLDatabase { text in
        let address = try PostgreSQLAddress(text)
        let repository = try AccountRepository.openOrCreate(.server(address), options)
        defer { repository.close() }
        try await body(repository, address)
    }
}
