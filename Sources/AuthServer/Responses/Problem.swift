internal import HTTPServer
internal import TextCoding

/// An error outside the OAuth endpoints, as problem details (RFC 9457).
struct Problem: Error, Hashable {
    /// The status.
    let status: Int
    /// What kind of error it is, for programs.
    let code: String
    /// What kind of error it is, for people; the same for every error of the code.
    let title: String
    /// More of this one.
    var detail: String?
    /// After which time to try again.
    var retryAfter: Duration?
    /// What else the answer's head says.
    var fields: [HTTPHeaders.Field] = []

    /// The answer. Its type is `about:blank` plus a code of ours: there are no pages about the errors.
    var response: HTTPResponse {
        var fields = fields
        if let retryAfter { fields.append(HTTPResponse.retryAfter(retryAfter)) }
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

extension Problem {
    /// Nothing is at this path.
    static let notFound = Problem(status: 404, code: "not_found", title: "Not found")

    /// The path is there, and does not know the method.
    static func methodNotAllowed(_ allowed: [String]) -> Problem {
        Problem(
            status: 405, code: "method_not_allowed", title: "Method not allowed",
            fields: [HTTPHeaders.Field("Allow", allowed.joined(separator: ", "))])
    }

    /// The content is of another type.
    static let unsupportedMediaType = Problem(
        status: 415, code: "unsupported_media_type", title: "Unsupported media type",
        detail: "the content has to be application/json")

    /// The request is not what is expected.
    static func malformed(_ detail: String) -> Problem {
        Problem(status: 400, code: "malformed", title: "Malformed request", detail: detail)
    }

    /// The new password cannot be one.
    static func password(_ detail: String) -> Problem {
        Problem(status: 422, code: "password_policy", title: "Password refused", detail: detail)
    }

    /// The name cannot be one.
    static let email = Problem(
        status: 422, code: "invalid_email", title: "Name refused",
        detail: "the name has to be an e-mail address of at most 254 bytes")

    /// The invitation is missing, unknown, used, void, or for another name.
    static let invitation = Problem(
        status: 403, code: "invitation_refused", title: "Invitation refused",
        detail: "the invitation is unknown, used, expired, or for another name")

    /// The name has an account, which is said where registration is free.
    static let taken = Problem(
        status: 409, code: "already_exists", title: "The account exists already")

    /// The access token is missing or not accepted (RFC 6750 section 3).
    static let unauthorized = Problem(
        status: 401, code: "invalid_token", title: "Not signed in",
        fields: [
            HTTPHeaders.Field(
                "WWW-Authenticate", "Bearer realm=\"taskvault\", error=\"invalid_token\"")
        ])

    /// The current password is wrong.
    static let wrongPassword = Problem(
        status: 403, code: "wrong_password", title: "The current password is wrong")

    /// Too many attempts failed.
    static func tooManyAttempts(_ time: Duration) -> Problem {
        Problem(
            status: 429, code: "too_many_attempts", title: "Too many attempts", retryAfter: time)
    }

    /// The server has too much to do.
    static let overload = Problem(
        status: 503, code: "busy", title: "The server is busy", retryAfter: .seconds(2))

    /// Its answer, made once: most requests name it, and few get it.
    static let overloadResponse = overload.response

    /// What never became a request: too large, wrongly framed, or one too many.
    static func refused(status: Int) -> Problem {
        status >= 500
            ? .overload
            : Problem(status: status, code: "request_refused", title: "The request is refused")
    }

    /// The database does not answer.
    static let unavailable = Problem(
        status: 503, code: "unavailable", title: "The server cannot answer now",
        retryAfter: .seconds(5))
}

extension Problem {
    /// Of content that is refused.
    init(_ error: JSONMembersError) {
        switch error {
        case .malformed: self = .malformed("the content is not a JSON object of strings")
        case .unknown: self = .malformed("a member is unknown")
        case .outOfMemory: self = .unavailable
        }
    }
}
