/// Why sealing, opening or deriving failed. No case carries a secret.
public enum SealingError: Error, Sendable, Hashable {
    /// A sealed blob is too short, or does not open under this key and context.
    case doesNotOpen
    /// The opened data does not have the only valid padding for its length.
    case padding
    /// A passphrase is empty, or exceeds ``Passphrase/maximumSize`` bytes in normalisation form C.
    case passphraseLength
    /// A passphrase is not UTF-8.
    case passphraseEncoding
    /// A recovery code has the wrong number of characters, an invalid character, or nonzero filler bits.
    case recoveryCodeMalformed
    /// The check characters of a recovery code do not match: a typing error.
    case recoveryCodeCheck
    /// A derivation cost is below the minimum.
    case costTooLow
    /// A derivation cost is above a maximum.
    case costTooHigh
    /// libsodium fails its known-answer tests (``CryptographicLibrary``) and must not be used.
    case libraryFails
    /// Memory, including guarded memory, is exhausted.
    case outOfMemory
}
