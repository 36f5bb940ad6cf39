internal import LibCrypto
internal import Platform
public import SecretMemory
internal import TextCoding

/// A generator of time-based one-time passwords (TOTP, RFC 6238). Its key is in guarded memory.
public struct OneTimePassword: ~Copyable {
    private let key: SecretBytes
    /// The hash function; SHA-1 is the default.
    public let algorithm: OneTimeAlgorithm
    /// The number of digits, 6 to 8; the default is 6.
    public let digits: Int
    /// The validity of a code, in seconds; the default is 30.
    public let period: Int64

    /// The size of the key, in bytes.
    public var keySize: Int { key.count }

    /// The maximum period, in seconds.
    static let maximumPeriod: Int64 = 86_400

    /// Reads a seed: the secret alone, or a URI such as
    /// `otpauth://totp/Label?secret=…&algorithm=SHA1&digits=6&period=30`.
    ///
    /// The secret is Base32 (RFC 4648, section 6). Spaces and hyphens in it, lower case, missing
    /// padding, and white space around the seed are accepted.
    ///
    /// - Parameter seed: The text.
    /// - Throws: ``OneTimePasswordError``; `SecretMemoryError.outOfMemory`.
    public init(seed: borrowing SecretBytes) throws {
        self = try seed.withBytes { bytes in
            let text = bytes.extracting(bytes.rangeWithoutBlanks)
            if text.hasPrefix("steam:") { throw OneTimePasswordError.steam }
            guard text.hasPrefix("otpauth:") else {
                return OneTimePassword(key: try Base32.decode(text))
            }
            return try OneTimePassword(uri: text)
        }
    }

    /// A new secret of 160 bits (RFC 4226, section 4, R6), as 32 characters of Base32.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func makeSecret(random: RandomSource = .system) throws -> SecretBytes {
        try random.secret(count: 20).withBytes { try Base32.encode($0) }
    }

    /// The URI of a secret, which an authenticator app reads from a QR code.
    ///
    /// - Parameters:
    ///   - secret: The secret in Base32.
    ///   - account: The name of the account.
    ///   - issuer: The name of the server.
    /// - Returns: The URI in guarded memory.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func uri(
        of secret: borrowing SecretBytes, account: String, issuer: String
    ) throws -> SecretBytes {
        let (account, issuer) = (escaped(account), escaped(issuer))
        let start = Array("otpauth://totp/\(issuer):\(account)?secret=".utf8)
        let end = Array("&issuer=\(issuer)".utf8)
        return try SecretBytes(copying: unsafe start.span.bytes).joined(with: secret)
            .joined(with: SecretBytes(copying: unsafe end.span.bytes))
    }

    /// Escapes all but unreserved characters (RFC 3986, section 2.3).
    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                String(UnicodeScalar(byte))
            default:
                "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// The kind of a seed that gives no codes here; nil for a valid seed.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    static func unsupportedKind(_ text: borrowing SecretBytes) throws -> UnsupportedPart? {
        do {
            _ = try OneTimePassword(seed: text)
            return nil
        } catch OneTimePasswordError.counterBased {
            return .counterSeed
        } catch OneTimePasswordError.steam {
            return .steamSeed
        } catch is OneTimePasswordError {
            return .seed
        }
    }

    private init(
        key: consuming SecretBytes, _ algorithm: OneTimeAlgorithm = .sha1, digits: Int = 6,
        period: Int64 = 30
    ) {
        self.key = key
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
    }

    private init(uri: RawSpan) throws {
        guard let question = (0..<uri.byteCount).first(where: { uri[$0] == UInt8(ascii: "?") })
        else { throw OneTimePasswordError.noSecret }
        let path = uri.extracting(0..<question)
        if path.hasPrefix("otpauth://hotp/") || path.isText("otpauth://hotp") {
            throw OneTimePasswordError.counterBased
        }
        if path.hasPrefix("otpauth://steam/") { throw OneTimePasswordError.steam }
        guard path.hasPrefix("otpauth://totp/") || path.isText("otpauth://totp") else {
            throw OneTimePasswordError.notTimeBased
        }
        var key: SecretBytes?
        var algorithm: OneTimeAlgorithm?
        var digits: Int?
        var period: Int64?
        var start = question + 1
        while start < uri.byteCount {
            let rest = uri.extracting(start..<uri.byteCount)
            let parameter = rest.extracting(first: rest.position(of: UInt8(ascii: "&")))
            start += parameter.byteCount + 1
            let nameSize = parameter.position(of: UInt8(ascii: "="))
            let name = parameter.extracting(first: nameSize)
            let value = parameter.extracting(min(nameSize + 1, parameter.byteCount)...)
            if name.isText("secret") {
                guard key == nil else { throw OneTimePasswordError.parameter("secret") }
                key = try Base32.decode(percentEncoded: value)
            } else if name.isText("algorithm") {
                algorithm = OneTimeAlgorithm.allCases.first { value.isText($0.rawValue) }
                if algorithm == nil { throw OneTimePasswordError.parameter("algorithm") }
            } else if name.isText("digits") {
                digits = value.number.flatMap { Int(exactly: $0) }
                guard let digits, (6...8).contains(digits) else {
                    throw OneTimePasswordError.parameter("digits")
                }
            } else if name.isText("encoder") {
                // Another encoder produces other characters, such as Steam's letters. Digits would
                // be a wrong code.
                if value.isText("steam") { throw OneTimePasswordError.steam }
                throw OneTimePasswordError.parameter("encoder")
            } else if name.isText("period") {
                period = value.number
                guard let period, (1...Self.maximumPeriod).contains(period) else {
                    throw OneTimePasswordError.parameter("period")
                }
            }
        }
        guard let key = key.take() else { throw OneTimePasswordError.noSecret }
        self.init(
            key: key, algorithm ?? .sha1, digits: digits ?? 6, period: period ?? 30)
    }

    /// The code at a time.
    ///
    /// - Parameter seconds: Seconds since 1970, 0 or more.
    /// - Returns: ``digits`` digits.
    /// - Throws: `LibCryptoError`; `SecretMemoryError.outOfMemory`.
    public borrowing func code(at seconds: Int64) throws -> SecretBytes {
        let step = UInt64(max(0, seconds) / period)
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let function = algorithm.function
        let hash = try key.withBytes { (key) throws in
            try HMAC.code(of: unsafe message.span.bytes, key: key, function)
        }
        var code = try SecretBytes(count: digits)
        let digits = digits
        code.withMutableBytes { code in
            hash.withBytes { hash in
                // Dynamic truncation, RFC 4226, section 5.3.
                let offset = Int(hash[hash.byteCount - 1] & 0x0F)
                var number = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(hash[offset + $1]) }
                number &= 0x7FFF_FFFF
                for position in (0..<digits).reversed() {
                    code.set(Byte.zero + UInt8(number % 10), at: position)
                    number /= 10
                }
            }
        }
        return code
    }

    /// The remaining validity of the code at a time, in seconds: 1 to ``period``.
    public func secondsLeft(at seconds: Int64) -> Int64 {
        period - max(0, seconds) % period
    }
}

