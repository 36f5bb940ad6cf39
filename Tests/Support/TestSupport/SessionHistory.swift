package import Accounts
internal import Testing
internal import TextCoding

/// A random history of sign-ins, refreshes, reuse, revocations, changes and time, for a service and ``SessionModel``. After every step
/// both must agree about every token.
package struct SessionHistory {
    private let fixture: AccountFixture
    private var model = SessionModel()
    private var random: SeededGenerator
    private var now = Duration.zero
    /// The steps, for failure messages.
    private var steps: [String] = []
    /// The number of results of each kind for each step.
    package private(set) var counts: [String: Int] = [:]

    /// Begins a history over an empty repository.
    package init(_ repository: AccountRepository, seed: UInt64) throws {
        fixture = try AccountFixture(repository) { rules in
            rules.guessing.freeFailures = 0
            rules.guessing.networkAttempts = 0
            // Low limits, so that they are reached.
            rules.maximumSessions = SessionModel.maximumSessions
            rules.maximumAccessTokens = SessionModel.maximumAccessTokens
            rules.maximumReplacedTokens = SessionModel.maximumReplacedTokens
        }
        random = SeededGenerator(seed: seed)
        try fixture.administration.resetPassword(
            of: AccountFixture.name(), to: AccountFixture.password(Self.password(0)),
            at: AccountFixture.start)
    }

    /// Takes steps.
    package mutating func run(steps count: Int) throws {
        for _ in 0..<count {
            try step()
            for number in model.tokens.indices {
                let isGood = try fixture.isGood(model.tokens[number].text, at: now)
                guard isGood != model.isGood(number, at: now) else { continue }
                Issue.record("seed \(random.seed): token \(number) is \(isGood); \(steps)")
                return
            }
        }
    }

    private mutating func step() throws {
        switch random.next() % 32 {
        case 0...6: pass()
        case 7...9: try signIn(password: model.password)
        case 10: try signIn(password: model.password + 1)
        case 11...22: try refresh()
        case 23...25: try revoke()
        case 26: try changePassword(model.password)
        case 27: try changePassword(model.password + 1)
        case 28: try setDisabled()
        case 29: try signInDuringChange()
        case 30: try end()
        default: try purge()
        }
    }

    private mutating func pass() {
        let durations: [Duration] = [
            .moment, .seconds(1), .seconds(10), .seconds(29), .seconds(30), .seconds(31),
            .minutes(14), .minutes(15), .hours(5), .days(1), .days(14), .days(30), .days(70),
        ]
        // Mostly short steps.
        let bound: UInt64 = random.next().isMultiple(of: 4) ? UInt64(durations.count) : 6
        let duration = durations[Int(random.next() % bound)]
        now += duration
        steps.append("pass \(duration)")
    }

    /// An issued token, preferably a recent one.
    private mutating func someToken(_ kind: TokenDescription.Kind) -> Int? {
        let numbers = model.tokens.indices.filter { model.tokens[$0].kind == kind }
        guard !numbers.isEmpty else { return nil }
        let near = random.next() % 4 != 0
        return numbers.suffix(near ? 3 : numbers.count).randomElement(using: &random)
    }

    private mutating func signIn(password: Int) throws {
        let issued = try answer(
            "sign in with \(password)",
            expecting: { model in
                guard password == model.password else { return .refusal(.rejected) }
                return model.isDisabled ? .refusal(.disabled) : .tokens
            }
        ) { fixture, now in
            try fixture.signIn(AccountFixture.ownersName, Self.password(password), at: now)
        }
        if let issued { model.give(issued, in: model.begin(issued, at: now), at: now) }
    }

    private mutating func refresh() throws {
        guard let number = someToken(.refresh) else { return }
        let token = model.tokens[number].text
        let now = now
        let issued = try answer("refresh \(number)", expecting: { $0.refresh(number, at: now) }) {
            fixture, now in try fixture.refresh(token, at: now)
        }
        if let issued { model.noteRefresh(number, issued, at: now) }
    }

    private mutating func revoke() throws {
        guard let number = someToken(random.next().isMultiple(of: 2) ? .access : .refresh)
        else { return }
        let expected = model.revoke(number)
        let outcome = try fixture.service.revoke(
            model.tokens[number].text, client: AccountFixture.client)
        let isRevoked = if case .revoked = outcome { true } else { false }
        note("revoke \(number)", .revocation(isRevoked: isRevoked), expected)
    }

    private mutating func changePassword(_ password: Int) throws {
        guard let number = someToken(.access) else { return }
        let token = model.tokens[number].text
        let new = model.password + 2
        let now = now
        let issued = try answer(
            "change \(password) to \(new) by \(number)",
            expecting: { model in
                guard model.isGood(number, at: now) else { return .refusal(.tokenRejected) }
                return password == model.password ? .tokens : .refusal(.rejected)
            }
        ) { fixture, now in
            try fixture.service.beginPasswordChange(
                accessToken: token, current: AccountFixture.typed(Self.password(password)),
                new: AccountFixture.typed(Self.password(new)),
                at: AccountFixture.time(now)
            ).finish(at: AccountFixture.time(now))
        }
        guard let issued else { return }
        model.password = new
        model.endAll()
        model.give(issued, in: model.begin(issued, at: now), at: now)
    }

    private mutating func signInDuringChange() throws {
        let work = try fixture.beginSignIn(
            AccountFixture.ownersName, Self.password(model.password), at: now)
        let new = model.password + 2
        try fixture.administration.resetPassword(
            of: AccountFixture.name(), to: AccountFixture.password(Self.password(new)),
            at: AccountFixture.time(now))
        model.password = new
        model.endAll()
        _ = try answer("sign in during a change", expecting: { _ in .refusal(.rejected) }) {
            _, now in try work.finish(at: AccountFixture.time(now))
        }
    }

    private mutating func setDisabled() throws {
        // Usually enabled again soon; otherwise nothing else would happen.
        let isDisabled = !model.isDisabled && random.next().isMultiple(of: 2)
        try fixture.administration.setDisabled(AccountFixture.name(), isDisabled)
        model.isDisabled = isDisabled
        if isDisabled { model.endAll() }
        note("disabled: \(isDisabled)", .done, .done)
    }

    private mutating func end() throws {
        try fixture.administration.endSessions(of: AccountFixture.name())
        model.endAll()
        note("end", .done, .done)
    }

    private mutating func purge() throws {
        try fixture.administration.purge(at: AccountFixture.time(now))
        model.purge(at: now)
        note("purge", .done, .done)
    }

    private static func password(_ number: Int) -> String { "password number \(number)" }

    /// Asks the service and the model.
    private mutating func answer(
        _ step: String, expecting expected: (inout SessionModel) -> SessionModel.Answer,
        _ body: (AccountFixture, Duration) throws -> IssuedTokens
    ) throws -> IssuedTokens? {
        let expected = expected(&model)
        do {
            let issued = try body(fixture, now)
            note(step, .tokens, expected)
            return issued
        } catch let error as AccountError {
            note(step, .refusal(error), expected)
            return nil
        }
    }

    private mutating func note(
        _ step: String, _ answer: SessionModel.Answer, _ expected: SessionModel.Answer
    ) {
        steps.append("\(step): \(answer)")
        counts["\(step.prefix { $0.isLetter }): \(answer)", default: 0] += 1
        #expect(answer == expected, "seed \(random.seed): \(steps)")
    }
}
