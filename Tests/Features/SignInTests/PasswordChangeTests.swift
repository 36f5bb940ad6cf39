import SecretMemory
import SecureStorage
@testable import SignIn
import Testing
import TestSupport
import TextCoding

@Suite("A change of the password in the vault")
struct PasswordChangeTests {
    private static let lost = SignInError.unreachable(detail: "", mayHaveArrived: true)

    @Test("saves the new password and the new session, and leaves nothing pending")
    func changed() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            #expect(try place.changePassword(to: "second") == .changed)
            #expect(try place.password(.current) == "second")
            #expect(try place.password(.pending) == nil)
            #expect(place.server.sessions == 1)
            #expect(try place.start() == .signedIn)
            #expect(place.server.counters.signIns == 1)
        }
    }

    @Test("has a pending password during the request")
    func pendingFirst() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.before(.changePassword) {
                let pending = place.store.secrets(of: "pending-password")
                #expect(pending == ["second"])
                #expect(place.store.secrets(of: "password") == ["first"])
            }
            #expect(try place.changePassword(to: "second") == .changed)
        }
    }

    @Test(
        "leaves no trace if the server refused, or was certainly not asked",
        arguments: [
            .rejected, .refused(.password), .refused(.newPassword(detail: "")),
            .throttled(seconds: 3), .unsupported, .untrusted(detail: ""),
            .unreachable(detail: "", mayHaveArrived: false),
        ] as [SignInError])
    func refused(error: SignInError) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .before(error))
            #expect(try place.changePassword(to: "second") == .unchanged(error))
            #expect(try place.password(.pending) == nil)
            #expect(try place.start() == .signedIn)
            #expect(place.server.counters.failedAttempts == 0)
        }
    }

    @Test(
        "keeps both passwords if the outcome is unknown",
        arguments: [lost, .broken(detail: "")])
    func unknown(error: SignInError) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .after(error))
            #expect(try place.changePassword(to: "second") == .unknown(error))
            #expect(try place.password(.current) == "first")
            #expect(try place.password(.pending) == "second")
        }
    }

    @Test("keeps both passwords if memory is exhausted")
    func outOfMemory() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .after(SecretMemoryError.outOfMemory))
            #expect(throws: SecretMemoryError.outOfMemory) {
                try place.changePassword(to: "second")
            }
            #expect(try place.password(.current) == "first")
            #expect(try place.password(.pending) == "second")
            #expect(try place.start() == .signedIn)
            #expect(try place.password(.current) == "second")
        }
    }

    @Test("saves no password if caching is not allowed")
    func withoutCache() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try CredentialCache.wipe(place.store)
            let context = place.context(nil, SignInOptions(cachesCredentials: false))
            var login = LoginFlow(context)
            #expect(try login.run(typing: ["first"]) == .signedIn)
            let granted = optionalText(login.takeAccessToken())
            let token = try #require(granted)
            place.server.fail(.changePassword, .before(SignInError.rejected))
            for outcome in [PasswordChange.Outcome.unchanged(.rejected), .changed] {
                let result = try PasswordChange(context).run(
                    from: try secret("first"), to: try secret("second"), with: try secret(token))
                #expect(result == outcome)
                for kind in PasswordKind.allCases { #expect(try place.password(kind) == nil) }
                #expect(try place.token(.refresh) == nil)
            }
        }
    }

    @Test("does not overwrite another pending password that the server may still accept")
    func twoChanges() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .before(Self.lost))
            #expect(try place.changePassword(to: "second") == .unknown(Self.lost))
            guard case .unchanged(.refused(.other)) = try place.changePassword(to: "third") else {
                Issue.record("the second change went on")
                return
            }
            #expect(try place.password(.pending) == "second")
            place.clock.advance(by: CredentialCache.changeTime)
            #expect(try place.changePassword(to: "third") == .changed)
            #expect(try place.password(.current) == "third")
        }
    }

    @Test("can be repeated at once, and is not lost if the first request arrives late")
    func repeated() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .before(Self.lost))
            #expect(try place.changePassword(to: "second") == .unknown(Self.lost))
            place.server.before(.changePassword) { place.server.change(to: "second") }
            #expect(try place.changePassword(to: "second") == .unchanged(.rejected))
            #expect(try place.password(.pending) == "second")
            #expect(try place.start() == .signedIn)
            #expect(try place.password(.current) == "second")
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test("keeps a password that the server accepted meanwhile")
    func promotedOverAnother() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            // After this change the password changes once more, and is typed on another machine.
            place.server.during(.changePassword) {
                place.server.change(to: "third")
                do {
                    #expect(try place.start(on: "second", typing: ["third"]) == .signedIn)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try place.changePassword(to: "second") == .changed)
            #expect(try place.password(.current) == "third")
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test(
        "loses no valid password if another machine changes it, too", arguments: [0, 7_200])
    func twoMachines(ahead seconds: Int) throws {
        var accesses = 0
        var isComplete = false
        while !isComplete {
            try TestPlace.run { (place) throws in
                try place.start(typing: ["first"])
                try place.start(on: "second")
                let store = InterruptedStore(
                    place.store, "taskvault.pending-password:", after: accesses
                ) {
                    // It ends after the server made the change, before the vault notes it. If its clock is two hours ahead, its
                    // note is ignored, and it ends before the request.
                    do {
                        let third = try secret("third")
                        let time = place.clock.now.advanced(by: .seconds(seconds))
                        let result = try place.withCache(on: "second") {
                            cache in
                            try cache.savePending(third, of: place.account, at: time)
                        }
                        if result != .conflict, seconds == 0 { place.server.change(to: "third") }
                    } catch {
                        Issue.record(error)
                    }
                }
                _ = try place.changePassword(store, to: "second")
                let passwords = try [place.password(.current), place.password(.pending)]
                #expect(passwords.contains(place.server.password), "\(accesses): \(passwords)")
                isComplete = !store.didHappen
                place.clock.advance(by: CredentialCache.foreignChangeTime)
                #expect(try place.start(on: "second") == .signedIn)
                #expect(try place.password(.current) == place.server.password)
            }
            accesses += 1
        }
        #expect(accesses >= 4)
    }
}
