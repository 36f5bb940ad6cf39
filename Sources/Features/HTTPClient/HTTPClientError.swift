/// The reason why a request failed.
///
/// It contains no text of the server, of libcurl or of the request, because such text may quote
/// secrets.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The system has no libcurl with TLS. See ``HTTPClient/libraryPackage``.
    case libraryMissing
    /// libcurl lacks a required option or failed internally; `code` is libcurl's.
    case libraryFailed(code: UInt32)
    /// The file of additional authorities cannot be read.
    case authoritiesUnreadable
    /// The additional authorities are not PEM certificates.
    case authoritiesMalformed
    /// A pinned key does not have libcurl's form: `sha256//` and 44 characters.
    case pinnedKeyMalformed
    /// A field, the authorization or the content type of the request is invalid.
    case requestMalformed
    /// The text is not an accepted URL.
    case address(AddressProblem)
    /// The URL is plain HTTP to another machine.
    case plainHTTP
    /// The system's resolver maps `localhost` to another machine.
    case notLoopback
    /// The host resolves to a private or local address, and the options allow only public ones.
    case notPublic
    /// The host does not exist.
    case hostNotFound
    /// The host refused the connection.
    case connectionRefused
    /// The host cannot be reached.
    case unreachable
    /// The proxy of the environment is unusable; `status` is its response, if there was one.
    case proxyFailed(status: Int?)
    /// The other end does not speak TLS, or only an old version of it.
    case handshakeFailed
    /// The server's certificate is not accepted.
    case certificate(CertificateProblem)
    /// Opening the connection took too long.
    case connectingTimedOut
    /// The response took too long.
    case timedOut
    /// The connection ended before the response.
    case connectionLost
    /// The response violates HTTP.
    case answerMalformed
    /// The response ended early, or has no defined end.
    case answerIncomplete
    /// The response's head exceeds the limit of the options.
    case headTooLarge
    /// The response's content exceeds the limit of the options.
    case contentTooLarge
    /// The server redirects the client, and the client does not follow. `host` is the target, if
    /// the response names a valid one.
    case redirected(status: Int, host: String?)

    /// The reason why a URL is not accepted.
    public enum AddressProblem: Sendable, Hashable, CustomStringConvertible {
        /// The URL is longer than ``WebURL/maximumSize``.
        case tooLong
        /// The URL starts with neither `https://` nor `http://`.
        case schemeNotSupported
        /// The URL has a user name or a password before the host.
        case userInformation
        /// The URL has a fragment, which is never sent.
        case fragment
        /// The host is neither a name of letters, digits and hyphens, nor a numeric address in its
        /// usual form.
        case hostNotAllowed
        /// The port is not a number from 1 to 65535.
        case portNotAllowed
        /// The path or the query has unescaped characters, or a segment `.` or `..`.
        case pathNotAllowed

        /// The reason as a sentence.
        public var description: String {
            switch self {
            case .tooLong: "it is too long"
            case .schemeNotSupported: "it must begin with https:// or http://"
            case .userInformation: "a user name or password before the host is not allowed"
            case .fragment: "a fragment (#) is not allowed"
            case .hostNotAllowed:
                "the host must be a name of letters, digits and hyphens, or a numeric address"
            case .portNotAllowed: "the port must be a number from 1 to 65535"
            case .pathNotAllowed: "the path has characters that must be escaped"
            }
        }
    }

    /// The reason why a certificate is not accepted.
    public enum CertificateProblem: Sendable, Hashable {
        /// The certificate has expired.
        case expired
        /// The certificate is not valid yet.
        case notYetValid
        /// The certificate is for another host.
        case otherName
        /// No trusted authority signed the certificate.
        case unknownAuthority
        /// The certificate's key is not pinned.
        case keyNotPinned
        /// Another reason, or another TLS library than OpenSSL; `code` is the library's.
        case other(code: Int)
    }

    /// Whether the request may have arrived, so that the server may have acted on it.
    public var mayHaveArrived: Bool {
        switch self {
        case .timedOut, .connectionLost, .answerMalformed, .answerIncomplete, .headTooLarge,
            .contentTooLarge, .redirected, .libraryFailed:
            true
        case .libraryMissing, .authoritiesUnreadable, .authoritiesMalformed, .pinnedKeyMalformed,
            .requestMalformed, .address, .plainHTTP, .notLoopback, .notPublic, .hostNotFound,
            .connectionRefused, .unreachable, .proxyFailed, .handshakeFailed, .certificate,
            .connectingTimedOut:
            false
        }
    }
}
