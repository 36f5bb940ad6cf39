internal import Accounts
internal import Synchronization
internal import Testing
internal import TextCoding

extension AccountServiceContract {
    /// Spellings of one name: usual ones, and those with which an attacker seeks another counter.
    package static let spellings = [
        "owner@example.com", "Owner@Example.COM", "OWNER@EXAMPLE.COM", " owner@example.com ",
        "\towner@example.com\r\n", "\u{A0}owner@example.com\u{3000}", "owner@example.com.",
        "\u{FF4F}\u{FF57}\u{FF4E}\u{FF45}\u{FF52}@example.com",
        "\u{FF2F}\u{FF37}\u{FF2E}\u{FF25}\u{FF32}\u{FF20}\u{FF25}xample\u{FF0E}com",
        "owner\u{FE6B}example.com", "\u{1D428}wner@example.com", "owner@e\u{2093}ample.com",
        "owner@examp\u{2113}e.\u{24D2}om", "\u{BA}wner@example.com", "owner@example\u{2024}com",
    ]

    static let delayRules: [AccountServiceContract] = [
        .init("after 5 failures each one doubles the delay, from 30 s up to 15 min") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            var now = Duration.zero
            for seconds in [30, 60, 120, 240, 480, 900, 900, 900] {
                let delay = Duration.seconds(seconds)
                let blocked = AccountError.tooManyAttempts(retryAfter: delay)
                #expect(try fixture.refusal(at: now) == blocked)
                let right = AccountFixture.ownersPassword
                #expect(
                    try fixture.refusal(AccountFixture.ownersName, right, at: now + delay - .moment)
                        == .tooManyAttempts(retryAfter: .moment), "even with the right password")
                now += delay
                #expect(try fixture.refusal(at: now) == .rejected)
            }
            #expect(
                fixture.hashing.verifications == 13, "nothing was verified for what was blocked")
        },
        .init("a success, and 24 h without a failure, forget the failures") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<4 { #expect(try fixture.refusal() == .rejected) }
            _ = try fixture.signIn()
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            let hour = Duration.hours(1)
            #expect(try fixture.refusal(at: hour) == .rejected)
            #expect(try fixture.refusal(at: hour) == .tooManyAttempts(retryAfter: .minutes(1)))
            let day = Duration.days(1)
            #expect(try fixture.refusal(at: hour + day - .moment) == .rejected)
            #expect(
                try fixture.refusal(at: hour + day)
                    == .tooManyAttempts(
                        retryAfter: .minutes(2) - .moment))
            for _ in 0..<5 {
                #expect(try fixture.refusal(at: hour + day + day - .moment) == .rejected)
            }
        },
        .init("names without an account are limited like others") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 { #expect(try fixture.refusal("nobody@example.com") == .rejected) }
            let blocked = AccountError.tooManyAttempts(retryAfter: .seconds(30))
            #expect(try fixture.refusal("nobody@example.com") == blocked)
            #expect(try fixture.refusal("somebody@example.com") == .rejected)
        },
        .init("every spelling of a name has the same counter") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            let key = try AttemptKey(AccountFixture.name())
            for (number, spelling) in spellings.enumerated() {
                #expect(try AttemptKey(AccountFixture.name(spelling)) == key, "\(spelling)")
                let expected: AccountError =
                    number < 5 ? .rejected : .tooManyAttempts(retryAfter: .seconds(30))
                #expect(try fixture.refusal(spelling) == expected, "\(spelling)")
            }
        },
        .init("a clock that was set back locks a name for the delay at most") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            let future = Duration.days(3_000)
            for _ in 0..<5 { #expect(try fixture.refusal(at: future) == .rejected) }
            #expect(try fixture.refusal(at: .zero) == .tooManyAttempts(retryAfter: .seconds(30)))
            #expect(
                try fixture.refusal(at: .seconds(29)) == .tooManyAttempts(retryAfter: .seconds(1)),
                "the time runs from the first attempt that was blocked")
            #expect(try fixture.refusal(at: .seconds(30)) == .rejected)
            // The earlier failures count.
            #expect(
                try fixture.refusal(at: .seconds(30)) == .tooManyAttempts(retryAfter: .minutes(1)))
        },
        .init("0 free failures switch the limit of names off") { repository in
            let fixture = try AccountFixture(repository) {
                $0.guessing.freeFailures = 0
                $0.guessing.networkAttempts = 0
            }
            for _ in 0..<100 { #expect(try fixture.refusal() == .rejected) }
            _ = try fixture.signIn()
            #expect(try repository.change { try $0.countAttempts() } == 0)
        },
    ]

    static let placeRules: [AccountServiceContract] = [
        .init("the refusal of a network reveals nothing about the name") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 {
                #expect(try fixture.refusal(from: AccountFixture.elsewhere) == .rejected)
            }
            for number in 0..<15 {
                #expect(
                    try fixture.refusal("nobody\(number)@example.com", from: "203.0.113.5")
                        == .rejected)
            }
            // The name is blocked for 30 seconds, the network for four.
            #expect(
                try fixture.refusal(from: "203.0.113.5")
                    == .tooManyAttempts(retryAfter: .seconds(4)))
        },
        .init("an attacked owner can sign in from a known place only") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.signIn(from: AccountFixture.home)
            for _ in 0..<5 {
                #expect(try fixture.refusal(from: AccountFixture.elsewhere) == .rejected)
            }
            let blocked = AccountError.tooManyAttempts(retryAfter: .seconds(30))
            #expect(try fixture.refusal(from: AccountFixture.elsewhere) == blocked)
            #expect(try fixture.refusal(from: "203.0.113.5") == blocked)
            for _ in 0..<10 {
                #expect(try fixture.refusal(from: AccountFixture.home) == .rejected)
                _ = try fixture.signIn(from: AccountFixture.home)
            }
            #expect(
                try fixture.refusal(from: AccountFixture.elsewhere) == blocked,
                "that the owner gets in gives an attacker nothing")
        },
        .init("failures at a known place block that place only") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.signIn(from: AccountFixture.home)
            for _ in 0..<5 { #expect(try fixture.refusal(from: AccountFixture.home) == .rejected) }
            #expect(
                try fixture.refusal(from: AccountFixture.home)
                    == .tooManyAttempts(retryAfter: .seconds(30)))
            _ = try fixture.signIn(from: AccountFixture.elsewhere)
        },
        .init("a place is known for 180 days after the last sign-in from there") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.signIn()
            _ = try fixture.signIn(at: .days(10))
            let end = Duration.days(190)
            for _ in 0..<5 {
                #expect(try fixture.refusal(from: AccountFixture.elsewhere, at: end) == .rejected)
            }
            let blocked = AccountError.tooManyAttempts(retryAfter: .seconds(30))
            #expect(try fixture.refusal(at: end) == blocked)
            #expect(try fixture.refusal(at: end - .moment) == .rejected)
        },
        .init("an account knows the 16 places that were used last") { repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<17 {
                _ = try fixture.signIn(from: "192.0.2.\(number)", at: .seconds(number))
            }
            let owner = try #require(try fixture.owner())
            #expect(try repository.knownPlaces(of: owner.id).count == 16)
            let now = Duration.minutes(5)
            for _ in 0..<5 {
                #expect(try fixture.refusal(from: AccountFixture.elsewhere, at: now) == .rejected)
            }
            #expect(try fixture.refusal(from: "192.0.2.1", at: now) == .rejected)
            #expect(
                try fixture.refusal(from: "192.0.2.0", at: now)
                    == .tooManyAttempts(retryAfter: .seconds(30)))
        },
        .init("a place belongs to one account") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.signIn(from: AccountFixture.home)
            let name = try AccountFixture.name("other@example.com")
            let hash = try fixture.hashing.hash(
                AccountFixture.password(AccountFixture.newPassword), cost: AccountFixture.cost)
            try repository.change { writer in
                try writer.insert(
                    Account(email: name, password: hash, created: AccountFixture.start))
            }
            for _ in 0..<5 {
                #expect(try fixture.refusal(name.text, from: AccountFixture.elsewhere) == .rejected)
            }
            #expect(
                try fixture.refusal(name.text, from: AccountFixture.home)
                    == .tooManyAttempts(retryAfter: .seconds(30)))
        },
        .init("0 places, or a lifetime of 0, switch known places off") { repository in
            let none = try AccountFixture(repository) { $0.guessing.maximumKnownPlaces = 0 }
            _ = try none.signIn()
            let owner = try #require(try none.owner())
            #expect(try repository.knownPlaces(of: owner.id).isEmpty)
            let short = try AccountFixture(sharing: repository) {
                $0.guessing.knownPlaceLifetime = .zero
            }
            _ = try short.signIn()
            for _ in 0..<5 {
                #expect(try short.refusal(from: AccountFixture.elsewhere) == .rejected)
            }
            #expect(try short.refusal() == .tooManyAttempts(retryAfter: .seconds(30)))
        },
    ]

    static let networkRules: [AccountServiceContract] = [
        .init("a network has 15 attempts at once, then one every 4 s") { repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            #expect(
                try fixture.refusal("b@example.com") == .tooManyAttempts(retryAfter: .seconds(4)))
            #expect(
                try fixture.refusal("b@example.com", at: .seconds(4) - .moment)
                    == .tooManyAttempts(retryAfter: .moment))
            #expect(try fixture.refusal("b@example.com", at: .seconds(4)) == .rejected)
            #expect(
                try fixture.refusal("c@example.com", at: .seconds(5))
                    == .tooManyAttempts(retryAfter: .seconds(3)))
            #expect(
                try fixture.refusal("c@example.com", from: AccountFixture.elsewhere) == .rejected)
            for number in 0..<15 {
                #expect(try fixture.refusal("d\(number)@example.com", at: .minutes(2)) == .rejected)
            }
        },
        .init("a success does not count for its network") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<40 { _ = try fixture.signIn() }
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            #expect(
                try fixture.refusal("b@example.com") == .tooManyAttempts(retryAfter: .seconds(4)))
        },
        .init("a clock that was set back blocks a network for a minute at most") {
            repository in
            let fixture = try AccountFixture(repository)
            for number in 0..<15 {
                #expect(
                    try fixture.refusal("a\(number)@example.com", at: .days(3_000)) == .rejected)
            }
            let blocked = AccountError.tooManyAttempts(retryAfter: .seconds(4))
            #expect(try fixture.refusal("b@example.com", at: .zero) == blocked)
            #expect(try fixture.refusal("b@example.com", at: .seconds(4)) == .rejected)
            #expect(try fixture.refusal("b@example.com", at: .seconds(4)) == blocked)
        },
        .init("0 attempts switch the limit of networks off") { repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            for number in 0..<40 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
            #expect(try repository.attempts(AttemptKey(network: AccountFixture.home)) == nil)
        },
        .init("the number of stored names and networks is limited; the latest stay") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.maximumKeys = 50 }
            for number in 0..<200 {
                #expect(
                    try fixture.refusal(
                        "a\(number)@example.com", from: "2001:db8:\(number)::/64",
                        at: .milliseconds(number)) == .rejected)
                #expect(try repository.change { try $0.countAttempts() } <= 50)
            }
            let last = try AttemptKey(AccountFixture.name("a199@example.com"))
            #expect(try repository.attempts(last) != nil)
            #expect(try repository.change { try $0.countAttempts() } > 40)
        },
    ]

    static let attackRules: [AccountServiceContract] = [
        .init("an attacker from everywhere gets 10 guesses in 15 min, and 1,000 in a day") {
            repository in
            let fixture = try AccountFixture(repository)
            // As fast as possible at first, then at the earliest allowed time.
            for second in 0..<900 {
                _ = try fixture.refusal(from: "2001:db8:\(second)::/64", at: .seconds(second))
            }
            #expect((5...10).contains(fixture.hashing.verifications))
            var now = Duration.minutes(15)
            while now < .days(1) {
                let refusal = try fixture.refusal(from: "2001:db8:1::/64", at: now)
                if case .tooManyAttempts(let delay) = refusal { now += delay }
            }
            #expect((50...1_000).contains(fixture.hashing.verifications))
        },
        .init("a network gets at most 30 guesses in any minute") { repository in
            let fixture = try AccountFixture(repository)
            var random = SeededGenerator()
            var times: [Duration] = []
            var now = Duration.zero
            while now < .minutes(5) {
                if try fixture.refusal("a\(random.next())@example.com", at: now) == .rejected {
                    times.append(now)
                }
                now += .milliseconds(Int(random.next() % 1_000))
            }
            for start in times {
                let minute = times.count { $0 >= start && $0 < start + .minutes(1) }
                #expect(minute <= 30, "seed \(random.seed)")
            }
            #expect(times.count > 60, "the limit is not a lock; seed \(random.seed)")
            #expect(fixture.hashing.verifications == times.count)
        },
        .init("concurrent attempts cannot pass together") { repository in
            let fixture = try AccountFixture(repository)
            let begun = await fixture.beginAtOnce { number in
                try fixture.beginSignIn(
                    AccountFixture.ownersName, AccountFixture.wrongPassword,
                    from: "192.0.2.\(number)")
            }
            #expect(begun.count == 5)
            for work in begun {
                #expect(throws: AccountError.rejected) {
                    try work.finish(at: AccountFixture.start)
                }
            }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .seconds(30)))
        },
        .init("concurrent attempts of one network cannot pass together") { repository in
            let fixture = try AccountFixture(repository)
            let begun = await fixture.beginAtOnce { number in
                try fixture.beginSignIn("a\(number)@example.com", AccountFixture.wrongPassword)
            }
            #expect(begun.count == 15)
        },
        .init(
            "of many concurrent right passwords from a known place all allowed ones succeed"
        ) {
            repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.signIn()
            await onThreads(8) { _ in
                do {
                    for _ in 0..<10 {
                        let refusal = try fixture.refusal(
                            AccountFixture.ownersName, AccountFixture.ownersPassword)
                        guard refusal != nil else { continue }
                        // More than five at once count as guesses, until the first one succeeds.
                        #expect(refusal == .tooManyAttempts(retryAfter: .seconds(30)))
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(
                try fixture.refusal(AccountFixture.ownersName, AccountFixture.ownersPassword) == nil
            )
            let place = AttemptKey(try AccountFixture.name(), network: AccountFixture.home)
            for key in [place, AttemptKey(network: AccountFixture.home)] {
                #expect(try repository.attempts(key) == nil, "all were released")
            }
        },
    ]
}

extension AccountFixture {
    /// Begins 32 attempts on 8 threads, before any of them is verified.
    ///
    /// - Returns: The attempts that may continue.
    fileprivate func beginAtOnce(
        _ begin: @escaping @Sendable (Int) throws -> PasswordWork<IssuedTokens>
    ) async -> [PasswordWork<IssuedTokens>] {
        let begun = BegunAttempts()
        await onThreads(8) { thread in
            for number in 0..<4 {
                do {
                    let work = try begin(thread * 4 + number)
                    begun.all.withLock { $0.append(work) }
                } catch AccountError.tooManyAttempts {
                    continue
                } catch {
                    Issue.record(error)
                }
            }
        }
        return begun.all.withLock { $0 }
    }
}

private final class BegunAttempts: Sendable {
    let all = Mutex<[PasswordWork<IssuedTokens>]>([])
}
