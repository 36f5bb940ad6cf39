/// Why a request was not answered.
///
/// Never a text of the server's, of libcurl's or of the request: these may quote addresses, values and secrets.
public enum HTTPClientError: Error, Sendable, Hashable {
    /// The system has no libcurl, or one without TLS. See ``HTTPClient/libraryPackage``.
    case libraryMissing
    /// libcurl does not know an option that is needed, or failed in a way of its own; its code tells which.
    case libraryFailed(code: UInt32)
    /// The file of additional authorities cannot be read.
    case authoritiesUnreadable
    /// The additional authorities are no certificates as PEM.
    case authoritiesMalformed
    /// A text is no pinned key as libcurl writes it, `sha256//` and 44 characters.
    case pinnedKeyMalformed
    /// The request has a field, an authorization or content that cannot be sent.
    case requestMalformed
    /// The address says plain HTTP to another machine.
    case plainHTTP
    /// `localhost` is another machine for this system's resolver.
    case notLoopback
    /// There is no such host.
    case hostNotFound
    /// Nobody listens there.
    case connectionRefused
    /// The host cannot be reached.
    case unreachable
    /// The proxy that the environment names cannot be used; with its status, where it gave one.
    case proxyFailed(status: Int?)
    /// The other end speaks no TLS, or none that is new enough.
    case handshakeFailed
    /// The server's certificate was not accepted.
    case certificate(CertificateProblem)
    /// There was no connection in time.
    case connectingTimedOut
    /// There was no whole answer in time.
    case timedOut
    /// The connection ended before there was an answer.
    case connectionLost
    /// The answer is none of HTTP, or breaks its rules.
    case answerMalformed
    /// The answer ended in the middle, or nothing says where it ends.
    case answerIncomplete
    /// The head of the answer is larger than the options allow.
    case headTooLarge
    /// The content of the answer is larger than the options allow.
    case contentTooLarge
    /// The server sends its clients elsewhere, which is not followed; with the host, where the answer names one as it should.
    case redirected(status: Int, host: String?)
    /// Memory is used up.
    case outOfMemory

    /// What is wrong with a certificate.
    public enum CertificateProblem: Sendable, Hashable {
        /// Its time is over.
        case expired
        /// Its time has not come.
        case notYetValid
        /// It is for another host.
        case otherName
        /// No authority that is trusted signed it.
        case unknownAuthority
        /// Its key is none of the pinned ones.
        case keyNotPinned
        /// Something else, or a TLS library that does not tell; its number of it.
        case other(code: Int)
    }

    /// Whether the server may have got the request and may have done what it says, although nobody knows. False where it certainly did not get it.
    public var mayHaveArrived: Bool {
        switch self {
        case .timedOut, .connectionLost, .answerMalformed, .answerIncomplete, .headTooLarge,
            .contentTooLarge, .redirected, .outOfMemory, .libraryFailed:
            true
        case .libraryMissing, .authoritiesUnreadable, .authoritiesMalformed, .pinnedKeyMalformed,
            .requestMalformed, .plainHTTP, .notLoopback, .hostNotFound, .connectionRefused,
            .unreachable, .proxyFailed, .handshakeFailed, .certificate, .connectingTimedOut:
            false
        }
    }
}
