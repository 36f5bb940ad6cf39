import SecretMemory
import SignIn
import Testing

@Suite("A sign-in on a page of the server")
struct WebLoginTests {
    private static let offline = SignInError.unreachable(detail: "", mayHaveArrived: false)

    /// Signs in with the tokens that the page grants.
    @discardableResult
    private func accept(
        _ place: TestPlace, _ options: SignInOptions = SignInOptions()
    ) throws -> LoginFlow.Outcome {
        let grant = place.server.grantOnPage()
        var login = LoginFlow(place.context(nil, options))
        let tokens = GrantedTokens(
            access: try secret(grant.access), refresh: .some(try secret(grant.refresh)),
            lifetime: 900)
        return try login.accept(tokens)
    }

    private func run(_ body: (TestPlace) throws -> Void) throws {
        try TestPlace.run { (place) throws in
            place.server.takePasswords(.success(false))
            try body(place)
        }
    }

    @Test("never asks for a password")
    func asked() throws {
        try run { (place) throws in
            #expect(try place.start() == .needsBrowser(isSessionOver: false))
            #expect(place.server.counters.signIns == 0)
        }
    }

    @Test("is silent from then on: the vault keeps a refresh token of this machine, no password")
    func silent() throws {
        try run { (place) throws in
            #expect(try accept(place) == .signedIn)
            #expect(try place.password(.current) == nil)
            for _ in 0..<3 {
                let token = try place.token(.refresh)
                #expect(try place.start() == .signedIn)
                #expect(try place.token(.refresh) != token)
            }
            #expect(place.server.counters.refreshes == 3 && place.server.counters.signIns == 0)
            #expect(try place.start(on: "second") == .needsBrowser(isSessionOver: false))
        }
    }

    @Test("leads to the page again after the server refused the refresh token, for any reason")
    func over() throws {
        try run { (place) throws in
            try accept(place)
            place.server.endSessions()
            #expect(try place.start() == .needsBrowser(isSessionOver: true))
            #expect(try place.token(.refresh) == nil)
            try accept(place)
            for error in [SignInError.unsupported, .refused(.other(detail: ""))] {
                place.server.fail(.refresh, .before(error))
                #expect(try place.start() == .needsBrowser(isSessionOver: true))
            }
            #expect(place.server.counters.signIns == 0)
            // A server that cannot be reached has refused nothing.
            for error in [Self.offline, .throttled(seconds: nil), .broken(detail: "")] {
                place.server.fail(.refresh, .before(error))
                #expect(try place.start() == .noVerdict(error))
            }
            #expect(try place.start() == .signedIn)
        }
    }

    @Test("sends no password from the time when the server took it, and removes it")
    func earlierPassword() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.takePasswords(.success(false))
            place.server.endSessions()
            let before = place.server.counters.signIns
            #expect(try place.start() == .needsBrowser(isSessionOver: true))
            #expect(place.server.counters.signIns == before)
            #expect(try place.password(.current) == "first")
            // Nor is it sent without a session.
            #expect(try place.start() == .needsBrowser(isSessionOver: false))
            #expect(place.server.counters.signIns == before)
            try accept(place)
            #expect(try place.password(.current) == nil)
        }
    }

    @Test("needs no metadata to be silent, and has no verdict without it otherwise")
    func metadata() throws {
        try run { (place) throws in
            try accept(place)
            place.server.takePasswords(.failure(Self.offline))
            #expect(try place.start() == .signedIn)
            place.server.endSessions()
            #expect(try place.start() == .noVerdict(Self.offline))
        }
    }

    @Test("keeps nothing if caching is off")
    func uncached() throws {
        try run { (place) throws in
            let options = SignInOptions(cachesCredentials: false)
            #expect(try accept(place, options) == .signedIn)
            #expect(try place.token(.refresh) == nil)
            #expect(try place.session()?.lastSuccess == place.clock.now)
        }
    }

    @Test("keeps nothing if the endpoints were changed during it")
    func changedEndpoints() throws {
        try run { (place) throws in
            try SignInSettings.change(place.store) { settings in
                settings.server = place.server.issuer
                settings.endpoints = ServerEndpoints("token=https://evil.example.org/")
            }
            #expect(throws: SignInError.settingsChanged) { try accept(place) }
            #expect(try place.token(.refresh) == nil)
            let same = SignInOptions(endpoints: ServerEndpoints("token=https://evil.example.org/"))
            #expect(try accept(place, same) == .signedIn)
        }
    }

    @Test("stays signed out if the person signed out meanwhile, unless the person began it")
    func signedOut() throws {
        try run { (place) throws in
            try accept(place)
            try place.withCache { try $0.signOut(of: place.account) }
            var login = LoginFlow(place.context(), isRequested: false)
            let grant = place.server.grantOnPage()
            let outcome = try login.accept(
                GrantedTokens(access: try secret(grant.access), refresh: nil, lifetime: nil))
            #expect(outcome == .signedOut)
            #expect(try accept(place) == .signedIn)
        }
    }
}
