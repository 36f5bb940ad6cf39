import SecureStorage
import SignIn
import Testing

/// After caching was forbidden or the server changed, nothing of a concurrent sign-in is kept.
@Suite("Settings that change during a sign-in")
struct ChangedSettingsTests {
    /// The changed setting.
    enum Change: CaseIterable {
        case caching, server, noServer

        func make(_ store: any SecureStore) throws {
            let other = try makeIssuer("https://other.example.org")
            try SignInSettings.change(store) { settings in
                switch self {
                case .caching: settings.cachesCredentials = false
                case .server: settings.server = other
                case .noServer: settings.server = nil
                }
            }
            try CredentialCache.wipe(store)
        }
    }

    private func run(_ body: (TestPlace) throws -> Void) throws {
        try TestPlace.run { (place) throws in
            let server = place.server.issuer
            try SignInSettings.change(place.store) { $0.server = server }
            try body(place)
        }
    }

    private func expectNothing(_ place: TestPlace) throws {
        for kind in ["password", "pending-password", "session"] {
            #expect(place.store.secrets(of: kind) == [])
        }
    }

    @Test("before the request end the sign-in", arguments: Change.allCases)
    func before(_ change: Change) throws {
        try run { (place) throws in
            var login = LoginFlow(place.context())
            #expect(throws: SignInError.settingsChanged) {
                try login.run { (_, _) throws -> SecretBytes? in
                    try change.make(place.store)
                    return try secret("first")
                }
            }
            #expect(place.server.counters.signIns == 0)
            try expectNothing(place)
        }
    }

    @Test(
        "on another machine during the request leave nothing", arguments: Change.allCases)
    func during(_ change: Change) throws {
        try run { (place) throws in
            place.server.during(.signIn) {
                do { try change.make(place.store) } catch { Issue.record(error) }
            }
            #expect(throws: SignInError.settingsChanged) { try place.start(typing: ["first"]) }
            #expect(place.server.counters.signIns == 1)
            try expectNothing(place)
        }
    }

    @Test("during a change of the password leave nothing", arguments: Change.allCases)
    func duringAChange(_ change: Change) throws {
        try run { (place) throws in
            try place.start(typing: ["first"])
            place.server.during(.changePassword) {
                do { try change.make(place.store) } catch { Issue.record(error) }
            }
            #expect(throws: SignInError.settingsChanged) {
                try place.changePassword(to: "second")
            }
            try expectNothing(place)
        }
    }

    @Test("are not reverted by a concurrent change of another setting")
    func notReverted() throws {
        try run { (place) throws in
            let store = InterruptedStore(place.store, "taskvault.sign-in", after: 1) {
                do {
                    try SignInSettings.change(place.store) { $0.cachesCredentials = false }
                } catch {
                    Issue.record(error)
                }
            }
            try SignInSettings.change(store) { $0.account = place.account }
            #expect(store.didHappen)
            let settings = try SignInSettings(place.store)
            #expect(settings.account == place.account && !settings.cachesCredentials)
            var other = SignInSettings()
            other.offlineLimit = 60
            #expect(throws: SignInError.settingsChanged) {
                try other.replace(SignInSettings(), in: place.store)
            }
            try other.replace(settings, in: place.store)
            #expect(try SignInSettings(place.store) == other)
        }
    }
}
