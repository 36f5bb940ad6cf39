package import HTTPClient
internal import SecretMemory
internal import TextCoding

/// An error response of the server.
package struct ErrorResponse {
    /// The maximum length of a server's text, in Unicode scalars.
    private static let maximumTextLength = 200
    /// The codes of a verdict in `error`: RFC 6749, section 5.2, RFC 8628, section 3.5, RFC 7009,
    /// RFC 8707, those of a second factor and of OpenID Connect. Gateways have the member too, such as `Forbidden`.
    private static let errorCodes: Set<String> = [
        "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
        "unsupported_grant_type", "invalid_scope", "unsupported_token_type", "invalid_target",
        "mfa_required", "mfa_invalid",
        // OpenID Connect Core, section 3.1.2.6; Entra refuses a refresh so.
        "interaction_required", "login_required", "consent_required",
    ]
    /// The codes in `code` of TaskVault's own server (`Docs/AuthServer.openapi.yaml`).
    private static let accountCodes: Set<String> = [
        "not_found", "method_not_allowed", "unsupported_media_type", "malformed",
        "request_refused", "too_large", "token_missing", "invalid_token", "insufficient_scope",
        "wrong_password", "password_policy", "invalid_email", "invitation_refused",
        "already_exists", "second_factor_required", "wrong_second_factor",
        "invalid_second_factor", "no_second_factor", "too_many_passkeys", "too_many_attempts",
        "too_many_inboxes", "too_many_subscriptions", "too_many_messages", "subscription_ended",
        "invalid_vapid_key", "vapid_required", "vapid_refused", "busy", "unavailable",
    ]

    /// The status code.
    package let status: Int
    private let retryAfter: UInt32?
    /// Whether the answer has no content, and Glewlwyd's head: it leaves the error of a refresh
    /// out. A token endpoint forbids storing (RFC 6749, section 5.1); a gateway's own answer does not.
    private let isSilentRefusal: Bool
    /// `error` of OAuth (RFC 6749, section 5.2).
    let error: String?
    /// `code` of TaskVault's own server.
    private let code: String?
    private let secondFactor: SecondFactorRequest?
    /// The server's text for the user.
    private var text: String?

    /// Reads an error response.
    package init(_ response: borrowing ClientResponse) {
        status = response.status
        retryAfter = response.retryAfter.flatMap { UInt32(exactly: $0) }
        isSilentRefusal =
            response.status == 400 && response.content.count == 0 && response.forbidsStoring
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
        if let outage { return outage }
        // A proxy responds like this if the server is down.
        if status >= 500 || status == 410 { return unavailable }
        return .broken(detail: "there is no OAuth server at this address (status \(status))")
    }

    /// The error of the password grant. Some servers use other codes than `invalid_grant` for a
    /// wrong password.
    ///
    /// So each refusal of OAuth counts as a verdict on the password. Exceptions are errors that name
    /// the client, the grant, the scope or the resource, and a disabled account.
    var passwordError: SignInError {
        guard isOAuth, !isDisabled else { return tokenError }
        if let secondFactor { return .secondFactor(secondFactor) }
        switch error {
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
            "invalid_target":
            return tokenError
        default: return displayText.map { .notAccepted(detail: $0) } ?? .rejected
        }
    }

    /// The error of a refresh. A refusal without OAuth's words leads to the page and removes no
    /// token.
    var refreshError: SignInError {
        isSilentRefusal
            ? .refused(.other(detail: "the server refused the stored session")) : tokenError
    }

    /// The error of the code and device grants: no credential of the person was wrong.
    var codeError: SignInError {
        let error = tokenError
        guard error == .rejected else { return error }
        return .refused(.other(detail: displayText ?? "the sign-in is no longer valid"))
    }

    /// The error at the token and revocation endpoints.
    var tokenError: SignInError {
        if let outage { return outage }
        if [410, 502, 504].contains(status) { return unavailable }
        guard isOAuth else { return unexpected }
        switch error {
        case _ where isDisabled: return .refused(.disabled)
        case "invalid_grant": return .rejected
        case "invalid_client", "unauthorized_client":
            return .refused(
                .other(
                    detail: "the server does not know this client"
                        + (displayText.map { ": \($0)" } ?? "")))
        case "unsupported_grant_type": return .unsupported
        default: return .refused(.other(detail: displayText ?? "the server refused the request"))
        }
    }

    /// The error at the account endpoints.
    package var accountError: SignInError {
        if let outage { return outage }
        // A proxy in front of the server says nothing about a token.
        guard (400...499).contains(status), let code, Self.accountCodes.contains(code) else {
            return unexpected
        }
        switch (status, code) {
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
        default:
            return .refused(.other(detail: displayText ?? "the server refused the request"))
        }
    }

    private var unexpected: SignInError { .broken(detail: "it answered with status \(status)") }

    private var unavailable: SignInError {
        let wait = retryAfter.map { "; try again in \(TimeSpan(seconds: UInt64(max($0, 1))).text)" }
        // Only a server that was too busy to begin is known to have done nothing. Otherwise it may
        // have lost its database after a successful change.
        return .unreachable(
            detail: "the server cannot answer now (status \(status))" + (wait ?? ""),
            mayHaveArrived: code != "busy")
    }

    /// The statuses 429 and 503 are no verdict on the request.
    private var outage: SignInError? {
        switch status {
        case 429: .throttled(seconds: retryAfter)
        case 503: unavailable
        default: nil
        }
    }

    /// Whether the answer is OAuth's error response. Some servers refuse with 403.
    private var isOAuth: Bool {
        [400, 401, 403].contains(status) && error.map(Self.errorCodes.contains) == true
    }

    /// Whether TaskVault's own server names a disabled account.
    private var isDisabled: Bool { code == "account_disabled" }

    /// The text, cut and without control sequences.
    private var displayText: String? { text.map(Self.shown) }

    /// A text of the server, cut and without control sequences.
    static func shown(_ text: String) -> String {
        VisibleText.escape(
            String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximumTextLength))))
    }
}
