internal import CSodium

/// XChaCha20-Poly1305 (IETF variant). ``Sealing`` chooses nonce and associated data.
///
/// The corresponding C functions are `crypto_aead_xchacha20poly1305_ietf_encrypt` and `…_decrypt`.
enum AEAD {
    static let keySize = 32
    static let nonceSize = 24
    static let tagSize = 16

    /// Seals `plaintext` into `sealed`, which is ``tagSize`` bytes longer: ciphertext ‖ tag.
    static func seal(
        _ plaintext: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer,
        into sealed: UnsafeMutableRawBufferPointer
    ) {
        precondition(key.count == keySize && nonce.count == nonceSize)
        precondition(sealed.count == plaintext.count + tagSize)
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
            sealed.bytes, nil, plaintext.bytes, UInt64(plaintext.count), associatedData.bytes,
            UInt64(associatedData.count), nil, nonce.bytes, key.bytes)
        StackTraces.wipe()
    }

    /// Opens `sealed` into `plaintext`, which is ``tagSize`` bytes shorter.
    ///
    /// - Returns: Whether key, nonce, associated data and ciphertext are authentic; if not, `plaintext` is zero.
    static func open(
        _ sealed: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer, associatedData: UnsafeRawBufferPointer,
        into plaintext: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(key.count == keySize && nonce.count == nonceSize)
        precondition(sealed.count == plaintext.count + tagSize)
        let status = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            plaintext.bytes, nil, nil, sealed.bytes, UInt64(sealed.count), associatedData.bytes,
            UInt64(associatedData.count), nonce.bytes, key.bytes)
        StackTraces.wipe()
        if status != 0 { unsafe sodium_memzero(plaintext.bytes, plaintext.count) }
        return status == 0
    }
}
