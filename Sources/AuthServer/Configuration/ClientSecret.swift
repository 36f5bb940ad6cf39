internal import Accounts
internal import SecretMemory
internal import TextCoding

/// The secret of a confidential client, and the hash that the configuration has of it.
enum ClientSecret {
    /// What a secret begins with, so that programs that look for leaked secrets find it.
    static let prefix = "tvc_"

    /// Makes a secret of 256 random bits.
    static func make(random: RandomSource = .system) -> String {
        prefix + Hexadecimal.text(random.bytes(count: 32))
    }

    /// Reads a hash as the configuration has it; nil for anything but 64 hexadecimal digits in lower case.
    static func hash(_ text: String) -> TokenHash? {
        Hexadecimal.bytes(text).flatMap { TokenHash(bytes: $0) }
    }

    /// A hash as the configuration has it.
    static func text(_ hash: TokenHash) -> String { Hexadecimal.text(hash.bytes) }
}
