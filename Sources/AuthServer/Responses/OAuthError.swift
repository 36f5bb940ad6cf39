internal import HTTPServer
internal import TextCoding

/// An error of the OAuth endpoints (RFC 6749 section 5.2, RFC 7009 section 2.2.1, RFC 7662 section 2.3).
struct OAuthError: Error, Hashable {
    /// The codes of the standards, and `temporarily_unavailable`, which the standard has for another endpoint.
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unauthorizedClient = "unauthorized_client"
        case unsupportedGrantType = "unsupported_grant_type"
        case invalidScope = "invalid_scope"
        case temporarilyUnavailable = "temporarily_unavailable"
    }

    /// What kind of error it is.
    let code: Code
    /// A sentence for the developer of the client, without what the client sent.
    let description: String
    /// The status.
    var status = 400
    /// After which time to try again.
    var retryAfter: Duration?

    /// The request is not what the endpoint takes.
    static func invalidRequest(_ description: String) -> OAuthError {
        OAuthError(code: .invalidRequest, description: description)
    }

    /// Name or secret of the client are wrong.
    static let invalidClient = OAuthError(
        code: .invalidClient, description: "the client is unknown, or its secret is wrong",
        status: 401)

    /// Name or password are wrong, or the account does not exist or is disabled: which of it, nobody learns.
    static let rejected = OAuthError(
        code: .invalidGrant, description: "name or password are wrong")

    /// The refresh token is not accepted.
    static let refreshRefused = OAuthError(
        code: .invalidGrant,
        description: "the refresh token is unknown, expired, revoked or used up")

    /// Too many attempts failed.
    static func tooManyAttempts(_ time: Duration) -> OAuthError {
        OAuthError(
            code: .temporarilyUnavailable, description: "too many attempts; try again later",
            status: 429, retryAfter: time)
    }

    /// The server has too much to do.
    static let overload = OAuthError(
        code: .temporarilyUnavailable, description: "the server is busy; try again",
        status: 503, retryAfter: .seconds(2))

    /// Its answer, made once: most requests name it, and few get it.
    static let overloadResponse = overload.response

    /// The database does not answer.
    static let unavailable = OAuthError(
        code: .temporarilyUnavailable, description: "the server cannot answer now; try again",
        status: 503, retryAfter: .seconds(5))

    /// What never became a request: too large, wrongly framed, or one too many.
    static func refused(status: Int) -> OAuthError {
        status >= 500
            ? .overload
            : OAuthError(
                code: .invalidRequest, description: "the request is refused", status: status)
    }

    /// The answer.
    var response: HTTPResponse {
        var fields: [HTTPHeaders.Field] = []
        if let retryAfter { fields.append(HTTPResponse.retryAfter(retryAfter)) }
        if status == 401 {
            fields.append(HTTPHeaders.Field("WWW-Authenticate", "Basic realm=\"taskvault\""))
        }
        return .object(status: status, adding: fields) { json in
            json.member("error", code.rawValue)
            json.member("error_description", description)
        }
    }
}

extension OAuthError {
    /// Of a form that is refused.
    init(_ error: FormError) {
        switch error {
        case .malformed: self = .invalidRequest("the content is not a form")
        case .repeated: self = .invalidRequest("a parameter is there twice")
        case .outOfMemory: self = .unavailable
        }
    }
}
