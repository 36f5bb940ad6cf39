@testable import Passkeys
import Sealing
import SecretMemory
import TestSupport
import Testing
import TextCoding

@Suite("Passkey ceremonies")
struct CeremonyTests {
    private static let page = PageOrigin(port: 41_234)

    /// The challenge after that of a registration.
    private static func confirmation(
        of passkey: TestPasskey, in ceremonies: inout PasskeyCeremonies
    ) throws -> PasskeyChallenge {
        let challenge = ceremonies.beginRegistration(page: page, known: [], at: .zero)
        return try ceremonies.finish(passkey.registration(challenge), at: .zero)
    }

    /// A registered credential.
    private static func credential(
        of passkey: TestPasskey, in ceremonies: inout PasskeyCeremonies
    ) throws -> PasskeyCredential {
        let confirmation = try confirmation(of: passkey, in: &ceremonies)
        return try ceremonies.finish(
            passkey.assertion(confirmation), output: passkey.output(), at: .zero
        ).credential
    }

    @Test("a registration ends with an assertion, and gives what a slot keeps and the output")
    func registration() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        passkey.flags = 0x1D
        let known = PasskeyCredential(id: [1], publicKey: [2], input: [3], isSynchronised: false)
        let challenge = ceremonies.beginRegistration(page: Self.page, known: [known], at: .zero)
        #expect(challenge.bytes.count == 32)
        #expect(challenge.choices == [PasskeyChallenge.Choice(id: [1], input: [3])])
        let confirmation = try ceremonies.finish(passkey.registration(challenge), at: .zero)
        let choice = try #require(confirmation.choices.first)
        #expect(confirmation.bytes != challenge.bytes && confirmation.choices.count == 1)
        #expect(choice.id == passkey.id && choice.input.count == 32)
        let verified = try ceremonies.finish(
            passkey.assertion(confirmation), output: passkey.output(), at: .zero)
        let credential = PasskeyCredential(
            id: passkey.id, publicKey: passkey.publicKey, input: choice.input,
            isSynchronised: true)
        #expect(verified.isNew && verified.credential == credential)
        let output = try passkey.output()
        #expect(verified.output.withBytes { $0.array } == output.withBytes { $0.array })
        // A key that stays on its device.
        passkey.flags = 0x05
        #expect(try !Self.credential(of: passkey, in: &ceremonies).isSynchronised)
    }

    @Test("a key that is too large for a slot is refused at the registration")
    func largeKey() throws {
        var ceremonies = PasskeyCeremonies()
        for (size, isAccepted) in [(496, true), (497, false), (512, false)] {
            var passkey = TestPasskey(page: Self.page)
            let modulus = [0xC0] + [UInt8](repeating: 0x55, count: size - 1)
            passkey.publicKey =
                [0xA4, 1, 3, 3, 0x39, 1, 0, 0x20] + PasskeyProperties.encoded(.bytes(modulus))
                + [0x21, 0x43, 1, 0, 1]
            _ = try CredentialKey(passkey.publicKey)
            let challenge = ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
            if isAccepted {
                _ = try ceremonies.finish(passkey.registration(challenge), at: .zero)
            } else {
                #expect(throws: PasskeyError.unsupportedKey) {
                    try ceremonies.finish(passkey.registration(challenge), at: .zero)
                }
            }
        }
    }

    @Test("an assertion names one of the credentials, whose key signed it")
    func assertion() throws {
        var ceremonies = PasskeyCeremonies()
        let passkeys = [1, 2, 3].map { TestPasskey(page: Self.page, key: $0) }
        let credentials = try passkeys.map { try Self.credential(of: $0, in: &ceremonies) }
        #expect(Set(credentials.map(\.input)).count == 3)
        for (passkey, credential) in zip(passkeys, credentials) {
            let challenge = ceremonies.beginAssertion(
                page: Self.page, with: credentials, at: .zero)
            #expect(challenge.choices.map(\.input) == credentials.map(\.input))
            let verified = try ceremonies.finish(
                passkey.assertion(challenge), output: passkey.output(), at: .zero)
            #expect(!verified.isNew && verified.credential == credential)
        }
    }

    /// One thing that is wrong.
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: PasskeyError
        let change: @Sendable (inout TestPasskey) -> Void

        init(
            _ name: String, _ error: PasskeyError,
            _ change: @escaping @Sendable (inout TestPasskey) -> Void
        ) {
            testDescription = name
            self.error = error
            self.change = change
        }
    }

    static let faults: [Fault] = [
        Fault("another type", .type) { $0.type = "webauthn.other" },
        Fault("payment type", .type) { $0.type = "payment.get" },
        Fault("another challenge", .challenge) {
            $0.changeChallenge = { "A" + String($0.dropFirst()) + ($0.first == "A" ? "A" : "") }
        },
        Fault("a shorter challenge", .challenge) { $0.changeChallenge = { String($0.dropLast()) } },
        Fault("a padded challenge", .challenge) { $0.changeChallenge = { $0 + "=" } },
        Fault("no challenge", .challenge) { $0.changeChallenge = { _ in "" } },
        Fault("another port", .origin) { $0.origin = "\($0.origin.dropLast())5" },
        Fault("no port", .origin) { $0.origin = "\($0.origin.dropLast(6))" },
        Fault("https", .origin) { $0.origin = "https\($0.origin.dropFirst(4))" },
        Fault("another host", .origin) { $0.origin = PageOrigin(port: Self.page.port).text },
        Fault("the relying party", .origin) { $0.origin = "http://taskvault.localhost:41234" },
        Fault("a host within", .origin) { $0.origin = "http://a.\($0.origin.dropFirst(7))" },
        Fault("an address", .origin) { $0.origin = "http://127.0.0.1:41234" },
        Fault("a path", .origin) { $0.origin += "/" },
        Fault("upper case", .origin) {
            $0.origin = "http://\($0.origin.dropFirst(7).uppercased())"
        },
        Fault("no origin", .origin) { $0.origin = "null" },
        Fault("a page in another", .origin) { $0.members = #","crossOrigin":true"# },
        Fault("a page at the top", .origin) { $0.members = #","topOrigin":"http://a""# },
        Fault("a member twice", .malformed) { $0.members = #","type":"webauthn.get""# },
        Fault("bytes after the client data", .malformed) { $0.members = "}x" },
        Fault("another relying party", .relyingParty) { $0.relyingPartyID = "localhost" },
        Fault("an origin as relying party", .relyingParty) { $0.relyingPartyID = $0.origin },
        Fault("no person", .notPresent) { $0.flags = 0x04 },
        Fault("no verification, though there is an output", .notVerified) { $0.flags = 0x01 },
        Fault("backed up, but not eligible", .malformed) { $0.flags = 0x15 },
        Fault("extensions that are missing", .malformed) { $0.flags = 0x85 },
        Fault("bytes after the authenticator data", .malformed) { $0.trailing = [0] },
        Fault("extensions without their flag", .malformed) { $0.trailing = [0xA0] },
    ]

    @Test("a registration with one thing wrong is refused for it", arguments: faults)
    func wrongRegistration(fault: Fault) throws {
        var ceremonies = PasskeyCeremonies()
        let challenge = ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
        var passkey = TestPasskey(page: Self.page)
        fault.change(&passkey)
        #expect(throws: fault.error) {
            try ceremonies.finish(passkey.registration(challenge), at: .zero)
        }
    }

    @Test("an assertion with one thing wrong is refused for it", arguments: faults)
    func wrongAssertion(fault: Fault) throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        let credential = try Self.credential(of: passkey, in: &ceremonies)
        let challenge = ceremonies.beginAssertion(page: Self.page, with: [credential], at: .zero)
        fault.change(&passkey)
        refuses(passkey.assertion(challenge), fault.error, &ceremonies)
    }

    /// With an output, which would be enough to open the slot.
    private func refuses(
        _ assertion: PasskeyAssertion, _ expected: PasskeyError,
        _ ceremonies: inout PasskeyCeremonies, at now: Duration = .zero
    ) {
        do {
            let output = try TestPasskey(page: Self.page).output()
            _ = try ceremonies.finish(assertion, output: output, at: now)
            Issue.record("accepted, and not refused as \(expected)")
        } catch {
            #expect(error as? PasskeyError == expected)
        }
    }

    @Test("a signature of another key, or of other bytes, is refused")
    func signature() throws {
        var ceremonies = PasskeyCeremonies()
        let passkey = TestPasskey(page: Self.page)
        let credential = try Self.credential(of: passkey, in: &ceremonies)
        func begin() -> PasskeyAssertion {
            passkey.assertion(
                ceremonies.beginAssertion(page: Self.page, with: [credential], at: .zero))
        }
        func answer(
            data: [UInt8]? = nil, clientData: [UInt8]? = nil, signature: [UInt8]? = nil
        ) {
            let right = begin()
            refuses(
                PasskeyAssertion(
                    credentialID: right.credentialID, clientData: clientData ?? right.clientData,
                    authenticatorData: data ?? right.authenticatorData,
                    signature: signature ?? right.signature), .signature, &ceremonies)
        }
        answer(signature: [])
        answer(signature: TestPasskey(page: Self.page, key: 2).sign(begin().authenticatorData))
        var counted = begin().authenticatorData
        counted[36] ^= 1
        answer(data: counted)
        // The right client data in another spelling.
        let right = begin()
        let spaced = Array("{ ".utf8) + right.clientData.dropFirst()
        refuses(
            PasskeyAssertion(
                credentialID: right.credentialID, clientData: spaced,
                authenticatorData: right.authenticatorData, signature: right.signature),
            .signature, &ceremonies)
    }

    @Test("the credential must be one of those asked for, with its own key")
    func credential() throws {
        var ceremonies = PasskeyCeremonies()
        let (first, second) = (TestPasskey(page: Self.page), TestPasskey(page: Self.page, key: 2))
        let credentials = try [first, second].map {
            try Self.credential(of: $0, in: &ceremonies)
        }
        let one = ceremonies.beginAssertion(page: Self.page, with: [credentials[0]], at: .zero)
        refuses(second.assertion(one), .otherCredential, &ceremonies)
        let none = ceremonies.beginAssertion(page: Self.page, with: [], at: .zero)
        refuses(first.assertion(none), .otherCredential, &ceremonies)
        // The second answers in the name of the first.
        var other = second
        other.id = first.id
        let both = ceremonies.beginAssertion(page: Self.page, with: credentials, at: .zero)
        refuses(other.assertion(both), .signature, &ceremonies)
        // The confirmation of a registration takes the new credential only.
        let confirmation = try Self.confirmation(of: first, in: &ceremonies)
        refuses(second.assertion(confirmation), .otherCredential, &ceremonies)
    }

    @Test("a challenge is good for one answer, right or wrong")
    func once() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        let challenge = ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
        let confirmation = try ceremonies.finish(passkey.registration(challenge), at: .zero)
        #expect(throws: PasskeyError.challenge) {
            try ceremonies.finish(passkey.registration(challenge), at: .zero)
        }
        let answer = passkey.assertion(confirmation)
        let verified = try ceremonies.finish(answer, output: passkey.output(), at: .zero)
        refuses(answer, .challenge, &ceremonies)
        // A wrong answer uses it up.
        let again = ceremonies.beginAssertion(
            page: Self.page, with: [verified.credential], at: .zero)
        passkey.flags = 0x01
        refuses(passkey.assertion(again), .notVerified, &ceremonies)
        passkey.flags = 0x05
        refuses(passkey.assertion(again), .challenge, &ceremonies)
    }

    @Test("a challenge of a registration is none of an assertion, and the reverse")
    func purpose() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        let credential = try Self.credential(of: passkey, in: &ceremonies)
        let first = ceremonies.beginRegistration(page: Self.page, known: [credential], at: .zero)
        refuses(passkey.assertion(first), .type, &ceremonies)
        let second = ceremonies.beginAssertion(page: Self.page, with: [credential], at: .zero)
        #expect(throws: PasskeyError.type) {
            try ceremonies.finish(passkey.registration(second), at: .zero)
        }
        // The type that fits the challenge, but not the answer.
        passkey.type = "webauthn.create"
        let third = ceremonies.beginRegistration(page: Self.page, known: [credential], at: .zero)
        refuses(passkey.assertion(third), .type, &ceremonies)
        passkey.type = "webauthn.get"
        let fourth = ceremonies.beginAssertion(page: Self.page, with: [credential], at: .zero)
        #expect(throws: PasskeyError.type) {
            try ceremonies.finish(passkey.registration(fourth), at: .zero)
        }
    }

    @Test("after two minutes a challenge is unknown")
    func expiry() throws {
        let last = Duration.seconds(120) - .nanoseconds(1)
        var ceremonies = PasskeyCeremonies()
        let passkey = TestPasskey(page: Self.page)
        let (first, second) = (
            ceremonies.beginRegistration(page: Self.page, known: [], at: .zero),
            ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
        )
        let confirmation = try ceremonies.finish(passkey.registration(first), at: last)
        #expect(throws: PasskeyError.challenge) {
            try ceremonies.finish(passkey.registration(second), at: .seconds(120))
        }
        // The assertion after a registration has two minutes of its own.
        let end = last + .seconds(120)
        refuses(passkey.assertion(confirmation), .challenge, &ceremonies, at: end)
        let credential = try Self.credential(of: passkey, in: &ceremonies)
        let another = ceremonies.beginAssertion(
            page: Self.page, with: [credential], at: .seconds(500))
        _ = try ceremonies.finish(
            passkey.assertion(another), output: passkey.output(), at: .seconds(619))
    }

    @Test("sixteen ceremonies are open at most: one more ends the oldest")
    func count() throws {
        var ceremonies = PasskeyCeremonies()
        let passkey = TestPasskey(page: Self.page)
        let challenges = (0..<17).map { _ in
            ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
        }
        #expect(Set(challenges.map(\.bytes)).count == 17)
        #expect(throws: PasskeyError.challenge) {
            try ceremonies.finish(passkey.registration(challenges[0]), at: .zero)
        }
        for challenge in [challenges[1], challenges[16], challenges[8]] {
            _ = try ceremonies.finish(passkey.registration(challenge), at: .zero)
        }
        // Those whose time is over make room.
        let kept = ceremonies.beginRegistration(page: Self.page, known: [], at: .seconds(60))
        for _ in 0..<15 {
            _ = ceremonies.beginRegistration(page: Self.page, known: [], at: .seconds(120))
        }
        _ = try ceremonies.finish(passkey.registration(kept), at: .seconds(120))
    }

    @Test("two pages at one port have ceremonies of their own")
    func pages() throws {
        var ceremonies = PasskeyCeremonies()
        let pages = (PageOrigin(port: 1_024), PageOrigin(port: 1_024))
        let (first, second) = (TestPasskey(page: pages.0), TestPasskey(page: pages.1))
        let one = ceremonies.beginRegistration(page: pages.0, known: [], at: .zero)
        let two = ceremonies.beginRegistration(page: pages.1, known: [], at: .zero)
        let confirmation = try ceremonies.finish(second.registration(two), at: .zero)
        #expect(throws: PasskeyError.origin) {
            try ceremonies.finish(second.registration(one), at: .zero)
        }
        // The assertion belongs to the page of its registration.
        refuses(first.assertion(confirmation), .origin, &ceremonies)
    }

    @Test("the counter is not compared: a slot keeps none")
    func counter() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        passkey.counter = 7
        let credential = try Self.credential(of: passkey, in: &ceremonies)
        for counter: UInt32 in [7, 6, 0, .max] {
            passkey.counter = counter
            let challenge = ceremonies.beginAssertion(
                page: Self.page, with: [credential], at: .zero)
            _ = try ceremonies.finish(
                passkey.assertion(challenge), output: passkey.output(), at: .zero)
        }
    }

    @Test("an output has 32 bytes", arguments: [0, 31, 33, 64])
    func output(count: Int) throws {
        var ceremonies = PasskeyCeremonies()
        let passkey = TestPasskey(page: Self.page)
        let confirmation = try Self.confirmation(of: passkey, in: &ceremonies)
        let output = try SecretBytes(count: count)
        do {
            _ = try ceremonies.finish(
                passkey.assertion(confirmation), output: output, at: .zero)
            Issue.record("accepted")
        } catch {
            #expect(error as? PasskeyError == .noOutput)
        }
    }

    @Test("a registration with no key that is offered, or without a credential, is refused")
    func key() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        // ES384, and Ed25519 under the number of ES256.
        let swapped = passkey.publicKey.map { $0 == 0x27 ? 0x26 : $0 }
        for key in [[0xA2, 1, 2, 3, 0x38, 0x22], swapped] as [[UInt8]] {
            passkey.publicKey = key
            let challenge = ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
            #expect(throws: PasskeyError.unsupportedKey) {
                try ceremonies.finish(passkey.registration(challenge), at: .zero)
            }
        }
        let challenge = ceremonies.beginRegistration(page: Self.page, known: [], at: .zero)
        let right = TestPasskey(page: Self.page).registration(challenge)
        let data = TestPasskey(page: Self.page).assertion(challenge).authenticatorData
        let object: [UInt8] =
            Array(right.attestationObject.prefix(28)) + [0x58, UInt8(data.count)] + data
        #expect(throws: PasskeyError.malformed) {
            try ceremonies.finish(
                PasskeyRegistration(clientData: right.clientData, attestationObject: object),
                at: .zero)
        }
    }

    @Test("an assertion that brings a credential along is refused")
    func credentialInAssertion() throws {
        var ceremonies = PasskeyCeremonies()
        var passkey = TestPasskey(page: Self.page)
        let confirmation = try Self.confirmation(of: passkey, in: &ceremonies)
        passkey.flags = 0x45
        passkey.trailing = [UInt8](repeating: 0, count: 16) + [0, 1, 9] + passkey.publicKey
        refuses(passkey.assertion(confirmation), .malformed, &ceremonies)
    }
}
