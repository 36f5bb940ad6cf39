internal import Accounts
internal import Testing
internal import TextCoding

/// The limits of stored sessions and tokens.
extension AccountServiceContract {
    static let boundRules: [AccountServiceContract] = [
        .init("a sign-in over the limit ends the least recently used session") { repository in
            let fixture = try AccountFixture(repository) { $0.maximumSessions = 3 }
            var first = try fixture.signIn(at: .seconds(1))
            let second = try fixture.signIn(at: .seconds(2))
            let third = try fixture.signIn(at: .seconds(3))
            first = try fixture.refresh(first.refresh, at: .seconds(4))
            let fourth = try fixture.signIn(at: .seconds(5))
            #expect(
                Set(try fixture.sessions().map(\.id))
                    == [first.session, third.session, fourth.session])
            for token in [second.access, second.refresh] {
                #expect(try !fixture.isGood(token, at: .seconds(5)))
            }
            for token in [first.access, first.refresh, third.refresh, fourth.refresh] {
                #expect(try fixture.isGood(token, at: .seconds(5)))
            }
            // A clock set back ends only the other sessions.
            let fifth = try fixture.signIn(at: .zero)
            #expect(try fixture.isGood(fifth.refresh, at: .zero))
            #expect(try fixture.sessions().count == 3)
            #expect(try !fixture.isGood(third.refresh, at: .seconds(5)))
        },
        .init("an account has 100 sessions, or any number without the limit") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            for _ in 0..<99 { _ = try fixture.signIn(at: .seconds(1)) }
            #expect(try fixture.isGood(first.refresh, at: .seconds(1)))
            let free = try AccountFixture(sharing: repository) { $0.maximumSessions = 0 }
            // Later than the others: sessions of equal time are removed in any order.
            let more = try free.signIn(at: .seconds(2))
            #expect(try fixture.sessions().count == 101)
            _ = try fixture.signIn(at: .seconds(2))
            #expect(try fixture.sessions().count == 100)
            #expect(try !fixture.isGood(first.refresh, at: .seconds(2)))
            let last = try fixture.changePassword(more.access)
            #expect(try fixture.sessions().map(\.id) == [last.session])
        },
        .init("the oldest access tokens over the limit of a session are revoked") { repository in
            #expect(AccountRules().maximumAccessTokens == 256)
            let fixture = try AccountFixture(repository) { $0.maximumAccessTokens = 3 }
            let other = try fixture.signIn()
            var issued = [try fixture.signIn()]
            for second in 1...4 {
                let token = issued[issued.count - 1].refresh
                issued.append(try fixture.refresh(token, at: .seconds(second)))
            }
            let areGood = try issued.map { try fixture.isGood($0.access, at: .seconds(4)) }
            #expect(areGood == [false, false, true, true, true])
            // A clock set back does not remove the new one.
            let back = try fixture.refresh(issued[4].refresh, at: .zero)
            #expect(try fixture.isGood(back.access, at: .zero))
            #expect(try fixture.isGood(other.access, at: .zero))
        },
        .init("a replaced token over the limit is refused, and ends nothing") {
            repository in
            #expect(AccountRules().maximumReplacedTokens == 1_024)
            let fixture = try AccountFixture(repository) { $0.maximumReplacedTokens = 3 }
            var issued = [try fixture.signIn()]
            for number in 1...5 {
                let token = issued[issued.count - 1].refresh
                issued.append(try fixture.refresh(token, at: .hours(number)))
            }
            for number in 0...1 {
                #expect(throws: AccountError.rejected) {
                    try fixture.refresh(issued[number].refresh, at: .hours(5))
                }
                #expect(
                    try fixture.service.revoke(
                        issued[number].refresh, client: AccountFixture.client) == .unknown)
            }
            #expect(try fixture.isGood(issued[5].refresh, at: .hours(5)))
            #expect(throws: AccountError.rejected) {
                try fixture.refresh(issued[2].refresh, at: .hours(5))
            }
            #expect(try fixture.sessions().isEmpty, "that one was kept")
        },
        .init("replacing all stored tokens within an hour ends the session") {
            repository in
            let fixture = try AccountFixture(repository) { $0.maximumReplacedTokens = 3 }
            for (last, isOver) in [
                (Duration.hours(1) + .seconds(1), false), (.hours(1) + .seconds(1) - .moment, true),
                // With a clock set back, the limit within an hour does not apply.
                (.seconds(1) - .moment, false),
            ] {
                var tokens = try fixture.signIn()
                for second in 1...3 {
                    tokens = try fixture.refresh(tokens.refresh, at: .seconds(second))
                }
                if isOver {
                    #expect(throws: AccountError.rejected) {
                        try fixture.refresh(tokens.refresh, at: last)
                    }
                } else {
                    tokens = try fixture.refresh(tokens.refresh, at: last)
                }
                #expect(try fixture.isGood(tokens.refresh, at: last) == !isOver)
            }
        },
    ]
}

extension AccountFixture {
    /// A change of the password to itself.
    fileprivate func changePassword(_ token: String) throws -> IssuedTokens {
        try service.beginPasswordChange(
            accessToken: token, current: Self.typed(Self.ownersPassword),
            new: Self.typed(Self.ownersPassword),
            at: Self.time(.seconds(1))
        ).finish(at: Self.time(.seconds(1)))
    }
}
