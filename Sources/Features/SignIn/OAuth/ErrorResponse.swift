package import HTTPClient
internal import SecretMemory
internal import TextCoding

/// An error response of the server.
package struct ErrorResponse {
    /// The maximum length of a server's text, in Unicode scalars.
    private static let maximumTextLength = 200

    /// The status code.
    package let status: Int
    private let retryAfter: UInt32?
    /// `error` of OAuth (RFC 6749, section 5.2), and `code` of TaskVault's problem details.
    private let error: String?
    private let code: String?
    private let secondFactor: SecondFactorRequest?
    /// The server's text for the user.
    private var text: String?

    /// Reads an error response.
    package init(_ response: borrowing ClientResponse) {
        status = response.status
        retryAfter = response.retryAfter.flatMap { UInt32(exactly: $0) }
        (error, code, secondFactor, text) = response.content.withBytes { bytes in
            guard let object = JSONObject(answer: bytes) else { return (nil, nil, nil, nil) }
            let text =
                object.text("detail", in: bytes) ?? object.text("error_description", in: bytes)
                ?? object.text("title", in: bytes)
            return (
                object.text("error", in: bytes), object.text("code", in: bytes),
                SecondFactorRequest(object, bytes), text
            )
        }
    }

    /// Removes the server's text if it quotes the secret.
    func removing(_ secret: borrowing SecretBytes) -> ErrorResponse {
        guard let text else { return self }
        guard secret.withBytes({ QuotedSecret.isIn(Array(text.utf8), $0) }) else { return self }
        var refusal = self
        refusal.text = nil
        return refusal
    }

    /// Removes the server's text if it quotes the secret.
    func removing(_ secret: borrowing SecretBytes?) -> ErrorResponse {
        switch secret {
        case .some(let secret): removing(secret)
        case .none: self
        }
    }

    /// The error of a metadata request.
    var metadataError: SignInError {
        if let throttling { return throttling }
        // A proxy responds like this if the server is down.
        if status >= 500 || status == 410 { return unavailable }
        return .broken(detail: "there is no OAuth server at this address (status \(status))")
    }

    /// The error of the password grant. Many servers use other codes than `invalid_grant` for a
    /// wrong password.
    ///
    /// So each refusal counts as a verdict on the password. Exceptions are a missing endpoint, and
    /// errors that name the client, the grant or the scope.
    var passwordError: SignInError {
        if let secondFactor, (400...499).contains(status) { return .secondFactor(secondFactor) }
        switch error {
        case nil where ![400, 401, 403, 422].contains(status): return tokenError
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope":
            return tokenError
        default:
            guard (400...499).contains(status), status != 410, throttling == nil else {
                return tokenError
            }
            return displayText.map { .notAccepted(detail: $0) } ?? .rejected
        }
    }

    /// The error at the token and revocation endpoints.
    var tokenError: SignInError {
        if let throttling { return throttling }
        if [410, 502, 504].contains(status) { return unavailable }
        switch error {
        case nil: return unexpected
        case .some where status >= 500: return unexpected
        case "invalid_grant": return .rejected
        case "invalid_client", "unauthorized_client":
            return .refused(
                .other(
                    detail: "the server does not know this client"
                        + (displayText.map { ": \($0)" } ?? "")))
        case "unsupported_grant_type": return .unsupported
        case .some: return .refused(.other(detail: displayText ?? "the server refused the request"))
        }
    }

    /// The error at the account endpoints.
    package var accountError: SignInError {
        if status == 503, code != "busy" {
            // The server may have lost its database after a successful change.
            return .unreachable(detail: "the server cannot answer now", mayHaveArrived: true)
        }
        if let throttling { return throttling }
        switch (status, code) {
        case (500..., _): return unexpected
        case (401, _): return .rejected
        case (_, "wrong_password"): return .refused(.password)
        case (_, "second_factor_required"): return .refused(.secondFactor(isMissing: true))
        case (_, "wrong_second_factor"): return .refused(.secondFactor(isMissing: false))
        case (_, "invalid_second_factor"): return .refused(.newSecondFactor)
        case (_, "no_second_factor"): return .refused(.noSecondFactor)
        case (_, "password_policy"):
            return .refused(.newPassword(detail: displayText ?? "the server refuses the password"))
        case (_, "invitation_refused"): return .refused(.invitation)
        case (_, "already_exists"): return .refused(.name)
        case (_, "too_many_inboxes"): return .refused(.tooManyInboxes)
        case (_, "too_many_subscriptions"): return .refused(.tooManySubscriptions)
        case (404, _), (405, _): return .unsupported
        case (_, .some):
            return .refused(.other(detail: displayText ?? "the server refused the request"))
        case (_, nil): return unexpected
        }
    }

    private var unexpected: SignInError { .broken(detail: "it answered with status \(status)") }

    private var unavailable: SignInError {
        .unreachable(
            detail: "the server cannot answer now (status \(status))", mayHaveArrived: true)
    }

    /// The statuses 429 and 503 are no verdict on the request.
    private var throttling: SignInError? {
        status == 429 || status == 503 ? .throttled(seconds: retryAfter) : nil
    }

    /// The text, cut and without control sequences.
    private var displayText: String? {
        text.map { text in
            let start = String(
                String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maximumTextLength)))
            return VisibleText.escape(start)
        }
    }
}
