internal import Accounts
internal import Database
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
                failing.fail(2)
                #expect(throws: busy) { try work.finish(at: AccountFixture.start) }
            }
            for _ in 0..<5 { #expect(try fixture.refusal() == .rejected) }
            #expect(try fixture.refusal() == .tooManyAttempts(retryAfter: .seconds(30)))
        },
        .init("an unsettled attempt is released once, also without a sign-in") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            let keys = [
                AttemptKey(try AccountFixture.name()), AttemptKey(network: AccountFixture.home),
            ]
            for error in [
                DatabaseError.busy, .full, .readOnly, .outOfMemory,
                .unreachable(reason: "gone"),
            ] {
                let work = try fixture.beginSignIn()
                failing.fail(4, with: error)
                #expect(throws: error) {
                    try work.finish(at: AccountFixture.start)
                }
                for _ in 0..<2 {
                    #expect(throws: error) {
                        try fixture.service.settle(at: AccountFixture.start)
                    }
                }
                #expect(failing.failuresLeft == 0)
                for key in keys { #expect(try repository.attempts(key) != nil) }
                try fixture.service.settle(at: AccountFixture.start)
                for key in keys { #expect(try repository.attempts(key) == nil) }
            }
            #expect(try fixture.refusal() == .rejected)
            failing.fail(1)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(failing.failuresLeft == 1, "there is nothing to do")
            #expect(try repository.attempts(keys[0])?.failures == 1)
        },
        .init("cancelled work while the database is busy is no guess either") { repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            let first = try fixture.beginSignIn()
            #expect(try fixture.refusal() == .rejected)
            let last = try fixture.beginSignIn()
            failing.fail(2)
            for work in [first, last] {
                #expect(throws: busy) { try work.cancel(at: AccountFixture.start) }
            }
            let key = AttemptKey(try AccountFixture.name())
            #expect(try repository.attempts(key)?.failures == 3)
            try fixture.service.settle(at: AccountFixture.start)
            #expect(try repository.attempts(key)?.failures == 1, "the one that was a guess")
        },
        .init("a new account while the database is busy counts nothing") { repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing) { $0.registrationIsOpen = true }
            for number in 0..<20 {
                let work = try fixture.service.beginCreation(
                    AccountFixture.name("guest@example.com"),
                    AccountFixture.password(AccountFixture.newPassword), invitation: nil,
                    from: AccountFixture.home, at: AccountFixture.start)
                failing.fail(number.isMultiple(of: 2) ? 1 : 2)
                #expect(throws: busy) {
                    if number.isMultiple(of: 4) {
                        try work.cancel(at: AccountFixture.start)
                    } else {
                        _ = try work.finish(at: AccountFixture.start)
                    }
                }
            }
            try fixture.service.settle(at: AccountFixture.start)
            #expect(try repository.attempts(AttemptKey(network: AccountFixture.home)) == nil)
        },
        .init("an attempt that may have been released, or cannot be, is not retried") {
            repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing)
            let key = AttemptKey(try AccountFixture.name())
            let errors = [DatabaseError.outcomeUnknown, .damaged(reason: "a row")]
            for (number, error) in errors.enumerated() {
                let work = try fixture.beginSignIn()
                failing.fail(1, with: error)
                #expect(throws: error) {
                    try work.cancel(at: AccountFixture.start)
                }
                try fixture.service.settle(at: AccountFixture.start)
                #expect(try repository.attempts(key)?.failures == Int64(number) + 1)
            }
        },
        .init("the number of unsettled attempts is limited; older ones count") { repository in
            let failing = FailingRepository(repository)
            let fixture = try AccountFixture(failing) { $0.guessing.networkAttempts = 0 }
            let names = (0..<260).map { "person\($0)@example.com" }
            let works = try names.map { try fixture.beginSignIn($0) }
            failing.fail(works.count)
            for work in works {
                #expect(throws: busy) { try work.cancel(at: AccountFixture.start) }
            }
            try fixture.service.settle(at: AccountFixture.start)
            let counted = try names.filter { name in
                try repository.attempts(AttemptKey(AccountFixture.name(name))) != nil
            }
            #expect(counted == Array(names[..<4]))
        },
    ]
}
