internal import Accounts
internal import Database
internal import Sealing
internal import Testing
internal import TextCoding

/// Attempts that are no guesses, while the database cannot be written.
extension AccountServiceContract {
    private static let busy = DatabaseError.busy

    static let busyRules: [AccountServiceContract] = [
        .init("a right password while the database is busy is no guess, however often") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            for _ in 0..<20 {
                let work = try fixture.beginSignIn()
                // Neither the sign-in nor the release of the attempt succeeds.
                failing.fail(2, after: 1)
                #expect(throws: busy) { try work.finish(at: AccountFixture.start) }
            }
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("an unsettled attempt is released once, also without a sign-in") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            for error in [
                DatabaseError.busy, .full, .readOnly, .outOfMemory,
                .unreachable(reason: "gone"),
            ] {
                let work = try fixture.beginSignIn()
                failing.fail(4, with: error, after: 1)
                #expect(throws: error) {
                    try work.finish(at: AccountFixture.start)
                }
                for _ in 0..<2 {
                    #expect(throws: error) {
                        try fixture.service.settle(at: AccountFixture.start)
                    }
                }
                #expect(failing.failuresLeft == 0)
                #expect(try fixture.guesses() == 1)
                try fixture.service.settle(at: AccountFixture.start)
                #expect(try fixture.guesses() == 0)
            }
            #expect(try fixture.refusal() == .rejected)
            failing.fail(1)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(failing.failuresLeft == 1, "there is nothing to do")
            #expect(try fixture.guesses() == 1)
        },
        .init("a derivation that fails while the database is busy is no guess either") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            #expect(try fixture.refusal() == .rejected)
            fixture.hashing.fail(with: .outOfMemory)
            for _ in 0..<2 {
                let work = try fixture.beginSignIn()
                failing.fail(1, after: 1)
                #expect(throws: SealingError.outOfMemory) {
                    try work.finish(at: AccountFixture.start)
                }
            }
            fixture.hashing.fail(with: nil)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(try fixture.guesses() == 1, "the one that was a guess")
        },
        .init("a new account while the database is busy counts nothing") { repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing) { $0.registrationIsOpen = true }
            for number in 0..<20 {
                let work = try fixture.service.beginCreation(
                    AccountFixture.name("guest@example.com"),
                    AccountFixture.password(AccountFixture.newPassword), invitation: nil,
                    from: [AccountFixture.home], at: AccountFixture.start)
                guard !number.isMultiple(of: 4) else {
                    try work.cancel(at: AccountFixture.start)
                    continue
                }
                failing.fail(1)
                #expect(throws: busy) { try work.finish(at: AccountFixture.start) }
            }
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
        },
        .init("an attempt that may have been released, or cannot be, is not retried") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            let errors = [DatabaseError.outcomeUnknown, .damaged(reason: "a row")]
            for (number, error) in errors.enumerated() {
                let work = try fixture.beginSignIn()
                failing.fail(2, with: error, after: 1)
                #expect(throws: error) { try work.finish(at: AccountFixture.start) }
                try fixture.service.settle(at: AccountFixture.start)
                #expect(try fixture.guesses() == number + 1)
            }
        },
    ]
}
