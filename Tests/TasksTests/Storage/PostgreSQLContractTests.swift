import Database
import Tasks
import Testing
import TestSupport

@Suite(
    "The tasks on a server",
    .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
struct PostgreSQLContractTests {
    @Test("keep the contract", arguments: TaskRepositoryContract.rules)
    func contract(rule: TaskRepositoryContract) async throws {
        try await withPostgreSQLDatabase { text in
            let address = try PostgreSQLAddress(text)
            let repository = try PostgreSQLTaskRepository.open(address, lockTimeout: .seconds(60))
            defer { repository.close() }
            try await rule.check(
                TaskRepositoryUnderTest(repository) {
                    try PostgreSQLTaskRepository.open(address, lockTimeout: .seconds(60))
                })
        }
    }
}
