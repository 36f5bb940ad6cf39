public import SecretMemory

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

/// Bytes as hexadecimal digits in lower case.
package enum Hexadecimal {
    private static let digits = Array("0123456789abcdef".utf8)

    package static func text(_ bytes: [UInt8]) -> String {
        String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }

    static func isText(_ text: String, ofBytes count: Int) -> Bool {
        text.utf8.count == 2 * count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
