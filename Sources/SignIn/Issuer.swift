/// An auth server as its tokens name it: the URL of its issuer (RFC 8414 section 2), in one spelling.
///
/// What is cached in the vault belongs to one issuer and is never sent to another.
public struct Issuer: Sendable, Hashable {
    /// The largest size, in bytes, so that it fits into a name in the vault.
    public static let maximumSize = 512

    /// The URL without a slash at the end.
    public let text: String

    /// Takes a URL that was checked and is in its canonical form.
    init(canonical text: String) {
        self.text = text
    }
}
