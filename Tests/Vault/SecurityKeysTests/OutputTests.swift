import Foundation
import Sealing
@testable import SecurityKeys
import SoftwareAuthenticator
import TestSupport
import Testing

@Suite("The output of a security key")
struct OutputTests {
    @Test(
        "is the same for the same salt, with each protocol and algorithm",
        arguments: [[1], [2], [2, 1]], [[-7], [-8], [-7, -8]])
    func roundTrip(_ protocols: [Int], _ algorithms: [Int]) throws {
        for hasPermissions in [true, false] {
            let fixture = Fixture {
                $0.pinProtocols = protocols
                $0.algorithms = algorithms
                $0.hasPermissions = hasPermissions
            }
            let (credential, output) = try fixture.enroll()
            #expect(output.count == 32)
            #expect(try fixture.evaluate(credential) == output)
            var salt = Fixture.salt
            salt[31] ^= 1
            let other = try fixture.evaluate(credential, salt: salt)
            #expect(other != output)
            #expect(try fixture.enroll().output != output)
            // COSE_Key: EC2 with ES256, or OKP with EdDSA.
            let key = try #require(CBOR(credential.publicKey))
            #expect(key[1]?.number == (algorithms == [-8] ? 1 : 2))
            #expect(key[3]?.number == (algorithms == [-8] ? -8 : -7))
            #expect(credential.publicKey.count == (algorithms == [-8] ? 42 : 77))
        }
    }

    @Test(
        "is HMAC-SHA-256 of the salt under the credential's secret, as openssl computes it",
        .enabled(if: OpenSSL.isAvailable, "needs openssl"), arguments: [1, 2])
    func computation(_ pinProtocol: Int) throws {
        let fixture = Fixture { $0.pinProtocols = [pinProtocol] }
        let (credential, output) = try fixture.enroll()
        let secret = try #require(fixture.key.secret(of: credential.id))
        try withTemporaryFolder { folder in
            try Data(Fixture.salt).write(to: URL(filePath: folder + "/salt"))
            let key = secret.map { String(format: "%02x", $0) }.joined()
            let printed = try OpenSSL.run(
                [
                    "mac", "-digest", "SHA256", "-macopt", "hexkey:" + key, "-in", folder + "/salt",
                    "HMAC",
                ])
            #expect(HexBytes.bytes(of: String(decoding: printed, as: UTF8.self)) == output)
        }
    }

    @Test("comes in another process from the same seed, PIN and credential")
    func seed() throws {
        let seed = [UInt8](repeating: 9, count: 32)
        let first = SoftwareAuthenticator(seed: seed)
        let new = try SecurityKeys(devices: SoftwareAuthenticator.devices([first])).enroll(
            salt: Fixture.salt, userName: "owner", excluding: [], prompts: Owner())
        let second = SoftwareAuthenticator(seed: seed)
        let again = try SecurityKeys(devices: SoftwareAuthenticator.devices([second])).evaluate(
            [(new.credential, Fixture.salt)], prompts: Owner())
        #expect(new.output.withBytes(Fixture.bytes) == again.output.withBytes(Fixture.bytes))
    }

