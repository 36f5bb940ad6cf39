public import Accounts

/// An OAuth client known to the server (RFC 6749 section 2).
public struct RegisteredClient: Sendable, Hashable {
    /// The `client_id`: 1 to 64 letters, digits, hyphens, full stops and underscores.
    public let name: String
    /// The hash of its secret; nil for a public client (RFC 6749 section 2.1).
    public let secret: TokenHash?
    /// The scopes that tokens of a public client may have. For a service, which has a secret: its URL, and what the tokens for it may allow. A service
    /// without a URL is told about all access tokens.
    public let grant: TokenGrant

    /// The public client that always exists, used by `taskvault` and other programs that sign people in without a browser.
    public static let taskvault = RegisteredClient(name: "taskvault", secret: nil)

    /// Creates a client. Without a grant, a public client may have full access, and a service has no URL.
    public init(name: String, secret: TokenHash?, grant: TokenGrant? = nil) {
        self.name = name
        self.secret = secret
        self.grant = grant ?? (secret == nil ? .account : TokenGrant(scope: .none))
    }

    /// Creates a client from texts.
    ///
    /// - Parameters:
    ///   - name: A valid name.
    ///   - secret: The hash of its secret; nil for a public client.
    ///   - resource: The URL of a service; nil for none.
    ///   - scopes: The names of scopes, between spaces.
    ///   - failure: Makes an error of a reason.
    /// - Throws: An error by `failure`.
    init(
        _ name: String, _ secret: TokenHash?, _ resource: String?, _ scopes: String,
        failure: (String) -> any Error
    ) throws {
        if let resource, !Self.isResource(resource) {
            throw failure(
                "the URL of a service begins with https:// or http:// and has no fragment")
        }
        guard let scope = TokenScope(scopes) else {
            throw failure(
                "a client has at most \(TokenScope.maximumCount) scopes, each of at most \(TokenScope.maximumNameSize) bytes without quotation marks and backslashes"
            )
        }
        // A service that is shown a token must not act as its owner.
        guard secret == nil || !scope.allowsAccount else {
            throw failure("a service cannot have the scope account")
        }
        self.init(name: name, secret: secret, grant: TokenGrant(scope: scope, resource: resource))
    }

    /// Whether a text is a valid client name.
    public static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"):
                    true
                default: "-._".utf8.contains(byte)
                }
            }
    }

    /// Whether a text can name a service (RFC 8707 section 2): an absolute URL of at most 256 characters without a fragment.
    static func isResource(_ text: String) -> Bool {
        let rest = ["https://", "http://"].first { text.hasPrefix($0) }.map {
            text.dropFirst($0.count)
        }
        guard let rest, !rest.isEmpty, !rest.hasPrefix("/"), text.utf8.count <= 256 else {
            return false
        }
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }
}