/// The reason why a text is not a one-time password seed. No case contains a part of the seed.
public enum OneTimePasswordError: Error, Sendable, Hashable {
    /// The seed, or the parameter `secret`, is empty or missing.
    case noSecret
    /// The character at this position of the secret, from 1, is not Base32.
    case character(Int)
    /// The secret is incomplete: Base32 cannot have this length.
    case incomplete
    /// The URI does not start with `otpauth://totp`.
    case notTimeBased
    /// The seed is for codes by a counter (HOTP).
    case counterBased
    /// The seed is for the codes of Steam, which have letters.
    case steam
    /// A parameter of the URI is unsupported, invalid or repeated.
    case parameter(String)
}

/// The hash function of one-time passwords (RFC 6238, section 1.2).
public enum OneTimeAlgorithm: String, Sendable, Hashable, CaseIterable {
    /// The usual one.
    case sha1 = "SHA1"
    case sha256 = "SHA256"
    case sha512 = "SHA512"

    fileprivate var function: HashFunction {
        switch self {
        case .sha1: .sha1
        case .sha256: .sha256
        case .sha512: .sha512
        }
    }
}

extension RawSpan {
    /// The range without white space at both ends.
    fileprivate var rangeWithoutBlanks: Range<Int> {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        var (start, end) = (0, byteCount)
        while start < end, blanks.contains(self[start]) { start += 1 }
        while start < end, blanks.contains(self[end - 1]) { end -= 1 }
        return start..<end
    }

    /// The offset of a byte; the size if it does not occur.
    fileprivate func position(of byte: UInt8) -> Int {
        (0..<byteCount).first { self[$0] == byte } ?? byteCount
    }

    /// Whether the bytes start with ASCII text, ignoring case.
    fileprivate func hasPrefix(_ text: String) -> Bool {
        text.utf8.count <= byteCount
            && zip(0..., text.utf8).allSatisfy { position, expected in
                Self.lower(self[position]) == Self.lower(expected)
            }
    }

    /// Whether the bytes are ASCII text, ignoring case.
    fileprivate func isText(_ text: String) -> Bool {
        byteCount == text.utf8.count && hasPrefix(text)
    }

    /// A decimal number of up to nine digits; nil for other bytes.
    fileprivate var number: Int64? {
        guard (1...9).contains(byteCount) else { return nil }
        var number: Int64 = 0
        for position in 0..<byteCount {
            let byte = self[position]
            guard (0x30...0x39).contains(byte) else { return nil }
            number = number * 10 + Int64(byte - 0x30)
        }
        return number
    }

    private static func lower(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