    @Test("belongs to one of several credentials, each with its own salt")
    func several() throws {
        let fixture = Fixture { $0.maximumCredentialCount = 2 }
        let other = try Fixture().enroll().credential
        let long = SecurityKeyCredential(
            id: [UInt8](repeating: 1, count: 900), publicKey: other.publicKey)
        fixture.key.change { $0.maximumIDSize = 100 }
        let (credential, output) = try fixture.enroll()
        // The key takes two ids in a list, and none that is longer than its own.
        for position in 0..<6 {
            var wanted = [(credential: SecurityKeyCredential, salt: [UInt8])](
                repeating: (other, [UInt8](repeating: 0, count: 32)), count: 6)
            wanted[0] = (long, wanted[0].salt)
            wanted[position] = (credential, Fixture.salt)
            let owner = Owner()
            let found = try fixture.keys.evaluate(wanted, prompts: owner)
            #expect(found.index == position)
            #expect(found.output.withBytes(Fixture.bytes) == output)
            #expect(owner.touches == [.use])
        }
        #expect(throws: SecurityKeyError.unknownKey) {
            _ = try fixture.keys.evaluate(
                [(other, Fixture.salt), (other, Fixture.salt)], prompts: Owner())
        }
        #expect(throws: SecurityKeyError.unknownKey) {
            _ = try fixture.keys.evaluate([], prompts: Owner())
        }
    }

    @Test("comes from a key that leaves out the id of the only credential")
    func withoutId() throws {
        let fixture = Fixture { $0.omitsCredentialId = true }
        let (credential, output) = try fixture.enroll()
        #expect(try fixture.evaluate(credential) == output)
    }

    @Test("needs two touches for a new key, then one, and the PIN once")
    func questions() throws {
        let fixture = Fixture()
        let first = Owner()
        let credential = try fixture.enroll(first).credential
        #expect(
            first.questions == [
                .pin(attemptsLeft: 8, wasWrong: false), .touch(.create), .touch(.use),
            ])
        let second = Owner()
        try fixture.evaluate(credential, second)
        #expect(second.questions == [.pin(attemptsLeft: 8, wasWrong: false), .touch(.use)])
    }

    @Test("is for taskvault.localhost only")
    func relyingParty() throws {
        let fixture = Fixture()
        try fixture.evaluate(fixture.enroll().credential)
        #expect(fixture.key.relyingParties == ["taskvault.localhost"])
    }

    @Test("uses a credential that is protected by credProtect 3 and has hmac-secret")
    func properties() throws {
        let fixture = Fixture()
        // A key with these properties only answers a request that asks for both.
        let credential = try fixture.enroll().credential
        #expect(fixture.key.properties(of: credential.id)?.protection == 3)
        #expect(fixture.key.properties(of: credential.id)?.hasHMACSecret == true)
        // The same credential twice is refused, also behind others that fill the list.
        #expect(throws: SecurityKeyError.alreadyEnrolled) {
            try fixture.enroll(excluding: [credential])
        }
        let other = try Fixture().enroll().credential
        for most in [1, 2, 3] {
            fixture.key.change { $0.maximumCredentialCount = most }
            #expect(throws: SecurityKeyError.alreadyEnrolled) {
                try fixture.enroll(excluding: [other, other, credential])
            }
            try fixture.enroll(excluding: [other, other, other])
        }
        fixture.key.change { $0.maximumIDSize = 100 }
        let long = SecurityKeyCredential(
            id: [UInt8](repeating: 1, count: 101), publicKey: other.publicKey)
        #expect(throws: SecurityKeyError.alreadyEnrolled) {
            try fixture.enroll(excluding: [long, credential])
        }
        try fixture.enroll(excluding: [long])
    }

    @Test("needs authenticator data that grants all that was asked for")
    func authenticatorData() {
        let id: [UInt8] = [1, 2, 3]
        let publicKey: [UInt8] = [4, 5]
        func data(flags: UInt8 = 0xC5, size: UInt8 = 3, _ extensions: [UInt8]) -> [UInt8] {
            [UInt8](repeating: 0, count: 32) + [flags, 0, 0, 0, 1]
                + [UInt8](repeating: 0, count: 16) + [0, size] + id + publicKey + extensions
        }
        func parse(_ data: [UInt8]) -> CredentialExtensions? {
            CredentialExtensions(data, id: id, publicKey: publicKey)
        }
        let secret = [0x6B] + Array("hmac-secret".utf8)
        let protection = [0x6B] + Array("credProtect".utf8)
        let both = [0xA2] + protection + [3] + secret + [0xF5]
        #expect(parse(data(both)) == CredentialExtensions(hasHMACSecret: true, protection: 3))
        #expect(
            parse(data([0xA1] + secret + [0xF4]))
                == CredentialExtensions(hasHMACSecret: false, protection: 0))
        #expect(
            parse(data([0xA2, 0x61, 0x61, 0x17] + protection + [2]))
                == CredentialExtensions(hasHMACSecret: false, protection: 2))
        #expect(parse(data([])) == CredentialExtensions(hasHMACSecret: false, protection: 0))
        // Without user presence, or user verification.
        #expect(parse(data(flags: 0xC4, both)) == nil)
        #expect(parse(data(flags: 0xC1, both)) == nil)
        // Another id or key, other bytes afterwards, the same name twice, other values, no map.
        #expect(parse(data(size: 4, both)) == nil)
        #expect(CredentialExtensions(data(both), id: id, publicKey: [4, 6]) == nil)
        #expect(CredentialExtensions(data(both), id: [1, 2, 4], publicKey: publicKey) == nil)
        #expect(parse(data(both + [0])) == nil)
        #expect(parse(data([0xA2] + protection + [3] + protection + [3])) == nil)
        #expect(parse(data([0xA1] + protection + [0x18, 0x18])) == nil)
        #expect(parse(data([0xA1] + protection + [0xF6])) == nil)
        #expect(parse(data([0x80])) == nil)
        #expect(parse(data([0xA1, 0x03, 0x03])) == nil)
        for count in 0..<(data(both).count) where count != data([]).count {
            #expect(parse(Array(data(both).prefix(count))) == nil, "\(count) bytes")
        }
    }
}
