#if os(Linux)
    import SecretMemory
    import TestSupport
    import Testing
    import TextCoding

    @testable import Services

    @Suite("Encryption of a session")
    struct TransportTests {
        private static func bytes(of digits: String) -> [UInt8] {
            Hexadecimal.bytes(digits) ?? []
        }

        private static func fixed(_ byte: UInt8) -> RandomSource {
            RandomSource { span in
                unsafe span.withUnsafeMutableBytes { bytes in
                    for index in bytes.indices { unsafe bytes[index] = byte }
                }
            }
        }

        @Test("a key of 13 bytes, and a shared secret that begins with a zero byte")
        func knownAnswer() throws {
            // 2^98; the values were computed by Python and by the command line of OpenSSL.
            let peer: [UInt8] = [4] + [UInt8](repeating: 0, count: 12)
            let cipher = try #require(
                try TransportKeyAgreement.agree(with: peer, Self.fixed(0x5A)))
            #expect(
                Array(cipher.publicKey.prefix(16))
                    == Self.bytes(of: "b1a3992ff238b7fbf85c2680a90ef152"))
            let sealed = Self.bytes(
                of: "078e1dfe76a438bb455699f14bb00771fcea4908d9887f68e7530a0d6a8527bc")
            let text = "a value of 27 bytes, or so.."
            let vector = Array(0..<16 as Range<UInt8>)
            #expect(try cipher.opened(sealed, vector) == Array(text.utf8))
            let value = try unsafe SecretBytes(copying: text.utf8Span.span.bytes)
            #expect(try cipher.encrypt(value, vector) == sealed)
            // Zeros before a key do not count.
            let padded = [UInt8](repeating: 0, count: 115) + peer
            let same = try #require(
                try TransportKeyAgreement.agree(with: padded, Self.fixed(0x5A)))
            #expect(try same.encrypt(value, vector) == sealed)
        }

        @Test("an empty value, and blocks that are none")
        func blocks() throws {
            let cipher = try #require(try TransportKeyAgreement.agree(with: [2]))
            let vector = [UInt8](repeating: 1, count: 16)
            let sealed = try cipher.encrypt(SecretBytes(count: 0), vector)
            #expect(sealed.count == 16)
            #expect(try cipher.opened(sealed, vector) == [])
            for bad in [[], Array(sealed.dropLast()), sealed + [0]] as [[UInt8]] {
                let isRefused = try cipher.opened(bad, vector) == nil
                #expect(isRefused)
            }
            let isRefused = try cipher.opened(sealed, []) == nil
            #expect(isRefused)
        }
    }
    extension TransportKeyAgreement {
        /// The decrypted value.
        fileprivate func opened(_ bytes: [UInt8], _ vector: [UInt8]) throws -> [UInt8]? {
            guard let value = try unsafe decrypt(bytes.span.bytes, vector) else { return nil }
            return value.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
        }
    }
#endif
