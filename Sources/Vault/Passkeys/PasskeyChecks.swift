internal import Sealing

/// The checks of a response that need no open ceremony (WebAuthn Level 3, section 7). Its challenge and its origin are the caller's to check.
extension PasskeyRegistration {
    /// The maximum size of a stored public key, in bytes.
    private static let largestKey = 512

    /// The new credential: its id, its public key as a COSE_Key, and whether it can be on several devices.
    ///
    /// - Throws: ``PasskeyError``.
    package func credential() throws -> (id: [UInt8], publicKey: [UInt8], isSynchronised: Bool) {
        let data = try AuthenticatorData(attestationObject: attestationObject)
        try data.check()
        guard let made = data.credential else { throw PasskeyError.malformed }
        guard made.publicKey.count <= Self.largestKey else { throw PasskeyError.unsupportedKey }
        _ = try CredentialKey(made.publicKey)
        return (made.id, made.publicKey, data.flags.contains(.backupEligible))
    }
}

extension PasskeyAssertion {
    /// Checks the authenticator's data, and its signature under a credential's public key, a COSE_Key.
    ///
    /// - Throws: ``PasskeyError``.
    package func check(by publicKey: [UInt8]) throws {
        let data = try AuthenticatorData(authenticatorData)
        // Some authenticators compute an output without verifying the user, so check the flags.
        try data.check()
        guard data.credential == nil else { throw PasskeyError.malformed }
        let key = try CredentialKey(publicKey)
        guard try key.verifies(signature, of: authenticatorData + SHA256.hash(clientData)) else {
            throw PasskeyError.signature
        }
    }
}

extension AuthenticatorData {
    /// Checks relying party and flags. The counter is ignored: synchronised passkeys have none.
    fileprivate func check() throws {
        let expected = SHA256.hash(Array(PasskeyCeremonies.relyingPartyID.utf8))
        guard relyingPartyHash == expected else { throw PasskeyError.relyingParty }
        guard flags.contains(.userPresent) else { throw PasskeyError.notPresent }
        guard flags.contains(.userVerified) else { throw PasskeyError.notVerified }
    }
}
