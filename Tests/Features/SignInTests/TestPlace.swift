import SecretMemory
import SecureStorage
import SignIn
import Synchronization
import Testing
import TestSupport
import TextCoding

/// A vault, a server and a clock, which several machines share.
struct TestPlace {
    let server: TestAuthServer
    let store = MemorySecureStore(now: { 0 })
    let clock = TestClock()
    let folder: String
    let account = AccountName("ada@example.org").unsafelyPresent

    static func run(password: String = "first", _ body: (TestPlace) throws -> Void) throws {
        try withTemporaryFolder { folder in
            try body(TestPlace(server: TestAuthServer(password: password), folder: folder))
        }
    }

    static func runAsync(
        password: String = "first", _ body: (TestPlace) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            try await body(TestPlace(server: TestAuthServer(password: password), folder: folder))
        }
    }

    var client: TestAuthClient { TestAuthClient(server: server) }

    func machine(_ name: String = "first") -> MachineState {
        MachineState(folder: folder + "/" + name)
    }

    func context(
        on machine: String = "first", _ other: (any SecureStore)? = nil,
        _ options: SignInOptions = SignInOptions()
    ) -> SignInContext {
        let clock = clock
        return SignInContext(
            account, at: client, other ?? store, self.machine(machine), options,
            now: { clock.now })
    }

    /// Signs in. Each question gets the next typed password, and no answer after the last.
    @discardableResult
    func start(
        on machine: String = "first", _ other: (any SecureStore)? = nil,
        _ options: SignInOptions = SignInOptions(), typing typed: [String] = []
    ) throws -> LoginFlow.Outcome {
        var login = LoginFlow(context(on: machine, other, options))
        return try login.run(typing: typed)
    }

    /// Signs in, and changes the password.
    func changePassword(
        on machine: String = "first", _ other: (any SecureStore)? = nil, to new: String,
        _ options: SignInOptions = SignInOptions()
    ) throws -> PasswordChange.Outcome {
        var login = LoginFlow(context(on: machine))
        #expect(try login.run(typing: []) == .signedIn)
        let change = PasswordChange(context(on: machine, other, options))
        let old = server.password
        guard let token = login.takeAccessToken() else {
            Issue.record("there is no access token")
            return .unchanged(.rejected)
        }
        return try change.run(from: try secret(old), to: try secret(new), with: token)
    }

    func withCache<Value>(
        on machine: String = "first", _ body: (CredentialCache) throws -> Value
    ) throws -> Value {
        try self.machine(machine).withCache(of: server.issuer, in: store, body)
    }

    func password(_ kind: PasswordKind) throws -> String? {
        try withCache { cache in
            switch try cache.password(kind, of: account) {
            case .some(let password): text(password.value)
            case .none: nil
            }
        }
    }

    func token(_ kind: CredentialCache.TokenKind, on machine: String = "first") throws -> String? {
        try withCache(on: machine) { cache in
            optionalText(try cache.token(kind))
        }
    }

    func session(on machine: String = "first") throws -> MachineSession? {
        try withCache(on: machine) { cache in try cache.session() }
    }
}

extension LoginFlow {
    /// Answers each question with the next password, and no answer after the last.
    mutating func run(typing typed: [String]) throws -> Outcome {
        var rest = typed[...]
        let outcome = try run { (_, _) throws -> SecretBytes? in
            guard let password = rest.popFirst() else { return nil }
            return try secret(password)
        }
        #expect(rest.isEmpty, "not every password was asked for")
        return outcome
    }
}

extension Optional {
    /// The value of a text that the test itself has.
    var unsafelyPresent: Wrapped {
        guard let self else { preconditionFailure("the test's text is not accepted") }
        return self
    }
}

/// A clock that a test sets.
final class TestClock: Sendable {
    private let time = Mutex(PointInTime(seconds: 1_800_000_000))

    var now: PointInTime { time.withLock { $0 } }

    func advance(by duration: Duration) {
        time.withLock { $0 = $0.advanced(by: duration) }
    }
}

extension MemorySecureStore {
    /// The values of all items of a kind.
    func secrets(of kind: String) -> [String] {
        let names = (try? list())?.map(\.name) ?? []
        return names.filter { $0.service.hasPrefix("taskvault.\(kind):") }
            .compactMap { name in try? read(name) { (_, value) in text(value) } }
    }
}
