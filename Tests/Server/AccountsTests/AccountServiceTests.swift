import Accounts
import Database
import Testing
import TestSupport

@Suite("The account service")
struct AccountServiceTests {
    @Test("in memory obeys its rules", arguments: AccountServiceContract.rules)
    func memory(rule: AccountServiceContract) async throws {
        let failures = WriteFailures()
        try await rule.check(
            AccountRepository.openOrCreate(.memory, failures.options(DatabaseOptions())), failures)
    }

    @Test("in a file obeys its rules", arguments: AccountServiceContract.rules)
    func file(rule: AccountServiceContract) async throws {
        let failures = WriteFailures()
        try await withAccountFile(failures.options(AccountRepository.standardOptions)) {
            repository, _ in try await rule.check(repository, failures)
        }
    }

    @Test(
        "on a server obeys its rules",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"),
        arguments: AccountServiceContract.rules)
    func server(rule: AccountServiceContract) async throws {
        let failures = WriteFailures()
        try await withAccountServer(failures.options(patient)) { repository, _ in
            try await rule.check(repository, failures)
        }
    }

    @Test("in a file agrees with a model of sessions")
    func historyInFile() async throws {
        try await withAccountFile { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: 60)
        }
    }

    @Test(
        "on a server agrees with a model of sessions",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func historyOnServer() async throws {
        try await withAccountServer { repository, _ in
            var history = try SessionHistory(repository, seed: .random(in: .min ... .max))
            try history.run(steps: 60)
        }
    }

    @Test("in memory agrees with a model of sessions in random histories")
    func histories() throws {
        var counts: [String: Int] = [:]
        for _ in 0..<60 {
            var history = try SessionHistory(
                AccountRepository.openOrCreate(.memory), seed: .random(in: .min ... .max))
            try history.run(steps: 120)
            counts.merge(history.counts) { $0 + $1 }
        }
        // A history in which nothing happened would agree too.
        for step in [
            "sign: tokens", "sign: refusal(Accounts.AccountError.rejected)",
            "refresh: tokens", "refresh: refusal(Accounts.AccountError.rejected)",
            "change: tokens", "change: refusal(Accounts.AccountError.rejected)",
            "change: refusal(Accounts.AccountError.tokenRejected)",
            "revoke: revocation(isRevoked: true)", "revoke: revocation(isRevoked: false)",
            "disabled: done", "end: done", "purge: done",
        ] {
            #expect(counts[step, default: 0] > 0, "\(step) in \(counts)")
        }
    }
}
