import SecureStorage
import SignIn
import Testing
import TestSupport

/// The server's reaction to a change.
enum ChangeAnswer: CaseIterable {
    case changed, changedUnheard, notChanged, notChangedUnheard, refused

    func arrange(_ server: TestAuthServer) {
        let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)
        switch self {
        case .changed: break
        case .changedUnheard: server.fail(.changePassword, .after(lost))
        case .notChanged:
            server.fail(
                .changePassword,
                .before(SignInError.unreachable(detail: "", mayHaveArrived: false)))
        case .notChangedUnheard: server.fail(.changePassword, .before(lost))
        case .refused:
            server.fail(.changePassword, .before(SignInError.refused(.newPassword(detail: ""))))
        }
    }
}

@Suite("An interrupted change of the password")
struct PasswordChangeCrashTests {
    /// The error of the vault after the interruption.
    static let ends: [SecureStoreError] = [
        .unavailable(.failed, detail: "the process has ended"), .locked,
    ]

    /// A sign-in without a question, after which the vault has the valid password. At most one attempt fails.
    private func recover(_ place: TestPlace, on machine: String = "first") throws {
        let failed = place.server.counters.failedAttempts
        #expect(try place.start(on: machine) == .signedIn)
        #expect(place.server.counters.failedAttempts <= failed + 1)
        #expect(try place.password(.current) == place.server.password)
        #expect(try place.password(.pending) == nil)
        // The next sign-in has no failed attempt.
        let after = place.server.counters.failedAttempts
        place.server.endSessions()
        #expect(try place.start(on: machine) == .signedIn)
        #expect(place.server.counters.failedAttempts == after)
    }

    @Test(
        "at any write is repaired at the next sign-in",
        arguments: ChangeAnswer.allCases,
        ends)
    func anyWrite(answer: ChangeAnswer, end: SecureStoreError) throws {
        var writes = 0
        var isComplete = false
        while !isComplete {
            try TestPlace.run { (place) throws in
                try place.start(typing: ["first"])
                answer.arrange(place.server)
                let store = FailingStore(place.store, writes: writes, end)
                do {
                    let outcome = try place.changePassword(store, to: "second")
                    isComplete = true
                    #expect((outcome == .changed) == (answer == .changed))
                } catch {
                    #expect(error as? SecureStoreError == end)
                }
                if answer == .refused || answer == .notChanged || answer == .notChangedUnheard {
                    #expect(place.server.password == "first")
                } else if writes > 0 {
                    #expect(place.server.password == "second")
                }
                place.clock.advance(by: CredentialCache.changeTime)
                try recover(place)
            }
            writes += 1
        }
        // The note, and the writes after the answer.
        #expect(writes >= (answer == .changed ? 5 : answer == .changedUnheard ? 2 : 2))
    }

    @Test(
        "is repaired after an interrupted repair, too",
        arguments: ChangeAnswer.allCases)
    func anyWriteTwice(answer: ChangeAnswer) throws {
        for writes in 0...5 {
            for later in 0...5 {
                try TestPlace.run { (place) throws in
                    try place.start(typing: ["first"])
                    answer.arrange(place.server)
                    let store = FailingStore(place.store, writes: writes)
                    _ = try? place.changePassword(store, to: "second")
                    place.clock.advance(by: CredentialCache.changeTime)
                    let failed = place.server.counters.failedAttempts
                    _ = try? place.start(FailingStore(place.store, writes: later))
                    #expect(place.server.counters.failedAttempts <= failed + 1)
                    try recover(place)
                }
            }
        }
    }

    @Test("that the server makes after the next sign-in is not lost")
    func late() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)
            place.server.fail(.changePassword, .before(lost))
            #expect(try place.changePassword(to: "second") == .unknown(lost))
            // At once, while the server still holds the request.
            #expect(try place.start() == .signedIn)
            #expect(try place.password(.current) == "first")
            #expect(try place.password(.pending) == "second")
            place.server.change(to: "second")
            try recover(place)
        }
    }

    @Test("that the server makes between two attempts is not lost")
    func betweenTheTwo() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)
            place.server.fail(.changePassword, .before(lost))
            #expect(try place.changePassword(to: "second") == .unknown(lost))
            // The new password is rejected, and then the old one.
            place.server.afterRejection { place.server.change(to: "second") }
            #expect(try place.start() == .needsPassword(.rejected))
            #expect(place.server.password == "second")
            place.clock.advance(by: CredentialCache.changeTime)
            try recover(place)
        }
    }

    @Test(
        "is left alone by a concurrent sign-in of another machine",
        arguments: ChangeAnswer.allCases, [true, false])
    func otherMachine(answer: ChangeAnswer, isBefore: Bool) throws {
        for writes in 0...5 { try otherMachine(answer, isBefore, writes) }
    }

    private func otherMachine(_ answer: ChangeAnswer, _ isBefore: Bool, _ writes: Int) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.start(on: "second")
            answer.arrange(place.server)
            let other: @Sendable () -> Void = {
                do {
                    #expect(try place.start(on: "second") == .signedIn)
                } catch {
                    Issue.record(error)
                }
            }
            if isBefore {
                place.server.before(.changePassword, other)
            } else {
                place.server.during(.changePassword, other)
            }
            let store = FailingStore(place.store, writes: writes)
            _ = try? place.changePassword(store, to: "second")
            place.clock.advance(by: CredentialCache.changeTime)
            try recover(place)
            try recover(place, on: "second")
        }
    }

    @Test("of a lost machine is settled by another one after an hour")
    func foreign() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.start(on: "second")
            _ = try? place.changePassword(FailingStore(place.store, writes: 1), to: "second")
            place.server.change(to: "first")
            place.clock.advance(by: CredentialCache.changeTime)
            #expect(try place.start(on: "second") == .signedIn)
            #expect(try place.password(.pending) == "second")
            place.clock.advance(by: CredentialCache.foreignChangeTime)
            try recover(place, on: "second")
        }
    }
}
