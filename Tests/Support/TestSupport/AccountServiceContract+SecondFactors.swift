internal import Accounts
internal import Passkeys
internal import Platform
internal import Testing
internal import TextCoding

/// Second factors. The times and codes are those of RFC 6238, appendix B, for SHA-1.
extension AccountServiceContract {
    private static let missing = SecondFactorDemand(
        acceptsCode: true, acceptsRecoveryCode: true, acceptsPasskey: false, challenge: nil)

    static let secondFactorRules: [AccountServiceContract] = [
        .init("with a second factor, a password alone is refused, and a code signs in once") {
            repository in
            let fixture = try AccountFixture(repository)
            let codes = try fixture.addAuthenticator()
            #expect(Set(codes).count == 10)
            for number in 0..<3 {
                #expect(
                    try fixture.factorRefusal(nil, at: .first)
                        == .secondFactorRequired(missing), "\(number)")
            }
            #expect(try fixture.sessions().count == 1, "nothing was begun without the factor")
            #expect(try fixture.signIn(.code("081 804"), at: .first).device != nil)
            for time in [AccountFixture.CodeTime.first, .second] {
                #expect(
                    try fixture.factorRefusal(.code("081804"), at: time) == .secondFactorRejected)
            }
            // The clock of the app may be one step ahead.
            _ = try fixture.signIn(.code("050471"), at: .first)
            #expect(
                try fixture.factorRefusal(.code("050471"), at: .second) == .secondFactorRejected)
            #expect(
                try fixture.factorRefusal(.code("287082"), at: .second) == .secondFactorRejected,
                "a code of another time")
            _ = try fixture.signIn(.code("005924"), at: .third)
        },
        .init("a wrong password with a right code is a wrong password") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.addAuthenticator()
            #expect(
                try fixture.factorRefusal(
                    .code("081804"), AccountFixture.wrongPassword, at: .first) == .rejected)
            _ = try fixture.signIn(.code("081804"), at: .first)
        },
        .init("two servers at once accept one code once") { repository in
            let first = try AccountFixture(repository)
            let second = try AccountFixture(sharing: repository)
            _ = try first.addAuthenticator()
            let outcomes = Monitor<[AccountError?]>([])
            for number in 0..<8 {
                let fixture = number.isMultiple(of: 2) ? first : second
                let isStarted = DetachedThread.start {
                    do {
                        let refusal = try fixture.factorRefusal(
                            .code("081804"), from: "network \(number)", at: .first)
                        outcomes.update { $0.append(refusal) }
                    } catch {
                        Issue.record(error)
                    }
                }
                try #require(isStarted)
            }
            let all = outcomes.wait(until: .now + .seconds(120)) { $0.count == 8 ? $0 : nil }
            #expect(all?.count { $0 == nil } == 1)
            #expect(all?.count { $0 == .secondFactorRejected } == 7)
        },
        .init("a clock that was ahead does not hold up right codes, and brings none back") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            _ = try fixture.addAuthenticator()
            _ = try fixture.signIn(.code("279037"), at: .fourth)
            _ = try fixture.signIn(.code("081804"), at: .first)
            for (code, time) in [
                ("279037", AccountFixture.CodeTime.fourth), ("081804", .first), ("287082", .start),
            ] {
                #expect(
                    try fixture.factorRefusal(.code(code), at: time) == .secondFactorRejected)
            }
        },
        .init("a known device signs in by the password alone, until it is not known") {
            repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.addAuthenticator()
            let device = try #require(try fixture.signIn(.code("081804"), at: .first).device)
            #expect(try fixture.factorRefusal(nil, device: device, at: .second) == nil)
            #expect(
                try fixture.factorRefusal(nil, device: "tvd_\(device.dropFirst(5))x", at: .second)
                    == .secondFactorRequired(missing))
            try fixture.administration.endSessions(of: AccountFixture.name())
            #expect(
                try fixture.factorRefusal(nil, device: device, at: .second)
                    == .secondFactorRequired(missing))
        },
        .init("the first second factor makes other devices unknown") { repository in
            let fixture = try AccountFixture(repository)
            let thief = try fixture.signIn(nil, at: .start)
            let own = try fixture.signIn(nil, at: .start)
            _ = try fixture.addAuthenticator(own.access)
            #expect(
                try fixture.factorRefusal(nil, device: thief.device, at: .start)
                    == .secondFactorRequired(missing))
            #expect(try fixture.factorRefusal(nil, device: own.device, at: .start) == nil)
            #expect(try fixture.isGood(thief.refresh, .start), "its session is its owner's to end")
        },
        .init("each recovery code signs in once, in any spelling") { repository in
            let fixture = try AccountFixture(repository)
            let codes = try fixture.addAuthenticator()
            for (number, code) in codes.enumerated() {
                let typed = number.isMultiple(of: 2) ? code : code.lowercased().filter { $0 != "-" }
                let tokens = try fixture.signIn(.recoveryCode(typed), at: .first)
                #expect(tokens.usedRecoveryCode && tokens.device != nil)
                #expect(
                    try fixture.factorRefusal(.recoveryCode(code), at: .first)
                        == .secondFactorRejected)
                let left = try fixture.service.secondFactors(
                    tokens.access, at: AccountFixture.CodeTime.first.point)
                #expect(left.recoveryCodes == 9 - number)
            }
            guard
                case .secondFactorRequired(let demand) = try fixture.factorRefusal(nil, at: .first)
            else { throw NotAnAddress(text: "a demand") }
            #expect(!demand.acceptsRecoveryCode && demand.acceptsCode)
        },
        .init("new recovery codes replace the earlier ones") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn(nil, at: .start)
            let old = try fixture.addAuthenticator(tokens.access)
            let new = try fixture.change(
                .recoveryCodes, tokens.access, .recoveryCode(old[0]), at: .start)
            #expect(Set(new + old).count == 20)
            #expect(
                try fixture.factorRefusal(.recoveryCode(old[1]), at: .first)
                    == .secondFactorRejected)
            _ = try fixture.signIn(.recoveryCode(new[1]), at: .first)
        },
        .init("a network has 5 wrong second factors, and a known device and other networks go on") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            let codes = try fixture.addAuthenticator()
            let device = try #require(
                try fixture.signIn(.recoveryCode(codes[0]), at: .first).device)
            for number in 0..<5 {
                let proof: SecondFactorProof =
                    number.isMultiple(of: 2) ? .code("000000") : .recoveryCode(codes[0])
                #expect(try fixture.factorRefusal(proof, at: .first) == .secondFactorRejected)
            }
            let waiting = AccountError.tooManyAttempts(retryAfter: .minutes(15))
            let events = try fixture.administration.events(of: AccountFixture.name(), limit: 9)
            #expect(
                events.filter { $0.event.action == .factorGuessed }.count == 1,
                "its owner sees that the password is known")
            #expect(try fixture.factorRefusal(.code("081804"), at: .first) == waiting)
            #expect(try fixture.factorRefusal(.recoveryCode(codes[1]), at: .first) == waiting)
            #expect(try fixture.factorRefusal(nil, device: device, at: .first) == nil)
            _ = try fixture.signIn(
                .code("081804"), from: AccountFixture.elsewhere, at: .first)
            #expect(
                try fixture.factorRefusal(.code("050471"), at: .second) != nil, "it still waits")
        },
        .init("wrong second factors from many networks are limited for the account") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            _ = try fixture.addAuthenticator()
            var refused = 0
            for number in 0..<200 {
                let refusal = try fixture.factorRefusal(
                    .code("000000"), from: "network \(number)", at: .first)
                if refusal == .secondFactorRejected { refused += 1 }
            }
            #expect(refused == 20)
        },
        .init("a code for a new password stands in for no second factor, and waits for it") {
            repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.addAuthenticator()
            let time = AccountFixture.CodeTime.first
            let name = try AccountFixture.name()
            let code = try fixture.administration.makeResetCode(for: name, at: time.point).code
            let password = "a new password"
            _ = try fixture.service.beginReset(
                name, code: code, new: AccountFixture.typed(password), at: time.point
            ).finish(at: time.point)
            for _ in 0..<30 {
                _ = try fixture.factorRefusal(nil, AccountFixture.wrongPassword, at: time)
            }
            #expect(
                try fixture.factorRefusal(nil, password, device: code, at: time)
                    == .secondFactorRequired(missing))
            #expect(
                try fixture.factorRefusal(.code("000000"), password, device: code, at: time)
                    == .secondFactorRejected)
            let tokens = try fixture.signIn(
                .code("081804"), password, device: code, at: time)
            #expect(tokens.device != nil)
            #expect(
                try fixture.factorRefusal(.code("050471"), password, device: code, at: time)
                    != nil, "the code is spent")
        },
        .init("an operator's reset lets the password sign in alone, and forgets the guesses") {
            repository in
            let fixture = try AccountFixture(repository) { $0.guessing.networkAttempts = 0 }
            let codes = try fixture.addAuthenticator()
            for _ in 0..<6 { _ = try fixture.factorRefusal(.code("000000"), at: .first) }
            #expect(try fixture.administration.resetSecondFactors(of: AccountFixture.name()) == 1)
            let tokens = try fixture.signIn(nil, at: .first)
            _ = try fixture.addAuthenticator(tokens.access, code: "081804", at: .first)
            #expect(
                try fixture.factorRefusal(.recoveryCode(codes[0]), at: .first)
                    == .secondFactorRejected, "the old codes are gone")
            _ = try fixture.signIn(.code("050471"), at: .first)
            let events = try repository.change { try $0.takeAuditEvents(limit: 9) }
            #expect(events.map(\.action) == [.secondFactorReset])
            #expect(throws: AccountError.missing) {
                try fixture.administration.resetSecondFactors(
                    of: AccountFixture.name("other@example.com"))
            }
        },
        .init("a change needs the password, and the second factor that is there") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn(nil, at: .start)
            func refusal(
                _ change: SecondFactorChange, _ proof: SecondFactorProof? = nil,
                _ password: String = AccountFixture.ownersPassword
            ) throws -> AccountError? {
                try fixture.changeRefusal(change, tokens.access, proof, password)
            }
            let change = try AccountFixture.authenticator("287082")
            #expect(try refusal(change, nil, AccountFixture.wrongPassword) == .rejected)
            #expect(try refusal(.recoveryCodes) == .factorMissing)
            #expect(try refusal(.removal(nil)) == .factorMissing)
            let codes = try fixture.addAuthenticator(tokens.access)
            #expect(try refusal(.removal(nil)) == .secondFactorRequired(missing))
            #expect(try refusal(.recoveryCodes) == .secondFactorRequired(missing))
            #expect(try refusal(change, .recoveryCode(codes[0])) == nil, "another app replaces it")
            #expect(try refusal(.removal(nil), .code("287082")) == .secondFactorRejected)
            #expect(
                try refusal(.removal(SecondFactorID()), .recoveryCode(codes[1])) == .factorMissing)
            #expect(try refusal(.removal(nil), .recoveryCode(codes[1])) == nil)
            _ = try fixture.signIn(nil, at: .first)
            #expect(
                try repository.read {
                    try $0.countRecoveryCodes(of: tokens.account)
                } == 0)
        },
        .init("an authenticator app needs a long secret and its own code") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn(nil, at: .start)
            for (secret, code) in [
                (AccountFixture.secret, "000000"), (AccountFixture.secret, "28708"),
                (AccountFixture.secret, "94287082"), ("GEZDGNBVGY3TQOJQ", "287082"), ("", ""),
                ("not base 32!", "287082"), (String(repeating: "A", count: 9_000), "287082"),
                ("otpauth://totp/x?secret=\(AccountFixture.secret)&digits=8", "94287082"),
                ("otpauth://totp/x?secret=\(AccountFixture.secret)&period=86400", "287082"),
            ] {
                #expect(throws: AccountError.newFactorRejected, "\(secret.prefix(60)) \(code)") {
                    try fixture.change(
                        AccountFixture.authenticator(code, secret), tokens.access, nil, at: .start)
                }
            }
            _ = try fixture.signIn(nil, at: .first)
        },
        .init("a sealed secret opens only with its key, account and row") { repository in
            let fixture = try AccountFixture(repository)
            let codes = try fixture.addAuthenticator()
            let owner = try #require(try fixture.owner()).id
            let factor = try #require(
                try repository.read { try $0.secondFactors(of: owner) }.first)
            let text = Array(AccountFixture.secret.utf8)
            #expect(
                !factor.key.indices.contains { factor.key[$0...].starts(with: text.prefix(8)) })
            let other = try AccountService(
                repository: repository, rules: fixture.rules,
                pseudonyms: try AccountFixture.pseudonyms("o"), hashing: fixture.hashing)
            func signIn(_ proof: SecondFactorProof) throws {
                var origin = SignInOrigin()
                origin.proof = proof
                _ = try other.beginSignIn(
                    AccountFixture.name(), AccountFixture.typed(AccountFixture.ownersPassword),
                    client: AccountFixture.client, origin, from: [AccountFixture.home],
                    at: AccountFixture.CodeTime.first.point
                ).finish(at: AccountFixture.CodeTime.first.point)
            }
            #expect(throws: SecondFactorFailure.otherKey) { try signIn(.code("081804")) }
            try signIn(.recoveryCode(codes[0]))
            // Under another id.
            try repository.change { writer in
                try writer.removeSecondFactor(factor.id)
                try writer.insert(
                    SecondFactor(account: owner, key: factor.key, created: factor.created))
            }
            #expect(throws: SecondFactorFailure.otherKey) {
                try fixture.signIn(.code("081804"), at: .first)
            }
        },
        .init("the end of an account ends its second factors") { repository in
            let fixture = try AccountFixture(repository)
            _ = try fixture.addAuthenticator()
            let owner = try #require(try fixture.owner()).id
            try fixture.administration.remove(AccountFixture.name())
            #expect(try repository.read { try $0.secondFactors(of: owner) }.isEmpty)
            #expect(try repository.read { try $0.countRecoveryCodes(of: owner) } == 0)
        },
    ]
}

