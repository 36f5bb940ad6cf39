internal import Accounts
internal import Database
internal import HTTPServer
internal import LibCrypto
internal import Passkeys
internal import Platform
internal import Sealing
internal import TextCoding

/// Writes one line of JSON for each request and event.
///
/// A line has no header field, parameter or content, and no unknown path or method. Any of them may
/// contain a password.
struct RequestLog: Sendable {
    /// Receives a line with its line end.
    private let write: @Sendable ([UInt8]) -> Void
    private let repeated = RepeatedLines()

    /// Creates a log.
    init(_ write: @escaping @Sendable ([UInt8]) -> Void) {
        self.write = write
    }

    /// Writes a request.
    func note(_ exchange: HTTPExchange, _ route: Route?, at time: PointInTime) {
        let request = exchange.request
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", "request")
                json.member("id", request.id)
                json.member("client", request.client.text)
                json.member("method", Self.known(request.method))
                json.member("path", route?.rawValue)
                json.member("status", exchange.status)
                json.member("microseconds", exchange.duration.microseconds)
            })
    }

    /// Writes another event.
    func note(_ event: String, _ detail: String? = nil, at time: PointInTime) {
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", event)
                if let detail { json.member("detail", detail) }
            })
    }

    /// Writes a failure, at most once a minute per detail.
    func note(failure event: String, _ detail: String, at time: PointInTime) {
        guard let leftOut = repeated.admit("\(event) \(detail)", at: time) else { return }
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", event)
                json.member("detail", detail)
                if leftOut > 0 { json.member("repeated", leftOut) }
            })
    }

    /// Writes an action of a request on an account. Refusals of one account and network are limited
    /// to one per minute.
    func note(
        _ action: AuditAction, _ account: AccountID?, by request: HTTPRequest, at time: PointInTime
    ) {
        var leftOut = 0
        if action.isRefusal {
            let key = "\(action) \(account?.text ?? "") \(request.client.network)"
            guard let count = repeated.admit(key, at: time) else { return }
            leftOut = count
        }
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(time.milliseconds))
                json.member("event", action.rawValue)
                json.member("account", account?.text)
                json.member("by", action.isOwners ? "owner" : "unknown")
                json.member("id", request.id)
                json.member("client", request.client.text)
                if leftOut > 0 { json.member("repeated", leftOut) }
            })
    }

    /// Writes an operator's change to an account.
    func note(_ event: AuditEvent) {
        write(
            JSONContent.object { json in
                json.member("time", Timestamp.text(event.time.milliseconds))
                json.member("event", event.action.rawValue)
                json.member("account", event.subject.text)
                json.member("by", event.actor)
                if !event.network.isEmpty { json.member("network", event.network) }
            })
    }

    /// The method if it is a standard one (RFC 9110 section 9.3).
    private static func known(_ method: String) -> String? {
        let methods = [
            "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT",
        ]
        return methods.contains(method) ? method : nil
    }
}

/// An action of a request on an account, for the audit log.
enum AuditAction: String {
    case signedIn = "signed_in"
    /// A sign-in on a device that was not known.
    case deviceAdded = "device_added"
    /// A refresh token was used again, so its session ended. Either use was that of a thief.
    case tokenReused = "refresh_token_reused"
    /// An access token, or a refresh token with its session, was revoked.
    case tokenRevoked = "token_revoked"
    case created
    case passwordChanged = "password_changed"
    case passwordReset = "password_reset"
    case sessionsEnded = "sessions_ended"
    case secondFactorAdded = "second_factor_added"
    case secondFactorRemoved = "second_factor_removed"
    case recoveryCodesMade = "recovery_codes_made"
    /// A recovery code signed in.
    case recoveryCodeUsed = "recovery_code_used"
    case removed
    /// A right password without the account's second factor.
    case secondFactorMissing = "second_factor_missing"
    /// A right password with a wrong second factor, or one that was used before.
    case secondFactorRefused = "second_factor_refused"
    /// A wrong password, an unknown name, or the right password of a disabled account.
    case refused
    /// Too many attempts.
    case throttled

    /// Whether the request was refused.
    var isRefusal: Bool {
        [.refused, .throttled, .secondFactorMissing, .secondFactorRefused].contains(self)
    }

    /// Whether the owner of the account proved to be there.
    var isOwners: Bool { !isRefusal && self != .tokenReused }
}

extension Duration {
    /// The duration in whole microseconds.
    var microseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}

extension RequestLog {
    /// Explains an error to an operator. None of these errors carries a secret.
    static func explanation(of error: any Error) -> String {
        switch error {
        case let error as DatabaseError: explanation(of: error)
        case SealingError.outOfMemory: "not enough memory for the password's hash"
        case is SealingError: "the database is damaged: the cost of a password hash is not accepted"
        case is AccountError: "the account service refused an internal request"
        case LibCryptoError.missing, PasskeyError.libraryMissing: "libcrypto is not installed"
        case SecondFactorFailure.otherKey:
            "the secret of an authenticator app was sealed under another pseudonym-key"
        case let error as SystemFailure: "\(error.call): \(error.explanation)"
        default: "not enough memory"
        }
    }

    private static func explanation(of error: DatabaseError) -> String {
        switch error {
        case .foreign(let reason): "not a TaskVault account database: \(reason)"
        case .newerVersion(let version):
            "the database was written by a newer version of TaskVault (accounts \(version))"
        case .earlierBuild: "the database was written by an earlier build of TaskVault"
        case .tooLarge: "the server's answer is larger than allowed"
        case .unsafeLocation(let path, let reason): "\(path) is not safe to use: \(reason)"
        case .damaged(let reason): "the database is damaged: \(reason)"
        case .unreachable(let reason): "cannot use the database: \(reason)"
        case .outcomeUnknown:
            "lost the connection to the database during a commit; the result is unknown"
        case .readOnly: "the database is read-only"
        case .full: "no space left for the database"
        case .busy: "the database is locked by another program"
        case .closed: "the database was closed"
        case .outOfMemory: "not enough memory"
        case .inputOutput(let operation, let code): "\(operation) failed with code \(code)"
        case .notFound, .alreadyExists, .missing: "the database was moved or replaced"
        }
    }
}
