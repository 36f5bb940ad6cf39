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
            repository, failures in
            let fixture = try AccountFixture(repository)
            for _ in 0..<20 {
                let work = try fixture.beginSignIn()
                // Neither the sign-in nor the release of the attempt succeeds.
                failures.fail(2, after: 1)
                #expect(throws: busy) { try work.finish(at: AccountFixture.start) }
            }
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .minutes(15)))
        },
        .init("an unsettled attempt is released once, also without a sign-in") {
            repository, failures in
            let fixture = try AccountFixture(repository)
            for error in [
                DatabaseError.busy, .full, .readOnly, .outOfMemory,
                .unreachable(reason: "gone"),
            ] {
                let work = try fixture.beginSignIn()
                failures.fail(4, with: error, after: 1)
                #expect(throws: error) {
                    try work.finish(at: AccountFixture.start)
                }
                for _ in 0..<2 {
                    #expect(throws: error) {
                        try fixture.service.settle(at: AccountFixture.start)
                    }
                }
                #expect(failures.left == 0)
                #expect(try fixture.guesses() == 1)
                try fixture.service.settle(at: AccountFixture.start)
                #expect(try fixture.guesses() == 0)
            }
            #expect(try fixture.refusal() == .rejected)
            failures.fail(1)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(failures.left == 1, "there is nothing to do")
            #expect(try fixture.guesses() == 1)
        },
        .init("a derivation that fails while the database is busy is no guess either") {
            repository, failures in
            let fixture = try AccountFixture(repository)
            #expect(try fixture.refusal() == .rejected)
            fixture.hashing.fail(with: .outOfMemory)
            for _ in 0..<2 {
                let work = try fixture.beginSignIn()
                failures.fail(1, after: 1)
                #expect(throws: SealingError.outOfMemory) {
                    try work.finish(at: AccountFixture.start)
                }
            }
            fixture.hashing.fail(with: nil)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(try fixture.guesses() == 1, "the one that was a guess")
        },
        .init("a new account while the database is busy counts nothing") {
            repository, failures in
            let fixture = try AccountFixture(repository) { $0.registrationIsOpen = true }
            for _ in 0..<20 {
                let work = try fixture.service.beginCreation(
                    AccountFixture.name("guest@example.com"),
                    AccountFixture.typed(AccountFixture.newPassword), invitation: nil,
                    from: [AccountFixture.home], at: AccountFixture.start)
                failures.fail(1)
                #expect(throws: busy) { try work.finish(at: AccountFixture.start) }
            }
            for number in 0..<15 {
                #expect(try fixture.refusal("a\(number)@example.com") == .rejected)
            }
        },
        .init("an attempt that may have been released, or cannot be, is not retried") {
            repository, failures in
            let fixture = try AccountFixture(repository)
            let errors = [DatabaseError.outcomeUnknown, .damaged(reason: "a row")]
            for (number, error) in errors.enumerated() {
                let work = try fixture.beginSignIn()
                failures.fail(2, with: error, after: 1)
                #expect(throws: error) { try work.finish(at: AccountFixture.start) }
                try fixture.service.settle(at: AccountFixture.start)
                #expect(try fixture.guesses() == number + 1)
            }
        },
    ]
}
