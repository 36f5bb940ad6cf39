import Accounts
import Testing
import TestSupport

@Suite("A refusal")
struct RefusalTests {
    /// The time of a refusal is that of derivations, which the contract counts, and of database queries.
    @Test("makes the same database queries with and without an account")
    func questions() throws {
        let repository = try RecordingRepository()
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
        _ = repository.take()
        // Free ones, and those that are blocked.
        for number in 0..<8 {
            var questions: Set<[String]> = []
            for (place, name) in names.enumerated() {
                let refusal = try fixture.refusal(name, from: "192.0.2.\(place)")
                #expect((refusal == .rejected) == (number < 5))
                let asked = repository.take()
                #expect(asked.contains("account EmailAddress") == (number < 5))
                questions.insert(asked)
            }
            #expect(questions.count == 1, "attempt \(number): \(questions)")
        }
    }
}
