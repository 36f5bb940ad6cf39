/// Why a request was not answered.
///
/// It never has a text of the server, of libcurl or of the request, because these may quote secrets.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The system has no libcurl with TLS. See ``HTTPClient/libraryPackage``.
    case libraryMissing
    /// libcurl does not know a necessary option, or failed for a reason of its own; `code` is that of libcurl.
    case libraryFailed(code: UInt32)
    /// The file of additional authorities cannot be read.
    case authoritiesUnreadable
    /// The additional authorities are not certificates as PEM.
    case authoritiesMalformed
    /// A pinned key does not have the form of libcurl, `sha256//` and 44 characters.
    case pinnedKeyMalformed
    /// The request has a field, an authorization or content that cannot be sent.
    case requestMalformed
    /// The text is not an address that is accepted.
    case address(AddressProblem)
    /// The address is plain HTTP to another machine.
    case plainHTTP
    /// The resolver of this system maps `localhost` to another machine.
    case notLoopback
    /// The host has an address of a local or private network, and the options allow only public ones.
    case notPublic
    /// The host does not exist.
    case hostNotFound
    /// The host refused the connection.
    case connectionRefused
    /// The host cannot be reached.
    case unreachable
    /// The proxy of the environment cannot be used; `status` is its answer, if there was one.
    case proxyFailed(status: Int?)
    /// The other end does not speak TLS, or only an old version.
    case handshakeFailed
    /// The server's certificate is not accepted.
    case certificate(CertificateProblem)
    /// The connection took too long.
    case connectingTimedOut
    /// The answer took too long.
    case timedOut
    /// The connection ended before the answer.
    case connectionLost
    /// The answer is not HTTP, or violates its rules.
    case answerMalformed
    /// The answer ended early, or has no defined end.
    case answerIncomplete
    /// The head of the answer is larger than the options allow.
    case headTooLarge
    /// The content of the answer is larger than the options allow.
    case contentTooLarge
    /// The server redirects the client, which does not follow; `host` is the target, if the answer names one.
    case redirected(status: Int, host: String?)

    /// Why an address is not accepted.
    public enum AddressProblem: Sendable, Hashable, CustomStringConvertible {
        /// It is longer than ``WebURL/maximumSize``.
        case tooLong
        /// It begins with neither `https://` nor `http://`.
        case schemeNotSupported
        /// It has a user name or a password before the host.
        case userInformation
        /// It has a fragment, which is never sent.
        case fragment
        /// The host is neither a name of letters, digits and hyphens, nor a numeric address in its usual form.
        case hostNotAllowed
        /// The port is not a number from 1 to 65535.
        case portNotAllowed
        /// The path or the query has characters that must be escaped, or a segment `.` or `..`.
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

    /// Why a certificate is not accepted.
    public enum CertificateProblem: Sendable, Hashable {
        /// It has expired.
        case expired
        /// It is not valid yet.
        case notYetValid
        /// It is for another host.
        case otherName
        /// No trusted authority signed it.
        case unknownAuthority
        /// Its key is not pinned.
        case keyNotPinned
        /// Another reason, or an unknown TLS library; `code` is that of the library.
        case other(code: Int)
    }

    /// Whether the request may have arrived, and the server may have acted on it.
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
