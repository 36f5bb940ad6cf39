public import Accounts
internal import HTTPServer
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// Client authentication (RFC 6749 sections 2.3 and 3.2.1).
struct ClientAuthentication {
    private let clients: [String: RegisteredClient]

    /// Registers the configured clients, and the public one.
    init(_ confidentialClients: [RegisteredClient]) {
        var clients = [RegisteredClient.taskvault.name: RegisteredClient.taskvault]
        for client in confidentialClients { clients[client.name] = client }
        self.clients = clients
    }

    /// Authenticates the client of a request, by the header or by `client_id` and `client_secret`, not both.
    ///
    /// - Throws: `invalid_client`, `invalid_request`; `ContentError`.
    func client(of request: HTTPRequest, _ form: Form) throws -> RegisteredClient {
        let name = try form.text("client_id")
        let secret = try form.text("client_secret")
        switch Authorization(of: request) {
        case nil:
            guard let name else { throw RequestError.invalidClient }
            return try client(name, secret)
        case .basic(let headerName, let headerSecret):
            guard secret == nil, name == nil || name == headerName else {
                throw RequestError.invalidRequest("the client authenticates in two ways")
            }
            // Libraries send an empty password for a public client.
            return try client(headerName, headerSecret.isEmpty ? nil : headerSecret)
        case .bearer, .malformed, .unsupported:
            throw RequestError.invalidClient
        }
    }

    private func client(_ name: String, _ secret: String?) throws -> RegisteredClient {
        // A secret is hashed and compared for unknown names too, so the time reveals no name.
        let hash = secret.map { TokenHash(of: $0) }
        let found = clients[name]
        let expected = found?.secret
        let isEqual = ConstantTime.areEqual(
            hash?.bytes ?? [], expected?.bytes ?? [UInt8](repeating: 0, count: TokenHash.size))
        guard let found,
            (hash == nil && expected == nil) || (hash != nil && isEqual && expected != nil)
        else { throw RequestError.invalidClient }
        return found
    }
}

/// An OAuth client known to the server (RFC 6749 section 2).
public struct RegisteredClient: Sendable, Hashable {
    /// Its `client_id`: 1 to 64 letters, digits, hyphens, full stops and underscores.
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

/// The secret of a confidential client, and its hash in the configuration.
enum ClientSecret {
    /// The prefix, which secret scanners recognise.
    static let prefix = "tvc_"

    /// Creates a secret of 256 random bits.
    static func make(random: RandomSource = .system) -> String {
        prefix + Hexadecimal.text(random.bytes(count: 32))
    }

    /// Parses a hash from the configuration; nil for a text other than 64 lower-case hexadecimal
    /// digits.
    static func hash(_ text: String) -> TokenHash? {
        Hexadecimal.bytes(text).flatMap { TokenHash(bytes: $0) }
    }

    /// The form of a hash in the configuration.
    static func text(_ hash: TokenHash) -> String { Hexadecimal.text(hash.bytes) }
}
