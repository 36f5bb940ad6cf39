internal import Accounts
internal import Database
internal import Sealing
internal import Testing
internal import TextCoding

extension AccountServiceContract {
    static let signInRules: [AccountServiceContract] = [
        .init("the right password gives tokens for a new session") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let session = try #require(try fixture.sessions().first)
            let owner = try #require(try fixture.owner())
            #expect(
                session
                    == SignInSession(
                        id: tokens.session, account: owner.id, client: AccountFixture.client,
                        created: AccountFixture.start, expires: AccountFixture.time(.days(180))))
            #expect(tokens.account == owner.id)
            #expect(tokens.accessLifetime == .minutes(15))
            #expect(tokens.access.hasPrefix("tva_") && tokens.refresh.hasPrefix("tvr_"))
            let access = try #require(
                try repository.read { try $0.accessToken(TokenHash(of: tokens.access)) })
            #expect(access.token.expires == AccountFixture.time(.minutes(15)))
            let refresh = try #require(
                try repository.read { try $0.refreshToken(TokenHash(of: tokens.refresh)) })
            #expect(refresh.expires == AccountFixture.time(.days(30)))
            #expect(refresh.replaced == nil && refresh.predecessor == nil)
            let second = try fixture.signIn()
            #expect(second.access != tokens.access && second.refresh != tokens.refresh)
            #expect(try fixture.sessions().count == 2)
        },
        .init("the right password of another account is wrong") { repository in
            let fixture = try AccountFixture(repository)
            let hash = try fixture.hashing.hash(
                AccountFixture.password("the other password"), cost: AccountFixture.cost)
            let other = Account(
                email: try AccountFixture.name("other@example.com"), password: hash,
                created: AccountFixture.start)
            try repository.change { writer in try writer.insert(other) }
            #expect(
                try fixture.refusal("other@example.com", AccountFixture.ownersPassword) == .rejected
            )
            #expect(try fixture.refusal("other@example.com", "the other password") == nil)
        },
        .init(
            "a wrong password, an unknown name and a disabled account cost the same, and only the right password reveals one"
        ) {
            repository in
            let fixture = try AccountFixture(repository)
            let once: [CountingHashing.Derivation] = [.match(AccountFixture.cost)]
            #expect(try fixture.refusal() == .rejected)
            #expect(fixture.hashing.derivations == once)
            fixture.hashing.forget()
            #expect(try fixture.refusal("nobody@example.com") == .rejected)
            #expect(fixture.hashing.derivations == once)
            fixture.hashing.forget()
            try fixture.administration.setDisabled(AccountFixture.name(), true)
            #expect(
                try fixture.refusal(AccountFixture.ownersName, AccountFixture.ownersPassword)
                    == .disabled)
            #expect(fixture.hashing.derivations == once)
            fixture.hashing.forget()
            #expect(try fixture.refusal() == .rejected)
            #expect(fixture.hashing.derivations == once)
            #expect(try fixture.sessions().isEmpty)
        },
        .init("an account that changed during the verification is rejected") { repository in
            let fixture = try AccountFixture(repository)
            let name = try AccountFixture.name()
            let changes: [@Sendable (AccountFixture) throws -> Void] = [
                // The same password is a change too, because it must end all other sessions.
                { fixture in
                    try fixture.administration.resetPassword(
                        of: name, to: AccountFixture.password(AccountFixture.ownersPassword),
                        at: AccountFixture.start)
                },
                { try $0.administration.setDisabled(name, true) },
                { try $0.administration.remove(name) },
            ]
            for (number, change) in changes.enumerated() {
                try fixture.administration.setDisabled(name, false)
                let work = try fixture.beginSignIn()
                fixture.hashing.afterVerifying { try change(fixture) }
                #expect(throws: AccountError.rejected, "change \(number)") {
                    try work.finish(at: AccountFixture.start)
                }
                #expect(try fixture.sessions().isEmpty, "change \(number)")
            }
        },
        .init("one attempt is one guess and one session") { repository in
            let fixture = try AccountFixture(repository)
            let work = try fixture.beginSignIn()
            _ = try work.finish(at: AccountFixture.start)
            #expect(throws: AccountError.rejected) {
                try work.finish(at: AccountFixture.start)
            }
            #expect(fixture.hashing.verifications == 1)
            #expect(try fixture.sessions().count == 1)
            let wrong = try fixture.beginSignIn(
                AccountFixture.ownersName, AccountFixture.wrongPassword)
            for _ in 0..<2 {
                #expect(throws: AccountError.rejected) {
                    try wrong.finish(at: AccountFixture.start)
                }
            }
            #expect(fixture.hashing.verifications == 2)
        },
        .init("an attempt that had no memory does not count") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<20 {
                let work = try fixture.beginSignIn()
                fixture.hashing.fail(with: .outOfMemory)
                #expect(throws: SealingError.outOfMemory) {
                    try work.finish(at: AccountFixture.start)
                }
                fixture.hashing.fail(with: nil)
            }
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("an attempt that finds no room counts against its network, and is no guess") {
            repository in
            let fixture = try AccountFixture(repository)
            let device = try #require(try fixture.signIn().device)
            for _ in 0..<15 { _ = try fixture.beginSignIn() }
            #expect(try fixture.ownersRefusal() == .tooManyAttempts(retryAfter: .seconds(8)))
            #expect(try fixture.guesses() == 0)
            for _ in 0..<20 { _ = try fixture.beginSignIn(device: device) }
            #expect(try fixture.ownersRefusal(device: device) == nil)
        },
        .init("an invalid password is a wrong one, and no guess") { repository in
            let fixture = try AccountFixture(repository)
            for password in ["short", String(repeating: "a", count: 3_073)] {
                #expect(
                    try fixture.refusal(AccountFixture.ownersName, password) == .rejected)
            }
            #expect(try fixture.guesses() == 0)
            #expect(fixture.hashing.derivations.isEmpty)
        },
        .init("a failed attempt is not released") { repository in
            let fixture = try AccountFixture(repository)
            for _ in 0..<5 {
                let work = try fixture.beginSignIn(
                    AccountFixture.ownersName, AccountFixture.wrongPassword)
                #expect(throws: AccountError.rejected) {
                    try work.finish(at: AccountFixture.start)
                }
            }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("a closed database is reported as closed") { repository in
            let fixture = try AccountFixture(repository)
            let work = try fixture.beginSignIn()
            repository.close()
            #expect(throws: DatabaseError.closed) {
                try work.finish(at: AccountFixture.start)
            }
            #expect(throws: DatabaseError.closed) { try fixture.beginSignIn() }
        },
    ]

    /// The time of a refusal is the cost of the verified hash, which can be compared.
    static let dummyRules: [AccountServiceContract] = [
        .init("a name without an account takes one verification at the configured cost") {
            repository in
            for passes in [1, 2] as [UInt32] {
                let cost = KeyDerivationCost(passes: passes, memoryKiB: 16)
                let fixture = try AccountFixture(sharing: repository) { $0.passwordCost = cost }
                for number in 0..<5 {
                    fixture.hashing.forget()
                    let name = "unknown\(passes).\(number)@example.com"
                    #expect(try fixture.refusal(name) == .rejected)
                    #expect(fixture.hashing.derivations == [.match(cost)])
                }
            }
        },
        .init("an account of an older cost takes that cost until a sign-in renews its hash") {
            repository in
            let cost = KeyDerivationCost(passes: 2, memoryKiB: 16)
            _ = try AccountFixture(repository)
            let fixture = try AccountFixture(sharing: repository) { $0.passwordCost = cost }
            #expect(try fixture.refusal() == .rejected)
            #expect(fixture.hashing.derivations == [.match(AccountFixture.cost)])
            _ = try fixture.signIn()
            fixture.hashing.forget()
            #expect(try fixture.refusal() == .rejected)
            #expect(try fixture.refusal("unknown@example.com") == .rejected)
            #expect(fixture.hashing.derivations == [.match(cost), .match(cost)])
        },
    ]

    static let hashRules: [AccountServiceContract] = [
        .init("a sign-in renews a hash of lower cost") { repository in
            let before = try AccountFixture(repository)
            let old = try #require(try before.owner())
            for cost in [(2, 8), (1, 16), (3, 32)] as [(UInt32, UInt32)] {
                let cost = KeyDerivationCost(passes: cost.0, memoryKiB: cost.1)
                let fixture = try AccountFixture(sharing: repository) { $0.passwordCost = cost }
                let stored = try #require(try fixture.owner())
                #expect(try fixture.refusal() == .rejected)
                #expect(try fixture.owner() == stored, "no sign-in succeeded")
                _ = try fixture.signIn()
                let renewed = try #require(try fixture.owner())
                #expect(renewed.password.cost == cost)
                #expect(renewed.passwordChanged == old.passwordChanged)
                #expect(fixture.hashing.derivations.last == .hash(cost))
                fixture.hashing.forget()
                _ = try fixture.signIn()
                #expect(fixture.hashing.derivations == [.match(cost)])
            }
        },
        .init(
            "a disabled account's hash is not renewed, which would take longer and reveal the account"
        ) {
            repository in
            _ = try AccountFixture(repository)
            let fixture = try AccountFixture(sharing: repository) { $0.passwordCost.double() }
            try fixture.administration.setDisabled(AccountFixture.name(), true)
            let right = AccountFixture.ownersPassword
            #expect(try fixture.refusal(AccountFixture.ownersName, right) == .disabled)
            #expect(fixture.hashing.derivations == [.match(AccountFixture.cost)])
        },
        .init("a hash of higher cost stays") { repository in
            let costly = KeyDerivationCost(passes: 3, memoryKiB: 32)
            _ = try AccountFixture(repository)
            let before = try AccountFixture(sharing: repository) { $0.passwordCost = costly }
            _ = try before.signIn()
            let after = try AccountFixture(sharing: repository)
            _ = try after.signIn()
            #expect(try after.owner()?.password.cost == costly)
            #expect(after.hashing.derivations == [.match(costly)])
        },
        .init("two concurrent sign-ins both renew a hash, and both succeed") { repository in
            _ = try AccountFixture(repository)
            let fixture = try AccountFixture(sharing: repository) { $0.passwordCost.double() }
            let first = try fixture.beginSignIn()
            let second = try fixture.beginSignIn()
            _ = try first.finish(at: AccountFixture.start)
            let renewed = try fixture.owner()
            _ = try second.finish(at: AccountFixture.start)
            #expect(try fixture.owner() == renewed)
            #expect(try fixture.sessions().count == 2)
        },
        .init("without memory for a new hash the sign-in succeeds") { repository in
            _ = try AccountFixture(repository)
            let fixture = try AccountFixture(sharing: repository) { $0.passwordCost.double() }
            let work = try fixture.beginSignIn()
            fixture.hashing.failHashing(with: .outOfMemory)
            _ = try work.finish(at: AccountFixture.start)
            #expect(try fixture.owner()?.password.cost == AccountFixture.cost)
        },
        .init("a stored hash of an impossible cost is an error, not a wrong password") {
            repository in
            let fixture = try AccountFixture(repository)
            var owner = try #require(try fixture.owner())
            let salt = "AAAAAAAAAAAAAAAAAAAAAA"
            owner.password = try #require(
                PasswordHash(
                    "$argon2id$v=19$m=4294967295,t=1,p=1$\(salt)$\(salt + salt.dropLast())"))
            try repository.change { [owner] writer in try writer.update(owner) }
            #expect(throws: SealingError.costTooHigh) { try fixture.refusal() }
        },
    ]
}

extension KeyDerivationCost {
    fileprivate mutating func double() {
        self = KeyDerivationCost(passes: passes, memoryKiB: memoryKiB * 2)
    }
}
