internal import Accounts
internal import Platform
internal import Testing
internal import TextCoding

extension AccountServiceContract {
    static let rotationRules: [AccountServiceContract] = [
        .init("a refresh issues new tokens, and older access tokens stay valid") {
            repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .minutes(5))
            #expect(second.session == first.session && second.account == first.account)
            #expect(second.access != first.access && second.refresh != first.refresh)
            #expect(second.accessExpires == AccountFixture.time(.minutes(20)))
            for access in [first.access, second.access] {
                #expect(try fixture.isGood(access, at: .minutes(10)))
            }
            #expect(try !fixture.isGood(first.refresh, at: .minutes(5)))
            #expect(try fixture.isGood(second.refresh, at: .minutes(5)))
            let old = try #require(
                try repository.read { try $0.refreshToken(TokenHash(of: first.refresh)) })
            #expect(old.replaced == AccountFixture.time(.minutes(5)))
            let new = try #require(
                try repository.read { try $0.refreshToken(TokenHash(of: second.refresh)) })
            #expect(new.predecessor == old.hash)
            #expect(new.expires == AccountFixture.time(.minutes(5) + .days(30)))
            #expect(try fixture.sessions().first?.refreshed == AccountFixture.time(.minutes(5)))
        },
        .init("while its successor is unused, a replaced token is valid for 30 s") {
            repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let lost = try fixture.refresh(first.refresh, at: .minutes(1))
            let again = try fixture.refresh(first.refresh, at: .minutes(1) + .seconds(10))
            // The time runs from the first exchange, not from the last.
            let third = try fixture.refresh(first.refresh, at: .minutes(1) + .seconds(30))
            #expect(Set([lost, again, third].map(\.refresh)).count == 1, "the same successor")
            #expect(Set([lost, again, third].map(\.access)).count == 3)
            for answer in [lost, again] {
                #expect(try fixture.isGood(answer.access, at: .minutes(2)))
            }
            let next = try fixture.refresh(third.refresh, at: .minutes(2))
            #expect(try fixture.isGood(next.refresh, at: .minutes(2)))
        },
        .init("after 30 s a replaced token ends the session") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let other = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .minutes(1))
            let late = Duration.minutes(1) + .seconds(30) + .moment
            try fixture.expectEnd(
                by: first, at: late, of: [first.access, second.access, second.refresh])
            #expect(try fixture.isGood(other.refresh, at: late), "another session")
        },
        .init("once its successor was used, a replaced token ends the session at once") {
            repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .seconds(60))
            let third = try fixture.refresh(second.refresh, at: .seconds(61))
            try fixture.expectEnd(
                by: first, at: .seconds(62), of: [third.access, third.refresh, second.access])
        },
        .init("a successor is derived from its predecessor under the server's key") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .seconds(60))
            let other = try #require(
                PseudonymKey(try Samples.secret(String(repeating: "o", count: 32))))
            let service = try AccountService(
                repository: repository, rules: fixture.rules, pseudonyms: other,
                hashing: fixture.hashing)
            // Another key makes another token, which was never issued: nothing is ended, and nothing is given.
            let outcome = try service.refresh(
                first.refresh, client: AccountFixture.client,
                at: AccountFixture.time(.seconds(61)))
            let isRefused = if case .refused = outcome { true } else { false }
            #expect(isRefused)
            #expect(
                try fixture.refresh(first.refresh, at: .seconds(62)).refresh == second.refresh)
        },
        .init("threads that refresh with one token all go on") { repository in
            let fixture = try AccountFixture(repository)
            var token = try fixture.signIn().refresh
            for round in 1...3 {
                let answers = LockedValue<Set<String>>([])
                await onThreads(8) { [token] _ in
                    do {
                        let issued = try fixture.refresh(token, at: .seconds(round))
                        answers.withLock { _ = $0.insert(issued.refresh) }
                    } catch {
                        Issue.record(error)
                    }
                }
                let all = answers.withLock { $0 }
                #expect(all.count == 1)
                token = try #require(all.first)
            }
        },
        .init("many refreshes in one transaction are as many of their own") { repository in
            let fixture = try AccountFixture(repository)
            let sessions = try (0..<3).map { _ in try fixture.signIn() }
            let used = sessions[2].refresh
            let next = try fixture.refresh(used, at: .seconds(1))
            _ = try fixture.refresh(next.refresh, at: .seconds(2))
            let tokens = [sessions[0].refresh, used, sessions[1].refresh, sessions[0].refresh]
            let requests = try tokens.map { token in
                try #require(
                    try fixture.service.beginRefresh(token, client: AccountFixture.client))
            }
            let outcomes = try fixture.service.refresh(
                requests, at: AccountFixture.time(.seconds(3)))
            let refreshed = outcomes.map { outcome -> String? in
                if case .issued(let tokens) = outcome { tokens.refresh } else { nil }
            }
            #expect(refreshed.map { $0 != nil } == [true, false, true, true])
            #expect(refreshed[0] == refreshed[3] && refreshed[0] != refreshed[2])
            #expect(try repository.read { try $0.session(sessions[2].session) } == nil)
        },
        .init("a refresh confirms its device, so that other sign-ins do not displace it") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.maximumKnownDevices = 4 }
            let first = try fixture.signIn()
            let device = try #require(first.device)
            _ = try fixture.refresh(first.refresh, at: .seconds(1))
            for second in 2..<22 { _ = try fixture.signIn(at: .seconds(second)) }
            #expect(try fixture.signIn(device: device, at: .minutes(1)).device == nil)
        },
        .init("the predecessor's predecessor ends the session") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .seconds(1))
            let third = try fixture.refresh(second.refresh, at: .seconds(2))
            let fourth = try fixture.refresh(second.refresh, at: .seconds(3))
            #expect(fourth.refresh == third.refresh)
            try fixture.expectEnd(
                by: first, at: .seconds(4), of: [third.access, fourth.refresh, fourth.access])
        },
        .init("a clock that was set back a little lets a lost answer be asked for again") {
            repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            _ = try fixture.refresh(first.refresh, at: .minutes(10))
            let again = try fixture.refresh(first.refresh, at: .minutes(10) - .seconds(30))
            try fixture.expectEnd(
                by: first, at: .minutes(10) - .seconds(30) - .moment, of: [again.refresh])
        },
        .init("an expired token is refused, and ends nothing") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .days(30) - .moment)
            #expect(throws: AccountError.rejected) {
                try fixture.refresh(first.refresh, at: .days(30))
            }
            #expect(try fixture.isGood(second.refresh, at: .days(30)))
            #expect(throws: AccountError.rejected) {
                try fixture.refresh(second.refresh, at: .days(60) - .moment)
            }
            #expect(try fixture.sessions().count == 1)
        },
        .init("a session ends after 180 days, also with refreshes") { repository in
            let fixture = try AccountFixture(repository)
            var tokens = try fixture.signIn()
            for day in stride(from: 29, to: 180, by: 29) {
                tokens = try fixture.refresh(tokens.refresh, at: .days(day))
            }
            let last = try fixture.refresh(tokens.refresh, at: .days(180) - .seconds(10))
            #expect(last.accessExpires == AccountFixture.time(.days(180)))
            #expect(
                try repository.read { try $0.refreshToken(TokenHash(of: last.refresh)) }?.expires
                    == AccountFixture.time(.days(180)))
            for token in [last.access, last.refresh] {
                #expect(try fixture.isGood(token, at: .days(180) - .moment))
                #expect(try !fixture.isGood(token, at: .days(180)))
            }
            #expect(throws: AccountError.rejected) {
                try fixture.refresh(last.refresh, at: .days(180))
            }
        },
        .init("a disabled account is refused, also with a session") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let old = try fixture.refresh(tokens.refresh, at: .seconds(1))
            var owner = try #require(try fixture.owner())
            owner.isDisabled = true
            try repository.change { [owner] writer in try writer.update(owner) }
            for token in [tokens, old] {
                #expect(throws: AccountError.rejected) {
                    try fixture.refresh(token.refresh, at: .seconds(2))
                }
                #expect(try !fixture.isGood(token.refresh, at: .seconds(2)))
                #expect(try !fixture.isGood(token.access, at: .seconds(2)))
            }
            owner.isDisabled = false
            try repository.change { [owner] writer in try writer.update(owner) }
            _ = try fixture.refresh(old.refresh, at: .seconds(3))
        },
        .init("other tokens, and those of other clients, are refused, and end nothing") {
            repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .minutes(1))
            for token in [first.refresh, second.refresh] {
                #expect(throws: AccountError.rejected) {
                    try fixture.refresh(token, client: "another", at: .minutes(5))
                }
            }
            let forged = "tvr_" + String(repeating: "A", count: 43)
            let changed = second.refresh.dropLast() + (second.refresh.hasSuffix("A") ? "B" : "A")
            for token in [
                "", "tvr_", forged, String(changed), second.access, second.refresh + "A",
                "tva_" + second.refresh.dropFirst(4), second.refresh.uppercased(),
                String(repeating: "x", count: 1_000_000),
            ] {
                #expect(throws: AccountError.rejected) {
                    try fixture.refresh(token, at: .minutes(5))
                }
            }
            #expect(try fixture.isGood(second.refresh, at: .minutes(5)))
        },
    ]

    static let tokenRules: [AccountServiceContract] = [
        .init("a token has an account, a kind and an expiry") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn(at: .seconds(7))
            let owner = try #require(try fixture.owner())
            let session = try #require(try fixture.sessions().first)
            let times: [(String, TokenDescription.Kind, Duration)] = [
                (tokens.access, .access, .minutes(15)), (tokens.refresh, .refresh, .days(30)),
            ]
            for (token, kind, life) in times {
                let end = Duration.seconds(7) + life
                let description = try fixture.service.describe(
                    token, to: AccountFixture.client, at: AccountFixture.time(end - .moment))
                #expect(description?.kind == kind)
                #expect(description?.account == owner.profile)
                #expect(description?.session == session)
                #expect(description?.issued == AccountFixture.time(.seconds(7)))
                #expect(description?.expires == AccountFixture.time(end))
                #expect(try !fixture.isGood(token, at: end))
            }
            // A refresh token is for its own client, an access token for any service.
            for (token, isShown) in [(tokens.access, true), (tokens.refresh, false)] {
                let found = try fixture.service.describe(
                    token, to: "another", at: AccountFixture.time(.seconds(7)))
                #expect((found != nil) == isShown)
            }
            for token in ["", "tva_", "tvi_" + tokens.access.dropFirst(4), tokens.access + " "] {
                #expect(try !fixture.isGood(token, at: .seconds(7)))
            }
        },
        .init("only an access token authenticates") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let caller = try fixture.service.authenticate(tokens.access, at: AccountFixture.start)
            #expect(caller.account.email.text == AccountFixture.ownersName)
            for (token, time) in [
                (tokens.refresh, Duration.zero), (tokens.access, .minutes(15)), ("", .zero),
            ] {
                #expect(throws: AccountError.tokenRejected) {
                    try fixture.service.authenticate(token, at: AccountFixture.time(time))
                }
            }
        },
        .init("revoking a refresh token ends its session, even an old one's") { repository in
            let fixture = try AccountFixture(repository)
            for rounds in 0..<3 {
                let tokens = try fixture.signIn()
                var current = tokens
                for round in 0..<rounds {
                    current = try fixture.refresh(current.refresh, at: .seconds(round))
                }
                let other = try fixture.signIn()
                let client = AccountFixture.client
                #expect(
                    try fixture.service.revoke(tokens.refresh, client: client)
                        == .revoked(tokens.account))
                for token in [tokens.access, tokens.refresh, current.access, current.refresh] {
                    #expect(try !fixture.isGood(token, at: .seconds(rounds)))
                    #expect(try fixture.service.revoke(token, client: client) == .unknown)
                }
                #expect(throws: AccountError.rejected) {
                    try fixture.refresh(current.refresh, at: .seconds(rounds))
                }
                #expect(try fixture.isGood(other.access, at: .seconds(rounds)))
            }
        },
        .init("revoking an access token ends that token only") { repository in
            let fixture = try AccountFixture(repository)
            let first = try fixture.signIn()
            let second = try fixture.refresh(first.refresh, at: .zero)
            let client = AccountFixture.client
            #expect(
                try fixture.service.revoke(first.access, client: client) == .revoked(first.account))
            #expect(try !fixture.isGood(first.access, at: .zero))
            #expect(try fixture.isGood(second.access, at: .zero))
            #expect(try fixture.isGood(second.refresh, at: .zero))
            #expect(try fixture.service.revoke(first.access, client: client) == .unknown)
        },
        .init("a client cannot revoke another client's tokens, or unknown ones") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            for token in [tokens.access, tokens.refresh] {
                #expect(try fixture.service.revoke(token, client: "another") == .foreign)
                #expect(try fixture.isGood(token, at: .zero))
            }
            for token in [
                "", "tva_", "tvr_" + tokens.access.dropFirst(4),
                "tvi_" + tokens.access.dropFirst(4),
            ] {
                #expect(
                    try fixture.service.revoke(token, client: AccountFixture.client) == .unknown)
            }
        },
    ]
}

extension AccountFixture {
    /// Uses a refresh token, and expects that its session ends.
    fileprivate func expectEnd(
        by tokens: IssuedTokens, at time: Duration, of good: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for token in good {
            #expect(try isGood(token, at: time), "before", sourceLocation: sourceLocation)
        }
        let outcome = try service.refresh(
            tokens.refresh, client: Self.client, at: Self.time(time))
        let isReused = if case .reused(tokens.account) = outcome { true } else { false }
        #expect(isReused, sourceLocation: sourceLocation)
        for token in good {
            #expect(try !isGood(token, at: time), "after", sourceLocation: sourceLocation)
        }
        #expect(
            try repository.read { try $0.session(tokens.session) } == nil,
            sourceLocation: sourceLocation)
    }
}
