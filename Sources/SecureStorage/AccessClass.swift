/// When a secret's value can be read, as with the data-protection classes of a phone.
///
/// The class decides under which key the value is sealed; what is readable depends on the keys in memory, never on a flag.
public enum AccessClass: UInt8, Sendable, Hashable, CaseIterable {
    /// Readable while the store is unlocked: credentials, which must not bother the person.
    case whileUnlocked = 1
    /// Readable only for a while after the owner was verified: protected text.
    case afterVerification = 2
}