/// Passkeys as a second factor.
extension AccountServiceContract {
    static let passkeyRules: [AccountServiceContract] = [
        .init("a passkey signs in once for each challenge, on the page that asked for it") {
            repository in
            let fixture = try AccountFixture(repository)
            let page = PageOrigin(port: 8_421)
            let passkey = TestPasskey(page: page)
            let codes = try fixture.addPasskey(passkey, page)
            #expect(codes.count == 10)
            let challenge = try fixture.demand(page: page).challenge
            #expect(try fixture.demand(page: nil).challenge == nil)
            let asked = try #require(challenge)
            #expect(asked.credentials == [passkey.id])
            let answer = passkey.assertion(asked)
            _ = try fixture.signIn(.passkey(answer), at: .first)
            #expect(
                try fixture.factorRefusal(.passkey(answer), at: .first) == .secondFactorRejected,
                "a replay")
        },
        .init("a passkey is refused for each part that is wrong") { repository in
            let fixture = try AccountFixture(repository) {
                $0.guessing.freeFailures = 0
                $0.guessing.networkAttempts = 0
            }
            let page = PageOrigin(port: 8_421)
            let passkey = TestPasskey(page: page)
            let codes = try fixture.addPasskey(passkey, page)
            let tokens = try fixture.signIn(.recoveryCode(codes[0]), at: .first)
            let now = AccountFixture.CodeTime.first.point
            func challenge(
                registering: Bool = false, _ token: String? = nil, at time: PointInTime
            ) throws -> PasskeyChallenge {
                let made = try fixture.service.challenge(
                    token ?? tokens.access, registering: registering, page, at: time)
                return PasskeyChallenge(bytes: made.bytes, choices: [])
            }
            var wrong = passkey
            func expectRefusal(
                _ sentence: String, _ challenge: PasskeyChallenge,
                _ change: (inout TestPasskey) -> Void = { _ in }
            ) throws {
                wrong = passkey
                change(&wrong)
                #expect(
                    try fixture.factorRefusal(.passkey(wrong.assertion(challenge)), at: .first)
                        == .secondFactorRejected, "\(sentence)")
            }
            let right = try challenge(at: now)
            try expectRefusal("another page", right) { $0.origin = PageOrigin(port: 8_421).text }
            try expectRefusal("another site", right) { $0.origin = "https://example.org" }
            try expectRefusal("no verification of the person", right) { $0.flags = 0x01 }
            try expectRefusal("another relying party", right) { $0.relyingPartyID = "localhost" }
            try expectRefusal("a page in another page", right) {
                $0.members = #","crossOrigin":true"#
            }
            try expectRefusal("the other ceremony", right) { $0.type = "webauthn.create" }
            try expectRefusal("another key", right) {
                $0 = TestPasskey(page: page, key: 2)
                $0.id = passkey.id
            }
            try expectRefusal("an unknown passkey", right) { $0.id = [9, 9] }
            try expectRefusal(
                "a challenge of its own",
                PasskeyChallenge(
                    bytes: [UInt8](repeating: 7, count: 56), choices: []))
            try expectRefusal(
                "a challenge of a registration", try challenge(registering: true, at: now))
            for seconds in [-120, 120] {
                try expectRefusal(
                    "a challenge of another time",
                    try challenge(at: now.advanced(by: .seconds(seconds))))
            }
            var changed = right.bytes
            changed[20] ^= 1
            try expectRefusal("a changed challenge", PasskeyChallenge(bytes: changed, choices: []))
            let second = Account(
                email: try AccountFixture.name("other@example.com"),
                password: try #require(try fixture.owner()).password, created: AccountFixture.start)
            try repository.change { try $0.insert(second) }
            let other = try fixture.service.beginSignIn(
                AccountFixture.name("other@example.com"),
                AccountFixture.typed(AccountFixture.ownersPassword),
                client: AccountFixture.client, from: [AccountFixture.home], at: now
            ).finish(at: now)
            try expectRefusal(
                "a challenge of another account", try challenge(other.access, at: now))
            // The control: nothing of that used the challenge.
            _ = try fixture.signIn(.passkey(passkey.assertion(right)), at: .first)
        },
        .init("passkeys are added, removed one by one, and counted") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn(nil, at: .start)
            let page = PageOrigin(port: 8_421)
            var codes = try fixture.addPasskey(TestPasskey(page: page, key: 1), page, tokens.access)
            func proof() -> SecondFactorProof { .recoveryCode(codes.removeFirst()) }
            #expect(throws: AccountError.newFactorRejected, "it is there already") {
                try fixture.addPasskey(
                    TestPasskey(page: page, key: 1), page, tokens.access, proof())
            }
            for key in 2...8 {
                _ = try fixture.addPasskey(
                    TestPasskey(page: page, key: UInt8(key)), page, tokens.access, proof())
            }
            let all = try fixture.service.secondFactors(
                tokens.access, at: AccountFixture.CodeTime.start.point)
            #expect(all.factors.count == 8 && all.recoveryCodes == 3)
            #expect(all.factors.allSatisfy { $0.label == "a key" && !$0.isAuthenticator })
            _ = try fixture.change(
                .removal(all.factors[0].id), tokens.access, proof(), at: .start)
            #expect(try fixture.demand(page: page).challenge?.credentials.count == 7)
        },
    ]
}

