import Accounts
@testable import Database
import Testing
import TestSupport

@Suite("A refusal")
struct RefusalTests {
    /// The time of a refusal is that of derivations, which the contract counts, and of database queries.
    @Test("makes the same database queries with and without an account")
    func queries() throws {
        let log = StatementLog()
        let repository = try AccountRepository.openOrCreate(.memory, log.options(DatabaseOptions()))
        let fixture = try AccountFixture(repository)
        let disabled = try AccountFixture.name("disabled@example.com")
        let hash = try fixture.hashing.hash(
            AccountFixture.password(AccountFixture.wrongPassword), cost: AccountFixture.cost)
        try repository.change { writer in
            try writer.insert(
                Account(
                    email: disabled, password: hash, created: AccountFixture.start,
                    isDisabled: true))
        }
        let names = [AccountFixture.ownersName, "nobody@example.com", disabled.text]
        _ = log.take()
        // Free ones, and those that are blocked.
        for number in 0..<8 {
            var queries: Set<[String]> = []
            for (place, name) in names.enumerated() {
                let refusal = try fixture.refusal(name, from: "192.0.2.\(place)")
                let verdict: AccountError = name == disabled.text ? .disabled : .rejected
                #expect((refusal == verdict) == (number < 5))
                let statements = log.take().map { $0.sql.sqlite.string }
                #expect(
                    statements.contains { $0.contains("FROM accounts WHERE email") }
                        == (number < 5))
                queries.insert(statements)
            }
            #expect(queries.count == 1, "attempt \(number): \(queries)")
        }
    }
}
