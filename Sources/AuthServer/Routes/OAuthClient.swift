public import Accounts

/// A program that may ask the server, as the configuration names it (RFC 6749 section 2).
public struct OAuthClient: Sendable, Hashable {
    /// Its `client_id`: 1 to 64 letters, digits, hyphens, full stops and underscores.
    public let name: String
    /// The hash of its secret; nil for a public client, which has none (RFC 6749 section 2.1).
    public let secret: TokenHash?

    /// The one public client: the command line of this project, and whoever signs people in without a browser.
    public static let taskvault = OAuthClient(name: "taskvault", secret: nil)

    /// Makes a client.
    public init(name: String, secret: TokenHash?) {
        self.name = name
        self.secret = secret
    }

    /// Whether a text can be the name of a client.
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
