internal import Accounts
internal import HTTPServer
internal import TextCoding

/// An error of a request, in the form of its answer.
struct RequestError: Error, Hashable {
    /// The form of the answer.
    enum Form: Sendable {
        /// An OAuth error (RFC 6749 section 5.2, RFC 7009 section 2.2.1, RFC 7662 section 2.3).
        case oauth
        /// Problem details (RFC 9457), outside the OAuth endpoints.
        case problem
    }

    /// The form of the answer.
    let form: Form
    /// The HTTP status.
    let status: Int
    /// The kind of error, for programs.
    let code: String
    /// The kind of error, for people. It omits all content from the client.
    let title: String
    /// Details of this error; only in problem details.
    var detail: String?
    /// A more precise code where several refusals share one OAuth code, sent as `code`; only in OAuth errors.
    var reason: String?
    /// The time until the next attempt.
    var retryAfter: Duration?
    /// Further header fields.
    var fields: [HTTPHeaders.Field] = []

    /// The answer. The type of problem details is `about:blank` with a code, because no pages
    /// describe the errors.
    var response: HTTPResponse {
        var fields = fields
        if let retryAfter { fields.append(HTTPResponse.retryAfter(retryAfter)) }
        switch form {
        case .oauth:
            return .object(status: status, adding: fields) { json in
                json.member("error", code)
                json.member("error_description", title)
                // RFC 6749 section 5.2 allows additional members.
                if let reason { json.member("code", reason) }
            }
        case .problem:
            let body = JSONContent.object { json in
                json.member("type", "about:blank")
                json.member("title", title)
                json.member("status", status)
                json.member("code", code)
                if let detail { json.member("detail", detail) }
            }
            return .content(
                body, type: "application/problem+json", status: status, adding: fields)
        }
    }
}

/// Errors of the OAuth endpoints. `temporarily_unavailable` is a code of the authorization
/// endpoint, used here because no other code fits.
extension RequestError {
    private static func oauth(
        _ code: String, _ description: String, status: Int = 400, retryAfter: Duration? = nil
    ) -> RequestError {
        RequestError(
            form: .oauth, status: status, code: code, title: description, retryAfter: retryAfter)
    }

    /// The endpoint refuses the request.
    static func invalidRequest(_ description: String) -> RequestError {
        oauth("invalid_request", description)
    }

    /// The client's name or secret is wrong.
    static let invalidClient: RequestError = {
        var error = oauth(
            "invalid_client", "the client is unknown, or its secret is wrong", status: 401)
        error.fields = [HTTPHeaders.Field("WWW-Authenticate", "Basic realm=\"taskvault\"")]
        return error
    }()

    /// The name or password is wrong, or the account does not exist. The answer does not reveal which.
    static let rejected = oauth("invalid_grant", "incorrect e-mail address or password")

    /// The account is disabled. Only someone with its password or a token learns that.
    static let accountDisabled: RequestError = {
        var error = oauth("invalid_grant", "the account is disabled")
        error.reason = "account_disabled"
        return error
    }()

    /// The session has ended, and a cached password cannot renew it.
    static let sessionEnded = oauth(
        "invalid_grant", "the session was ended; type the password again")

    /// The refresh token is not valid.
    static let refreshRefused = oauth(
        "invalid_grant", "the refresh token is unknown, expired, revoked or already used")

    /// A confidential client is a service that must not receive a person's password, so it cannot
    /// use the grant.
    static let grantNotAllowed = oauth("unauthorized_client", "this client may not use the grant")

    /// The token belongs to another client.
    static let foreignToken = oauth(
        "unauthorized_client", "the token was issued to another client")

    /// The grant is not supported.
    static let unsupportedGrant = oauth(
        "unsupported_grant_type", "grant_type must be password or refresh_token")

    /// The scope is too long.
    static let invalidScope = oauth("invalid_scope", "a scope has at most 4,096 bytes")

    /// The service is not registered, or the session is for another one (RFC 8707 section 2).
    static let invalidTarget = oauth(
        "invalid_target", "the resource is unknown, or the session is for another one")
}

/// Errors of all endpoints but those of OAuth, as problem details (RFC 9457).
extension RequestError {
    private static func problem(
        _ status: Int, _ code: String, _ title: String, detail: String? = nil,
        retryAfter: Duration? = nil, fields: [HTTPHeaders.Field] = []
    ) -> RequestError {
        RequestError(
            form: .problem, status: status, code: code, title: title, detail: detail,
            retryAfter: retryAfter, fields: fields)
    }

    /// The path is unknown.
    static let notFound = problem(404, "not_found", "Not found")

    /// The path does not support the method.
    static func methodNotAllowed(_ allowed: [String]) -> RequestError {
        problem(
            405, "method_not_allowed", "Method not allowed",
            fields: [HTTPHeaders.Field("Allow", allowed.joined(separator: ", "))])
    }

    /// The content has another type.
    static let unsupportedMediaType = problem(
        415, "unsupported_media_type", "Unsupported media type",
        detail: "the content must be application/json")

