import CSodium
import Foundation
import LibCrypto
@testable import Passkeys
import TestSupport
import Testing

@Suite("Keys of credentials", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct CredentialKeyTests {
    private static func bytes(_ digits: String) -> [UInt8] { HexBytes.bytes(of: digits) ?? [] }

    /// The key of RFC 6979, appendix A.2.5.
    private static let x = bytes(
        "60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6")
    private static let y = bytes(
        "7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299")

    private static func es256(_ x: [UInt8] = x, _ y: [UInt8] = y) -> [UInt8] {
        bytes("A5010203262001215820") + x + bytes("225820") + y
    }

    private static func edDSA(_ point: [UInt8]) -> [UInt8] {
        bytes("A4010103272006215820") + point
    }

    private static func rs256(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> [UInt8] {
        bytes("A401030339010020") + PasskeyProperties.encoded(.bytes(modulus)) + [0x21]
            + PasskeyProperties.encoded(.bytes(exponent))
    }

    /// The signature's numbers in DER.
    private static func signature(_ r: String, _ s: String) -> [UInt8] {
        let numbers = [r, s].flatMap { digits in
            let number = Array(bytes(digits).drop { $0 == 0 })
            let padded = (number.first ?? 0) >= 0x80 ? [0] + number : number
            return [2, UInt8(padded.count)] + padded
        }
        return [0x30, UInt8(numbers.count)] + numbers
    }

    @Test(
        "RFC 6979, appendix A.2.5: ECDSA with SHA-256 on P-256",
        arguments: [
            (
                "sample", "EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716",
                "F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8"
            ),
            (
                "test", "F1ABB023518351CD71D881567B1EA663ED3EFCF6C5132B354F28D3B0B7D38367",
                "019F4113742A2B14BD25926B49C649155F267E60D3814B4C0CC84250E46F0083"
            ),
        ])
    func ecdsa(message: String, r: String, s: String) throws {
        let key = try CredentialKey(Self.es256())
        let (message, signature) = (Array(message.utf8), Self.signature(r, s))
        #expect(try key.verifies(signature, of: message))
        try refusesOthers(key, signature, message)
        // Only DER, as WebAuthn prescribes.
        #expect(try !key.verifies(Self.bytes(r) + Self.bytes(s), of: message))
        #expect(try !key.verifies(signature + [0], of: message))
    }

    @Test(
        "RFC 8032, section 7.1: Ed25519",
        arguments: [
            (
                "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
                """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b\
                d25bf5f0595bbe24655141438e7a100b
                """
            ),
            (
                "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
                """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c\
                387b2eaeb4302aeeb00d291612bb0c00
                """
            ),
            (
                "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
                """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659\
                4a7c15e9716ed28dc027beceea1ec40a
                """
            ),
        ])
    func ed25519(point: String, message: String, signature: String) throws {
        let key = try CredentialKey(Self.edDSA(Self.bytes(point)))
        let (message, signature) = (Self.bytes(message), Self.bytes(signature))
        #expect(try key.verifies(signature, of: message))
        try refusesOthers(key, signature, message)
        #expect(try !key.verifies(signature + [0], of: message))
    }

    @Test(
        "RSA of 2,048 to 4,096 bits, signed by openssl", .waitsForProcesses,
        .enabled(if: OpenSSL.isAvailable, "needs openssl"), arguments: [2_048, 3_072, 4_096])
    func rsa(bits: Int) throws {
        let message = Array("signed elsewhere".utf8)
        let (modulus, signature) = try withTemporaryFolder { folder in
            func path(_ name: String) -> String { folder + "/" + name }
            try Data(message).write(to: URL(filePath: path("message")))
            let size = "rsa_keygen_bits:\(bits)"
            try OpenSSL.run([
                "genpkey", "-algorithm", "RSA", "-pkeyopt", size, "-out", path("key"),
            ])
            try OpenSSL.run([
                "dgst", "-sha256", "-sign", path("key"), "-out", path("signature"),
                path("message"),
            ])
            let printed = try OpenSSL.run(["rsa", "-in", path("key"), "-noout", "-modulus"])
            let digits = String(decoding: printed, as: UTF8.self).drop { $0 != "=" }.dropFirst()
            let signature = try Data(contentsOf: URL(filePath: path("signature")))
            return (Self.bytes(String(digits)), Array(signature))
        }
        let key = try CredentialKey(Self.rs256(modulus))
        #expect(try key.verifies(signature, of: message))
        try refusesOthers(key, signature, message)
        #expect(try !key.verifies([0] + signature, of: message))
    }

    private func refusesOthers(
        _ key: CredentialKey, _ signature: [UInt8], _ message: [UInt8]
    ) throws {
        #expect(try !key.verifies(signature, of: message + [0]))
        #expect(try !key.verifies([], of: message))
        for place in [0, 10, signature.count / 2, signature.count - 1] {
            var changed = signature
            changed[place] ^= 1
            #expect(try !key.verifies(changed, of: message))
        }
    }

    @Test("a signature of one algorithm is none of another")
    func algorithms() throws {
        let message = Array("sample".utf8)
        let passkey = TestPasskey(page: PageOrigin(port: 1))
        let edDSA = try CredentialKey(passkey.publicKey)
        let es256 = try CredentialKey(Self.es256())
        let signature = passkey.sign(message)
        #expect(try edDSA.verifies(signature, of: message))
        #expect(try !es256.verifies(signature, of: message))
        #expect(CredentialKey.algorithms == [-7, -8, -257])
    }

    @Test("other keys are refused")
    func unsupported() throws {
        let point = Array(TestPasskey(page: PageOrigin(port: 1)).publicKey.suffix(32))
        let modulus: [UInt8] = [0x80] + [UInt8](repeating: 0x55, count: 255)
        for key in [Self.es256(), Self.edDSA(point), Self.rs256(modulus)] {
            _ = try CredentialKey(key)
        }
        var swapped = Self.es256()
        swapped[4] = 0x27
        var secp256k1 = Self.es256()
        secp256k1[6] = 8
        var octet = Self.edDSA(point)
        octet[2] = 2
        let wrong: [[UInt8]] = [
            // Not on the curve, at infinity, compressed, too short.
            Self.es256(Self.x, Self.x), Self.es256([UInt8](repeating: 0, count: 32)),
            Self.es256(Self.y, Self.x), Self.es256(Self.x, [UInt8](repeating: 0xFF, count: 32)),
            Self.bytes("A5010203262001215820") + Self.x + [0x22, 0xF5],
            Self.bytes("A501020326200121581F") + Self.x.dropLast() + Self.bytes("225820") + Self.y,
            // Another algorithm or curve for the same parameters.
            swapped, secp256k1, octet,
            // A point of small order, and no point.
            Self.edDSA([1] + [UInt8](repeating: 0, count: 31)),
            Self.edDSA([2] + [UInt8](repeating: 0, count: 31)),
            Self.bytes("A40101032720062158 1F") + point.dropLast(),
            // Sizes, leading zeros, and exponents.
            Self.rs256([0x7F] + modulus.dropFirst()), Self.rs256(Array(modulus.dropLast())),
            Self.rs256([1] + [UInt8](repeating: 0x55, count: 512)), Self.rs256([0] + modulus),
            Self.rs256(modulus, [3]), Self.rs256(modulus, [1, 0, 0]),
            Self.rs256(modulus, [0, 1, 0, 1]), Self.rs256(modulus, [1, 0, 0, 0, 1]),
            // One parameter more, or fewer.
            Self.bytes("A6010203262001215820") + Self.x + Self.bytes("225820") + Self.y
                + Self.bytes("2300"),
            Self.bytes("A4010220012158 20") + Self.x + Self.bytes("225820") + Self.y,
            [0xA0],
        ]
        for key in wrong {
            #expect(throws: PasskeyError.unsupportedKey, "\(key)") { try CredentialKey(key) }
        }
        for key: [UInt8] in [[], [0x80], Self.es256() + [0], Array(Self.es256().dropLast())] {
            #expect(throws: PasskeyError.malformed, "\(key)") { try CredentialKey(key) }
        }
    }
}
