/// Why a server does not start, or does not take another identity.
public enum HTTPServerError: Error, Hashable {
    /// The address is no numeric IPv4 or IPv6 address.
    case addressNotNumeric
    /// The system does not let it listen there; `code` is `errno`, such as `EADDRINUSE` or `EACCES`.
    case cannotListen(code: Int32)
    /// The certificate or the key cannot be read, or they do not belong together.
    case identityRefused
    /// The server has no TLS, so that there is nothing to replace.
    case notEncrypted
    /// There are no threads or no descriptors to be had.
    case outOfResources
    /// The server was stopped.
    case stopped
}
