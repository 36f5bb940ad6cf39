public import SecretMemory
public import TextCoding

/// A second factor of an account: an authenticator app (TOTP, RFC 6238), or a passkey (WebAuthn Level 3).
public struct SecondFactor: Sendable, Hashable {
    /// The largest number of passkeys of an account.
    public static let maximumPasskeys = 16
    /// The largest size of a label, in bytes.
    public static let maximumLabelSize = 64

    /// The id of the factor.
    public let id: SecondFactorID
    /// The account.
    public let account: AccountID
    /// The name that the owner gave to a passkey; empty for an authenticator app.
    public let label: String
    /// The credential id of a passkey; nil for an authenticator app.
    public let credential: [UInt8]?
    /// The public key of a passkey as a COSE_Key; for an authenticator app its sealed secret.
    public let key: [UInt8]
    /// The time at which it was added.
    public let created: PointInTime
    /// The time of the last use; nil before the first.
    public var used: PointInTime?
    /// Codes and touches that were accepted and never are again, the newest last: steps of 8 bytes each, or random values of challenges.
    ///
    /// It is a list and not a limit, so that a clock that was ahead does not hold up right codes.
    public var spent: [UInt8]

    /// Makes a factor.
    public init(
        id: SecondFactorID = SecondFactorID(), account: AccountID, label: String = "",
        credential: [UInt8]? = nil, key: [UInt8], created: PointInTime,
        used: PointInTime? = nil, spent: [UInt8] = []
    ) {
        self.id = id
        self.account = account
        self.label = label
        self.credential = credential
        self.key = key
        self.created = created
        self.used = used
        self.spent = spent
    }

    /// Whether it is an authenticator app.
    public var isAuthenticator: Bool { credential == nil }

    /// Notes what is accepted now; the newest 64 values are kept.
    ///
    /// - Returns: Whether the value was not accepted before.
    mutating func spend(_ value: [UInt8], at now: PointInTime) -> Bool {
        let size = value.count
        let known = stride(from: 0, to: spent.count - size + 1, by: size)
        guard !known.contains(where: { spent[$0..<$0 + size].elementsEqual(value) }) else {
            return false
        }
        spent = (spent + value).suffix(64 * size)
        used = now
        return true
    }
}

/// The id of a second factor: 128 random bits as 32 hexadecimal digits in lower case.
public struct SecondFactorID: Sendable, Hashable {
    /// The 32 digits.
    public let text: String

    /// Creates a random id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id of 32 lower-case hexadecimal digits; nil for other text.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

/// The second factors of an account as their owner and the operator see them.
public struct SecondFactorSummary: Sendable, Hashable {
    /// The factors, the oldest first; none if the password alone signs in.
    public let factors: [SecondFactor]
    /// The number of unused recovery codes.
    public let recoveryCodes: Int
}

/// The answer to a right password without the second factor that the account has.
public struct SecondFactorDemand: Sendable, Hashable {
    /// Whether a code of an authenticator app is accepted.
    public let acceptsCode: Bool
    /// Whether an unused recovery code is left.
    public let acceptsRecoveryCode: Bool
    /// Whether a passkey is accepted.
    public let acceptsPasskey: Bool
    /// The challenge for a passkey; nil if the client named no page.
    public let challenge: SecondFactorChallenge?

    /// Makes a demand.
    public init(
        acceptsCode: Bool, acceptsRecoveryCode: Bool, acceptsPasskey: Bool,
        challenge: SecondFactorChallenge?
    ) {
        self.acceptsCode = acceptsCode
        self.acceptsRecoveryCode = acceptsRecoveryCode
        self.acceptsPasskey = acceptsPasskey
        self.challenge = challenge
    }
}

/// A challenge for the browser of a page.
public struct SecondFactorChallenge: Sendable, Hashable {
    /// The challenge.
    public let bytes: [UInt8]
    /// The ids of the account's passkeys: one of them answers, or none of them is added again.
    public let credentials: [[UInt8]]
}

/// A one-time code of a recovery: 80 random bits as 16 characters of Base32. Only its hash is stored.
enum SecondFactorRecoveryCode {
    /// The number of codes that are made together.
    static let count = 10
    private static let characters = 16
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// A new code, in groups of four joined by `-`.
    static func make(random: RandomSource) -> String {
        let letters = random.bytes(count: characters).map { alphabet[Int($0 & 31)] }
        return stride(from: 0, to: characters, by: 4).map {
            String(decoding: letters[$0..<$0 + 4], as: UTF8.self)
        }.joined(separator: "-")
    }

    /// The stored hash of a typed code; case, spaces and `-` are ignored. Nil for a text that is none.
    static func hash(ofTyped text: String) -> TokenHash? {
        let letters = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
            .map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
        guard letters.count == characters, letters.allSatisfy({ alphabet.contains($0) })
        else { return nil }
        return TokenHash(of: String(decoding: letters, as: UTF8.self))
    }
}
