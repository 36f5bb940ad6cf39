@testable import Sealing

/// The product's cipher over arrays.
enum RawCipher {
    /// Ciphertext ‖ tag.
    static func seal(
        _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], associatedData: [UInt8]
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0xA5, count: plaintext.count + AEAD.tagSize)
        unsafe plaintext.withUnsafeBytes { plaintext in
            unsafe key.withUnsafeBytes { key in
                unsafe nonce.withUnsafeBytes { nonce in
                    unsafe associatedData.withUnsafeBytes { associatedData in
                        unsafe sealed.withUnsafeMutableBytes { sealed in
                            unsafe AEAD.seal(
                                plaintext, key: key, nonce: nonce, associatedData: associatedData,
                                into: sealed)
                        }
                    }
                }
            }
        }
        return sealed
    }

    /// The content of the buffer afterwards, and whether the cipher said that it is authentic.
    static func open(
        _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], associatedData: [UInt8]
    ) -> (isAuthentic: Bool, plaintext: [UInt8]) {
        var plaintext = [UInt8](repeating: 0xA5, count: sealed.count - AEAD.tagSize)
        let isAuthentic = unsafe sealed.withUnsafeBytes { sealed in
            unsafe key.withUnsafeBytes { key in
                unsafe nonce.withUnsafeBytes { nonce in
                    unsafe associatedData.withUnsafeBytes { associatedData in
                        unsafe plaintext.withUnsafeMutableBytes { plaintext in
                            unsafe AEAD.open(
                                sealed, key: key, nonce: nonce, associatedData: associatedData,
                                into: plaintext)
                        }
                    }
                }
            }
        }
        return (isAuthentic, plaintext)
    }
}
