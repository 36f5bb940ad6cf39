/// Whom a client believes, and what it puts up with.
public struct HTTPClientOptions: Sendable {
    /// Certificates of authorities, as PEM.
    public enum Authorities: Sendable, Hashable {
        /// The text itself.
        case bytes([UInt8])
        /// The path of a file.
        case file(String)
    }

    /// Authorities that are believed beside the system's.
    public var authorities: Authorities?
    /// If there are any, the server has to have one of these keys, beside a certificate that is believed.
    public var pinnedKeys: [PinnedKey]
    /// How long it may take until there is a connection, TLS and all.
    public var connectingTimeout: Duration
    /// How long a whole exchange may take.
    public var timeout: Duration
    /// When all exchanges together have to be over; nil for no such time.
    public var deadline: ContinuousClock.Instant?
    /// The largest head of an answer, in bytes.
    public var maximumHeadSize: Int
    /// The largest content of an answer, in bytes.
    public var maximumContentSize: Int
    /// Where names are, instead of what the resolver says: `NAME:PORT:ADDRESS`, for tests.
    package var resolutions: [String] = []

    /// How long an exchange that begins now may take.
    func timeLeft(at now: ContinuousClock.Instant) -> Duration {
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

/// The SHA-256 hash of a server's public key, as libcurl writes it: `sha256//BASE64`.
public struct PinnedKey: Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public let description: String

    /// Reads one.
    public init(_ text: String) throws(HTTPClientError) {
        let prefix = "sha256//"
        let digits = Array(text.utf8.dropFirst(prefix.utf8.count))
        // 32 bytes are 43 digits, of which the last has two bits that are zero, and one character of padding.
        guard text.utf8.starts(with: prefix.utf8), digits.count == 44,
            digits.last == UInt8(ascii: "="), digits.dropLast().allSatisfy(PEMCertificates.isDigit),
            "AEIMQUYcgkosw048".utf8.contains(digits[42])
        else { throw .pinnedKeyMalformed }
        description = text
    }
}
