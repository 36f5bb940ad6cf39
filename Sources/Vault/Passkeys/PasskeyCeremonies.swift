package import Sealing
package import SecretMemory
internal import TextCoding

/// The credential stored in the slot of a passkey.
package struct PasskeyCredential: Sendable, Hashable {
    package let id: [UInt8]
    /// The public key as a COSE_Key.
    package let publicKey: [UInt8]
    /// The random input of the extension prf, 32 bytes.
    package let input: [UInt8]
    /// Whether the credential can be on several devices.
    package let isSynchronised: Bool

    package init(id: [UInt8], publicKey: [UInt8], input: [UInt8], isSynchronised: Bool) {
        self.id = id
        self.publicKey = publicKey
        self.input = input
        self.isSynchronised = isSynchronised
    }
}

/// The challenge that a page passes to its browser.
package struct PasskeyChallenge: Sendable, Hashable {
    /// The size of the challenge, in bytes.
    package static let size = 32

    /// An allowed credential, and its prf input.
    package struct Choice: Sendable, Hashable {
        package let id: [UInt8]
        package let input: [UInt8]

        package init(id: [UInt8], input: [UInt8]) {
            self.id = id
            self.input = input
        }
    }

    /// The random challenge.
    package let bytes: [UInt8]
    /// The allowed credentials; for a registration, the excluded ones.
    package let choices: [Choice]

    package init(bytes: [UInt8], choices: [Choice]) {
        self.bytes = bytes
        self.choices = choices
    }

    fileprivate init(_ bytes: [UInt8], _ credentials: [PasskeyCredential]) {
        self.init(
            bytes: bytes, choices: credentials.map { Choice(id: $0.id, input: $0.input) })
    }
}

/// The response of a page to a registration challenge.
package struct PasskeyRegistration: Sendable, Hashable {
    package let clientData: [UInt8]
    package let attestationObject: [UInt8]

    package init(clientData: [UInt8], attestationObject: [UInt8]) {
        self.clientData = clientData
        self.attestationObject = attestationObject
    }
}

/// The response of a page to an assertion challenge, without the output.
package struct PasskeyAssertion: Sendable, Hashable {
    package let credentialID: [UInt8]
    package let clientData: [UInt8]
    package let authenticatorData: [UInt8]
    package let signature: [UInt8]

    package init(
        credentialID: [UInt8], clientData: [UInt8], authenticatorData: [UInt8], signature: [UInt8]
    ) {
        self.credentialID = credentialID
        self.clientData = clientData
        self.authenticatorData = authenticatorData
        self.signature = signature
    }
}

/// A passkey that verified its user, and its output.
package struct VerifiedPasskey: ~Copyable, Sendable {
    package let credential: PasskeyCredential
    /// Whether the assertion completes a registration, so that the credential has no slot yet.
    package let isNew: Bool
    package let output: AuthenticatorOutput

    /// Consumes the value and returns the output.
    package consuming func takeOutput() -> AuthenticatorOutput { output }
}

