import Foundation
import LibCrypto
@testable import Passkeys
import Sealing
import SecretMemory
import Synchronization
import TestSupport
import Testing
import TextCoding

/// Web Authentication Level 3, section 16, test vectors, and answers of Chromium (`Tests/Vectors/Passkeys`).
@Suite("Published passkeys", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct WebAuthnVectorTests {
    struct Vector: Decodable {
        struct Registration: Decodable {
            let challenge, clientData, attestationObject: HexBytes
        }
        struct Assertion: Decodable {
            let challenge, clientData, authenticatorData, signature: HexBytes
        }
        let name: String
        let credentialId: HexBytes
        let registration: Registration
        let assertion: Assertion
    }

    /// Answers of a browser on a page.
    struct Recording: Decodable {
        let label: String
        let port: UInt16
        let passkeys: [Passkey]
    }

    struct Passkey: Decodable {
        struct Assertion: Decodable {
            let challenge, input, clientData, authenticatorData, signature, output: HexBytes
        }
        let name: String
        let credentialId: HexBytes
        let registration: Vector.Registration
        let assertion: Assertion
    }

    static func read<Content: Decodable>(_ name: String) throws -> Content {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let path = Checkout.path("Tests/Vectors/Passkeys/\(name).json")
        return try decoder.decode(Content.self, from: Data(contentsOf: URL(filePath: path)))
    }

    /// Of an algorithm that is not offered.
    private static let unsupported = ["ES384", "ES512", "Ed448"]

    @Test("each is read, and its signature verified, if its algorithm is one of the three")
    func vectors() throws {
        let vectors: [Vector] = try Self.read("webauthn")
        #expect(vectors.count == 15)
        for vector in vectors {
            let data = try AuthenticatorData(
                attestationObject: vector.registration.attestationObject.bytes)
            let credential = try #require(data.credential)
            #expect(credential.id == vector.credentialId.bytes)
            #expect(data.relyingPartyHash == SHA256.hash(Array("example.org".utf8)))
            if Self.unsupported.contains(where: { vector.name.contains($0) }) {
                #expect(throws: PasskeyError.unsupportedKey, "\(vector.name)") {
                    try CredentialKey(credential.publicKey)
                }
                continue
            }
            let key = try CredentialKey(credential.publicKey)
            let assertion = vector.assertion
            let signed =
                assertion.authenticatorData.bytes + SHA256.hash(assertion.clientData.bytes)
            #expect(try key.verifies(assertion.signature.bytes, of: signed), "\(vector.name)")
            for place in stride(from: 0, to: signed.count, by: 5) {
                var changed = signed
                changed[place] ^= 0x10
                #expect(try !key.verifies(assertion.signature.bytes, of: changed))
            }
            for other in vectors where other.name != vector.name {
                #expect(try !key.verifies(other.assertion.signature.bytes, of: signed))
            }
            let later = try AuthenticatorData(assertion.authenticatorData.bytes)
            #expect(later.credential == nil && later.flags.contains(.userPresent))
        }
    }

    @Test("client data is read with challenge, origin and the page around")
    func clientData() throws {
        for vector in try Self.read("webauthn") as [Vector] {
            let pairs = [
                (vector.registration.clientData, vector.registration.challenge, "webauthn.create"),
                (vector.assertion.clientData, vector.assertion.challenge, "webauthn.get"),
            ]
            for (bytes, challenge, type) in pairs {
                let data = try ClientData(bytes.bytes)
                #expect(data.type == type)
                #expect(data.challenge == Base64.urlText(of: challenge.bytes))
                #expect(data.origin == "https://example.org")
                let isInOther = ["crossOrigin", "topOrigin"].contains { vector.name.contains($0) }
                #expect(data.isCrossOrigin == isInOther, "\(vector.name)")
            }
        }
    }

    @Test("what Chromium answers is accepted, except without a verified user")
    func chromium() throws {
        let recording: Recording = try Self.read("chromium")
        let page = try #require(PageOrigin(label: recording.label, port: recording.port))
        #expect(recording.passkeys.count == 6)
        for passkey in recording.passkeys {
            let (made, asserted) = (passkey.registration, passkey.assertion)
            let drawn = [made.challenge, asserted.input, asserted.challenge].map(\.bytes)
            var ceremonies = PasskeyCeremonies(random: Self.source(of: drawn))
            let first = ceremonies.beginRegistration(page: page, known: [], at: .zero)
            #expect(first.bytes == made.challenge.bytes)
            let registration = PasskeyRegistration(
                clientData: made.clientData.bytes, attestationObject: made.attestationObject.bytes)
            let second = try ceremonies.finish(registration, at: .zero)
            #expect(second.bytes == asserted.challenge.bytes)
            let assertion = PasskeyAssertion(
                credentialID: passkey.credentialId.bytes, clientData: asserted.clientData.bytes,
                authenticatorData: asserted.authenticatorData.bytes,
                signature: asserted.signature.bytes)
            let output = try Samples.secret(asserted.output.bytes)
            #expect(output.count == 32)
            guard !passkey.name.contains("not verified") else {
                do {
                    _ = try ceremonies.finish(assertion, output: output, at: .zero)
                    Issue.record("accepted")
                } catch {
                    #expect(error as? PasskeyError == .notVerified)
                }
                continue
            }
            let verified = try ceremonies.finish(assertion, output: output, at: .zero)
            #expect(verified.credential.id == passkey.credentialId.bytes && verified.isNew)
            #expect(verified.credential.input == asserted.input.bytes)
            #expect(verified.credential.isSynchronised == passkey.name.contains("synchronised"))
        }
    }

    /// A source that gives these bytes one after the other.
    private static func source(of drawn: [[UInt8]]) -> RandomSource {
        let rest = Mutex(drawn[...])
        return RandomSource { span in
            let next = rest.withLock { $0.popFirst() ?? [] }
            for (offset, byte) in next.enumerated() {
                span.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
            }
        }
    }

    @Test("with any bit changed they are refused, or written as they were read")
    func changed() throws {
        for vector in try Self.read("webauthn") as [Vector] {
            let bytes = vector.registration.attestationObject.bytes
            for bit in stride(from: 0, to: bytes.count * 8, by: 13) {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                var isAccepted = false
                let fault = PasskeyProperties.authenticatorData(changed, isAccepted: &isAccepted)
                #expect(fault == nil, "\(vector.name) \(bit)")
            }
        }
    }
}
