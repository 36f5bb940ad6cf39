/// The condition for reading a secret's value, like a phone's data-protection classes.
///
/// The class selects the key that seals the value; the keys in memory decide which values are readable, without a flag.
public enum AccessClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Readable while the store is unlocked: for credentials, without further verification.
    case whileUnlocked = 1
    /// Readable for a limited time after the owner was verified: protected text.
    case afterVerification = 2
}
