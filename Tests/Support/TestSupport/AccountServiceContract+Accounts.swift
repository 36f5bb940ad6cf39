internal import Accounts
internal import Sealing
internal import Testing
internal import TextCoding

extension AccountServiceContract {
    static let creationRules: [AccountServiceContract] = [
        .init("an invitation makes one account, of its own name") { repository in
            let fixture = try AccountFixture(repository)
            let name = try AccountFixture.name("guest@example.com")
            let issued = try fixture.administration.invite(name, at: AccountFixture.start)
            #expect(issued.code.hasPrefix("tvi_"))
            #expect(issued.invitation.expires == AccountFixture.time(.days(7)))
            #expect(
                try fixture.creationRefusal("another@example.com", issued.code)
                    == .invitationRejected)
            #expect(fixture.hashing.derivations.isEmpty, "nothing was hashed for that")
            // Nor was the password looked at, which is slow for some passwords.
            for password in ["password", String(repeating: "\u{301}", count: 8_000)] {
                #expect(throws: AccountError.invitationRejected) {
                    try fixture.service.beginCreation(
                        AccountFixture.name("another@example.com"),
                        AccountFixture.typed(password), invitation: issued.code,
                        from: [AccountFixture.elsewhere], at: AccountFixture.start)
                }
            }
            #expect(try fixture.creationRefusal(name.text, issued.code) == nil)
            #expect(fixture.hashing.derivations == [.hash(AccountFixture.cost)])
            let account = try #require(try repository.read { try $0.account(name) })
            #expect(account.created == AccountFixture.start && !account.isDisabled)
            _ = try fixture.signIn(name.text, AccountFixture.newPassword)
            #expect(try repository.read { try $0.invitations() }.isEmpty)
            #expect(try fixture.creationRefusal(name.text, issued.code) == .invitationRejected)
        },
        .init("an invitation is invalid after 7 days, or after another one") { repository in
            let fixture = try AccountFixture(repository)
            let name = try AccountFixture.name("guest@example.com")
            let first = try fixture.administration.invite(name, at: AccountFixture.start)
            let second = try fixture.administration.invite(name, at: AccountFixture.start)
            #expect(try fixture.creationRefusal(name.text, first.code) == .invitationRejected)
            #expect(
                try fixture.creationRefusal(name.text, second.code, at: .days(7))
                    == .invitationRejected)
            #expect(
                try fixture.administration.invitations(at: AccountFixture.time(.days(7))).isEmpty)
            #expect(
                try fixture.creationRefusal(name.text, second.code, at: .days(7) - .moment) == nil)
        },
        .init("an invitation that expired during the hashing is refused") { repository in
            let fixture = try AccountFixture(repository)
            let name = try AccountFixture.name("guest@example.com")
            let issued = try fixture.administration.invite(name, at: AccountFixture.start)
            let late = try fixture.beginCreation(name.text, issued.code)
            #expect(throws: AccountError.invitationRejected) {
                try late.finish(at: AccountFixture.time(.days(7)))
            }
            let first = try fixture.beginCreation(name.text, issued.code)
            let second = try fixture.beginCreation(name.text, issued.code)
            _ = try first.finish(at: AccountFixture.start)
            #expect(throws: AccountError.invitationRejected) {
                try second.finish(at: AccountFixture.start)
            }
        },
        .init("without an invitation no account is made, unless registration is open") {
            repository in
            let fixture = try AccountFixture(repository)
            for code in [nil, "", "tvi_", "tvi_" + String(repeating: "A", count: 43)] {
                #expect(
                    try fixture.creationRefusal("guest@example.com", code) == .invitationRejected)
                // Without an invitation the account is not revealed.
                #expect(
                    try fixture.creationRefusal(AccountFixture.ownersName, code)
                        == .invitationRejected)
            }
            let open = try AccountFixture(sharing: repository) { $0.registrationIsOpen = true }
            #expect(try open.creationRefusal("guest@example.com", nil) == nil)
            #expect(try open.creationRefusal("guest@example.com", nil) == .alreadyExists)
            #expect(try open.creationRefusal(AccountFixture.ownersName, nil) == .alreadyExists)
            #expect(open.hashing.derivations.count == 1)
            let first = try open.beginCreation("third@example.com", nil)
            let second = try open.beginCreation("third@example.com", nil)
            _ = try first.finish(at: AccountFixture.start)
            #expect(throws: AccountError.alreadyExists) {
                try second.finish(at: AccountFixture.start)
            }
        },
        .init("requests for taken names are limited by network, too") { repository in
            let fixture = try AccountFixture(repository) { $0.registrationIsOpen = true }
            for _ in 0..<15 {
                #expect(
                    try fixture.creationRefusal(AccountFixture.ownersName, nil) == .alreadyExists)
            }
            #expect(
                try fixture.creationRefusal(AccountFixture.ownersName, nil)
                    == .tooManyAttempts(retryAfter: .seconds(8)))
            #expect(fixture.hashing.derivations.isEmpty)
        },
        .init("invented invitations are limited by network, before any query about them") {
            repository, failures in
            let fixture = try AccountFixture(repository)
            let invented = "tvi_" + String(repeating: "A", count: 43)
            failures.fail(1)
            for _ in 0..<15 {
                #expect(
                    try fixture.creationRefusal("guest@example.com", invented)
                        == .invitationRejected)
            }
            #expect(failures.left == 1, "none of them was a transaction")
            repository.close()
            #expect(
                try fixture.creationRefusal("guest@example.com", invented)
                    == .tooManyAttempts(retryAfter: .seconds(8)))
        },
        .init("new accounts are limited by network, and those without memory do not count") {
            repository in
            let fixture = try AccountFixture(repository) { $0.registrationIsOpen = true }
            fixture.hashing.fail(with: .outOfMemory)
            #expect(throws: SealingError.outOfMemory) {
                try fixture.creationRefusal("guest@example.com", nil)
            }
            fixture.hashing.fail(with: nil)
            for number in 0..<15 {
                #expect(try fixture.creationRefusal("guest\(number)@example.com", nil) == nil)
            }
            #expect(
                try fixture.creationRefusal("last@example.com", nil)
                    == .tooManyAttempts(retryAfter: .seconds(8)))
            #expect(try fixture.creationRefusal("last@example.com", nil, at: .seconds(8)) == nil)
        },
        .init("only the work of a lane looks at a new password, and its refusal counts") {
            repository in
            let fixture = try AccountFixture(repository) { $0.registrationIsOpen = true }
            let name = try AccountFixture.name("guest@example.com")
            let refused: [(String, AccountError)] = [
                ("short", .passwordTooShort), (name.text, .passwordIsAddress),
                (String(repeating: "e\u{301}", count: 1_100), .passwordTooLong),
            ]
            for (password, refusal) in refused {
                for _ in 0..<5 {
                    let work = try fixture.service.beginCreation(
                        name, AccountFixture.typed(password), invitation: nil,
                        from: [AccountFixture.home], at: AccountFixture.start)
                    #expect(work.known == nil)
                    #expect(throws: refusal) { try work.finish(at: AccountFixture.start) }
                }
            }
            #expect(fixture.hashing.derivations.isEmpty)
            #expect(
                try fixture.creationRefusal("last@example.com", nil)
                    == .tooManyAttempts(retryAfter: .seconds(8)))
        },
        .init("a device, a session and a code are known to the lane, and a stranger is not") {
            repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let id = tokens.account.text
            #expect(try fixture.beginSignIn().known == nil)
            #expect(try fixture.beginSignIn(device: tokens.device).known == id)
            #expect(try fixture.beginChange(tokens.access).known == id)
            #expect(try fixture.beginRemoval(tokens.access).known == id)
            let name = try AccountFixture.name("guest@example.com")
            let issued = try fixture.administration.invite(name, at: AccountFixture.start)
            #expect(try fixture.beginCreation(name.text, issued.code).known == name.text)
        },
    ]

    static let ownAccountRules: [AccountServiceContract] = [
        .init("a change of password ends all sessions, and begins one") { repository in
            let fixture = try AccountFixture(repository)
            let caller = try fixture.signIn()
            let other = try fixture.signIn()
            let work = try fixture.beginChange(caller.access, at: .seconds(5))
            let new = try work.finish(at: AccountFixture.time(.seconds(5)))
            for token in [caller.access, caller.refresh, other.access, other.refresh] {
                #expect(try !fixture.isGood(token, at: .seconds(5)))
            }
            #expect(try fixture.isGood(new.access, at: .seconds(5)))
            #expect(try fixture.sessions().map(\.id) == [new.session])
            #expect(try fixture.sessions().first?.client == AccountFixture.client)
            #expect(try fixture.owner()?.passwordChanged == AccountFixture.time(.seconds(5)))
            #expect(
                try fixture.refusal(
                    AccountFixture.ownersName, AccountFixture.ownersPassword, at: .seconds(5))
                    == .rejected)
            _ = try fixture.signIn(
                AccountFixture.ownersName, AccountFixture.newPassword, at: .seconds(5))
        },
        .init("a sign-in during a change of password is rejected") { repository in
            let fixture = try AccountFixture(repository)
            let caller = try fixture.signIn()
            let signIn = try fixture.beginSignIn()
            // In the same millisecond.
            _ = try fixture.beginChange(caller.access).finish(at: AccountFixture.start)
            #expect(throws: AccountError.rejected) {
                try signIn.finish(at: AccountFixture.start)
            }
            #expect(try fixture.sessions().count == 1)
        },
        .init("of two concurrent changes of password one succeeds") { repository in
            let fixture = try AccountFixture(repository)
            let caller = try fixture.signIn()
            let first = try fixture.beginChange(caller.access)
            let second = try fixture.beginChange(caller.access)
            let new = try first.finish(at: AccountFixture.start)
            #expect(throws: AccountError.rejected) {
                try second.finish(at: AccountFixture.start)
            }
            #expect(try fixture.isGood(new.access, at: .zero))
        },
        .init("a session that ended during the verification changes and removes nothing") {
            repository in
            let fixture = try AccountFixture(repository)
            let stored = try fixture.owner()
            let changer = try fixture.signIn()
            let change = try fixture.beginChange(changer.access)
            let remover = try fixture.signIn()
            let removal = try fixture.beginRemoval(remover.access)
            try fixture.administration.endSessions(of: AccountFixture.name())
            #expect(throws: AccountError.tokenRejected) {
                try change.finish(at: AccountFixture.start)
            }
            #expect(throws: AccountError.tokenRejected) {
                try removal.finish(at: AccountFixture.start)
            }
            #expect(try fixture.owner() == stored)
        },
        .init("a wrong current password changes and removes nothing, and is a guess") {
            repository in
            let fixture = try AccountFixture(repository)
            let stored = try fixture.owner()
            let caller = try fixture.signIn(from: AccountFixture.home)
            for number in 0..<5 {
                let wrong = AccountFixture.wrongPassword
                if number.isMultiple(of: 2) {
                    let work = try fixture.beginChange(caller.access, wrong)
                    #expect(throws: AccountError.rejected) {
                        try work.finish(at: AccountFixture.start)
                    }
                } else {
                    let work = try fixture.beginRemoval(caller.access, wrong)
                    #expect(throws: AccountError.rejected) {
                        try work.finish(at: AccountFixture.start)
                    }
                }
            }
            let blocked = AccountError.tooManyAttempts(retryAfter: .minutes(15))
            #expect(throws: blocked) { try fixture.beginChange(caller.access) }
            #expect(throws: blocked) { try fixture.beginRemoval(caller.access) }
            #expect(try fixture.guesses() == 0, "counted apart from strangers")
            #expect(try fixture.owner() == stored)
            #expect(try fixture.isGood(caller.access, at: .zero))
        },
        .init("without a valid access token nothing is begun") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            fixture.hashing.forget()
            for (token, time) in [
                (tokens.access, Duration.minutes(15)), (tokens.refresh, .zero), ("", .zero),
            ] {
                #expect(throws: AccountError.tokenRejected) {
                    try fixture.beginChange(token, at: time)
                }
                #expect(throws: AccountError.tokenRejected) {
                    try fixture.beginRemoval(token, at: time)
                }
            }
            #expect(fixture.hashing.derivations.isEmpty)
        },
        .init("work that is not run changes nothing, and is no guess") { repository in
            let fixture = try AccountFixture(repository)
            let caller = try fixture.signIn()
            for _ in 0..<20 {
                _ = try fixture.beginChange(caller.access)
                _ = try fixture.beginRemoval(caller.access)
            }
            _ = try fixture.beginChange(caller.access).finish(at: AccountFixture.start)
        },
        .init("a refused new password is no guess at the current one") { repository in
            let fixture = try AccountFixture(repository)
            let caller = try fixture.signIn()
            for _ in 0..<20 {
                let work = try fixture.service.beginPasswordChange(
                    accessToken: caller.access,
                    current: AccountFixture.typed(AccountFixture.ownersPassword),
                    new: AccountFixture.typed("short"), at: AccountFixture.start)
                #expect(throws: AccountError.passwordTooShort) {
                    try work.finish(at: AccountFixture.start)
                }
            }
            _ = try fixture.beginChange(caller.access).finish(at: AccountFixture.start)
        },
        .init("an account is removed with all its data") { repository in
            let fixture = try AccountFixture(repository)
            let owner = try #require(try fixture.owner())
            let caller = try fixture.signIn()
            let other = try fixture.signIn()
            try fixture.beginRemoval(caller.access).finish(at: AccountFixture.start)
            #expect(try fixture.owner() == nil)
            #expect(try repository.read { try $0.knownDevices(of: owner.id) }.isEmpty)
            for token in [caller.access, caller.refresh, other.access, other.refresh] {
                #expect(try !fixture.isGood(token, at: .zero))
                #expect(
                    try fixture.service.revoke(token, client: AccountFixture.client) == .unknown)
            }
            #expect(
                try fixture.refusal(AccountFixture.ownersName, AccountFixture.ownersPassword)
                    == .rejected)
        },
    ]

    static let operatorRules: [AccountServiceContract] = [
        .init("an operator sees accounts in the order of their names, and the data of each") {
            repository in
            let fixture = try AccountFixture(repository) { $0.registrationIsOpen = true }
            for name in ["b@example.com", "a@example.com", "z@example.com"] {
                #expect(try fixture.creationRefusal(name, nil) == nil)
            }
            let names = try fixture.administration.accounts(limit: 10).map(\.email.text)
            #expect(
                names == [
                    "a@example.com", "b@example.com", AccountFixture.ownersName, "z@example.com",
                ])
            let rest = try fixture.administration.accounts(
                after: AccountFixture.name("b@example.com"), limit: 1)
            #expect(rest.map(\.email.text) == [AccountFixture.ownersName])
            let tokens = try fixture.signIn()
            _ = try fixture.signIn(from: AccountFixture.elsewhere, at: .days(1))
            let name = try AccountFixture.name()
            let details = try fixture.administration.details(of: name, at: AccountFixture.start)
            #expect(details.account == (try fixture.owner()))
            #expect(details.devices == 2 && details.sessions.count == 2)
            #expect(details.sessions.first?.session.id == tokens.session)
            let late = AccountFixture.time(.days(180))
            #expect(try fixture.administration.details(of: name, at: late).sessions.count == 1)
        },
        .init("an unknown account is missing") { repository in
            let fixture = try AccountFixture(repository)
            let nobody = try AccountFixture.name("nobody@example.com")
            let administration = fixture.administration
            let missing = AccountError.missing
            #expect(throws: missing) {
                try administration.details(of: nobody, at: AccountFixture.start)
            }
            #expect(throws: missing) { try administration.setDisabled(nobody, true) }
            #expect(throws: missing) {
                try administration.endSessions(of: nobody)
            }
            #expect(throws: missing) { try administration.remove(nobody) }
            #expect(throws: missing) {
                try administration.resetPassword(
                    of: nobody, to: AccountFixture.password(AccountFixture.newPassword),
                    at: AccountFixture.start)
            }
            #expect(fixture.hashing.derivations.isEmpty)
            #expect(throws: AccountError.alreadyExists) {
                try administration.invite(AccountFixture.name(), at: AccountFixture.start)
            }
        },
        .init("disabling ends the sessions, and enabling allows sign-in again") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let name = try AccountFixture.name()
            try fixture.administration.setDisabled(name, true)
            #expect(try fixture.sessions().isEmpty)
            #expect(try fixture.owner()?.isDisabled == true)
            try fixture.administration.setDisabled(name, false)
            #expect(try !fixture.isGood(tokens.refresh, at: .zero))
            let again = try fixture.signIn()
            try fixture.administration.setDisabled(name, false)
            #expect(try fixture.isGood(again.access, at: .zero), "enabling ends nothing")
        },
        .init("a new password by an operator ends the sessions and the delay") { repository in
            let fixture = try AccountFixture(repository)
            let tokens = try fixture.signIn()
            let device = try #require(tokens.device)
            for _ in 0..<5 {
                #expect(try fixture.refusal(device: device) == .rejected)
                #expect(try fixture.refusal(from: AccountFixture.elsewhere) == .rejected)
            }
            try fixture.administration.resetPassword(
                of: AccountFixture.name(), to: AccountFixture.password(AccountFixture.newPassword),
                at: AccountFixture.start)
            #expect(try !fixture.isGood(tokens.access, at: .zero))
            for device in [device, nil] {
                let network = AccountFixture.elsewhere
                #expect(try fixture.ownersRefusal(from: network, device: device) == .rejected)
                #expect(
                    try fixture.refusal(
                        AccountFixture.ownersName, AccountFixture.newPassword, from: network,
                        device: device) == nil)
            }
        },
        .init("an operator ends sessions, and removes accounts and invitations") { repository in
            let fixture = try AccountFixture(repository)
            let name = try AccountFixture.name()
            let tokens = try [fixture.signIn(), fixture.signIn()]
            #expect(try fixture.administration.endSessions(of: name) == 2)
            #expect(try fixture.administration.endSessions(of: name) == 0)
            #expect(try !fixture.isGood(tokens[0].access, at: .zero))
            let owner = try #require(try fixture.owner())
            #expect(try repository.read { try $0.knownDevices(of: owner.id) }.isEmpty)
            try fixture.administration.remove(name)
            #expect(try fixture.owner() == nil)
            let invited = try fixture.administration.invite(name, at: AccountFixture.start)
            try fixture.administration.remove(name)
            #expect(try fixture.creationRefusal(name.text, invited.code) == .invitationRejected)
        },
        .init("a purge removes expired rows only") { repository in
            let fixture = try AccountFixture(repository)
            let old = try fixture.signIn()
            let live = try fixture.signIn(at: .days(29))
            #expect(try fixture.refusal(from: AccountFixture.elsewhere, at: .days(29)) == .rejected)
            _ = try fixture.administration.invite(
                AccountFixture.name("guest@example.com"), at: AccountFixture.time(.days(24)))
            let end = Duration.days(30) + .moment
            #expect(try fixture.guesses() == 1)
            let rest = Duration.days(29) + .minutes(15)
            try fixture.administration.purge(at: AccountFixture.time(rest))
            #expect(try fixture.guesses() == 1)
            try fixture.administration.purge(at: AccountFixture.time(rest + .moment))
            #expect(try fixture.guesses() == 0)
            #expect(try repository.read { try $0.refreshToken(TokenHash(of: old.refresh)) } != nil)
            try fixture.administration.purge(at: AccountFixture.time(end))
            #expect(try repository.read { try $0.refreshToken(TokenHash(of: old.refresh)) } == nil)
            #expect(try repository.read { try $0.accessToken(TokenHash(of: live.access)) } == nil)
            #expect(try fixture.isGood(live.refresh, at: end))
            #expect(try repository.read { try $0.knownDevices(of: live.account) }.count == 2)
            #expect(try repository.read { try $0.invitations() }.count == 1)
            #expect(try fixture.sessions().count == 2, "their time is not over")
            try fixture.administration.purge(at: AccountFixture.time(.days(180) + .moment))
            #expect(try fixture.sessions().map(\.id) == [live.session])
            #expect(try repository.read { try $0.invitations() }.isEmpty)
            let owner = try #require(try fixture.owner())
            #expect(try repository.read { try $0.knownDevices(of: owner.id) }.count == 1)
            try fixture.administration.purge(at: AccountFixture.time(.days(209) + .moment))
            #expect(try repository.read { try $0.knownDevices(of: owner.id) }.isEmpty)
        },
    ]
}

