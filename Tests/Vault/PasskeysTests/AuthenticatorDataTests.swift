@testable import Passkeys
import TestSupport
import Testing

@Suite("Authenticator data")
struct AuthenticatorDataTests {
    private static let hash = [UInt8](repeating: 7, count: 32)
    private static let key: [UInt8] = [0xA1, 1, 2]
    private static let model = [UInt8](repeating: 9, count: 16)
    private static let extensions: [UInt8] = [0xA1, 0x61, 0x61, 0xF5]

    private static func bytes(
        _ flags: UInt8, id: [UInt8]? = nil, _ rest: [UInt8] = []
    ) -> [UInt8] {
        var bytes = hash + [flags, 1, 2, 3, 4]
        if let id { bytes += model + [UInt8(id.count >> 8), UInt8(id.count & 0xFF)] + id + key }
        return bytes + rest
    }

    /// All shapes.
    static let samples = [
        bytes(0x05), bytes(0x1D), bytes(0x22), bytes(0x45, id: [1]),
        bytes(0x45, id: [UInt8](repeating: 3, count: 1_023)), bytes(0x85, extensions),
        bytes(0xC5, id: [1, 2], extensions),
    ]

    @Test("hash, flags, counter, credential and extensions are read")
    func whole() throws {
        let data = try AuthenticatorData(Self.bytes(0xDD, id: [1, 2], Self.extensions))
        #expect(data.relyingPartyHash == Self.hash)
        #expect(data.counter == 0x0102_0304)
        let flags: AuthenticatorData.Flags = [
            .userPresent, .userVerified, .backupEligible, .backedUp, .hasCredential,
            .hasExtensions,
        ]
        #expect(data.flags == flags)
        let credential = AuthenticatorData.Credential(
            model: Self.model, id: [1, 2], publicKey: Self.key)
        #expect(data.credential == credential)
        #expect(data.extensions == (try CBORValue(Self.extensions)))
        let plain = try AuthenticatorData(Self.bytes(0x01))
        #expect(plain.credential == nil && plain.extensions == nil)
    }

    @Test("each is refused without its last bytes, and with more")
    func ends() throws {
        for sample in Self.samples {
            #expect(PasskeyProperties.encoded(try AuthenticatorData(sample)) == sample)
            for count in 0..<sample.count { #expect(refuses(Array(sample.prefix(count)))) }
            for extra: [UInt8] in [[0], [0xA0], [0xFF, 0xFF], Self.extensions] {
                #expect(refuses(sample + extra))
            }
        }
    }

    @Test("what breaks a rule is refused")
    func rules() {
        // BS without BE; no id, and one that is too long; a key or extensions that are no map, or not canonical.
        #expect(refuses(Self.bytes(0x15)))
        #expect(refuses(Self.bytes(0x45, id: [])))
        #expect(refuses(Self.bytes(0x45, id: [UInt8](repeating: 3, count: 1_024))))
        for other: [UInt8] in [[0x80], [0x00], [0xA1, 1, 0x18, 1], [0xBF, 0xFF]] {
            #expect(refuses(Self.bytes(0x85, other)))
            #expect(refuses(Self.bytes(0x45, id: [1]).dropLast(3) + other))
        }
        // A flag for a part that is not there, and a part without its flag.
        for flags: UInt8 in [0x45, 0x85, 0xC5] { #expect(refuses(Self.bytes(flags))) }
        #expect(refuses(Self.bytes(0x05, id: [1])))
    }

    @Test("of an attestation object, whose statement may be any map")
    func attestation() throws {
        let data = Self.bytes(0x45, id: [1])
        func object(_ entries: [[UInt8]]) -> [UInt8] {
            [0xA0 | UInt8(entries.count)] + entries.joined()
        }
        let format: [UInt8] = [0x63] + "fmt".utf8 + [0x63] + "any".utf8
        let statement: [UInt8] = [0x67] + "attStmt".utf8 + [0xA1, 0x61, 0x61, 0x81, 0x41, 1]
        let whole: [UInt8] = [0x68] + "authData".utf8 + [0x58, UInt8(data.count)] + data
        let text: [UInt8] = [0x68] + "authData".utf8 + [0x61, 0x61]
        let list: [UInt8] = [0x67] + "attStmt".utf8 + [0x80]
        let number: [UInt8] = [0x63] + "fmt".utf8 + [1]
        let more: [UInt8] = [0x69] + "authData2".utf8 + [1]
        let bytes = object([format, statement, whole])
        #expect(try AuthenticatorData(attestationObject: bytes) == (try AuthenticatorData(data)))
        let wrong = [
            [format, statement], [format, whole], [statement, whole], [format, statement, text],
            [format, list, whole], [number, statement, whole], [format, statement, whole, more],
            [statement, format, whole],
        ]
        for entries in wrong { #expect(refuses(attestationObject: object(entries))) }
        for count in 0..<bytes.count {
            #expect(refuses(attestationObject: Array(bytes.prefix(count))))
        }
        #expect(refuses(attestationObject: bytes + [0]))
        // The inner bytes have an end of their own.
        let longer: [UInt8] =
            [0x68] + "authData".utf8 + [0x58, UInt8(data.count + 1)] + data + [0]
        #expect(refuses(attestationObject: object([format, statement, longer])))
    }

    @Test("with any bits changed they are refused, or written as they were read")
    func changed() {
        for sample in Self.samples where sample.count < 200 {
            for bit in 0..<(sample.count * 8) {
                var bytes = sample
                bytes[bit / 8] ^= 1 << UInt8(bit % 8)
                var isAccepted = false
                let fault = PasskeyProperties.authenticatorData(bytes, isAccepted: &isAccepted)
                #expect(fault == nil, "\(bit)")
            }
        }
    }

    private func refuses(_ bytes: [UInt8]) -> Bool {
        #expect(throws: PasskeyError.malformed) { try AuthenticatorData(bytes) } != nil
    }

    private func refuses(attestationObject bytes: [UInt8]) -> Bool {
        #expect(throws: PasskeyError.malformed) {
            try AuthenticatorData(attestationObject: bytes)
        } != nil
    }
}
