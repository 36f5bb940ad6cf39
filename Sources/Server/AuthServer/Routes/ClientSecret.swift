internal import Accounts
internal import SecretMemory
internal import TextCoding

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