extension AccountFixture {
    static let newPassword = "a password that is new"

    fileprivate func beginCreation(
        _ name: String, _ invitation: String?, at time: Duration = .zero
    ) throws -> PasswordWork<Account> {
        try service.beginCreation(
            Self.name(name), Self.typed(Self.newPassword), invitation: invitation,
            from: [Self.home], at: Self.time(time))
    }

    /// The refusal of a new account; nil for success.
    fileprivate func creationRefusal(
        _ name: String, _ invitation: String?, at time: Duration = .zero
    ) throws -> AccountError? {
        do {
            _ = try beginCreation(name, invitation, at: time).finish(at: Self.time(time))
            return nil
        } catch let error as AccountError {
            return error
        }
    }

    fileprivate func beginChange(
        _ token: String, _ current: String = ownersPassword, at time: Duration = .zero
    ) throws -> PasswordWork<IssuedTokens> {
        try service.beginPasswordChange(
            accessToken: token, current: Self.typed(current), new: Self.typed(Self.newPassword),
            at: Self.time(time))
    }

    fileprivate func beginRemoval(
        _ token: String, _ password: String = ownersPassword, at time: Duration = .zero
    ) throws -> PasswordWork<Void> {
        try service.beginRemoval(
            accessToken: token, password: Self.typed(password), at: Self.time(time))
    }
}
