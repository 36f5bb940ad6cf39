package import HTTPClient
internal import LibCrypto
package import SecretMemory
internal import SignIn
internal import TextCoding

/// The address of an inbox for a sender: a subscription in the JSON form of the browsers' Push API.
///
/// `{"endpoint":"https://…","keys":{"p256dh":"…","auth":"…"}}`, with both keys in base64url.
package struct PushAddress: ~Copyable {
    /// The maximum size of an address, in bytes.
    package static let maximumSize = 8_192

    /// The URL that messages are sent to.
    package let endpoint: WebURL
    private let publicKey: [UInt8]
    private let authentication: SecretBytes

    /// Reads an address.
    ///
    /// - Throws: ``PushError/address``; `SecretMemoryError`.
    package init(_ text: RawSpan) throws {
        guard text.byteCount <= Self.maximumSize, let object = JSONObject(answer: text),
            let endpoint = object.text("endpoint", in: text).flatMap({ try? WebURL($0) }),
            let range = object.range(of: "keys")
        else { throw PushError.address }
        let keys = text.extracting(range)
        guard let members = JSONObject(answer: keys),
            let point = try Self.decoded(members.token("p256dh", in: keys)),
            let authentication = try Self.decoded(members.token("auth", in: keys)),
            point.count == P256.pointSize,
            authentication.count == SubscriptionKeys.authenticationSize
        else { throw PushError.address }
        self.endpoint = endpoint
        publicKey = point.withBytes { $0.array }
        self.authentication = authentication
    }

    /// Decodes Base64.
    private static func decoded(_ text: borrowing SecretBytes?) throws -> SecretBytes? {
        switch text {
        case .some(let text):
            return try text.withBytes { (bytes) throws -> SecretBytes? in
                try Base64.secret(of: bytes)
            }
        case .none: return nil
        }
    }

    /// Writes the address of a subscription, in guarded memory.
    ///
    /// - Throws: `SecretMemoryError`.
    package static func text(
        endpoint: WebURL, _ keys: borrowing SubscriptionKeys
    ) throws -> SecretBytes {
        let authentication = try keys.secrets.copy(
            from: P256.keySize, count: SubscriptionKeys.authenticationSize)
        let secret = try Base64.urlText(ofSecret: authentication)
        let point = Base64.urlText(of: keys.publicKey)
        // A URL has no characters that JSON escapes.
        var text = try SecretText(capacity: maximumSize)
        text.append(#"{"endpoint":"\#(endpoint.description)","expirationTime":null,"#)
        text.append(#""keys":{"p256dh":"\#(point)","auth":""#)
        secret.withBytes { bytes in
            for offset in 0..<bytes.byteCount { text.append(bytes[offset]) }
        }
        text.append(#""}}"#)
        return text.finish()
    }

    /// Encrypts a message for the inbox. Padding hides its size, in steps of 256 bytes.
    ///
    /// - Returns: The body in the content coding `aes128gcm`.
    /// - Throws: ``PushError/tooLarge``, ``PushError/address``, …
    package borrowing func seal(
        _ text: borrowing SecretBytes, _ random: RandomSource = .system
    ) throws -> [UInt8] {
        let padded = min((text.count + 255) / 256 * 256, EncryptedContent.maximumContentSize)
        while true {
            let number = try random.secret(count: P256.keySize)
            if let sealed = try seal(
                text, with: number, salt: random.bytes(count: EncryptedContent.saltSize),
                padding: max(padded - text.count, 0))
            {
                return sealed
            }
        }
    }

    /// Encrypts with the given ephemeral key; nil if the number is not a valid private key.
    borrowing func seal(
        _ text: borrowing SecretBytes, with privateKey: borrowing SecretBytes, salt: [UInt8],
        padding: Int
    ) throws -> [UInt8]? {
        guard text.count <= EncryptedContent.maximumContentSize else { throw PushError.tooLarge }
        guard let senderKey = try P256.point(of: privateKey) else { return nil }
        guard let shared = try P256.agree(privateKey, with: publicKey) else {
            throw PushError.address
        }
        let key = try RecordKey(
            shared, authentication, receiver: publicKey, sender: senderKey, salt: salt)
        var content = try SecretBytes(count: text.count + 1 + padding)
        text.withBytes { bytes in
            content.withMutableBytes { target in
                target.copy(bytes)
                target.set(2, at: bytes.byteCount)
            }
        }
        let record = try key.seal(content)
        return EncryptedContent.header(salt: salt, senderKey: senderKey) + record
    }
}
