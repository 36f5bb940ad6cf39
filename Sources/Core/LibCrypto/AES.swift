internal import CCrypto
internal import CSodium
package import SecretMemory

/// AES with keys of 128 bits.
package enum AES {
    /// The size of a key, in bytes.
    package static let keySize = 16
    /// The size of a block, in bytes.
    package static let blockSize = 16
}

/// AES-128 in CBC mode with PKCS #7 padding. It does not authenticate.
package enum AESCBC {
    /// Encrypts a plaintext.
    ///
    /// - Parameters:
    ///   - text: The plaintext.
    ///   - key: The key, 16 bytes.
    ///   - vector: The initialisation vector, 16 bytes.
    /// - Returns: The ciphertext, whole blocks.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func encrypt(
        _ text: borrowing SecretBytes, key: borrowing SecretBytes, vector: [UInt8]
    ) throws -> [UInt8] {
        guard let blocks = try text.withBytes({ try run($0, key, vector, encrypts: true) }) else {
            throw LibCryptoError.failed
        }
        return blocks.withBytes { bytes in unsafe bytes.withUnsafeBytes { unsafe Array($0) } }
    }

    /// Decrypts a ciphertext into guarded memory.
    ///
    /// - Returns: The plaintext; nil unless the bytes are whole blocks with valid padding, and the vector has 16 bytes.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func decrypt(
        _ bytes: RawSpan, key: borrowing SecretBytes, vector: [UInt8]
    ) throws -> SecretBytes? {
        guard bytes.byteCount >= AES.blockSize, bytes.byteCount % AES.blockSize == 0,
            vector.count == AES.blockSize
        else { return nil }
        return try run(bytes, key, vector, encrypts: false)
    }

    private static func run(
        _ input: RawSpan, _ key: borrowing SecretBytes, _ vector: [UInt8], encrypts: Bool
    ) throws -> SecretBytes? {
        precondition(vector.count == AES.blockSize)
        let context = try key.withBytes { (key) throws in
            try unsafe CipherContext(.cbc, key, vector.span.bytes, encrypts: encrypts)
        }
        var output = try SecretBytes(count: input.byteCount + AES.blockSize)
        let size = output.withMutableBytes { output -> Int? in
            guard let size = context.update(input, into: &output),
                let rest = context.finish(into: &output, at: size)
            else { return nil }
            return size + rest
        }
        sodium_stackzero(16_384)
        guard let size else { return nil }
        output.keep(count: size)
        return output
    }
}

/// AES-128 in Galois/Counter mode, without associated data (SP 800-38D).
package enum AESGCM {
    /// The size of a nonce, in bytes.
    package static let nonceSize = 12
    /// The size of a tag, in bytes.
    package static let tagSize = 16

    /// Encrypts and authenticates a plaintext.
    ///
    /// - Parameters:
    ///   - text: The plaintext.
    ///   - key: The key, 16 bytes.
    ///   - nonce: The nonce, 12 bytes. It must be unique for each plaintext under a key.
    /// - Returns: The ciphertext, then the tag.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func seal(
        _ text: borrowing SecretBytes, key: borrowing SecretBytes, nonce: borrowing SecretBytes
    ) throws -> [UInt8] {
        let context = try context(key, nonce, encrypts: true)
        var sealed = [UInt8](repeating: 0, count: text.count + tagSize)
        var elements = sealed.mutableSpan
        var output = unsafe elements.mutableBytes
        let isDone = text.withBytes { text in
            context.update(text, into: &output) == text.byteCount
                && context.finish(into: &output, at: text.byteCount) == 0
                && context.getTag(into: &output, at: text.byteCount)
        }
        sodium_stackzero(16_384)
        guard isDone else { throw LibCryptoError.failed }
        return sealed
    }

    /// Verifies and decrypts a ciphertext into guarded memory.
    ///
    /// - Returns: The plaintext; nil if the tag does not verify.
    /// - Throws: ``LibCryptoError``; `SecretMemoryError.outOfMemory`.
    package static func open(
        _ sealed: [UInt8], key: borrowing SecretBytes, nonce: borrowing SecretBytes
    ) throws -> SecretBytes? {
        let size = sealed.count - tagSize
        guard size >= 0 else { return nil }
        let context = try context(key, nonce, encrypts: false)
        var text = try SecretBytes(count: size)
        let isAuthentic = text.withMutableBytes { output in
            let bytes = unsafe sealed.span.bytes
            return context.update(bytes.extracting(..<size), into: &output) == size
                && context.setTag(bytes.extracting(size...))
                && context.finish(into: &output, at: size) == 0
        }
        sodium_stackzero(16_384)
        guard isAuthentic else { return nil }
        return text
    }

    private static func context(
        _ key: borrowing SecretBytes, _ nonce: borrowing SecretBytes, encrypts: Bool
    ) throws -> CipherContext {
        precondition(nonce.count == nonceSize)
        return try key.withBytes { (key) throws in
            try nonce.withBytes { (nonce) throws in
                try CipherContext(.gcm, key, nonce, encrypts: encrypts)
            }
        }
    }
}

