/// The name of an account, in the one form in which names are looked up, compared and counted.
public struct EmailAddress: Sendable, Hashable, Comparable {
    /// The largest size of the canonical form, in bytes (RFC 5321 section 4.5.3.1.3).
    public static let maximumSize = 254

    /// The canonical form.
    public let text: String

    /// Brings an address into the canonical form; nil for what is none.
    public init?(_ typed: String) {
        text = typed
    }

    /// Orders by the bytes of the canonical forms.
    public static func < (left: EmailAddress, right: EmailAddress) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}
