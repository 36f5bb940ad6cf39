internal import HTTPClient
internal import SecretMemory
internal import TextCoding

/// An answer that is not what was asked for.
struct ServerRefusal {
    private let status: Int
    private let retryAfter: UInt32?
    /// `error` of OAuth (RFC 6749 section 5.2), `code` of TaskVault's problem details.
    private let error: String?
    private let code: String?
    private let sentence: String?

    init(_ response: borrowing ClientResponse) {
        status = response.status
        retryAfter = response.retryAfter.flatMap { UInt32(exactly: $0) }
        (error, code, sentence) = response.content.withBytes { bytes in
            guard let object = AnswerObject(bytes) else { return (nil, nil, nil) }
            let sentence =
                object.text("detail", in: bytes) ?? object.text("error_description", in: bytes)
                ?? object.text("title", in: bytes)
            return (
                object.text("error", in: bytes), object.text("code", in: bytes),
                sentence.map { String($0.prefix(200)) }
            )
        }
    }

    /// What it means at the token and revocation endpoints.
    var ofOAuth: AuthClientError {
        if let later { return later }
        switch error {
        case "invalid_grant": return .rejected
        case "invalid_client", "unauthorized_client":
            return .refused(.other(detail: "the server does not know this client"))
        case "unsupported_grant_type": return .unsupported
        case .some:
            return .refused(.other(detail: sentence ?? "the server refused the request"))
        case nil: return .broken(detail: "it answered with status \(status)")
        }
    }

    /// What it means at the paths for accounts.
    var ofAccounts: AuthClientError {
        if let later { return later }
        switch (status, code) {
        case (401, _): return .rejected
        case (_, "wrong_password"): return .refused(.password)
        case (_, "password_policy"):
            return .refused(.newPassword(detail: sentence ?? "the server refuses the password"))
        case (_, "invitation_refused"): return .refused(.invitation)
        case (_, "already_exists"): return .refused(.name)
        case (404, _), (405, _): return .unsupported
        case (_, .some):
            return .refused(.other(detail: sentence ?? "the server refused the request"))
        case (_, nil): return .broken(detail: "it answered with status \(status)")
        }
    }

    /// 429 and 503 say nothing about what was sent.
    private var later: AuthClientError? {
        status == 429 || status == 503 ? .throttled(seconds: retryAfter) : nil
    }
}
