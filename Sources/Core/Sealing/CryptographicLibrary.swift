internal import CSodium

/// The libsodium of this process, and the known-answer tests that it must pass before its first use.
///
/// The tests detect a faulty build or processor, which would seal data irrecoverably. They take less than a millisecond together.
public enum CryptographicLibrary {
    /// The library's name and version, by `sodium_version_string`.
    public static var title: String {
        "libsodium " + (unsafe String(cString: sodium_version_string()))
    }

    /// Whether this process's library passed every test that allocates no memory. Thread-safe.
    private static let passesTests =
        blake2b && sha256 && subkey && sealing && box && stream

    /// Runs the known-answer tests. Thread-safe.
    ///
    /// - Throws: `SealingError.libraryFails`; `outOfMemory` if memory does not suffice for the cheapest derivation.
    public static func check() throws {
        guard passesTests else { throw SealingError.libraryFails }
        guard try argon2id() else { throw SealingError.libraryFails }
    }

    /// RFC 7693, appendix A.
    private static var blake2b: Bool {
        Blake2b.hash(size: 64) { $0.feed("abc") }
            == bytes(
                """
                ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
                7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
                """)
    }

    /// FIPS 180-4, the one-block example.
    private static var sha256: Bool {
        SHA256.hash(Array("abc".utf8))
            == bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    /// `crypto_kdf` is BLAKE2b with the context as personalisation and the number as salt (libsodium, "Key derivation"). Any BLAKE2b
    /// implementation computes this value.
    private static var subkey: Bool {
        var subkey = [UInt8](repeating: 0, count: 32)
        let status = unsafe crypto_kdf_derive_from_key(
            &subkey, subkey.count, 1, "TVaultKy", Array(0..<32))
        return status == 0
            && subkey == bytes("9a04d3ffa0b923bc08e0b63f4792a68e7161bba2a8d0883fd0db11ac81af6003")
    }

    /// Argon2id 1.3 of empty input, one pass over 8 KiB: the minimum of RFC 9106 and of the library. Three implementations agree.
    private static func argon2id() throws -> Bool {
        var derived = [UInt8](repeating: 0, count: 32)
        let status = unsafe crypto_pwhash(
            &derived, UInt64(derived.count), "", 0, [UInt8](repeating: 0, count: 16), 1, 8_192,
            crypto_pwhash_ALG_ARGON2ID13)
        guard status == 0 else { throw SealingError.outOfMemory }
        return derived == bytes("cfa0d2d242da6703d311d7eefc922e39cc60c9f4ec93a67d20995be541a06be4")
    }

    /// XChaCha20-Poly1305: draft-irtf-cfrg-xchacha-03, appendix A.3.1. With one changed bit it must not open.
    private static var sealing: Bool {
        let key = Array<UInt8>(0x80...0x9f)
        let nonce = Array<UInt8>(0x40...0x57)
        let context = bytes("50515253c0c1c2c3c4c5c6c7")
        let text = Array(
            """
            Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
            """.utf8)
        let expected = bytes(
            """
            bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39\
            ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9\
            21f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49
            """)
        var sealed = [UInt8](repeating: 0, count: text.count + AEAD.tagSize)
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            &sealed, nil, text, UInt64(text.count), context, UInt64(context.count), nil, nonce, key)
        var opened = [UInt8](repeating: 0, count: text.count)
        func opens() -> Bool {
            unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                &opened, nil, nil, sealed, UInt64(sealed.count), context, UInt64(context.count),
                nonce,
                key) == 0
        }
        guard sealed == expected, opens(), opened == text else { return false }
        sealed[0] ^= 1
        return !opens()
    }

    /// A sealed box to the second key pair of RFC 7748, section 6.1, with the first pair as the ephemeral one. Any implementation of
    /// X25519, BLAKE2b and XSalsa20-Poly1305 computes these bytes. With one changed bit it must not open.
    private static var box: Bool {
        let secret = bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
        let expected = bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f")
        var box = bytes(
            """
            8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a0b1cac55e603946647f09ff1b9976214\
            a706aec5ecfd0556d86f4171e17627447f494c65a8530fd3e127a8861abc4a1b
            """)
        var publicKey = [UInt8](repeating: 0, count: BoxKeyPair.keySize)
        _ = unsafe crypto_scalarmult_base(&publicKey, secret)
        var opened = [UInt8](repeating: 0, count: 32)
        func opens() -> Bool {
            unsafe crypto_box_seal_open(&opened, box, UInt64(box.count), publicKey, secret) == 0
        }
        guard publicKey == expected, opens(), opened == Array(0..<32) else { return false }
        box[32] ^= 1
        return !opens()
    }

    /// The last chunk of a secretstream: `abc` with two bytes of associated data. A computation from HChaCha20, ChaCha20 and Poly1305 alone
    /// gives the same bytes. With one changed bit it must not open.
    private static var stream: Bool {
        var chunk = bytes("0ea2fa236867a8fb126043fe02c17318a8dc60d4")
        func opens() -> Bool {
            var state = crypto_secretstream_xchacha20poly1305_state()
            var opened = [UInt8](repeating: 0, count: 3)
            var tag: UInt8 = 0
            _ = unsafe crypto_secretstream_xchacha20poly1305_init_pull(
                &state, Array(0x40...0x57), Array(0..<32))
            let status = unsafe crypto_secretstream_xchacha20poly1305_pull(
                &state, &opened, nil, &tag, chunk, UInt64(chunk.count), [1, 2], 2)
            return status == 0 && opened == Array("abc".utf8)
                && tag == crypto_secretstream_xchacha20poly1305_tag_final()
        }
        guard opens() else { return false }
        chunk[1] ^= 1
        return !opens()
    }

    /// Decodes hexadecimal digits.
    private static func bytes(_ digits: String) -> [UInt8] {
        let halves = digits.utf8.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
        return stride(from: 0, to: halves.count, by: 2).map { halves[$0] << 4 | halves[$0 + 1] }
    }
}
