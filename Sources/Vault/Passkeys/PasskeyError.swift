/// Why the response of a passkey was rejected. No case carries a part of it.
public enum PasskeyError: String, Error, Sendable, Hashable, CaseIterable {
    /// The response is not valid WebAuthn.
    case malformed
    /// The challenge is unknown, was used, or is older than two minutes.
    case challenge
    /// The response is of the other ceremony: a registration instead of an assertion, or the reverse.
    case type
    /// The page has another origin, or is embedded in another page.
    case origin
    /// The response is for another relying party.
    case relyingParty = "relying_party"
    /// The user did not touch the authenticator.
    case notPresent = "not_present"
    /// The authenticator did not verify the user.
    case notVerified = "not_verified"
    /// The public key is invalid, too large for a slot, or of an algorithm that was not offered.
    case unsupportedKey = "unsupported_key"
    /// The credential is not an allowed one.
    case otherCredential = "other_credential"
    /// The signature does not verify under the credential's key.
    case signature
    /// The output of the extension prf is missing or has another size.
    case noOutput = "no_output"
    /// libcrypto is not installed.
    case libraryMissing = "library_missing"
}
