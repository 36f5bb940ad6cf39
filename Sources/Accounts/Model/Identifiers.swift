public import SecretMemory
internal import TextCoding

/// The id of an account: 128 random bits as 32 hexadecimal digits in lower case. It never changes, and is not secret.
public struct AccountID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Makes a new id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id as it is stored; nil for anything else.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}

/// The id of a session, as ``AccountID``.
public struct SessionID: Sendable, Hashable {
    /// The digits.
    public let text: String

    /// Makes a new id.
    public init(random: RandomSource = .system) {
        text = Hexadecimal.text(random.bytes(count: 16))
    }

    /// Reads an id as it is stored; nil for anything else.
    public init?(_ text: String) {
        guard Hexadecimal.isText(text, ofBytes: 16) else { return nil }
        self.text = text
    }
}
