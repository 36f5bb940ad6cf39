package import HTTPClient
internal import HTTPServer

/// A failure of a sign-in or of another request to the authorization server. No case carries a
/// password or a token.
public enum SignInError: Error, Sendable, Hashable {
    /// The server rejects the credential: `invalid_grant`, or an expired token. The verdict is
    /// final.
    case rejected
    /// The same verdict on a name and password, with the server's text in `detail`: one line
    /// without control sequences.
    case notAccepted(detail: String)
    /// The password is right, and the server asks for a second factor.
    case secondFactor(SecondFactorRequest)
    /// The server asks for a later attempt, after this number of seconds if known.
    case throttled(seconds: UInt32?)
    /// The server understood the request and refuses it.
    case refused(RefusalReason)
    /// The person declined on the server's page, or the server does not let the person in there.
    case denied
    /// The person did not finish on the server's page in time.
    case notCompleted
    /// This program cannot receive the browser's answer.
    case noListener(ListenerProblem)
    /// The server cannot be reached. `mayHaveArrived` is true if the request may have arrived.
    case unreachable(detail: String, mayHaveArrived: Bool)
    /// The server does not prove its identity: a wrong certificate, key or issuer, or an answer that
    /// belongs to another request. It got no credential. `byCertificate` is true if the certificate
    /// or the key is the reason.
    case untrusted(detail: String, byCertificate: Bool = false)
    /// The response does not follow OAuth. The request arrived.
    case broken(detail: String)
    /// The server does not offer this function.
    case unsupported
    /// The server, or the permission to store credentials, was changed during the sign-in. No
    /// granted token is kept.
    case settingsChanged
    /// Another process of this machine holds the sign-in lock for too long.
    case busy
    /// The folder with this machine's state cannot be used; `code` is the `errno`.
    case system(call: String, path: String, code: Int32)

    /// Whether the server may have performed the request despite the error.
    public var mayHaveSucceeded: Bool {
        switch self {
        case .unreachable(_, let mayHaveArrived): mayHaveArrived
        case .broken: true
        case .rejected, .notAccepted, .secondFactor, .throttled, .refused, .denied, .notCompleted,
            .noListener, .untrusted, .unsupported, .settingsChanged, .busy, .system:
            false
        }
    }

    /// Whether the password is right and the second factor is missing.
    var needsSecondFactor: Bool {
        if case .secondFactor = self { true } else { false }
    }

    /// Whether the server is unreachable or overloaded, or a proxy answers in its place. Only then
    /// may the user count as signed in without it. A server with another identity is no reason.
    public var isOffline: Bool {
        switch self {
        case .unreachable, .throttled, .broken: true
        default: false
        }
    }

    /// Whether the error is the server's verdict that a credential is invalid.
    var isVerdict: Bool {
        switch self {
        case .rejected, .notAccepted: true
        default: false
        }
    }

    /// The server's text with its verdict.
    var serverText: String? {
        if case .notAccepted(let detail) = self { detail } else { nil }
    }

    /// Whether the server will refuse each repetition as well.
    var isRefusal: Bool {
        switch self {
        case .refused, .unsupported: true
        case .rejected, .notAccepted, .secondFactor, .throttled, .denied, .notCompleted,
            .noListener, .unreachable, .untrusted, .broken, .settingsChanged, .busy, .system:
            false
        }
    }
}

/// The reason why a server refuses a request.
public enum RefusalReason: Sendable, Hashable {
    /// The current password is wrong.
    case password
    /// The new password is not allowed; `detail` is the server's text.
    case newPassword(detail: String)
    /// The invitation does not exist, or is for another address.
    case invitation
    /// The second factor that confirms a change is missing, or is wrong or was used before.
    case secondFactor(isMissing: Bool)
    /// The new second factor cannot be added.
    case newSecondFactor
    /// The account has no such second factor.
    case noSecondFactor
    /// The code for a new password is wrong, used or expired.
    case resetCode
    /// The account is disabled.
    case disabled
    /// The name is already in use.
    case name
    /// The account has too many inboxes.
    case tooManyInboxes
    /// The inbox has too many subscriptions.
    case tooManySubscriptions
    /// Any other reason; `detail` is the server's text.
    case other(detail: String)
}

/// The reason why this program cannot receive the browser's answer.
public enum ListenerProblem: Error, Sendable, Hashable {
    /// libmicrohttpd is not installed.
    case libraryMissing
    /// Another program uses the port, which the setting `redirect` names.
    case portInUse
    /// The system refuses; `code` is the `errno`.
    case system(code: Int32)

    /// The Debian package of libmicrohttpd.
    package static var libraryPackage: String { HTTPServerLibrary.debianPackage }
}

extension SignInError {
    /// The text of the server and of this program for a wrong name or password.
    package static let wrongPassword = "incorrect e-mail address or password"

    /// Translates an error of the HTTP exchange.
    package init(_ error: HTTPClientError) {
        switch error {
        case .certificate(let problem):
            self = .untrusted(detail: problem.explanation, byCertificate: true)
        case .notLoopback:
            self = .untrusted(detail: "localhost resolves to another machine")
        case .plainHTTP:
            self = .untrusted(detail: "plain HTTP is allowed only to this machine")
        case .redirected(_, let host):
            self = .broken(detail: "it redirects clients" + (host.map { " to \($0)" } ?? ""))
        case .answerMalformed, .headTooLarge, .contentTooLarge:
            self = .broken(detail: "its answer is not HTTP, or far too large")
        default:
            self = .unreachable(detail: error.explanation, mayHaveArrived: error.mayHaveArrived)
        }
    }
}

extension HTTPClientError {
    /// The reason why there is no response.
    package var explanation: String {
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
        // A server that is shutting down also ends connections at this point.
        case .handshakeFailed:
            "the TLS handshake failed; the server may not speak TLS, or only an old version"
        case .connectionLost: "the connection ended before the answer"
        case .answerIncomplete: "the answer ended in the middle"
        case .answerMalformed, .headTooLarge: "the answer is not HTTP, or far too large"
        case .certificate(let problem): problem.explanation
        default: "the request could not be sent"
        }
    }
}

extension HTTPClientError.CertificateProblem {
    fileprivate var explanation: String {
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
