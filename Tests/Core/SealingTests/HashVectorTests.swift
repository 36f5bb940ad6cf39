import CSodium
@testable import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("BLAKE2b, Argon2id and subkeys")
struct HashVectorTests {
    private struct Hash: Decodable {
        let `in`, key, out: HexBytes
    }

    private struct Derivation: Decodable {
        struct Case: Decodable {
            let password_hex, salt, out: HexBytes
            let opslimit: UInt32
            let memlimit_bytes: UInt32
        }
        let libsodium_shape: [Case]
    }

    @Test(
        "BLAKE2b gives the 512 published digests",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
    func blake2b() throws {
        let cases: [Hash] = try PublishedVectors.read("blake2b-kat.json")
        #expect(cases.count == 512)
        for test in cases {
            let digest = Blake2b.hash(size: 64, keyBytes: unsafe test.key.bytes.span.bytes) {
                $0.feed(test.in.bytes)
            }
            #expect(digest == test.out.bytes, "\(test.in.bytes.count) bytes")
            if test.key.bytes.isEmpty {
                #expect(Blake2b.hash(size: 64) { $0.feed(test.in.bytes) } == test.out.bytes)
            }
        }
    }

    @Test(
        "Argon2id gives the 6 published keys",
        .enabled(if: PublishedVectors.areThere, "../shared/vectors is absent"))
    func argon2id() throws {
        let file: Derivation = try PublishedVectors.read("argon2id.json")
        #expect(file.libsodium_shape.count == 6)
        for test in file.libsodium_shape {
            var derived = try SecretBytes(count: test.out.bytes.count)
            try Argon2id.derive(
                into: &derived, from: Samples.secret(test.password_hex.bytes),
                salt: test.salt.bytes,
                cost: KeyDerivationCost(
                    passes: test.opslimit, memoryKiB: test.memlimit_bytes / 1_024))
            #expect(Samples.bytes(derived) == test.out.bytes)
        }
    }

    @Test("a passphrase slot is 64 bytes of Argon2id, another slot keyed BLAKE2b, cut in halves")
    func slotSecret() throws {
        let salt = [UInt8](0..<16)
        let cost = KeyDerivationCost(passes: 2, memoryKiB: 16)
        var whole = try SecretBytes(count: 64)
        try Argon2id.derive(into: &whole, from: Samples.secret("pass"), salt: salt, cost: cost)
        let secret = try SlotSecret(
            Passphrase(typed: Samples.secret("pass")), salt: salt, cost: cost, limits: .testing)
        #expect(Self.bytes(secret.wrappingKey) == Array(Samples.bytes(whole)[..<32]))
        #expect(Self.bytes(secret.commitmentKey) == Array(Samples.bytes(whole)[32...]))

        let code = try RecoveryCode.random(from: .seeded(1))
        let prefix = [UInt8](0..<66)
        let expected = code.bytes.withBytes { key in
            Blake2b.hash(size: 64, keyBytes: key) { $0.feed(prefix) }
        }
        let recovery = try SlotSecret(code, prefix: prefix)
        #expect(Self.bytes(recovery.wrappingKey) + Self.bytes(recovery.commitmentKey) == expected)
        let output = AuthenticatorOutput(try code.bytes.copy())
        let authenticator = try SlotSecret(output, prefix: prefix)
        #expect(
            Self.bytes(authenticator.wrappingKey) + Self.bytes(authenticator.commitmentKey)
                == expected)
    }

    @Test("a cost outside the limits derives nothing")
    func costs() throws {
        let passphrase = try Passphrase(typed: Samples.secret("pass"))
        let salt = [UInt8](repeating: 0, count: SlotSecret.saltSize)
        #expect(throws: SealingError.costTooLow) {
            _ = try SlotSecret(
                passphrase, salt: salt, cost: KeyDerivationCost(passes: 1, memoryKiB: 19_456),
                limits: .standard())
        }
        #expect(throws: SealingError.costTooHigh) {
            _ = try SlotSecret(
                passphrase, salt: salt, cost: KeyDerivationCost(passes: .max, memoryKiB: .max),
                limits: .testing)
        }
    }

    /// `Docs/Format.md`, section 2, spelled with the function underneath: salt = u64 n ‖ zero[8], personal = context ‖ zero[8].
    @Test("subkeys are BLAKE2b with number and context", arguments: UInt64(1)...5)
    func subkeys(number: UInt64) throws {
        let root = try RootKey.random(from: .seeded(number))
        let salt = [UInt8(number)] + [UInt8](repeating: 0, count: 15)
        let personal = Array("TVaultKy".utf8) + [UInt8](repeating: 0, count: 8)
        var expected = [UInt8](repeating: 0, count: 32)
        unsafe crypto_generichash_blake2b_salt_personal(
            &expected, 32, nil, 0, Self.bytes(root), 32, salt, personal)
        let subkey =
            switch number {
            case 1: Self.bytes(try root.classWrappingKey())
            case 2: Self.bytes(try root.lookupKey())
            case 3: Self.bytes(try root.rowHashKey())
            case 4: Self.bytes(try root.stateKey())
            default: Self.bytes(try root.slotKeyKey())
            }
        #expect(subkey == expected)
    }

    @Test("BLAKE2b of parts is that of the whole, keyed and not")
    func parts() throws {
        var generator = SeededGenerator(seed: 0xB1A2)
        let key = try LookupKey.random(from: .seeded(2))
        for size in [0, 1, 127, 128, 129, 255, 256, 257, 1_000] {
            let message = generator.bytes(count: size)
            let first = Int.random(in: 0...size, using: &generator)
            let second = Int.random(in: first...size, using: &generator)
            let parts = [message[..<first], message[first..<second], message[second...]]
            for digestSize in [16, 32, 64] {
                let whole = Blake2b.hash(size: digestSize) { $0.feed(message) }
                let fed = Blake2b.hash(size: digestSize) { input in
                    for part in parts { input.feed(Array(part)) }
                }
                let keyed = Blake2b.hash(size: digestSize, key: key) { $0.feed(message) }
                let keyedParts = Blake2b.hash(size: digestSize, key: key) { input in
                    for part in parts { input.feed(unsafe Array(part).span.bytes) }
                }
                #expect(whole == fed && whole.count == digestSize)
                #expect(keyed == keyedParts && keyed != whole)
            }
        }
    }

    @Test("integers are fed little-endian, text as UTF-8")
    func input() {
        let typed = Blake2b.hash(size: 32) { input in
            input.feed(UInt8(1))
            input.feed(UInt32(0x0302_0104))
            input.feed(UInt64(0x0807_0605_0403_0201))
            input.feed("caf\u{E9}")
        }
        let bytes: [UInt8] = [1, 4, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8, 0x63, 0x61, 0x66, 0xC3, 0xA9]
        #expect(typed == Blake2b.hash(size: 32) { $0.feed(bytes) })
    }

    private static func bytes<Use>(_ key: borrowing Key<Use>) -> [UInt8] {
        key.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    }
}
