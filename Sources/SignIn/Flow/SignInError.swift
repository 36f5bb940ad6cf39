public import SecureStorage

/// Why signing in could not go on on this machine. No case carries a password or a token; what a server says is ``AuthClientError``.
public enum SignInError: Error, Sendable, Hashable {
    /// The vault refused; `locked` where it was locked in the middle.
    case store(SecureStoreError)
    /// Somebody went to another server meanwhile, or forbade that credentials are kept. Nothing is kept of what was granted.
    case settingsChanged
    /// Another process of this machine is signing in, and does not come to an end.
    case busy
    /// The folder for this machine's own state cannot be used; `code` is that of `errno`.
    case system(call: String, path: String, code: Int32)
}