extension AccountFixture {
    /// The secret of RFC 6238's examples for SHA-1: the digits `12345678901234567890` in Base32.
    static let secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    /// Times of RFC 6238, in seconds. The second one is in the step after the first.
    enum CodeTime: Int64 {
        case start = 59
        case first = 1_111_111_109
        case second = 1_111_111_111
        case third = 1_234_567_890
        case fourth = 2_000_000_000

        var point: PointInTime { PointInTime(seconds: rawValue) }
    }

    static func authenticator(
        _ code: String, _ secret: String = secret
    ) throws -> SecondFactorChange {
        .authenticator(secret: SharedSecret(try Samples.secret(secret)), code: code)
    }

    static func pseudonyms(_ letter: String) throws -> PseudonymKey {
        guard let key = PseudonymKey(try Samples.secret(String(repeating: letter, count: 32)))
        else { throw NotAnAddress(text: "key") }
        return key
    }

    /// Signs in with a second factor, or none.
    func signIn(
        _ proof: SecondFactorProof?, _ password: String = ownersPassword,
        from network: String = home, device: String? = nil, page: PageOrigin? = nil,
        at time: CodeTime
    ) throws -> IssuedTokens {
        var origin = SignInOrigin(token: device)
        origin.proof = proof
        origin.page = page
        return try service.beginSignIn(
            Self.name(), Self.typed(password), client: Self.client, origin, from: [network],
            at: time.point
        ).finish(at: time.point)
    }