/// A cipher context of libcrypto, freed at the end of its lifetime. Not thread-safe.
@safe private struct CipherContext: ~Copyable {
    enum Mode {
        case cbc, gcm
    }

    // EVP_CTRL_AEAD_GET_TAG and EVP_CTRL_AEAD_SET_TAG in <openssl/evp.h>.
    private static let getTag: Int32 = 0x10
    private static let setTag: Int32 = 0x11

    private let library: CryptoLibrary
    private let context: OpaquePointer

    /// Creates a context with a key, and an initialisation vector or nonce of the mode's size.
    ///
    /// The corresponding C functions are `EVP_CIPHER_CTX_new` and `EVP_CipherInit_ex`.
    ///
    /// - Throws: ``LibCryptoError``.
    init(_ mode: Mode, _ key: RawSpan, _ vector: RawSpan, encrypts: Bool) throws {
        precondition(key.byteCount == AES.keySize)
        let library = try CryptoLibrary.required()
        guard let context = unsafe library.functions.pointee.EVP_CIPHER_CTX_new() else {
            throw LibCryptoError.failed
        }
        let cipher =
            switch mode {
            case .cbc: unsafe library.functions.pointee.EVP_aes_128_cbc()
            case .gcm: unsafe library.functions.pointee.EVP_aes_128_gcm()
            }
        let isReady = unsafe key.withUnsafeBytes { key in
            unsafe vector.withUnsafeBytes { vector in
                unsafe library.functions.pointee.EVP_CipherInit_ex(
                    context, cipher, nil, key.assumingMemoryBound(to: UInt8.self).baseAddress,
                    vector.assumingMemoryBound(to: UInt8.self).baseAddress, encrypts ? 1 : 0) == 1
            }
        }
        guard isReady else {
            unsafe library.functions.pointee.EVP_CIPHER_CTX_free(context)
            throw LibCryptoError.failed
        }
        self.library = library
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe library.functions.pointee.EVP_CIPHER_CTX_free(context)
    }

    /// Processes input into the beginning of `output`, which is at least one block larger in CBC mode.
    ///
    /// The corresponding C function is `EVP_CipherUpdate`.
    ///
    /// - Returns: The number of bytes written; nil on failure.
    borrowing func update(_ input: RawSpan, into output: inout MutableRawSpan) -> Int? {
        // An empty span may have a null pointer, which libcrypto does not accept here.
        if input.byteCount == 0 { return 0 }
        var size: Int32 = 0
        let isDone = unsafe input.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBytes { output in
                unsafe library.functions.pointee.EVP_CipherUpdate(
                    context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &size,
                    input.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(input.count)) == 1
            }
        }
        return isDone ? Int(size) : nil
    }

    /// Finishes the last block, and writes it at an offset of the output.
    ///
    /// The corresponding C function is `EVP_CipherFinal_ex`.
    ///
    /// - Returns: The number of bytes written; nil if the padding or the tag is invalid.
    borrowing func finish(into output: inout MutableRawSpan, at offset: Int) -> Int? {
        var size: Int32 = 0
        let isDone = unsafe output.withUnsafeMutableBytes { output in
            let place = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe library.functions.pointee.EVP_CipherFinal_ex(
                context, place.map { unsafe $0 + offset }, &size) == 1
        }
        return isDone ? Int(size) : nil
    }

    /// Writes the tag at an offset of the output. The corresponding C function is `EVP_CIPHER_CTX_ctrl`.
    borrowing func getTag(into output: inout MutableRawSpan, at offset: Int) -> Bool {
        precondition(offset + AESGCM.tagSize <= output.byteCount)
        return unsafe output.withUnsafeMutableBytes { output in
            unsafe library.functions.pointee.EVP_CIPHER_CTX_ctrl(
                context, Self.getTag, Int32(AESGCM.tagSize),
                output.baseAddress.map { unsafe $0 + offset }) == 1
        }
    }

    /// Sets the tag to verify. The corresponding C function is `EVP_CIPHER_CTX_ctrl`.
    borrowing func setTag(_ tag: RawSpan) -> Bool {
        precondition(tag.byteCount == AESGCM.tagSize)
        return unsafe tag.withUnsafeBytes { tag in
            // libcrypto only reads the tag.
            unsafe library.functions.pointee.EVP_CIPHER_CTX_ctrl(
                context, Self.setTag, Int32(tag.count),
                UnsafeMutableRawPointer(mutating: tag.baseAddress)) == 1
        }
    }
}
