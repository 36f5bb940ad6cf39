import Accounts
import Testing
import TestSupport

@Suite("A refusal")
struct RefusalTests {
    /// What takes the time of a refusal: derivations, which the rules of the service count, and questions to the database.
    @Test("asks the database the same, whether there is an account or not")
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
                #expect(asked.contains("account EmailAddress"))
                questions.insert(asked)
            }
            #expect(questions.count == 1, "attempt \(number): \(questions)")
        }
    }
}