    func factorRefusal(
        _ proof: SecondFactorProof?, _ password: String = ownersPassword,
        from network: String = home, device: String? = nil, page: PageOrigin? = nil,
        at time: CodeTime
    ) throws -> AccountError? {
        do {
            _ = try signIn(
                proof, password, from: network, device: device, page: page, at: time)
            return nil
        } catch let error as AccountError {
            return error
        }
    }

    func demand(page: PageOrigin?) throws -> SecondFactorDemand {
        guard
            case .secondFactorRequired(let demand) = try factorRefusal(nil, page: page, at: .first)
        else { throw NotAnAddress(text: "a demand") }
        return demand
    }

    func change(
        _ change: SecondFactorChange, _ accessToken: String, _ proof: SecondFactorProof?,
        _ password: String = ownersPassword, at time: CodeTime
    ) throws -> [String] {
        try service.beginSecondFactorChange(
            accessToken: accessToken, password: Self.typed(password), change, proof: proof,
            at: time.point
        ).finish(at: time.point)
    }

    /// The refusal of a change at the start; nil for success.
    func changeRefusal(
        _ change: SecondFactorChange, _ accessToken: String, _ proof: SecondFactorProof?,
        _ password: String
    ) throws -> AccountError? {
        do {
            _ = try self.change(change, accessToken, proof, password, at: .start)
            return nil
        } catch let error as AccountError {
            return error
        }
    }

