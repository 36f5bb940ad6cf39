@testable import Accounts
import Testing
import TestSupport
import TextCoding

@Suite("The accounts in memory")
struct MemoryAccountRepositoryTests {
    private struct TestError: Error {}

    @Test("are as they were after a transaction that failed, table by table")
    func rollBack() throws {
        let repository = MemoryAccountRepository()
        let fixture = try AccountFixture(repository)
        let tokens = try fixture.signIn()
        let other = try fixture.refresh(tokens.refresh, at: .seconds(1))
        #expect(try fixture.refusal(from: AccountFixture.elsewhere) == .rejected)
        let guest = try AccountFixture.name("guest@example.com")
        _ = try fixture.administration.invite(guest, at: AccountFixture.start)
        let before = try Self.everything(fixture, [tokens, other])
        #expect(throws: AccountRepositoryFailure<TestError>.self) {
            try repository.change { (writer) throws(TestError) in
                do {
                    let owner = try #require(try writer.account(AccountFixture.name()))
                    try writer.purge(
                        expiredBefore: AccountFixture.time(.days(1_000)),
                        attemptsBefore: AccountFixture.time(.days(1_000)),
                        placesBefore: AccountFixture.time(.days(1_000)))
                    try writer.remove(owner.id)
                    #expect(try writer.account(owner.id) == nil)
                    try writer.insert(
                        Account(email: guest, password: owner.password, created: owner.created))
                } catch {
                    Issue.record(error)
                }
                throw TestError()
            }
        }
        #expect(try Self.everything(fixture, [tokens, other]) == before)
        // And the changes of the next one are its own.
        try fixture.administration.remove(guest)
        #expect(try repository.account(guest) == nil)
        #expect(try fixture.isGood(other.refresh, at: .seconds(2)))
    }

    @Test("refuse a writer that is kept after its transaction")
    func keptWriter() throws {
        let repository = MemoryAccountRepository()
        let writer = try repository.change { writer in writer as AnyObject }
        let kept = try #require(writer as? any AccountWriter)
        #expect(throws: AccountRepositoryError.closed) { try kept.countAttempts() }
        #expect(throws: AccountRepositoryError.closed) {
            try kept.removeAttempts(AttemptKey(network: ""))
        }
        try repository.check()
        repository.close()
        #expect(throws: AccountRepositoryError.closed) { try repository.check() }
    }

    private static func everything(
        _ fixture: AccountFixture, _ tokens: [IssuedTokens]
    ) throws -> [String] {
        let repository = fixture.repository
        let owner = try #require(try fixture.owner())
        var all = try [
            "\(owner)", "\(repository.accounts(after: nil, limit: 10))",
            "\(repository.invitations())", "\(repository.sessions(of: owner.id))",
            "\(repository.knownPlaces(of: owner.id))",
            "\(String(describing: repository.attempts(AttemptKey(owner.email))))",
        ]
        for issued in tokens {
            let access = try #require(try repository.accessToken(TokenHash(of: issued.access)))
            let refresh = try #require(try repository.refreshToken(TokenHash(of: issued.refresh)))
            all += ["\(access)", "\(refresh)"]
        }
        return all
    }
}
