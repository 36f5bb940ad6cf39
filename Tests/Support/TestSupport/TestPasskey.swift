internal import CSodium
package import Passkeys
package import SecretMemory
internal import TextCoding

/// A passkey with Ed25519 in memory, as a browser and its authenticator answer with it. Each part can be made wrong.
package struct TestPasskey: Sendable {
    package var id: [UInt8]
    /// The origin of the page.
    package var origin: String
    package var relyingPartyID = PasskeyCeremonies.relyingPartyID
    /// UP and UV.
    package var flags: UInt8 = 0x05
    package var counter: UInt32 = 0
    /// The type of the client data; nil for the right one.
    package var type: String?
    /// More members of the client data, after the origin.
    package var members = #","crossOrigin":false"#
    /// Changes the challenge as it is written.
    package var changeChallenge: @Sendable (String) -> String = { $0 }
    /// Bytes after the authenticator data, which are signed with it.
    package var trailing: [UInt8] = []
    /// The public key as COSE_Key.
    package var publicKey: [UInt8]
    private let secretKey: [UInt8]

    /// A passkey on a page, with the key of a seed of 32 equal bytes.
    package init(page: PageOrigin, key: UInt8 = 1) {
        var point = [UInt8](repeating: 0, count: 32)
        var secret = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_sign_seed_keypair(
            &point, &secret, [UInt8](repeating: key, count: 32))
        secretKey = secret
        publicKey = [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32] + point
        id = [UInt8](repeating: key, count: 16)
        origin = page.text
    }

    /// The answer to the challenge of a registration, with attestation format `none`.
    package func registration(_ challenge: PasskeyChallenge) -> PasskeyRegistration {
        let model = [UInt8](repeating: 0, count: 16)
        let size = [UInt8(id.count >> 8), UInt8(id.count & 0xFF)]
        let data = authenticatorData(flags | 0x40, model + size + id + publicKey)
        let format: [UInt8] = [0xA3, 0x63] + "fmt".utf8 + [0x64] + "none".utf8
        let rest: [UInt8] =
            [0x67] + "attStmt".utf8 + [0xA0, 0x68] + "authData".utf8
            + [0x59, UInt8(data.count >> 8), UInt8(data.count & 0xFF)]
        let short: [UInt8] = Array(rest.dropLast(3)) + [0x58, UInt8(data.count & 0xFF)]
        return PasskeyRegistration(
            clientData: clientData("webauthn.create", challenge),
            attestationObject: format + (data.count < 256 ? short : rest) + data)
    }

    /// The answer to the challenge of an assertion.
    package func assertion(_ challenge: PasskeyChallenge) -> PasskeyAssertion {
        let clientData = clientData("webauthn.get", challenge)
        let data = authenticatorData(flags, [])
        return PasskeyAssertion(
            credentialID: id, clientData: clientData, authenticatorData: data,
            signature: sign(data + hash(clientData)))
    }

    /// Its output, which is another one for each key, as a browser gives it.
    package func output() throws -> SecretBytes {
        try Samples.secret(hash(Array("output".utf8) + secretKey))
    }

    /// A signature by its key.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: 64)
        _ = unsafe crypto_sign_detached(
            &signature, nil, message, UInt64(message.count), secretKey)
        return signature
    }

    private func clientData(_ type: String, _ challenge: PasskeyChallenge) -> [UInt8] {
        let text = changeChallenge(
            Base64.urlText(of: challenge.bytes))
        let type = self.type ?? type
        return Array(
            #"{"type":"\#(type)","challenge":"\#(text)","origin":"\#(origin)"\#(members)}"#.utf8)
    }

    private func authenticatorData(_ flags: UInt8, _ credential: [UInt8]) -> [UInt8] {
        let counter = (0..<4).map { UInt8(truncatingIfNeeded: self.counter >> (24 - 8 * $0)) }
        return hash(Array(relyingPartyID.utf8)) + [flags] + counter + credential + trailing
    }

    private func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = [UInt8](repeating: 0, count: 32)
        _ = unsafe crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        return hash
    }
}
