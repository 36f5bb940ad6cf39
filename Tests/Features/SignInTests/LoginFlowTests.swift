import SecretMemory
import SecureStorage
@testable import SignIn
import Synchronization
import Testing
import TestSupport
import TextCoding

/// Every order of requests, by the saved credentials and the answers of the server.
@Suite("The order of a sign-in")
struct LoginFlowTests {
    typealias State = CachedCredentials.State
    static let refusals = [SignInError.refused(.other(detail: "")), .unsupported]
    static let unreachable = SignInError.unreachable(detail: "", mayHaveArrived: false)

    /// The saved credentials, and the beginning of a sign-in with them.
    struct Start: Sendable {
        let password: State
        let pending: State
        let hasToken: Bool
        let request: ScriptedClient.Request?
        var reason: LoginFlow.AskReason?

        init(
            _ password: State, _ pending: State, _ hasToken: Bool,
            _ request: ScriptedClient.Request?, _ reason: LoginFlow.AskReason? = nil
        ) {
            self.password = password
            self.pending = pending
            self.hasToken = hasToken
            self.request = request
            self.reason = reason
        }
    }

    @Test(
        "begins with the saved credentials",
        arguments: [
            Start(.none, .none, false, nil, .nothingCached),
            Start(.usable, .none, false, .current),
            Start(.rejected, .none, false, nil, .rejected),
            Start(.none, .none, true, .refresh),
            Start(.usable, .none, true, .refresh),
            Start(.rejected, .none, true, .refresh),
            Start(.usable, .usable, true, .pending),
            Start(.none, .usable, false, .pending),
            Start(.usable, .rejected, true, .refresh),
            Start(.none, .rejected, false, nil, .nothingCached),
            Start(.none, .unsettled, false, nil, .rejected),
            Start(.usable, .unsettled, false, .current),
            Start(.unsettled, .unsettled, false, nil, .rejected),
            Start(.unsettled, .unsettled, true, .refresh),
            Start(.rejected, .usable, false, .pending),
        ])
    func begins(start: Start) throws {
        try Fixture.run(start.password, start.pending, hasToken: start.hasToken) {
            (fixture) throws in
            let outcome = try fixture.signIn(failing: Self.unreachable)
            #expect(fixture.client.requests == (start.request.map { [$0] } ?? []))
            #expect(fixture.client.reasons == (start.reason.map { [$0] } ?? []))
            #expect(
                outcome == (start.reason.map { .needsPassword($0) } ?? .noVerdict(Self.unreachable))
            )
        }
    }

    @Test("with a valid refresh token saves the new tokens, and does not ask")
    func tokens() throws {
        try Fixture.run(.usable, hasToken: true) { (fixture) throws in
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.refresh])
            #expect(fixture.client.reasons == [])
            #expect(try fixture.place.token(.refresh) == "granted")
        }
    }

    @Test("with a rejected refresh token forgets it, and continues with the password")
    func deadFamily() throws {
        try Fixture.run(.usable, hasToken: true) { (fixture) throws in
            fixture.client.answers = [.refresh: .rejected, .current: Self.unreachable]
            #expect(try fixture.signIn() == .noVerdict(Self.unreachable))
            #expect(try fixture.place.token(.refresh) == nil)
            fixture.client.answers = [:]
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.refresh, .current, .current])
            #expect(try fixture.place.token(.refresh) == "granted")
        }
    }

    @Test("without a second factor is no verdict on the password, also after a rejected one")
    func secondFactor() throws {
        let missing = try secondFactorMissing()
        try Fixture.run(.usable) { (fixture) throws in
            fixture.client.answers = [.current: missing]
            #expect(try fixture.signIn() == .noVerdict(missing))
            #expect(try fixture.states() == (.usable, .none))
        }
        try Fixture.run(.usable, .usable, isOver: true) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected, .current: missing]
            #expect(try fixture.signIn() == .noVerdict(missing))
            fixture.client.answers = [:]
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.pending, .current, .current])
        }
        try Fixture.run { (fixture) throws in
            fixture.client.answers = [.typed: missing]
            #expect(try fixture.signIn(typing: ["typed"]) == .noVerdict(missing))
            #expect(try fixture.place.store.list().isEmpty, "not saved before it is accepted")
        }
    }

    @Test("with a rejected saved password marks it, and asks")
    func rejected() throws {
        try Fixture.run(.usable) { (fixture) throws in
            fixture.client.answers = [.current: .rejected]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(try fixture.states() == (.rejected, .none))
            #expect(try fixture.signIn(typing: ["typed"]) == .signedIn)
            #expect(fixture.client.requests == [.current, .typed])
            #expect(try fixture.place.password(.current) == "typed")
        }
    }

    @Test("with a verdict in the server's own words marks the password, and shows the words")
    func ownWords() throws {
        try Fixture.run(.usable) { (fixture) throws in
            let verdict = SignInError.notAccepted(detail: "Invalid \"password\"")
            fixture.client.answers = [.current: verdict, .typed: verdict]
            #expect(try fixture.signIn(typing: ["typed", "typed", "typed"]) == .rejected)
            #expect(fixture.client.reasons == [.rejected, .wrong, .wrong])
            #expect(fixture.client.texts == Array(repeating: "Invalid \"password\"", count: 3))
            #expect(try fixture.states() == (.rejected, .none))
            fixture.client.answers = [:]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.requests == [.current, .typed, .typed, .typed])
        }
    }

    @Test("tells the server which session a saved password continues, and none of a typed one")
    func continues() throws {
        try Fixture.run(.usable) { (fixture) throws in
            #expect(try fixture.signIn() == .signedIn)
            // A rejected token leaves the name of its session.
            fixture.client.answers = [.refresh: .rejected, .current: .rejected]
            #expect(try fixture.signIn(typing: ["typed"]) == .signedIn)
            #expect(fixture.client.requests == [.current, .refresh, .current, .typed])
            #expect(fixture.client.continued == [nil, "session", nil])
        }
    }

    @Test("saves a typed password only after the server accepted it, and asks three times")
    func typed() throws {
        try Fixture.run { (fixture) throws in
            fixture.client.answers = [.typed: .rejected]
            #expect(try fixture.signIn(typing: ["typed", "typed", "typed"]) == .rejected)
            #expect(fixture.client.reasons == [.nothingCached, .wrong, .wrong])
            #expect(try fixture.place.store.list().isEmpty)
        }
    }

    @Test(
        "without a verdict forgets nothing, at any step",
        arguments: [
            unreachable, .throttled(seconds: 7), .untrusted(detail: ""), .broken(detail: ""),
            .refused(.other(detail: "")), .unsupported,
        ])
    func notReached(error: SignInError) throws {
        let starts: [(State, State, Bool)] = [
            (.none, .usable, false), (.none, .none, true), (.usable, .none, false),
            (.none, .none, false),
        ]
        // A refusal of tokens leads to the password.
        for start in starts where !start.2 || !Self.refusals.contains(error) {
            try Fixture.run(start.0, start.1, hasToken: start.2) { (fixture) throws in
                let before = try fixture.states()
                fixture.place.clock.advance(by: .seconds(1))
                let typed = before == (.none, .none) && !start.2 ? ["typed"] : []
                #expect(try fixture.signIn(typing: typed, failing: error) == .noVerdict(error))
                #expect(try fixture.states() == before)
                #expect(try (fixture.place.token(.refresh) != nil) == start.2)
                if start.2 {
                    #expect(try fixture.place.session()?.latestTime == fixture.place.clock.now)
                }
            }
        }
    }

    @Test("continues with the password if the server exchanges no tokens", arguments: refusals)
    func noExchange(error: SignInError) throws {
        try Fixture.run(.usable, hasToken: true) { (fixture) throws in
            #expect(try fixture.signIn(failing: error) == .noVerdict(error))
            #expect(fixture.client.requests == [.refresh, .current])
            #expect(try fixture.place.token(.refresh) != nil)
        }
        try Fixture.run(hasToken: true) { (fixture) throws in
            #expect(try fixture.signIn(failing: error) == .needsPassword(.nothingCached))
        }
    }

    @Test("settles a change that was made: the new password first")
    func pendingAccepted() throws {
        try Fixture.run(.usable, .usable, hasToken: true) { (fixture) throws in
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.pending])
            #expect(try fixture.place.password(.current) == "pending")
            #expect(try fixture.place.password(.pending) == nil)
        }
    }

    @Test("settles a change that was not made: the old password is still valid")
    func pendingRejected() throws {
        try Fixture.run(.usable, .usable, hasToken: true, isOver: true) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected]
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.pending, .current])
            #expect(try fixture.place.password(.current) == "current")
            #expect(try fixture.place.password(.pending) == nil)
        }
    }

    @Test("with both passwords rejected does not try them again, and asks")
    func bothRejected() throws {
        try Fixture.run(.usable, .usable, isOver: true) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected, .current: .rejected]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.requests == [.pending, .current])
            #expect(try fixture.signIn(typing: ["typed"]) == .signedIn)
            #expect(fixture.client.requests == [.pending, .current, .typed])
            #expect(try fixture.place.password(.current) == "typed")
            #expect(try fixture.place.password(.pending) == nil)
        }
    }

    @Test("without the old password falls back to the tokens, and then to a question")
    func pendingAlone() throws {
        for isTokenValid in [true, false] {
            try Fixture.run(.none, .usable, hasToken: true, isOver: true) { (fixture) throws in
                fixture.client.answers = [.pending: .rejected]
                if !isTokenValid { fixture.client.answers[.refresh] = .rejected }
                #expect(
                    try fixture.signIn() == (isTokenValid ? .signedIn : .needsPassword(.rejected)))
                #expect(fixture.client.requests == [.pending, .refresh])
                #expect(try fixture.states() == (.none, isTokenValid ? .none : .rejected))
                #expect(try fixture.place.token(.refresh) == (isTokenValid ? "granted" : nil))
            }
        }
    }

    @Test(
        "drops a pending password that was rejected earlier, once another credential is accepted",
        arguments: [true, false])
    func pendingRejectedEarlier(hasToken: Bool) throws {
        try Fixture.run(.usable, .rejected, hasToken: hasToken) { (fixture) throws in
            #expect(try fixture.signIn() == .signedIn)
            #expect(try fixture.states() == (.usable, .none))
        }
    }

    @Test("with a pending password, a rejected one and tokens continues with the tokens")
    func pendingBesideRejected() throws {
        try Fixture.run(.rejected, .usable, hasToken: true) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected, .refresh: .rejected]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.requests == [.pending, .refresh])
        }
    }

    @Test("with only a pending password that is rejected asks")
    func pendingOnly() throws {
        try Fixture.run(.none, .usable) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.requests == [.pending])
        }
    }

    @Test("drops nothing while a change is unsettled", arguments: [true, false])
    func unsettled(hasToken: Bool) throws {
        try Fixture.run(.usable, .unsettled, hasToken: hasToken) { (fixture) throws in
            #expect(try fixture.signIn() == .signedIn)
            #expect(try fixture.states() == (.usable, .unsettled))
        }
    }

    @Test("tries an unsettled password once more after the old one was rejected")
    func unsettledOnceMore() throws {
        try Fixture.run(.usable, .unsettled) { (fixture) throws in
            fixture.client.answers = [.current: .rejected]
            #expect(try fixture.signIn() == .signedIn)
            #expect(fixture.client.requests == [.current, .pending])
            #expect(try fixture.place.password(.current) == "pending")
        }
        try Fixture.run(.usable, .unsettled) { (fixture) throws in
            fixture.client.answers = [.current: .rejected, .pending: .rejected]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.requests == [.current, .pending])
            // The current password is tried again only beside another pending one.
            let states = try fixture.states()
            #expect(states.0 == .unsettled || states.0 == .rejected)
            #expect(states.1 == .unsettled)
        }
    }

    @Test(
        "is rejected, not offline, if the server falls silent after it rejected a saved password",
        arguments: [unreachable, .throttled(seconds: 7)])
    func rejectedBefore(error: SignInError) throws {
        try Fixture.run(.usable, .usable) { (fixture) throws in
            fixture.client.answers = [.pending: .rejected, .current: error]
            #expect(try fixture.signIn(typing: []) == .needsPassword(.rejected))
            #expect(fixture.client.reasons == [])
        }
        try Fixture.run(.usable, .unsettled) { (fixture) throws in
            fixture.client.answers = [.current: .rejected, .pending: error]
            #expect(try fixture.signIn() == .needsPassword(.rejected))
            #expect(fixture.client.reasons == [])
        }
        // A person who types learns the obstacle.
        try Fixture.run(.usable) { (fixture) throws in
            fixture.client.answers = [.current: .rejected, .typed: error]
            #expect(try fixture.signIn(typing: ["typed"]) == .noVerdict(error))
        }
        // An expired token is no verdict on a person.
        try Fixture.run(.usable, hasToken: true) { (fixture) throws in
            fixture.client.answers = [.refresh: .rejected, .current: error]
            #expect(try fixture.signIn() == .noVerdict(error))
        }
    }

    @Test("tells the last reason if the person ends it after a wrong password")
    func endedInTheMiddle() throws {
        try Fixture.run { (fixture) throws in
            fixture.client.answers = [.typed: .rejected]
            #expect(try fixture.signIn(typing: ["typed"]) == .needsPassword(.wrong))
        }
    }

    @Test("ends with the error of the question")
    func failedQuestion() throws {
        try Fixture.run { (fixture) throws in
            var login = fixture.login()
            #expect(throws: SecretMemoryError.outOfMemory) {
                _ = try login.run { _, _ in throw SecretMemoryError.outOfMemory }
            }
            #expect(fixture.client.requests == [])
        }
    }

    @Test("saves only the success if caching is not allowed")
    func withoutCache() throws {
        try Fixture.run { (fixture) throws in
            let options = SignInOptions(cachesCredentials: false)
            #expect(try fixture.signIn(typing: ["typed"], options) == .signedIn)
            #expect(try fixture.states() == (.none, .none))
            #expect(try fixture.place.token(.refresh) == nil)
            #expect(try fixture.place.session()?.lastSuccess == fixture.place.clock.now)
        }
    }

    @Test("takes only a server that is unreachable, has no time, or is hidden, for being offline")
    func offline() {
        let offline = [
            Self.unreachable, .unreachable(detail: "", mayHaveArrived: true),
            .throttled(seconds: 7), .throttled(seconds: nil), .broken(detail: ""),
        ]
        for error in offline { #expect(error.isOffline) }
        let others = [
            SignInError.rejected, .untrusted(detail: ""), .denied, .notCompleted,
            .noListener(.portInUse),
        ]
        for error in others + Self.refusals { #expect(!error.isOffline) }
    }
}

/// A vault in a given state, and a server that follows a script.
private struct Fixture {
    let place: TestPlace
    let client: ScriptedClient

    /// Runs `body` with saved credentials.
    ///
    /// - Parameters:
    ///   - password: The state of the saved password `current`.
    ///   - pending: The state of the pending password `pending`.
    ///   - hasToken: Whether there is a refresh token.
    ///   - isOver: Whether the change to a usable pending password is over.
    ///   - body: The test.
    /// - Throws: An error of the test.
    static func run(
        _ password: LoginFlowTests.State = .none, _ pending: LoginFlowTests.State = .none,
        hasToken: Bool = false, isOver: Bool = false, _ body: (Fixture) throws -> Void
    ) throws {
        try TestPlace.run { (place) throws in
            try place.withCache { (cache) throws in
                let account = place.account
                var now: PointInTime { place.clock.now }
                if password != .none { try cache.store(secret("current"), of: account, at: now) }
                if password == .rejected {
                    let current = try #require(try cache.password(.current, of: account))
                    try cache.recordRejection(.current, current, of: account, at: now)
                }
                if pending != .none {
                    _ = try cache.savePending(secret("pending"), of: account, at: now)
                    if pending == .rejected || isOver {
                        place.clock.advance(by: CredentialCache.changeTime)
                    }
                    if pending != .usable {
                        let noted = try #require(try cache.password(.pending, of: account))
                        try cache.recordRejection(.pending, noted, of: account, at: now)
                    }
                }
                if hasToken {
                    try cache.store(ScriptedClient.tokens("saved"), of: account, at: now)
                }
                if password == .unsettled {
                    // The mark refers to the pending password.
                    let current = try #require(try cache.password(.current, of: account))
                    try cache.recordRejection(.current, current, of: account, at: now)
                }
            }
            let fixture = Fixture(place: place, client: ScriptedClient(place.server.issuer))
            #expect(try fixture.states() == (password, pending))
            try body(fixture)
        }
    }

    func login(_ options: SignInOptions = SignInOptions()) -> LoginFlow {
        let clock = place.clock
        return LoginFlow(
            SignInContext(
                place.account, at: client, place.store, place.machine(), options,
                now: { clock.now }))
    }

    func signIn(
        typing typed: [String] = [], _ options: SignInOptions = SignInOptions(),
        failing error: SignInError? = nil
    ) throws -> LoginFlow.Outcome {
        client.failure = error
        var rest = typed[...]
        var login = login(options)
        return try login.run { (reason, text) throws -> SecretBytes? in
            client.reasons.append(reason)
            client.texts.append(text)
            guard let password = rest.popFirst() else { return nil }
            return try secret(password)
        }
    }

    /// The states of the saved and of the pending password.
    func states() throws -> (LoginFlowTests.State, LoginFlowTests.State) {
        try place.withCache { cache in
            let credentials = try cache.credentials(of: place.account, at: place.clock.now)
            return (credentials.currentState, credentials.pendingState)
        }
    }
}

private func == (
    left: (LoginFlowTests.State, LoginFlowTests.State),
    right: (LoginFlowTests.State, LoginFlowTests.State)
) -> Bool {
    left.0 == right.0 && left.1 == right.1
}

/// A server that accepts a request unless its script says otherwise.
final class ScriptedClient: AuthClient {
    enum Request: String, Sendable {
        case refresh, current, pending, typed
    }

    private struct State {
        var requests: [Request] = []
        var reasons: [LoginFlow.AskReason] = []
        var texts: [String?] = []
        var continued: [String?] = []
        var answers: [Request: SignInError] = [:]
        var failure: SignInError?
    }

    let issuer: Issuer
    private let state = Mutex(State())

    func takesPasswords() throws -> Bool { true }

    init(_ issuer: Issuer) {
        self.issuer = issuer
    }

    /// The requests in their order.
    var requests: [Request] { state.withLock { $0.requests } }
    /// The questions to the person.
    var reasons: [LoginFlow.AskReason] {
        get { state.withLock { $0.reasons } }
        set { state.withLock { $0.reasons = newValue } }
    }
    /// The sessions that the passwords continue.
    var continued: [String?] { state.withLock { $0.continued } }
    /// The server's answers before each.
    var texts: [String?] {
        get { state.withLock { $0.texts } }
        set { state.withLock { $0.texts = newValue } }
    }
    /// The errors of certain requests.
    var answers: [Request: SignInError] {
        get { state.withLock { $0.answers } }
        set { state.withLock { $0.answers = newValue } }
    }
    /// The error of every request.
    var failure: SignInError? {
        get { state.withLock { $0.failure } }
        set { state.withLock { $0.failure = newValue } }
    }

    static func tokens(_ text: String) throws -> GrantedTokens {
        GrantedTokens(
            access: try secret(text), refresh: .some(try secret(text)), lifetime: nil)
    }

    func signIn(
        _ account: AccountName, password: borrowing SecretBytes, device: borrowing SecretBytes?,
        continuing session: String?
    ) throws -> GrantedTokens {
        state.withLock { $0.continued.append(session) }
        return try answer(try #require(Request(rawValue: text(password))))
    }

    func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens { try answer(.refresh) }

    private func answer(_ request: Request) throws -> GrantedTokens {
        let error = state.withLock { state in
            state.requests.append(request)
            return state.failure ?? state.answers[request]
        }
        if let error { throw error }
        var tokens = try Self.tokens("granted")
        tokens.session = "session"
        return tokens
    }

    func revoke(_ token: borrowing SecretBytes) throws { throw SignInError.unsupported }

    func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails {
        throw SignInError.unsupported
    }

    func createAccount(
        _ account: AccountName, password: borrowing SecretBytes, invitation: borrowing SecretBytes?
    ) throws {
        throw SignInError.unsupported
    }

    func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws -> GrantedTokens {
        throw SignInError.unsupported
    }

    func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws {
        throw SignInError.unsupported
    }
}
