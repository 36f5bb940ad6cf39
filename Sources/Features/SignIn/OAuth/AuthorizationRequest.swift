internal import Sealing
internal import SecretMemory
internal import TextCoding

/// The random values that bind an authorization response to its request (RFC 9700, section 2.1):
/// `state`, `nonce`, and the code verifier of PKCE (RFC 7636). Each request has its own.
final class AuthorizationRequest: Sendable {
    /// The maximum size of a code, in bytes.
    private static let maximumCodeSize = 4_096

    /// 128 random bits in base64url. The response repeats it.
    let state: String
    /// 128 random bits in base64url. The ID token repeats it.
    let nonce: String
    /// 256 random bits in base64url (RFC 7636, section 4.1). Only the token endpoint gets them.
    let verifier: SecretBytes

    /// Draws the values.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    init(_ random: RandomSource = .system) throws {
        state = Base64.urlText(of: random.bytes(count: 16))
        nonce = Base64.urlText(of: random.bytes(count: 16))
        verifier = try Base64.urlText(ofSecret: random.secret(count: 32))
    }

    /// The code challenge of the method `S256` (RFC 7636, section 4.2).
    var challenge: String { verifier.withBytes { Base64.urlText(of: SHA256.hash($0)) } }

    /// The code of a response (RFC 6749, section 4.1.2).
    ///
    /// - Parameters:
    ///   - query: The query of the redirect.
    ///   - metadata: The server.
    /// - Returns: The code.
    /// - Throws: `untrusted` for a response to another request or from another issuer (RFC 9207);
    ///   `denied`; `refused`; `unreachable`; `broken` without a code.
    func code(in query: String, of metadata: ServerMetadata) throws -> SecretBytes {
        guard let fields = WebForm.fields(query), let state = fields["state"],
            ConstantTime.areEqual(Array(state.utf8), Array(self.state.utf8))
        else {
            throw SignInError.untrusted(detail: "the answer of the browser is for another sign-in")
        }
        guard fields["iss"].map(metadata.isIssuer) ?? !metadata.namesIssuer else {
            throw SignInError.untrusted(detail: "the answer of the browser is of another server")
        }
        if let error = fields["error"] {
            throw SignInError(authorization: error, fields["error_description"])
        }
        guard let code = fields["code"], (1...Self.maximumCodeSize).contains(code.utf8.count) else {
            throw SignInError.broken(detail: "the answer of the browser has no code")
        }
        return try SecretBytes(copying: unsafe Array(code.utf8).span.bytes)
    }
}

extension SignInError {
    /// Translates an error of the authorization endpoint (RFC 6749, section 4.1.2.1).
    init(authorization error: String, _ description: String?) {
        switch error {
        case "access_denied": self = .denied
        case "server_error", "temporarily_unavailable":
            self = .unreachable(detail: "the server cannot answer now", mayHaveArrived: true)
        default:
            self = .refused(
                .other(
                    detail: description.map(ErrorResponse.shown)
                        ?? "error \(ErrorResponse.shown(error))"))
        }
    }
}