    /// Adds an authenticator app, by a session that begins for it if there is none.
    func addAuthenticator(
        _ accessToken: String? = nil, code: String = "287082", at time: CodeTime = .start
    ) throws -> [String] {
        let token = try accessToken ?? signIn(nil, at: time).access
        return try change(Self.authenticator(code), token, nil, at: time)
    }

    /// Adds a passkey.
    func addPasskey(
        _ passkey: TestPasskey, _ page: PageOrigin, _ accessToken: String? = nil,
        _ proof: SecondFactorProof? = nil
    ) throws -> [String] {
        let token = try accessToken ?? signIn(nil, at: .start).access
        let challenge = try service.challenge(
            token, registering: true, page, at: CodeTime.start.point)
        return try change(
            .passkey(
                passkey.registration(PasskeyChallenge(bytes: challenge.bytes, choices: [])),
                label: "a key"), token, proof, at: .start)
    }

    func isGood(_ token: String, _ time: CodeTime) throws -> Bool {
        try service.describe(token, to: Self.client, at: time.point) != nil
    }
}

extension TestPasskey {
    fileprivate func assertion(_ challenge: SecondFactorChallenge) -> PasskeyAssertion {
        assertion(PasskeyChallenge(bytes: challenge.bytes, choices: []))
    }
}
