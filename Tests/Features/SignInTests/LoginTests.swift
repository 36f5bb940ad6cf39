import Foundation
import SecretMemory
import SecureStorage
import SignIn
import Synchronization
import Testing
import TestSupport

@Suite("A sign-in")
struct LoginTests {
    private static let offline = SignInError.unreachable(detail: "", mayHaveArrived: true)

    @Test("with nothing cached asks, and stores the password after the server accepted it")
    func first() throws {
        try TestPlace.run { (place) throws in
            #expect(try place.start() == .needsPassword(.nothingCached))
            #expect(try place.store.list().isEmpty)
            #expect(try place.start(typing: ["wrong", "first"]) == .signedIn)
            #expect(try place.password(.current) == "first")
            #expect(try place.password(.pending) == nil)
            #expect(try place.token(.refresh) == "refresh-1-Zp3")
            #expect(try place.token(.access) == "access-1-Xq7")
        }
    }

    @Test("saves nothing if every password was rejected")
    func allWrong() throws {
        try TestPlace.run { (place) throws in
            #expect(try place.start(typing: ["a", "b", "c"]) == .rejected)
            #expect(try place.store.list().isEmpty)
            #expect(place.server.counters.failedAttempts == 3)
        }
    }

    @Test(
        "after the first does not ask: it uses the tokens, then the password"
    )
    func silent() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            for _ in 0..<3 { #expect(try place.start() == .signedIn) }
            #expect(place.server.counters.refreshes == 3)
            #expect(place.server.counters.signIns == 1)
            place.server.endSessions()
            #expect(try place.start() == .signedIn)
            #expect(place.server.counters.signIns == 2)
            #expect(place.server.counters.failedAttempts == 0)
            #expect(place.server.counters.reuses == 0)
        }
    }

    @Test("returns the granted access token once")
    func accessToken() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            var login = LoginFlow(place.context())
            let early = optionalText(login.takeAccessToken())
            _ = try login.run(typing: [])
            let granted = optionalText(login.takeAccessToken())
            let again = optionalText(login.takeAccessToken())
            #expect(early == nil && granted == "access-2-Xq7" && again == nil)
        }
    }

    @Test("after a change of the password elsewhere asks once, and saves the new one")
    func changedElsewhere() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.change(to: "second")
            #expect(try place.start() == .needsPassword(.rejected))
            #expect(try place.password(.current) == "first")
            #expect(try place.start(typing: ["second"]) == .signedIn)
            #expect(try place.password(.current) == "second")
            place.server.endSessions()
            #expect(try place.start() == .signedIn)
        }
    }

    @Test("does not repeat a rejected password, because each attempt counts")
    func burnsNothing() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.change(to: "second")
            for _ in 0..<5 { #expect(try place.start() == .needsPassword(.rejected)) }
            #expect(place.server.counters.failedAttempts == 1)
        }
    }

    @Test("does not repeat a rejected pending password")
    func burnsNoPending() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.changePassword, .before(Self.offline))
            #expect(try place.changePassword(to: "second") == .unknown(Self.offline))
            place.server.change(to: "third")
            place.clock.advance(by: CredentialCache.changeTime)
            #expect(try place.start() == .needsPassword(.rejected))
            #expect(place.server.counters.failedAttempts == 2)
            for _ in 0..<5 { #expect(try place.start() == .needsPassword(.rejected)) }
            #expect(place.server.counters.failedAttempts == 2)
            #expect(try place.start(typing: ["third"]) == .signedIn)
            #expect(try place.password(.current) == "third")
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test(
        "keeps everything without a verdict",
        arguments: [
            offline, .throttled(seconds: 3), .untrusted(detail: ""), .broken(detail: ""),
        ], [TestAuthServer.Call.refresh, .signIn])
    func unreachable(error: SignInError, call: TestAuthServer.Call) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            if call == .signIn { place.server.endSessions() }
            let refresh = try place.token(.refresh)
            place.server.fail(call, .before(error))
            #expect(try place.start() == .noVerdict(error))
            #expect(try place.password(.current) == "first")
            if call == .refresh { #expect(try place.token(.refresh) == refresh) }
            #expect(try place.start() == .signedIn)
        }
    }

    @Test(
        "keeps everything if memory is exhausted",
        arguments: [TestAuthServer.Call.refresh, .signIn])
    func outOfMemory(call: TestAuthServer.Call) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            if call == .signIn { place.server.endSessions() }
            let refresh = try place.token(.refresh)
            place.server.fail(call, .before(SecretMemoryError.outOfMemory))
            #expect(throws: SecretMemoryError.outOfMemory) { try place.start() }
            #expect(try place.password(.current) == "first")
            if call == .refresh { #expect(try place.token(.refresh) == refresh) }
            #expect(try place.start() == .signedIn)
        }
    }

    @Test("continues with the password if the server exchanges no tokens")
    func noExchange() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            for error in [SignInError.unsupported, .refused(.other(detail: ""))] {
                place.server.fail(.refresh, .before(error))
                #expect(try place.start() == .signedIn)
            }
            #expect(place.server.counters.signIns == 3)
        }
    }

    @Test("signs in again after the answer to a refresh was lost, although that ends the session")
    func lostRefresh() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(.refresh, .after(Self.offline))
            #expect(try place.start() == .noVerdict(Self.offline))
            #expect(try place.start() == .signedIn)
            #expect(place.server.counters.reuses == 1)
            #expect(place.server.counters.failedAttempts == 0)
        }
    }

    @Test("saves no password and no token if that is not allowed, and asks each time")
    func withoutCache() throws {
        try TestPlace.run { (place) throws in
            let options = SignInOptions(cachesCredentials: false)
            for _ in 0..<2 {
                #expect(try place.start(nil, options, typing: ["first"]) == .signedIn)
                #expect(try place.password(.current) == nil)
                #expect(try place.token(.refresh) == nil)
                #expect(try place.token(.access) == nil)
            }
            #expect(try place.start(nil, options) == .needsPassword(.nothingCached))
        }
    }

    @Test("uses no saved credential after that was forbidden")
    func cachedBefore() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let before = place.server.counters
            let options = SignInOptions(cachesCredentials: false)
            #expect(try place.start(nil, options) == .needsPassword(.nothingCached))
            #expect(place.server.counters == before)
        }
    }

    @Test("does not ask again for a typed password while another process signs in")
    func waits() async throws {
        try await TestPlace.runAsync { (place) async throws in
            var login = LoginFlow(place.context())
            let isHeld = Atomic(false)
            var questions = 0
            let outcome = try login.run { (_, _) throws -> SecretBytes? in
                questions += 1
                Thread.detachNewThread {
                    do {
                        try place.machine().exclusively { _ in
                            isHeld.store(true, ordering: .releasing)
                            Thread.sleep(forTimeInterval: 0.1)
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
                while !isHeld.load(ordering: .acquiring) { giveWay() }
                return try secret("first")
            }
            #expect(outcome == .signedIn)
            #expect(questions == 1)
        }
    }

    @Test("ends if another process signs in for too long, and saves nothing")
    func busy() throws {
        try TestPlace.run { (place) throws in
            let folder = place.folder + "/first"
            var login = LoginFlow(
                SignInContext(
                    place.account, at: place.client, place.store,
                    MachineState(folder: folder, lockTimeout: .milliseconds(300))))
            try place.machine().exclusively { _ in
                _ = #expect(throws: SignInError.busy) { try login.run(typing: []) }
            }
            #expect(try place.store.list().isEmpty)
            #expect(try login.run(typing: ["first"]) == .signedIn)
        }
    }

    @Test("on many threads never uses a token twice")
    func manyAtOnce() async throws {
        try await TestPlace.runAsync { (place) async throws in
            try place.start(typing: ["first"])
            place.server.isUnhurried.store(true, ordering: .relaxed)
            await onThreads(8) { _ in
                for _ in 0..<5 {
                    do {
                        #expect(try place.start() == .signedIn)
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            let counters = place.server.counters
            #expect(counters.refreshes == 40)
            #expect(counters.reuses == 0 && counters.overlaps == 0 && counters.signIns == 1)
        }
    }

    @Test("on another machine with the same vault uses the password, and tokens of its own")
    func twoMachines() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            #expect(try place.start(on: "second") == .signedIn)
            let tokens = [try place.token(.refresh), try place.token(.refresh, on: "second")]
            #expect(tokens == ["refresh-1-Zp3", "refresh-2-Zp3"])
            for _ in 0..<3 {
                #expect(try place.start(on: "first") == .signedIn)
                #expect(try place.start(on: "second") == .signedIn)
            }
            #expect(place.server.sessions == 2)
            #expect(place.server.counters.reuses == 0)
            #expect(place.server.counters.signIns == 2)
        }
    }

    @Test("tries a password that another machine stored meanwhile", arguments: [1, 9])
    func changedMeanwhile(writes: Int) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.start(on: "second")
            place.server.endSessions()
            place.server.before(.signIn) {
                let store = FailingStore(place.store, writes: writes)
                _ = try? place.changePassword(on: "second", store, to: "second")
            }
            #expect(try place.start() == .signedIn)
            #expect(place.server.password == "second")
            #expect(place.server.counters.failedAttempts == 1)
            #expect(try place.password(.current) == "second")
            #expect(try place.password(.pending) == nil)
        }
    }

    @Test(
        "that was not requested leaves an account alone that signed out", arguments: [true, false])
    func signedOut(isCaching: Bool) throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let options = SignInOptions(cachesCredentials: isCaching)
            try place.withCache { cache in try cache.signOut(of: place.account) }
            let before = place.server.counters
            for _ in 0..<2 {
                var login = LoginFlow(place.context(nil, options), isRequested: false)
                #expect(try login.run(typing: []) == .signedOut)
            }
            #expect(place.server.counters == before)
            #expect(try place.session()?.isSignedOut == true)
            #expect(try place.start() == .signedIn)
            #expect(try place.session()?.isSignedOut == false)
            var again = LoginFlow(place.context(), isRequested: false)
            #expect(try again.run(typing: []) == .signedIn)
        }
    }

    @Test("that was not requested ends if the person signs out during the question")
    func signedOutMeanwhile() throws {
        try TestPlace.run { (place) throws in
            var login = LoginFlow(place.context(), isRequested: false)
            let outcome = try login.run { (_, _) throws -> SecretBytes? in
                try place.withCache { cache in try cache.signOut(of: place.account) }
                return try secret("first")
            }
            #expect(outcome == .signedOut)
            #expect(place.server.counters.signIns == 0)
        }
    }

    @Test("uses no tokens of another account")
    func otherAccount() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let other = try #require(AccountName("bob@example.org"))
            var login = LoginFlow(
                SignInContext(other, at: place.client, place.store, place.machine()))
            #expect(try login.run(typing: []) == .needsPassword(.nothingCached))
            #expect(place.server.counters.refreshes == 0)
        }
    }
}
