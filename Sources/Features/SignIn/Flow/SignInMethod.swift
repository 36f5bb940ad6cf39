/// The ways in which a server signs a person in.
public enum SignInMethod: Sendable, Hashable {
    /// On a page of the server in a browser of this machine: the authorization code grant (RFC
    /// 6749, section 4.1) with PKCE (RFC 7636) and a loopback redirect (RFC 8252).
    case browser
    /// On a page of the server on any device, where the person types a code (RFC 8628).
    case device
    /// With a password that this program sends: the password grant (RFC 6749, section 4.3).
    case password
}
