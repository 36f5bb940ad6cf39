internal import LibCrypto
package import SecretMemory
internal import TextCoding

extension SubscriptionKeys {
    /// Decrypts a message.
    ///
    /// - Parameter body: The body in the content coding `aes128gcm` (RFC 8188): one record, as RFC
    ///   8291 requires.
    /// - Returns: The plaintext.
    /// - Throws: ``PushError``; `LibCryptoError`; `SecretMemoryError`.
    package borrowing func open(_ body: [UInt8]) throws -> SecretBytes {
        let message = try EncryptedContent(body)
        let privateKey = try secrets.copy(from: 0, count: P256.keySize)
        guard let shared = try P256.agree(privateKey, with: message.senderKey) else {
            throw PushError.header
        }
        let authentication = try secrets.copy(
            from: P256.keySize, count: Self.authenticationSize)
        let key = try RecordKey(
            shared, authentication, receiver: publicKey, sender: message.senderKey,
            salt: message.salt)
        guard let opened = try key.open(message.record) else {
            throw PushError.notAuthentic
        }
        var text = opened
        // The last non-zero byte is the delimiter; 2 identifies the last record (RFC 8188, section
        // 2).
        let end = text.withBytes { bytes in
            (0..<bytes.byteCount).last { bytes[$0] != 0 }.map { (offset: $0, mark: bytes[$0]) }
        }
        guard let end, end.mark == 2 else { throw PushError.padding }
        text.keep(count: end.offset)
        return text
    }
}

/// A body in the content coding `aes128gcm` (RFC 8188), split into its parts.
struct EncryptedContent {
    /// The maximum size of a push message in bytes (RFC 8030, section 7.2).
    static let maximumSize = 4_096
    static let saltSize = 16
    /// The size of the header in bytes: salt, record size (4), size of the key id (1), and the key id, which is the sender's public key (RFC 8188,
    /// section 2.1).
    static let headerSize = saltSize + 4 + 1 + P256.pointSize
    /// The maximum size of the content: without header, delimiter and tag.
    static let maximumContentSize = maximumSize - headerSize - 1 - AESGCM.tagSize

    let salt: [UInt8]
    let senderKey: [UInt8]
    let record: [UInt8]

    init(_ body: [UInt8]) throws {
        guard body.count <= Self.maximumSize else { throw PushError.tooLarge }
        guard body.count >= Self.headerSize, Int(body[20]) == P256.pointSize, body[21] == 4
        else { throw PushError.header }
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        salt = Array(body[..<Self.saltSize])
        senderKey = Array(body[21..<Self.headerSize])
        record = Array(body[Self.headerSize...])
        // A record has at least a delimiter and the tag. More than the record size would be a
        // second record.
        guard recordSize > AESGCM.tagSize + 1, record.count > AESGCM.tagSize,
            record.count <= recordSize
        else { throw PushError.records }
    }

    /// Makes the header of a body with one record.
    static func header(salt: [UInt8], senderKey: [UInt8]) -> [UInt8] {
        let size = UInt32(maximumSize)
        let recordSize = (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) }
        return salt + recordSize + [UInt8(senderKey.count)] + senderKey
    }
}

/// The key and nonce of a record (RFC 8291, section 3.4).
struct RecordKey: ~Copyable {
    private let key: SecretBytes
    private let nonce: SecretBytes

    init(
        _ shared: borrowing SecretBytes, _ authentication: borrowing SecretBytes,
        receiver: [UInt8], sender: [UInt8], salt: [UInt8]
    ) throws {
        let extracted = try authentication.withBytes { (salt) throws in
            try HKDF.extract(shared, salt: salt, .sha256)
        }
        let material = try HKDF.expand(
            extracted, info: Array("WebPush: info\0".utf8) + receiver + sender, to: 32, .sha256)
        let extractedAgain = try HKDF.extract(
            material, salt: unsafe salt.span.bytes, .sha256)
        let contentKey = try HKDF.expand(
            extractedAgain, info: Array("Content-Encoding: aes128gcm\0".utf8), to: AES.keySize,
            .sha256)
        let first = try HKDF.expand(
            extractedAgain, info: Array("Content-Encoding: nonce\0".utf8), to: AESGCM.nonceSize,
            .sha256)
        key = contentKey
        nonce = first
    }

    borrowing func open(_ record: [UInt8]) throws -> SecretBytes? {
        try AESGCM.open(record, key: key, nonce: nonce)
    }

    borrowing func seal(_ text: borrowing SecretBytes) throws -> [UInt8] {
        try AESGCM.seal(text, key: key, nonce: nonce)
    }
}