    /// The request is malformed.
    static func malformed(_ detail: String) -> RequestError {
        problem(400, "malformed", "Malformed request", detail: detail)
    }

    /// The new password is refused.
    static func password(_ detail: String) -> RequestError {
        problem(422, "password_policy", "Password refused", detail: detail)
    }

    /// The name is not an e-mail address.
    static let email = problem(
        422, "invalid_email", "Name refused",
        detail: "the name must be an e-mail address of at most 254 bytes")

    /// The invitation is missing, unknown, used, expired, or for another name.
    static let invitation = problem(
        403, "invitation_refused", "Invitation refused",
        detail: "the invitation is unknown, used, expired, or for another name")

    /// The name has an account. The answer reveals that only if registration is open.
    static let taken = problem(409, "already_exists", "The account already exists")

    /// The request has no access token, so the answer names no error (RFC 6750 section 3.1).
    static let tokenMissing = problem(
        401, "token_missing", "Not signed in",
        fields: [HTTPHeaders.Field("WWW-Authenticate", "Bearer realm=\"taskvault\"")])

    /// The access token is not valid (RFC 6750 section 3.1).
    static let unauthorized = problem(
        401, "invalid_token", "Not signed in",
        fields: [
            HTTPHeaders.Field(
                "WWW-Authenticate", "Bearer realm=\"taskvault\", error=\"invalid_token\"")
        ])

    /// The access token is for a service, and does not allow requests about the account (RFC 6750 section 3.1).
    static let insufficientScope = problem(
        403, "insufficient_scope", "The token does not allow this",
        fields: [
            HTTPHeaders.Field(
                "WWW-Authenticate",
                "Bearer realm=\"taskvault\", error=\"insufficient_scope\", scope=\"account\"")
        ])

    /// The current password is wrong.
    static let wrongPassword = problem(403, "wrong_password", "The current password is wrong")

    /// The new second factor cannot be added.
    static let newFactor = problem(
        422, "invalid_second_factor", "Second factor refused",
        detail: "it is no answer to a current challenge, or no code of a secret of 128 bits or more"
    )

    /// The account has too many passkeys.
    static let tooManyPasskeys = problem(
        409, "too_many_passkeys", "The account has too many passkeys")

    /// The account has no such second factor.
    static let factorMissing = problem(
        404, "no_second_factor", "The account has no such second factor")

    /// The key for the pushes of a sender is invalid.
    static let senderKey = problem(
        422, "invalid_vapid_key", "Key refused",
        detail: "vapid_key must be an uncompressed point of P-256 in Base64 for URLs")

    /// The subscription requires signed pushes (RFC 8292, section 4.2).
    static let unsigned = problem(
        401, "vapid_required", "Not signed by the sender",
        fields: [HTTPHeaders.Field("WWW-Authenticate", "vapid")])

    /// The signature of a push is by another key, for another server, or not currently valid.
    static let signature = problem(403, "vapid_refused", "Signature refused")

    /// The content of a push is too large.
    static let tooLarge = problem(
        413, "too_large", "Message too large", detail: "a message has at most 4,096 bytes")

    /// The content of a blob has another type.
    static let unsupportedBlobType = problem(
        415, "unsupported_media_type", "Unsupported media type",
        detail: "the content must be application/octet-stream")

    /// A blob is too large.
    static func blobTooLarge(_ limit: Int) -> RequestError {
        problem(
            413, "too_large", "Blob too large", detail: "a blob has at most \(limit) bytes here")
    }

    /// Explains why a request about blobs of sync is refused.
    init(_ error: BlobError) {
        self =
            switch error {
            case .tokenRejected: .unauthorized
            case .missing: .notFound
            case .occupied:
                Self.problem(
                    409, "occupied", "Other bytes are there", detail: "nothing is overwritten")
            case .tooLarge(let limit): .blobTooLarge(limit)
            case .full:
                Self.problem(
                    507, "quota_exceeded", "The account has no room",
                    detail: "the operator can raise sync-quota")
            case .permanent:
                Self.problem(403, "permanent", "Statements are not removed")
            }
    }

    /// Explains why a request about inboxes is refused.
    init(_ error: InboxError) {
        self =
            switch error {
            case .tokenRejected: .unauthorized
            case .missing: .notFound
            case .unsigned: .unsigned
            case .ended: Self.problem(410, "subscription_ended", "The subscription was ended")
            case .tooManyInboxes:
                Self.problem(409, "too_many_inboxes", "The account has too many inboxes")
            case .tooManySubscriptions:
                Self.problem(409, "too_many_subscriptions", "The inbox has too many subscriptions")
            case .tooManyMessages(let time):
                Self.problem(429, "too_many_messages", "Too many messages", retryAfter: time)
            }
    }
}

/// Errors of both forms.
extension RequestError {
    /// The account has a second factor, and none was sent.
    static func secondFactorRequired(_ form: Form) -> RequestError {
        switch form {
        case .oauth: oauth("mfa_required", "a second factor is required", status: 403)
        case .problem: problem(403, "second_factor_required", "A second factor is required")
        }
    }

