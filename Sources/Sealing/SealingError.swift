/// Why something could not be sealed, opened or derived. No case carries a secret.
public enum SealingError: Error, Sendable, Hashable {
    /// A sealed blob is too short, or does not open under this key and context.
    case doesNotOpen
    /// What was opened is not padded in the one way that its length asks for.
    case padding
    /// A passphrase is empty, or larger than ``Passphrase/maximumSize`` bytes in normalisation form C.
    case passphraseLength
    /// A passphrase is not UTF-8.
    case passphraseEncoding
    /// A recovery code has another number of characters, a foreign character, or filler bits that are not zero.
    case recoveryCodeMalformed
    /// The check characters of a recovery code do not fit: a typing error.
    case recoveryCodeCheck
    /// A derivation cost is under the floor.
    case costTooLow
    /// A derivation cost is over a ceiling.
    case costTooHigh
    /// libsodium does not give the published answers (``CryptographicLibrary``): nothing may be sealed with it.
    case libraryFails
    /// Memory, guarded memory included, is used up.
    case outOfMemory
}
