internal import HTTPClient
internal import SecretMemory
internal import TextCoding

/// An answer that is not what was asked for.
struct ServerRefusal {
    /// The largest sentence of a server that is passed on, in scalars.
    private static let maximumSentence = 200

    private let status: Int
    private let retryAfter: UInt32?
    /// `error` of OAuth (RFC 6749 section 5.2), `code` of TaskVault's problem details.
    private let error: String?
    private let code: String?
    /// What the server says to a person, in one line.
    private var sentence: String?

    init(_ response: borrowing ClientResponse) {
        status = response.status
        retryAfter = response.retryAfter.flatMap { UInt32(exactly: $0) }
        (error, code, sentence) = response.content.withBytes { bytes in
            guard let object = AnswerObject(bytes) else { return (nil, nil, nil) }
            let sentence =
                object.text("detail", in: bytes) ?? object.text("error_description", in: bytes)
                ?? object.text("title", in: bytes)
            return (object.text("error", in: bytes), object.text("code", in: bytes), sentence)
        }
    }

    /// The same without the server's sentence, if that quotes a secret.
    func withholding(_ secret: borrowing SecretBytes) -> ServerRefusal {
        guard let sentence else { return self }
        guard secret.withBytes({ QuotedSecret.isIn(Array(sentence.utf8), $0) }) else { return self }
        var refusal = self
        refusal.sentence = nil
        return refusal
    }

    /// The same without the server's sentence, if that quotes a secret.
    func withholding(_ secret: borrowing SecretBytes?) -> ServerRefusal {
        switch secret {
        case .some(let secret): withholding(secret)
        case .none: self
        }
    }

    /// What it means where the server should describe itself.
    var ofDescription: AuthClientError {
        if let later { return later }
        // A proxy says so for a server that is down.
        if status >= 500 {
            return .unreachable(
                detail: "the server cannot answer now (status \(status))", mayHaveArrived: false)
        }
        return .broken(detail: "there is no OAuth server at this address (status \(status))")
    }

    /// What it means at the token and revocation endpoints.
    var ofOAuth: AuthClientError {
        if let later { return later }
        switch error {
        case nil: return unexpected
        case .some where status >= 500: return unexpected
        case "invalid_grant": return .rejected
        case "invalid_client", "unauthorized_client":
            return .refused(.other(detail: "the server does not know this client"))
        case "unsupported_grant_type": return .unsupported
        case .some: return .refused(.other(detail: shown ?? "the server refused the request"))
        }
    }

    /// What it means at the paths for accounts.
    var ofAccounts: AuthClientError {
        if status == 503, code != "busy" {
            // It may have lost its database after that did what it was told.
            return .unreachable(detail: "the server cannot answer now", mayHaveArrived: true)
        }
        if let later { return later }
        switch (status, code) {
        case (500..., _): return unexpected
        case (401, _): return .rejected
        case (_, "wrong_password"): return .refused(.password)
        case (_, "password_policy"):
            return .refused(.newPassword(detail: shown ?? "the server refuses the password"))
        case (_, "invitation_refused"): return .refused(.invitation)
        case (_, "already_exists"): return .refused(.name)
        case (404, _), (405, _): return .unsupported
        case (_, .some):
            return .refused(.other(detail: shown ?? "the server refused the request"))
        case (_, nil): return unexpected
        }
    }

    private var unexpected: AuthClientError { .broken(detail: "it answered with status \(status)") }

    /// 429 and 503 say nothing about what was sent.
    private var later: AuthClientError? {
        status == 429 || status == 503 ? .throttled(seconds: retryAfter) : nil
    }

    /// The sentence, short and without anything that steers a terminal.
    private var shown: String? {
        sentence.map { sentence in
            let start = String(
                String.UnicodeScalarView(sentence.unicodeScalars.prefix(Self.maximumSentence)))
            return VisibleText.escape(start)
        }
    }
}
