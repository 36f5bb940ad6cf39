package import HTTPClient
internal import SecretMemory
internal import TextCoding

/// An answer with an error.
package struct ServerRefusal {
    /// The longest sentence of a server that is shown, in scalars.
    private static let maximumSentence = 200

    /// The status code.
    package let status: Int
    private let retryAfter: UInt32?
    /// `error` of OAuth (RFC 6749, section 5.2), `code` of TaskVault's problem details.
    private let error: String?
    private let code: String?
    /// The server's sentence for a person, in one line.
    private var sentence: String?

    /// Reads an answer.
    package init(_ response: borrowing ClientResponse) {
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

    /// Drops the server's sentence if it quotes the secret.
    func withholding(_ secret: borrowing SecretBytes) -> ServerRefusal {
        guard let sentence else { return self }
        guard secret.withBytes({ QuotedSecret.isIn(Array(sentence.utf8), $0) }) else { return self }
        var refusal = self
        refusal.sentence = nil
        return refusal
    }

    /// Drops the server's sentence if it quotes the secret.
    func withholding(_ secret: borrowing SecretBytes?) -> ServerRefusal {
        switch secret {
        case .some(let secret): withholding(secret)
        case .none: self
        }
    }

    /// The error of a request for the description.
    var ofDescription: SignInError {
        if let later { return later }
        // A proxy answers this way for a server that is down.
        if status >= 500 || status == 410 { return absent }
        return .broken(detail: "there is no OAuth server at this address (status \(status))")
    }

    /// The error for a name and a password. Many servers have other codes than `invalid_grant` for wrong ones, so each refusal is a verdict on
    /// them, unless it names the client, the grant or the scope, or the endpoint is not there.
    var ofPassword: SignInError {
        switch error {
        case nil where ![400, 401, 403, 422].contains(status): return ofOAuth
        case "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope":
            return ofOAuth
        default:
            guard (400...499).contains(status), status != 410, later == nil else { return ofOAuth }
            return shown.map { .notAccepted(detail: $0) } ?? .rejected
        }
    }

    /// The error at the token and revocation endpoints.
    var ofOAuth: SignInError {
        if let later { return later }
        if [410, 502, 504].contains(status) { return absent }
        switch error {
        case nil: return unexpected
        case .some where status >= 500: return unexpected
        case "invalid_grant": return .rejected
        case "invalid_client", "unauthorized_client":
            return .refused(
                .other(
                    detail: "the server does not know this client"
                        + (shown.map { ": \($0)" } ?? "")))
        case "unsupported_grant_type": return .unsupported
        case .some: return .refused(.other(detail: shown ?? "the server refused the request"))
        }
    }

    /// The error at the account paths.
    package var ofAccounts: SignInError {
        if status == 503, code != "busy" {
            // The server may have lost its database after a successful change.
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
        case (_, "too_many_inboxes"): return .refused(.tooManyInboxes)
        case (_, "too_many_subscriptions"): return .refused(.tooManySubscriptions)
        case (404, _), (405, _): return .unsupported
        case (_, .some):
            return .refused(.other(detail: shown ?? "the server refused the request"))
        case (_, nil): return unexpected
        }
    }

    private var unexpected: SignInError { .broken(detail: "it answered with status \(status)") }

    private var absent: SignInError {
        .unreachable(
            detail: "the server cannot answer now (status \(status))", mayHaveArrived: true)
    }

    /// 429 and 503 are no verdict on the request.
    private var later: SignInError? {
        status == 429 || status == 503 ? .throttled(seconds: retryAfter) : nil
    }

    /// The sentence, shortened and without control sequences.
    private var shown: String? {
        sentence.map { sentence in
            let start = String(
                String.UnicodeScalarView(sentence.unicodeScalars.prefix(Self.maximumSentence)))
            return VisibleText.escape(start)
        }
    }
}

/// Finds a secret in a text of the server: plain, or escaped for a form or for JSON.
enum QuotedSecret {
    /// Whether the text contains the secret.
    static func isIn(_ text: [UInt8], _ secret: RawSpan) -> Bool {
        [text, unescaped(text, formEscape), unescaped(text, stringEscape)].contains { text in
            text.indices.contains { start in
                secret.byteCount <= text.count - start
                    && (0..<secret.byteCount).allSatisfy { secret[$0] == text[start + $0] }
            }
        }
    }

    /// The text with each escape replaced by its byte; `escape` reads an escape at the beginning of a text, and returns its size.
    private static func unescaped(
        _ text: [UInt8], _ escape: (ArraySlice<UInt8>) -> (byte: UInt8, size: Int)?
    ) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text[...]
        while let first = rest.first {
            let found = escape(rest) ?? (first, 1)
            result.append(found.byte)
            rest = rest.dropFirst(found.size)
        }
        return result
    }

    private static func formEscape(_ text: ArraySlice<UInt8>) -> (byte: UInt8, size: Int)? {
        switch text.first {
        case UInt8(ascii: "+"): (UInt8(ascii: " "), 1)
        case UInt8(ascii: "%"): hexadecimal(text.dropFirst().prefix(2), 2).map { ($0, 3) }
        default: nil
        }
    }

    private static func stringEscape(_ text: ArraySlice<UInt8>) -> (byte: UInt8, size: Int)? {
        guard text.first == UInt8(ascii: "\\"), let letter = text.dropFirst().first else {
            return nil
        }
        // Only ASCII is escaped.
        if letter == UInt8(ascii: "u") {
            return hexadecimal(text.dropFirst(2).prefix(4), 4).map { ($0, 6) }
        }
        return (controls[letter] ?? letter, 2)
    }

    private static let controls: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 0x08, UInt8(ascii: "f"): 0x0C, UInt8(ascii: "n"): 0x0A,
        UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09,
    ]

    private static func hexadecimal(_ digits: ArraySlice<UInt8>, _ count: Int) -> UInt8? {
        guard digits.count == count, digits.first != UInt8(ascii: "+") else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
