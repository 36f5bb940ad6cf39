import Sealing
import SecretMemory
import Testing
import TestSupport

@Suite("Signatures")
struct SigningKeyPairTests {
    /// RFC 8032, section 7.1: seed, public key, message, signature.
    private static let published = [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ]

    @Test("are those of RFC 8032", arguments: published)
    func vectors(seed: String, publicKey: String, message: String, signature: String) throws {
        let bytes = try TestVectors.bytes(seed)
        let pair = try SigningKeyPair(seed: SecretBytes(copying: unsafe bytes.span.bytes))
        let message = try TestVectors.bytes(message.isEmpty ? "-" : message)
        let expected = try TestVectors.bytes(signature)
        #expect(try pair.publicKey == TestVectors.bytes(publicKey))
        #expect(pair.signature(of: message) == expected)
        #expect(SigningKeyPair.isSignature(expected, of: message, by: pair.publicKey))
        #expect(pair.withSeed { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } } == bytes)
    }

    @Test("belong to one message and one key, and have one form")
    func others() throws {
        let pair = try SigningKeyPair.random(from: .system)
        let other = try SigningKeyPair.random(from: .system)
        let signature = pair.signature(of: [1, 2, 3])
        #expect(SigningKeyPair.isSignature(signature, of: [1, 2, 3], by: pair.publicKey))
        #expect(!SigningKeyPair.isSignature(signature, of: [1, 2, 4], by: pair.publicKey))
        #expect(!SigningKeyPair.isSignature(signature, of: [1, 2, 3], by: other.publicKey))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!SigningKeyPair.isSignature(changed, of: [1, 2, 3], by: pair.publicKey))
        }
        // With the neutral element as key and as part of the signature, a plain check accepts every message.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let forged = neutral + [UInt8](repeating: 0, count: 32)
        #expect(!SigningKeyPair.isSignature(forged, of: [1, 2, 3], by: neutral))
    }
}