    /// The second factor is wrong, or was used before.
    static func secondFactorRejected(_ form: Form) -> RequestError {
        let title = "the second factor is wrong or was used before"
        return switch form {
        case .oauth: oauth("mfa_invalid", title, status: 403)
        case .problem: problem(403, "wrong_second_factor", "Second factor refused", detail: title)
        }
    }

    /// Too many attempts failed.
    static func tooManyAttempts(_ time: Duration, _ form: Form) -> RequestError {
        switch form {
        case .oauth:
            oauth(
                "temporarily_unavailable", "too many attempts; try again later", status: 429,
                retryAfter: time)
        case .problem:
            problem(429, "too_many_attempts", "Too many attempts", retryAfter: time)
        }
    }

    /// Too many requests are waiting.
    static func overload(_ form: Form) -> RequestError {
        switch form {
        case .oauth:
            oauth(
                "temporarily_unavailable", "the server is busy; try again", status: 503,
                retryAfter: .seconds(2))
        case .problem: problem(503, "busy", "The server is busy", retryAfter: .seconds(2))
        }
    }

    /// The database is not available.
    static func unavailable(_ form: Form) -> RequestError {
        switch form {
        case .oauth:
            oauth(
                "temporarily_unavailable", "the server cannot answer now; try again", status: 503,
                retryAfter: .seconds(5))
        case .problem:
            problem(
                503, "unavailable", "The server cannot answer now", retryAfter: .seconds(5))
        }
    }

    /// The HTTP server refuses a request that is too large or malformed, or exceeds its capacity.
    static func refused(status: Int, _ form: Form) -> RequestError {
        if status == 503 { return overload(form) }
        return switch form {
        case .oauth: oauth("invalid_request", "the request is refused", status: status)
        case .problem: problem(status, "request_refused", "The request is refused")
        }
    }

    /// The content of a request is refused.
    init(_ error: ContentError, _ form: Form) {
        switch (error, form) {
        case (.malformed, .oauth): self = .invalidRequest("the content is not a form")
        case (.malformed, .problem):
            self = .malformed("the content is not a JSON object of strings")
        case (.repeated, .oauth): self = .invalidRequest("a parameter is repeated")
        case (.repeated, .problem): self = .malformed("a member is repeated")
        case (.unknown, .oauth): self = .invalidRequest("a parameter is unknown")
        case (.unknown, .problem): self = .malformed("a member is unknown")
        }
    }
}

extension RequestError.Form {
    /// The answer to a request that exceeds the capacity. Each request refers to it but few use it,
    /// so it is created once.
    var overloadResponse: HTTPResponse {
        switch self {
        case .oauth: Self.oauthOverload
        case .problem: Self.problemOverload
        }
    }

    private static let oauthOverload = RequestError.overload(.oauth).response
    private static let problemOverload = RequestError.overload(.problem).response
}

/// The conversion of errors to answers.
extension AuthServer {
    /// Runs a step of a request and converts an error to the answer.
    func answering(_ form: RequestError.Form, _ body: () throws -> HTTPAnswer) -> HTTPAnswer {
        do {
            return try body()
        } catch {
            return .now(requestError(error, form).response)
        }
    }

    /// The answer to an error.
    func requestError(_ error: any Error, _ form: RequestError.Form) -> RequestError {
        switch error {
        case let error as RequestError: return error
        case let error as ContentError: return RequestError(error, form)
        case let error as InboxError: return RequestError(error)
        case let error as BlobError: return RequestError(error)
        case AccountError.tooManyAttempts(let time):
            metrics.note(.throttled)
            return .tooManyAttempts(time, form)
        case AccountError.passwordTooShort: return .password("a password has at least 8 characters")
        case AccountError.passwordTooLong: return .password("a password has at most 1,024 bytes")
        case AccountError.passwordEncoding: return .password("a password is UTF-8")
        case AccountError.passwordCommon: return .password("this password is a common one")
        case AccountError.passwordIsAddress:
            return .password("a password is not the account's own address")
        case AccountError.sessionEnded: return .sessionEnded
        case AccountError.secondFactorRequired: return .secondFactorRequired(form)
        case AccountError.secondFactorRejected:
            metrics.note(.secondFactorRejected)
            return .secondFactorRejected(form)
        case AccountError.newFactorRejected: return .newFactor
        case AccountError.tooManyPasskeys: return .tooManyPasskeys
        case AccountError.factorMissing: return .factorMissing
        case let error as AccountError:
            if form == .oauth { return error == .disabled ? .accountDisabled : .rejected }
            return switch error {
            // The sessions of a disabled account have ended.
            case .tokenRejected, .missing, .disabled: .unauthorized
            case .scopeInsufficient: .insufficientScope
            case .invitationRejected: .invitation
            case .alreadyExists: .taken
            default: .wrongPassword
            }
        default:
            metrics.note(.unavailable)
            note("failure", error)
            return .unavailable(form)
        }
    }
}
