import Accounts
import AccountStorage
import Database
import Testing
import TestSupport
import VaultStorage

@Suite("The accounts")
struct ContractTests {
    @Test("in memory keep the contract", arguments: AccountRepositoryContract.rules)
    func memory(rule: AccountRepositoryContract) async throws {
        let repository = MemoryAccountRepository()
        defer { repository.close() }
        try await rule.check(AccountRepositoryUnderTest(repository))
    }

    @Test("in a file keep the contract", arguments: AccountRepositoryContract.rules)
    func file(rule: AccountRepositoryContract) async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/accounts.db"
            let repository = try SQLiteAccountRepository.openOrCreate(at: path)
            defer { repository.close() }
            try await rule.check(
                AccountRepositoryUnderTest(repository) {
                    try #require(try SQLiteAccountRepository.open(at: path, mode: .readWrite))
                })
        }
    }

    @Test(
        "on a server keep the contract",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountRepositoryContract.rules)
    func server(rule: AccountRepositoryContract) async throws {
        try await withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let repository = try PostgreSQLAccountRepository.open(
                address, lockTimeout: .seconds(60))
            defer { repository.close() }
            try await rule.check(
                AccountRepositoryUnderTest(repository, manyKeys: 5_000) {
                    try PostgreSQLAccountRepository.open(address, lockTimeout: .seconds(60))
                })
        }
    }
}
