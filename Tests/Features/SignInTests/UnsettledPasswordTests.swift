import SignIn
import Testing

/// A server counts failed attempts, so they must be few.
@Suite("Sign-ins while a change of the password is unsettled")
struct UnsettledPasswordTests {
    private static let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)

    /// A place with a change that the server has not made.
    private func run(_ body: (TestPlace) throws -> Void) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.start(on: "second")
            place.server.fail(.changePassword, .before(Self.lost))
            #expect(try place.changePassword(to: "second") == .unknown(Self.lost))
            try body(place)
        }
    }

    /// Sign-ins without an answer to questions.
    private func starts(_ place: TestPlace, _ outcome: LoginFlow.Outcome) throws {
        for _ in 0..<3 {
            for machine in ["first", "second"] {
                #expect(try place.start(on: machine) == outcome)
            }
        }
    }

    @Test("try the new password once, and once more after the change is settled")
    func tried() throws {
        try run { (place) throws in
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 1)
            #expect(try place.password(.pending) == "second")
            place.server.endSessions()
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 1)
            place.clock.advance(by: CredentialCache.changeTime)
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 2)
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test("ask without a further attempt if both passwords are wrong")
    func bothWrong() throws {
        try run { (place) throws in
            place.server.change(to: "third")
            try starts(place, .needsPassword(.rejected))
            #expect(place.server.counters.failedAttempts == 2)
            place.clock.advance(by: CredentialCache.changeTime)
            try starts(place, .needsPassword(.rejected))
            #expect(place.server.counters.failedAttempts == 3)
            let signIns = place.server.counters.signIns
            #expect(try place.start(typing: ["third"]) == .signedIn)
            #expect(place.server.counters.signIns == signIns + 1)
            #expect(try place.password(.current) == "third")
            #expect(try place.password(.pending) == nil)
            #expect(try place.start(on: "second") == .signedIn)
            #expect(place.server.counters.failedAttempts == 3)
        }
    }

    @Test("send only the typed password after both were rejected")
    func typed() throws {
        try run { (place) throws in
            place.server.change(to: "third")
            try starts(place, .needsPassword(.rejected))
            let signIns = place.server.counters.signIns
            #expect(try place.start(typing: ["third"]) == .signedIn)
            #expect(place.server.counters.signIns == signIns + 1)
            place.server.endSessions()
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 2)
        }
    }

    @Test("find the new password at once after the old one became invalid")
    func late() throws {
        try run { (place) throws in
            try starts(place, .signedIn)
            place.server.change(to: "second")
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 2)
            #expect(try place.password(.current) == "second")
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test(
        "try the old password again beside the next change, although it was rejected beside this one"
    )
    func nextChange() throws {
        try run { (place) throws in
            place.server.afterRejection {
                place.server.fail(.signIn, .before(SignInError.rejected))
            }
            #expect(try place.start() == .needsPassword(.rejected))
            try starts(place, .signedIn)
            place.clock.advance(by: .seconds(1))
            place.server.fail(.changePassword, .before(Self.lost))
            #expect(try place.changePassword(to: "second") == .unknown(Self.lost))
            place.server.endSessions()
            #expect(try place.start() == .signedIn)
        }
    }

    @Test(
        "are not offline if the server falls silent after it rejected a password",
        arguments: [lost, .throttled(seconds: 60)])
    func rejectedBefore(error: SignInError) throws {
        try run { (place) throws in
            place.server.afterRejection { place.server.fail(.signIn, .before(error)) }
            place.clock.advance(by: .seconds(1))
            #expect(try place.start() == .needsPassword(.rejected))
            #expect(try place.session()?.latestTime == place.clock.now)
            try starts(place, .signedIn)
            #expect(place.server.counters.failedAttempts == 1)
        }
    }
}
