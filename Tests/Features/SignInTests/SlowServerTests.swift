import SecureStorage
import SignIn
import Testing

/// While the server is slow for one machine, another one with the same vault continues.
@Suite("Two machines and a server that answers late")
struct SlowServerTests {
    private func mark(_ kind: PasswordKind, _ place: TestPlace, on machine: String) throws {
        try place.withCache(on: machine) { cache in
            switch try cache.password(kind, of: place.account) {
            case .some(let password):
                try cache.recordRejection(kind, password, of: place.account, at: place.clock.now)
            case .none: Issue.record("there is no password")
            }
        }
    }

    private func expect(_ password: String, _ place: TestPlace) throws {
        #expect(try place.password(.current) == password)
        #expect(try place.password(.pending) == nil)
        let failed = place.server.counters.failedAttempts
        place.server.endSessions()
        for machine in ["first", "second"] {
            #expect(try place.start(on: machine) == .signedIn)
        }
        #expect(place.server.counters.failedAttempts == failed)
    }

    @Test("keep a new password, if one tries both while the other changes it")
    func triedMeanwhile() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.during(.changePassword) {
                // The new password is tried just before the change, the old one just after.
                place.server.fail(.signIn, .before(SignInError.rejected))
                do {
                    #expect(try place.start(on: "second") == .needsPassword(.rejected))
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try place.changePassword(to: "second") == .changed)
            try expect("second", place)
        }
    }

    @Test("keep a new password, although one is marked meanwhile", arguments: PasswordKind.allCases)
    func markedMeanwhile(kind: PasswordKind) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.during(.changePassword) {
                do { try mark(kind, place, on: "second") } catch { Issue.record(error) }
            }
            #expect(try place.changePassword(to: "second") == .changed)
            try expect("second", place)
        }
    }

    @Test("keep both passwords, if the old one is stored once more during a change")
    func storedOnceMore() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.during(.changePassword) {
                place.clock.advance(by: .seconds(1))
                do {
                    let first = try secret("first")
                    try place.withCache(on: "second") { cache in
                        let known = try cache.password(.current, of: place.account)
                        try cache.store(
                            first, over: known, of: place.account, at: place.clock.now)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try place.changePassword(to: "second") == .changed)
            #expect(try place.password(.pending) == "second")
            place.server.endSessions()
            #expect(try place.start(on: "second") == .signedIn)
            try expect("second", place)
        }
    }

    @Test(
        "keep the new password of one, while the other waits",
        arguments: [true, false])
    func typedBefore(hasStale: Bool) throws {
        try TestPlace.run(password: hasStale ? "stale" : "first") { (place) throws in
            if hasStale {
                try place.start(typing: ["stale"])
                place.server.change(to: "first")
                #expect(try place.start() == .needsPassword(.rejected))
            }
            place.server.during(.signIn) {
                do {
                    #expect(try place.start(typing: ["first"]) == .signedIn)
                    #expect(try place.changePassword(to: "second") == .changed)
                } catch {
                    Issue.record(error)
                }
            }
            #expect(try place.start(on: "second", typing: ["first"]) == .signedIn)
            try expect("second", place)
        }
    }

    @Test("keep a typed password, although the other marked the old one meanwhile")
    func typedOverMarked() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.change(to: "second")
            #expect(try place.start() == .needsPassword(.rejected))
            place.server.during(.signIn) {
                do { try mark(.current, place, on: "second") } catch { Issue.record(error) }
            }
            #expect(try place.start(typing: ["second"]) == .signedIn)
            try expect("second", place)
        }
    }

    @Test("do not restore a password that the other removed", arguments: [true, false])
    func forgotten(isTyped: Bool) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let forget: @Sendable () -> Void = {
                do {
                    try place.withCache(on: "second") { cache in
                        try cache.removePasswords(of: place.account)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            if isTyped {
                place.server.change(to: "second")
                #expect(try place.start() == .needsPassword(.rejected))
                place.server.during(.signIn, forget)
                #expect(try place.start(typing: ["second"]) == .signedIn)
            } else {
                place.server.during(.changePassword, forget)
                #expect(try place.changePassword(to: "second") == .changed)
            }
            for kind in PasswordKind.allCases { #expect(try place.password(kind) == nil) }
        }
    }
}
