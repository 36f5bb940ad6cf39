package import Accounts
package import Sealing
package import SecretMemory
package import TextCoding

/// A service over a repository, with one account and a simulated clock.
package struct AccountFixture: Sendable {
    package static let cost = KeyDerivationCost(passes: 1, memoryKiB: 8)
    package static let start = PointInTime(seconds: 1_800_000_000)
    package static let ownersName = "owner@example.com"
    package static let ownersPassword = "the owner's password"
    package static let wrongPassword = "not the owner's password"
    package static let client = "taskvault"
    /// The network of the owner.
    package static let home = "192.0.2.1"
    /// The network of an attacker.
    package static let elsewhere = "198.51.100.7"

    package let repository: AccountRepository
    package let hashing = CountingHashing()
    package let rules: AccountRules
    package let pseudonyms: PseudonymKey
    package let service: AccountService
    package let administration: AccountAdministration

    /// Creates a service over an empty repository with the cheapest hashes, and the owner's account.
    package init(
        _ repository: AccountRepository, random: RandomSource = .system,
        _ change: (inout AccountRules) -> Void = { _ in }
    ) throws {
        try self.init(sharing: repository, random: random, change)
        let password = try hashing.hash(
            Self.password(Self.ownersPassword), cost: Self.cost)
        let owner = Account(
            email: try Self.name(), password: password, created: Self.start)
        _ = try repository.change { writer in try writer.insert(owner) }
        hashing.forget()
    }

    /// Creates a service over a repository that another fixture has filled.
    package init(
        sharing repository: AccountRepository, random: RandomSource = .system,
        _ change: (inout AccountRules) -> Void = { _ in }
    ) throws {
        var rules = AccountRules()
        rules.passwordCost = Self.cost
        change(&rules)
        self.repository = repository
        self.rules = rules
        pseudonyms = try Self.pseudonyms()
        service = try AccountService(
            repository: repository, rules: rules, pseudonyms: pseudonyms, hashing: hashing,
            random: random)
        administration = AccountAdministration(
            repository: repository, rules: rules, pseudonyms: pseudonyms, hashing: hashing,
            random: random)
        hashing.forget()
    }

    /// The time at this distance from the start.
    package static func time(_ duration: Duration = .zero) -> PointInTime {
        start.advanced(by: duration)
    }

    package static func name(_ text: String = ownersName) throws -> EmailAddress {
        guard let name = EmailAddress(text) else { throw NotAnAddress(text: text) }
        return name
    }

    /// One key for all services of a repository.
    package static func pseudonyms() throws -> PseudonymKey {
        guard let key = PseudonymKey(try Samples.secret(String(repeating: "k", count: 32))) else {
            throw NotAnAddress(text: "key")
        }
        return key
    }

    package static func password(_ text: String) throws -> AccountPassword {
        try AccountPassword(typed: Samples.secret(text))
    }

    /// A password as it was sent.
    package static func typed(_ text: String) throws -> TypedPassword {
        TypedPassword(try Samples.secret(text))
    }

    /// The first half of a sign-in.
    package func beginSignIn(
        _ name: String = ownersName, _ password: String = ownersPassword,
        from network: String = home, device: String? = nil,
        at time: Duration = .zero
    ) throws -> PasswordWork<IssuedTokens> {
        try service.beginSignIn(
            Self.name(name), Self.typed(password), client: Self.client,
            SignInOrigin(token: device), from: [network], at: Self.time(time))
    }

    /// A whole sign-in.
    package func signIn(
        _ name: String = ownersName, _ password: String = ownersPassword,
        from network: String = home, device: String? = nil,
        at time: Duration = .zero
    ) throws -> IssuedTokens {
        try beginSignIn(name, password, from: network, device: device, at: time).finish(
            at: Self.time(time))
    }

    /// The refusal of a sign-in; nil for success.
    package func refusal(
        _ name: String = ownersName, _ password: String = wrongPassword,
        from network: String = home, device: String? = nil,
        at time: Duration = .zero
    ) throws -> AccountError? {
        do {
            _ = try signIn(name, password, from: network, device: device, at: time)
            return nil
        } catch let error as AccountError {
            return error
        }
    }

    /// Exchanges a refresh token; any refusal is `rejected`.
    package func refresh(
        _ token: String, client: String = client, at time: Duration
    ) throws -> IssuedTokens {
        guard
            case .issued(let tokens) = try service.refresh(
                token, client: client, at: Self.time(time))
        else { throw AccountError.rejected }
        return tokens
    }

    /// Whether a token is valid.
    package func isGood(_ token: String, at time: Duration) throws -> Bool {
        try service.describe(token, to: Self.client, at: Self.time(time)) != nil
    }

    /// The refusal of the owner's right password; nil for success.
    package func ownersRefusal(
        from network: String = home, device: String? = nil, at time: Duration = .zero
    ) throws -> AccountError? {
        try refusal(
            Self.ownersName, Self.ownersPassword, from: network, device: device, at: time)
    }

    /// The stored guesses at a name.
    package func guesses(_ name: String = ownersName) throws -> Int {
        try repository.read { try $0.attempts(pseudonyms.key(of: Self.name(name))) }?.guesses.count
            ?? 0
    }

    /// The stored account of the owner.
    package func owner() throws -> Account? {
        try repository.read { try $0.account(Self.name()) }
    }

    /// The stored sessions of the owner.
    package func sessions() throws -> [SignInSession] {
        guard let owner = try owner() else { return [] }
        return try repository.read { try $0.sessions(of: owner.id) }
    }
}

/// A mistake of the test itself.
struct NotAnAddress: Error {
    let text: String
}

extension Duration {
    package static func minutes(_ count: Int) -> Duration { .seconds(60 * count) }
    package static func hours(_ count: Int) -> Duration { .seconds(3_600 * count) }
    package static func days(_ count: Int) -> Duration { .seconds(86_400 * count) }
    /// The shortest difference of times.
    package static let moment = Duration.milliseconds(1)
}
