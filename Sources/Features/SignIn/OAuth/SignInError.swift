package import HTTPClient

/// Why an auth server did not do as requested, or why this machine cannot sign in. No case carries a password or a token.
public enum SignInError: Error, Sendable, Hashable {
    /// The server does not accept the credential: `invalid_grant`, or an expired token. This verdict is final.
    case rejected
    /// The same verdict on a name and a password, in the server's own words: `detail` is one line without control sequences.
    case notAccepted(detail: String)
    /// The server asks for a later attempt, after so many seconds if it says so.
    case throttled(seconds: UInt32?)
    /// The server understood the request and refuses it.
    case refused(RefusalReason)
    /// The server cannot be reached. `mayHaveArrived` tells whether the request may have arrived.
    case unreachable(detail: String, mayHaveArrived: Bool)
    /// The server does not prove its identity: a wrong certificate or key, another issuer, or no OAuth server. It got no password or token.
    /// `byCertificate` tells whether the certificate or the key is the reason.
    case untrusted(detail: String, byCertificate: Bool = false)
    /// The answer does not follow OAuth. The request arrived.
    case broken(detail: String)
    /// The server does not offer this function.
    case unsupported
    /// The server or the permission to keep credentials was changed meanwhile. Nothing that was granted is kept.
    case settingsChanged
    /// Another process of this machine is signing in for too long.
    case busy
    /// The folder for this machine's state cannot be used; `code` is that of `errno`.
    case system(call: String, path: String, code: Int32)

    /// Whether the server may have done as requested nevertheless.
    public var mayBeDone: Bool {
        switch self {
        case .unreachable(_, let mayHaveArrived): mayHaveArrived
        case .broken: true
        case .rejected, .notAccepted, .throttled, .refused, .untrusted, .unsupported,
            .settingsChanged, .busy, .system:
            false
        }
    }

    /// Whether the server is unreachable, or has no time. Only then a person may count as signed in without it: a server that answers
    /// otherwise, or that is not the right one, is no reason.
    public var meansOffline: Bool {
        switch self {
        case .unreachable, .throttled: true
        default: false
        }
    }

    /// Whether it is the server's verdict that a credential is not valid.
    var isVerdict: Bool {
        switch self {
        case .rejected, .notAccepted: true
        default: false
        }
    }

    /// What the server said with its verdict.
    var serverText: String? {
        if case .notAccepted(let detail) = self { detail } else { nil }
    }

    /// Whether the server will never do it.
    var isRefusal: Bool {
        switch self {
        case .refused, .unsupported: true
        case .rejected, .notAccepted, .throttled, .unreachable, .untrusted, .broken,
            .settingsChanged, .busy, .system:
            false
        }
    }
}

/// Why a server refuses a request.
public enum RefusalReason: Sendable, Hashable {
    /// The current password is wrong.
    case password
    /// The new password is not allowed; `detail` is the server's sentence.
    case newPassword(detail: String)
    /// The invitation does not exist, or is for another address.
    case invitation
    /// The name is taken.
    case name
    /// The account has too many inboxes.
    case tooManyInboxes
    /// The inbox has too many subscriptions.
    case tooManySubscriptions
    /// Any other reason; `detail` is the server's sentence.
    case other(detail: String)
}

extension SignInError {
    /// Translates a failed exchange.
    package init(_ error: HTTPClientError) {
        switch error {
        case .certificate(let problem):
            self = .untrusted(detail: problem.sentence, byCertificate: true)
        case .notLoopback:
            self = .untrusted(detail: "localhost is another machine here")
        case .plainHTTP:
            self = .untrusted(detail: "plain HTTP is for this machine only")
        case .redirected(_, let host):
            self = .broken(detail: "it redirects clients" + (host.map { " to \($0)" } ?? ""))
        case .answerMalformed, .headTooLarge, .contentTooLarge:
            self = .broken(detail: "its answer is not HTTP, or far too large")
        default:
            self = .unreachable(detail: error.sentence, mayHaveArrived: error.mayHaveArrived)
        }
    }
}

extension HTTPClientError {
    /// Why there is no answer.
    package var sentence: String {
        switch self {
        case .libraryMissing: "libcurl is not installed (package \(HTTPClient.libraryPackage))"
        case .libraryFailed(let code): "libcurl failed with code \(code)"
        case .authoritiesUnreadable, .authoritiesMalformed:
            "the additional authorities are not certificates"
        case .hostNotFound: "the host does not exist"
        case .connectionRefused: "connection refused"
        case .unreachable: "the host cannot be reached"
        case .proxyFailed(let status):
            "the proxy failed" + (status.map { " with status \($0)" } ?? "")
        case .connectingTimedOut: "the connection timed out"
        case .timedOut: "the answer timed out"
        // A server that is shutting down ends connections at this point, too.
        case .handshakeFailed:
            "the TLS handshake failed; the server may not speak TLS, or only an old version"
        case .connectionLost: "the connection ended before the answer"
        case .answerIncomplete: "the answer ended in the middle"
        case .answerMalformed, .headTooLarge: "the answer is not HTTP, or far too large"
        case .certificate(let problem): problem.sentence
        default: "the request could not be sent"
        }
    }
}

extension HTTPClientError.CertificateProblem {
    fileprivate var sentence: String {
        switch self {
        case .expired: "the server's certificate has expired"
        case .notYetValid: "the server's certificate is not valid yet"
        case .otherName: "the server's certificate is for another name"
        case .unknownAuthority:
            "no authority that this machine trusts signed the server's certificate"
        case .keyNotPinned: "the server's key is not the pinned one"
        case .other(let code): "the server's certificate is not accepted (code \(code))"
        }
    }
}
