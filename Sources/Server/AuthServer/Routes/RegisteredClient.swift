public import Accounts

/// An OAuth client known to the server (RFC 6749 section 2).
public struct RegisteredClient: Sendable, Hashable {
    /// The `client_id`: 1 to 64 letters, digits, hyphens, full stops and underscores.
    public let name: String
    /// The hash of its secret; nil for a public client (RFC 6749 section 2.1).
    public let secret: TokenHash?

    /// The only public client, used by `taskvault` and other programs that sign people in without a browser.
    public static let taskvault = RegisteredClient(name: "taskvault", secret: nil)

    /// Creates a client.
    public init(name: String, secret: TokenHash?) {
        self.name = name
        self.secret = secret
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
}
