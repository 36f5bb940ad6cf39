internal import TextCoding

/// The scope of a token (RFC 6749 section 3.3): names in ascending order, each once.
public struct TokenScope: Sendable, Hashable {
    /// Full access to the account of the token. It includes every other scope, and none of them includes a part of it.
    public static let account = TokenScope(sorting: ["account"])
    /// No name: the token only shows whose it is.
    public static let none = TokenScope(sorting: [])
    /// The largest number of names in a registration.
    public static let maximumCount = 32
    /// The largest size of a name, in bytes.
    public static let maximumNameSize = 64

    /// The names.
    public let names: [String]

    private init(sorting names: some Sequence<String>) {
        // Names are ASCII, so their bytes decide.
        self.names = Set(names).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Reads names between spaces; nil if there are too many, or one is too long or has another character than RFC 6749 allows.
    public init?(_ text: String) {
        let names = text.split(separator: " ")
        guard names.count <= Self.maximumCount, names.allSatisfy(Self.isName) else { return nil }
        self.init(sorting: names.lazy.map { String($0) })
    }

    /// The names between spaces.
    public var text: String { names.joined(separator: " ") }

    /// Whether requests about the account itself are allowed.
    public var allowsAccount: Bool { names.contains("account") }

    /// The names that another scope includes.
    func limited(to other: TokenScope) -> TokenScope {
        other.allowsAccount ? self : TokenScope(sorting: names.filter { other.names.contains($0) })
    }

    /// The names that were requested, as a client sent them: unknown ones are left out.
    func requested(_ text: String?) -> TokenScope {
        guard let text else { return self }
        let requested = Set(text.split(separator: " ").map { String($0) })
        return TokenScope(sorting: names.filter { requested.contains($0) })
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.count <= maximumNameSize
            && text.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "\"")
                    && byte != UInt8(ascii: "\\")
            }
    }
}

/// The scopes of a token, and the service that it is for.
public struct TokenGrant: Sendable, Hashable {
    /// Full access to the account, at this server.
    public static let account = TokenGrant(scope: .account)

    /// The scopes.
    public let scope: TokenScope
    /// The URL of the service that the token is for (RFC 8707); nil for this server.
    public let resource: String?

    /// Makes a grant.
    public init(scope: TokenScope, resource: String? = nil) {
        self.scope = scope
        self.resource = resource
    }
}

/// The scopes and services that a client asks its tokens for.
public struct GrantRequest: Sendable, Hashable {
    /// All that the client may have.
    public static let all = GrantRequest(scope: nil, service: nil)

    /// The requested scope, as it was sent; nil for all.
    public let scope: String?
    /// The service that the tokens are for, with the scope that its tokens can have; nil for the one of the sign-in.
    public let service: TokenGrant?

    /// Makes a request.
    public init(scope: String?, service: TokenGrant?) {
        self.scope = scope
        self.service = service
    }

    /// The grant within a limit: that of the client at a sign-in, of the session later (RFC 6749 section 6, RFC 8707 section 2.2). Nil if a
    /// session for one service asks for another.
    public func grant(within limit: TokenGrant) -> TokenGrant? {
        guard let service, service.resource != limit.resource else {
            return TokenGrant(scope: limit.scope.requested(scope), resource: limit.resource)
        }
        guard limit.resource == nil else { return nil }
        return TokenGrant(
            scope: service.scope.limited(to: limit.scope).requested(scope),
            resource: service.resource)
    }
}