/// The open ceremonies of WebAuthn (Level 3, section 7).
///
/// Each ceremony has a random challenge, which is valid once and for two minutes. An assertion with the new credential must follow a
/// registration: only an assertion reliably has an output, and only its signature proves that the authenticator has the key.
///
/// Not thread-safe. Times are of one monotonic clock.
package struct PasskeyCeremonies: Sendable {
    /// The lifetime of a challenge.
    package static let validity: Duration = .seconds(120)
    /// The maximum number of open ceremonies; one more removes the oldest.
    package static let maximumCount = 16
    /// The relying party id. The hosts of pages are below it (WebAuthn Level 3, section 5.1.2).
    package static let relyingPartyID = "taskvault.localhost"

    private enum Purpose {
        case registration
        case assertion([PasskeyCredential], isNew: Bool)

        var type: String {
            if case .registration = self { "webauthn.create" } else { "webauthn.get" }
        }
    }

    private struct Ceremony {
        let challenge: [UInt8]
        let origin: String
        let end: Duration
        let purpose: Purpose
    }

    private let random: RandomSource
    private var open: [Ceremony] = []

    package init(random: RandomSource = .system) {
        self.random = random
    }

    /// Begins a registration for a page.
    ///
    /// - Parameters:
    ///   - page: The origin of the page.
    ///   - known: The credentials that have a slot.
    ///   - now: The time.
    /// - Returns: The challenge, which excludes the known credentials.
    package mutating func beginRegistration(
        page: PageOrigin, known: [PasskeyCredential], at now: Duration
    ) -> PasskeyChallenge {
        let bytes = begin(.registration, page.text, at: now)
        return PasskeyChallenge(bytes, known)
    }

    /// Begins an assertion for a page, with one of the given credentials.
    package mutating func beginAssertion(
        page: PageOrigin, with credentials: [PasskeyCredential], at now: Duration
    ) -> PasskeyChallenge {
        let bytes = begin(.assertion(credentials, isNew: false), page.text, at: now)
        return PasskeyChallenge(bytes, credentials)
    }

    /// Finishes a registration, and begins the required assertion with the new credential.
    ///
    /// - Throws: ``PasskeyError``.
    package mutating func finish(
        _ registration: PasskeyRegistration, at now: Duration
    ) throws -> PasskeyChallenge {
        let ceremony = try removeCeremony(registration.clientData, type: "webauthn.create", at: now)
        let made = try registration.credential()
        let credential = PasskeyCredential(
            id: made.id, publicKey: made.publicKey,
            input: random.bytes(count: AuthenticatorOutput.size),
            isSynchronised: made.isSynchronised)
        let bytes = begin(.assertion([credential], isNew: true), ceremony.origin, at: now)
        return PasskeyChallenge(bytes, [credential])
    }

    /// Finishes an assertion.
    ///
    /// - Parameters:
    ///   - assertion: The response.
    ///   - output: The first output of the extension prf, in guarded memory.
    ///   - now: The time.
    /// - Returns: The credential and its output.
    /// - Throws: ``PasskeyError``; `SecretMemoryError.outOfMemory`.
    package mutating func finish(
        _ assertion: PasskeyAssertion, output: borrowing SecretBytes, at now: Duration
    ) throws -> VerifiedPasskey {
        let ceremony = try removeCeremony(assertion.clientData, type: "webauthn.get", at: now)
        guard case .assertion(let credentials, let isNew) = ceremony.purpose,
            let credential = credentials.first(where: { $0.id == assertion.credentialID })
        else { throw PasskeyError.otherCredential }
        try assertion.check(by: credential.publicKey)
        guard output.count == AuthenticatorOutput.size else { throw PasskeyError.noOutput }
        return VerifiedPasskey(
            credential: credential, isNew: isNew, output: AuthenticatorOutput(try output.copy()))
    }

    private mutating func begin(
        _ purpose: Purpose, _ origin: String, at now: Duration
    ) -> [UInt8] {
        open.removeAll { $0.end <= now }
        if open.count == Self.maximumCount { open.removeFirst() }
        let challenge = random.bytes(count: PasskeyChallenge.size)
        open.append(
            Ceremony(
                challenge: challenge, origin: origin, end: now + Self.validity, purpose: purpose))
        return challenge
    }

    /// Removes the ceremony of a challenge, even if the response is invalid, and checks the client data.
    private mutating func removeCeremony(
        _ clientData: [UInt8], type: String, at now: Duration
    ) throws -> Ceremony {
        open.removeAll { $0.end <= now }
        let parsed = try ClientData(clientData)
        let challenge = Array(parsed.challenge.utf8)
        let place = open.firstIndex {
            ConstantTime.areEqual(Array(Base64.urlText(of: $0.challenge).utf8), challenge)
        }
        guard let place else { throw PasskeyError.challenge }
        let ceremony = open.remove(at: place)
        guard parsed.type == type, ceremony.purpose.type == type else { throw PasskeyError.type }
        guard parsed.origin == ceremony.origin, !parsed.isCrossOrigin else {
            throw PasskeyError.origin
        }
        return ceremony
    }
}
