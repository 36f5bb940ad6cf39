@testable import LibCrypto
import SecretMemory
import TestSupport
import Testing

@Suite("AES", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct AESTests {
    private static func bytes(_ digits: String) -> [UInt8] { HexBytes.bytes(of: digits) ?? [] }

    /// SP 800-38A, appendix F.2.1.
    private static let key = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    private static let text = bytes(
        """
        6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
        """)
    private static let vector = Array(0..<16 as Range<UInt8>)

    private func decrypted(_ bytes: [UInt8], _ vector: [UInt8] = vector) throws -> [UInt8]? {
        let text = try AESCBC.decrypt(
            unsafe bytes.span.bytes, key: Samples.secret(Self.key), vector: vector)
        guard let text else { return nil }
        return Samples.bytes(text)
    }

    @Test("SP 800-38A: CBC with a block of padding")
    func chaining() throws {
        let blocks = try AESCBC.encrypt(
            Samples.secret(Self.text), key: Samples.secret(Self.key), vector: Self.vector)
        let expected = Self.bytes(
            """
            7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2\
            73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7
            """)
        #expect(blocks.count == 80 && blocks.starts(with: expected))
        #expect(try decrypted(blocks) == Self.text)
        // Without the padding the last block ends with 0x10, 0x37.
        #expect(try decrypted(expected) == nil)
        for bad in [[], [1], Array(blocks.dropLast()), blocks + [0]] as [[UInt8]] {
            #expect(try decrypted(bad) == nil)
        }
        #expect(try decrypted(blocks, []) == nil)
    }

    @Test("An empty text is a block")
    func empty() throws {
        let blocks = try AESCBC.encrypt(
            SecretBytes(count: 0), key: Samples.secret(Self.key), vector: Self.vector)
        #expect(blocks.count == AES.blockSize)
        #expect(try decrypted(blocks) == [])
    }

    @Test(
        "The GCM specification, cases 1 to 3",
        arguments: [
            (
                "00000000000000000000000000000000", "000000000000000000000000", "",
                "58e2fccefa7e3061367f1d57a4e7455a"
            ),
            (
                "00000000000000000000000000000000", "000000000000000000000000",
                "00000000000000000000000000000000",
                "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf"
            ),
            (
                "feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
                """
                d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
                1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
                """,
                """
                42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e\
                21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091473f5985\
                4d5c2af327cd64a62cf35abd2ba6fab4
                """
            ),
        ])
    func counter(key: String, nonce: String, text: String, sealed: String) throws {
        let (key, nonce) = (Self.bytes(key), Self.bytes(nonce))
        let (text, sealed) = (Self.bytes(text), Self.bytes(sealed))
        func opened(_ sealed: [UInt8]) throws -> [UInt8]? {
            let text = try AESGCM.open(
                sealed, key: Samples.secret(key), nonce: Samples.secret(nonce))
            guard let text else { return nil }
            return Samples.bytes(text)
        }
        let found = try AESGCM.seal(
            Samples.secret(text), key: Samples.secret(key), nonce: Samples.secret(nonce))
        #expect(found == sealed)
        #expect(try opened(sealed) == text)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try opened(changed) == nil, "byte \(index)")
        }
        #expect(try opened(Array(sealed.dropLast())) == nil)
        #expect(try opened(sealed + [0]) == nil)
        #expect(try opened([]) == nil)
    }
}
