import SecretMemory
import SignIn
import Synchronization

/// An auth server in memory with one account. It rotates refresh tokens, ends a session whose token is reused, and counts.
final class TestAuthServer: Sendable {
    enum Call: Hashable {
        case signIn, refresh, changePassword
    }

    /// An error in place of an answer, before or after the server acted.
    enum Failure {
        case before(any Error)
        case after(any Error)
    }

    /// The counters.
    struct Counters: Equatable {
        var signIns = 0
        var failedAttempts = 0
        var refreshes = 0
        var reuses = 0
        /// The number of concurrent requests.
        var overlaps = 0
    }

    private struct Family {
        var access: String
        var refresh: String
        var used: Set<String> = []
        var isEnded = false
    }

    private struct State {
        var password: String
        var families: [Family] = []
        var numbers = 0
        var counters = Counters()
        var failures: [Call: Failure] = [:]
        var present = 0
        var earlyHooks: [Call: @Sendable () -> Void] = [:]
        var hooks: [Call: @Sendable () -> Void] = [:]
        var rejectionHook: (@Sendable () -> Void)?
        var devices: [String?] = []
        var knowsDevices = false
        var takesPasswords: Result<Bool, SignInError> = .success(true)
    }

    private let state: Mutex<State>
    /// Whether the server lets other threads run during a request.
    let isUnhurried = Atomic(false)
    let issuer: Issuer

    init(password: String, at address: String = "https://auth.example.org") throws {
        state = Mutex(State(password: password))
        issuer = try makeIssuer(address)
    }

    var counters: Counters { state.withLock { $0.counters } }
    var password: String { state.withLock { $0.password } }

    /// The tokens of devices that were sent.
    var devices: [String?] { state.withLock { $0.devices } }

    /// Sets whether the server takes passwords, or why its metadata is not available.
    func takePasswords(_ answer: Result<Bool, SignInError>) {
        state.withLock { $0.takesPasswords = answer }
    }

    /// Whether the server takes passwords.
    func checkPasswords() throws -> Bool { try state.withLock { $0.takesPasswords }.get() }

    /// The tokens that the server's page grants.
    func grantOnPage() -> Grant { state.withLock { Self.begin(&$0) } }

    /// Lets the server know devices.
    func knowDevices() {
        state.withLock { $0.knowsDevices = true }
    }

    /// Notes the sent token, and returns a new one for a device that is not known.
    func meet(_ device: String?) -> String? {
        state.withLock { state in
            state.devices.append(device)
            return device == nil && state.knowsDevices ? "tvd_\(state.devices.count)" : nil
        }
    }

    /// The number of valid sessions.
    var sessions: Int { state.withLock { $0.families.count { !$0.isEnded } } }

    /// Sets the error of the next such call.
    func fail(_ call: Call, _ failure: Failure) {
        state.withLock { $0.failures[call] = failure }
    }

    /// Removes all errors.
    func failNothing() {
        state.withLock { $0.failures = [:] }
    }

    /// Whether the error of such a call was used.
    func didFail(_ call: Call) -> Bool {
        state.withLock { $0.failures[call] == nil }
    }

