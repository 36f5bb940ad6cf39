@testable import Sealing
import Testing
import TestSupport

@Suite("XChaCha20-Poly1305", .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
struct AEADVectorTests {
    private struct Wycheproof: Decodable {
        struct Group: Decodable {
            let ivSize: Int
            let tests: [Case]
        }
        struct Case: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag: HexBytes
            let result: String
        }
        let testGroups: [Group]
    }

    private struct Collision: Decodable {
        struct Cost: Decodable {
            let salt: HexBytes
            let opslimit: UInt32
            let memlimit_bytes: UInt32
        }
        let argon2id: Cost
        let passphrase_a, passphrase_b: String
        let key_a, key_b, plaintext_a, plaintext_b, nonce, ad, ct, tag: HexBytes
    }

    @Test("gives the answers of Wycheproof, 306 cases")
    func wycheproof() throws {
        let file: Wycheproof = try PublishedVectors.read("wycheproof-xchacha20_poly1305_test.json")
        let cases = file.testGroups.filter { $0.ivSize == 192 }.flatMap(\.tests)
        #expect(cases.count == 306)
        #expect(cases.count { $0.result == "valid" } == 246)
        for test in cases {
            let opened = RawCipher.open(
                test.ct.bytes + test.tag.bytes, key: test.key.bytes, nonce: test.iv.bytes,
                associatedData: test.aad.bytes)
            let sealed = RawCipher.seal(
                test.msg.bytes, key: test.key.bytes, nonce: test.iv.bytes,
                associatedData: test.aad.bytes)
            if test.result == "valid" {
                #expect(opened.isAuthentic, "case \(test.tcId)")
                #expect(opened.plaintext == test.msg.bytes, "case \(test.tcId)")
                #expect(sealed == test.ct.bytes + test.tag.bytes, "case \(test.tcId)")
            } else {
                #expect(!opened.isAuthentic, "case \(test.tcId)")
                #expect(opened.plaintext.allSatisfy { $0 == 0 }, "case \(test.tcId)")
                #expect(sealed != test.ct.bytes + test.tag.bytes, "case \(test.tcId)")
            }
        }
    }

    @Test("refuses the nonce sizes that Wycheproof's other 9 cases have", .endsProcess)
    func nonceSizes() async throws {
        let file: Wycheproof = try PublishedVectors.read("wycheproof-xchacha20_poly1305_test.json")
        let sizes = file.testGroups.filter { $0.ivSize != 192 }.flatMap(\.tests).map(
            \.iv.bytes.count)
        #expect(sizes.count == 9)
        // What ends the process is the nonce: the same with 24 bytes goes well.
        for size in sizes + [AEAD.nonceSize] {
            let isRefused = size != AEAD.nonceSize
            await #expect(processExitsWith: isRefused ? .failure : .success) {
                [size = size as Int] in
                CrashReports.turnOff()
                _ = RawCipher.seal(
                    [1], key: [UInt8](repeating: 0, count: 32),
                    nonce: [UInt8](repeating: 0, count: size), associatedData: [])
            }
            await #expect(processExitsWith: isRefused ? .failure : .success) {
                [size = size as Int] in
                CrashReports.turnOff()
                _ = RawCipher.open(
                    [UInt8](repeating: 0, count: 17), key: [UInt8](repeating: 0, count: 32),
                    nonce: [UInt8](repeating: 0, count: size), associatedData: [])
            }
        }
    }

    /// Why slots have a commitment; `SlotCollisionTests` has the same with a slot.
    @Test("opens one text under two keys that two passphrases give")
    func collision() throws {
        let file: Collision = try PublishedVectors.read("xchacha20poly1305-two-key-collision.json")
        let cost = KeyDerivationCost(
            passes: file.argon2id.opslimit, memoryKiB: file.argon2id.memlimit_bytes / 1_024)
        let ways = [
            (file.passphrase_a, file.key_a.bytes, file.plaintext_a.bytes),
            (file.passphrase_b, file.key_b.bytes, file.plaintext_b.bytes),
        ]
        for (passphrase, key, plaintext) in ways {
            var derived = try Samples.secret([UInt8](repeating: 0, count: 32))
            try Argon2id.derive(
                into: &derived, from: Samples.secret(passphrase), salt: file.argon2id.salt.bytes,
                cost: cost)
            #expect(Samples.bytes(derived) == key)
            let opened = RawCipher.open(
                file.ct.bytes + file.tag.bytes, key: key, nonce: file.nonce.bytes,
                associatedData: file.ad.bytes)
            #expect(opened.isAuthentic)
            #expect(opened.plaintext == plaintext)
        }
        #expect(file.plaintext_a != file.plaintext_b)
    }
}
