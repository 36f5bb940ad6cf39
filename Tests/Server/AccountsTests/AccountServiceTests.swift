import Accounts
import AccountStorage
import Database
import Testing
import TestSupport

@Suite("Accounts")
struct AccountServiceTests {
    @Test("keep to their rules", arguments: AccountServiceContract.rules)
    func rules(rule: AccountServiceContract) async throws {
        try await rule.check(StoredAccounts.openOrCreate(.memory))
    }

    @Test("agree with a model of sessions in random histories")
    func histories() throws {
        var counts: [String: Int] = [:]
        for _ in 0..<60 {
            var history = try SessionHistory(
                StoredAccounts.openOrCreate(.memory), seed: .random(in: .min ... .max))
            try history.run(steps: 120)
            counts.merge(history.counts) { $0 + $1 }
        }
        // A history in which nothing happened would agree too.
        for step in [
            "sign: tokens", "sign: refusal(Accounts.AccountError.rejected)",
            "refresh: tokens", "refresh: refusal(Accounts.AccountError.rejected)",
            "change: tokens", "change: refusal(Accounts.AccountError.rejected)",
            "change: refusal(Accounts.AccountError.tokenRejected)",
            "revoke: revocation(Accounts.RevocationOutcome.revoked)",
            "revoke: revocation(Accounts.RevocationOutcome.unknown)", "disabled: done", "end: done",
            "purge: done",
        ] {
            #expect(counts[step, default: 0] > 0, "\(step) in \(counts)")
        }
    }
}
