package import Platform
internal import TextCoding

/// The trust settings and limits of a client.
public struct HTTPClientOptions: Sendable {
    /// Certificates of authorities, as PEM.
    public enum Authorities: Sendable, Hashable {
        /// The PEM text.
        case bytes([UInt8])
        /// The path of a file.
        case file(String)
    }

    /// Trusted authorities in addition to those of the system.
    public var authorities: Authorities?
    /// If not empty, the server also needs one of these keys.
    public var pinnedKeys: [PinnedKey]
    /// The time limit for opening a connection, including TLS.
    public var connectingTimeout: Duration
    /// The time limit of one exchange.
    public var timeout: Duration
    /// The deadline of all exchanges; nil for none.
    package var deadline: BootTime?
    /// The maximum size of a response head, in bytes.
    public var maximumHeadSize: Int
    /// The maximum size of a response's content, in bytes.
    public var maximumContentSize: Int
    /// The maximum number of redirections that ``HTTPClient/get(_:)`` follows.
    package var redirections = 0
    /// Replacements of name resolution as `NAME:PORT:ADDRESS`, for tests.
    package var resolutions: [String] = []
    /// Whether connections go only to public Internet addresses, and through no proxy.
    package var onlyPublicAddresses = false
    /// A descriptor that ends an exchange when it becomes readable; -1 for none.
    package var stopDescriptor: Int32 = -1

    /// The time limit of an exchange that starts now.
    func timeLeft(at now: BootTime) -> Duration {
        deadline.map { min(timeout, now.duration(to: $0)) } ?? timeout
    }

    /// Makes options.
    public init(
        authorities: Authorities? = nil, pinnedKeys: [PinnedKey] = [],
        connectingTimeout: Duration = .seconds(10), timeout: Duration = .seconds(30),
        maximumHeadSize: Int = 262_144, maximumContentSize: Int = 262_144
    ) {
        self.authorities = authorities
        self.pinnedKeys = pinnedKeys
        self.connectingTimeout = connectingTimeout
        self.timeout = timeout
        self.maximumHeadSize = maximumHeadSize
        self.maximumContentSize = maximumContentSize
    }
}

/// The SHA-256 hash of a server's public key in libcurl's form: `sha256//BASE64`.
public struct PinnedKey: Sendable, Hashable, CustomStringConvertible {
    /// The key in libcurl's form.
    public let description: String

    /// Reads a key, or throws `pinnedKeyMalformed`.
    public init(_ text: String) throws {
        let prefix = "sha256//"
        guard text.utf8.starts(with: prefix.utf8),
            Base64.bytes(of: String(text.dropFirst(prefix.count)), .standard)?.count == 32
        else { throw HTTPClientError.pinnedKeyMalformed }
        description = text
    }
}