    /// Runs `hook` during the next such call, before the server acts.
    func before(_ call: Call, _ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.earlyHooks[call] = hook }
    }

    /// Runs `hook` during the next such call, after the server acted and before it answers.
    func during(_ call: Call, _ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.hooks[call] = hook }
    }

    /// Runs `hook` after the next rejected password.
    func afterRejection(_ hook: @escaping @Sendable () -> Void) {
        state.withLock { $0.rejectionHook = hook }
    }

    /// Changes the password for another program; all sessions end.
    func change(to password: String) {
        state.withLock { Self.change(&$0, to: password) }
    }

    /// Ends all sessions.
    func endSessions() {
        state.withLock { Self.endSessions(&$0) }
    }

    func signIn(_ password: String) throws -> Grant {
        do {
            return try run(.signIn) { state in
                state.counters.signIns += 1
                try Self.check(&state, password, SignInError.rejected)
                return Self.begin(&state)
            }
        } catch {
            state.withLock { $0.rejectionHook.take() }?()
            throw error
        }
    }

    func refresh(_ token: String) throws -> Grant {
        try run(.refresh) { state in
            state.counters.refreshes += 1
            for index in state.families.indices where !state.families[index].isEnded {
                if state.families[index].used.contains(token) {
                    state.counters.reuses += 1
                    state.families[index].isEnded = true
                    throw SignInError.rejected
                }
                if state.families[index].refresh == token {
                    state.families[index].used.insert(token)
                    let grant = Self.grant(&state)
                    state.families[index].access = grant.access
                    state.families[index].refresh = grant.refresh
                    return grant
                }
            }
            throw SignInError.rejected
        }
    }

    func changePassword(
        _ access: String, from current: String, to new: String
    ) throws -> Grant {
        try run(.changePassword) { state in
            guard state.families.contains(where: { !$0.isEnded && $0.access == access }) else {
                throw SignInError.rejected
            }
            try Self.check(&state, current, SignInError.refused(.password))
            Self.change(&state, to: new)
            return Self.begin(&state)
        }
    }

    private func run(
        _ call: Call, _ effect: (inout State) throws -> Grant
    ) throws -> Grant {
        let (failure, earlyHook, hook) = state.withLock { state in
            state.present += 1
            if state.present > 1 { state.counters.overlaps += 1 }
            return (
                state.failures.removeValue(forKey: call),
                state.earlyHooks.removeValue(forKey: call), state.hooks.removeValue(forKey: call)
            )
        }
        defer { state.withLock { $0.present -= 1 } }
        if isUnhurried.load(ordering: .relaxed) { for _ in 0..<20 { giveWay() } }
        earlyHook?()
        if case .before(let error) = failure { throw error }
        let grant = try state.withLock { (state) throws in try effect(&state) }
        hook?()
        if case .after(let error) = failure { throw error }
        return grant
    }

    private static func check(
        _ state: inout State, _ password: String, _ error: any Error
    ) throws {
        guard password == state.password else {
            state.counters.failedAttempts += 1
            throw error
        }
    }

    private static func change(_ state: inout State, to password: String) {
        state.password = password
        endSessions(&state)
    }

    private static func endSessions(_ state: inout State) {
        for index in state.families.indices { state.families[index].isEnded = true }
    }

    private static func begin(_ state: inout State) -> Grant {
        let grant = grant(&state)
        state.families.append(Family(access: grant.access, refresh: grant.refresh))
        return grant
    }

    private static func grant(_ state: inout State) -> Grant {
        state.numbers += 1
        return Grant(
            access: "access-\(state.numbers)-Xq7", refresh: "refresh-\(state.numbers)-Zp3")
    }
}

/// Tokens as text.
struct Grant: Sendable, Equatable {
    let access: String
    let refresh: String
}

/// A client of a ``TestAuthServer`` in the same process.
struct TestAuthClient: AuthClient {
    let server: TestAuthServer
    var issuer: Issuer { server.issuer }

    func takesPasswords() throws -> Bool { try server.checkPasswords() }

    func signIn(
        _ account: AccountName, password: borrowing SecretBytes, device: borrowing SecretBytes?,
        continuing session: String?
    ) throws -> GrantedTokens {
        let sent: String? =
            switch device {
            case .some(let token): text(token)
            case .none: nil
            }
        var granted = try tokens(server.signIn(text(password)))
        if let token = server.meet(sent) { granted.device = .some(try secret(token)) }
        return granted
    }

    func refresh(_ token: borrowing SecretBytes) throws -> GrantedTokens {
        try tokens(server.refresh(text(token)))
    }

    func changePassword(
        _ accessToken: borrowing SecretBytes, from current: borrowing SecretBytes,
        to new: borrowing SecretBytes
    ) throws -> GrantedTokens {
        try tokens(server.changePassword(text(accessToken), from: text(current), to: text(new)))
    }

    func revoke(_ token: borrowing SecretBytes) throws { throw SignInError.unsupported }

    func account(_ accessToken: borrowing SecretBytes) throws -> AccountDetails {
        throw SignInError.unsupported
    }

    func createAccount(
        _ account: AccountName, password: borrowing SecretBytes,
        invitation: borrowing SecretBytes?
    ) throws {
        throw SignInError.unsupported
    }

    func removeAccount(
        _ accessToken: borrowing SecretBytes, password: borrowing SecretBytes
    ) throws {
        throw SignInError.unsupported
    }

    private func tokens(_ grant: Grant) throws -> GrantedTokens {
        GrantedTokens(
            access: try secret(grant.access), refresh: .some(try secret(grant.refresh)),
            lifetime: 900)
    }
}
