/// Why an answer of a passkey was refused. No case carries a part of it.
public enum PasskeyError: String, Error, Sendable, Hashable, CaseIterable {
    /// The answer has not the form of WebAuthn.
    case malformed
    /// The challenge is unknown, was used, or is older than two minutes.
    case challenge
    /// A registration was answered where an assertion was asked for, or the reverse.
    case type
    /// The page has another origin, or is part of another page.
    case origin
    /// The answer is for another relying party.
    case relyingParty = "relying_party"
    /// The authenticator saw no touch.
    case notPresent = "not_present"
    /// The authenticator did not verify its user.
    case notVerified = "not_verified"
    /// The key is of another algorithm than those offered, too large for a slot, or no key.
    case unsupportedKey = "unsupported_key"
    /// The credential is none of those asked for.
    case otherCredential = "other_credential"
    /// The signature is not by the credential's key.
    case signature
    /// The output of the extension prf is missing, or has another size.
    case noOutput = "no_output"
    /// libcrypto is not installed.
    case libraryMissing = "library_missing"
}
