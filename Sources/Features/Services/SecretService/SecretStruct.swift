#if os(Linux)
    internal import SecretMemory
    internal import SecureStorage

    /// A secret that a client has sent.
    struct SecretStruct: ~Copyable {
        let value: SecretBytes
        let type: String

        /// Reads and decrypts a secret struct `(oayays)`. `session` returns the session of a path.
        init(_ message: BusMessage, _ session: (String) throws -> TransportSession) throws {
            try message.markSensitive()
            self = try message.read(BusMessage.structure, "oayays") {
                let session = try session(try message.readPath())
                let vector = try message.readBytes { bytes in
                    guard bytes.byteCount <= TransportKeyAgreement.blockSize else {
                        throw BusError.invalid("the parameters are not those of the session")
                    }
                    return unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                }
                let value = try message.readBytes { bytes -> SecretBytes in
                    let maximum = SecretLimits.maximumValueSize + TransportKeyAgreement.blockSize
                    guard bytes.byteCount <= maximum else {
                        throw SecureStoreError.tooLarge(maximum: SecretLimits.maximumValueSize)
                    }
                    guard let agreement = session.agreement else {
                        return try SecretBytes(copying: bytes)
                    }
                    guard let value = try agreement.decrypt(bytes, vector) else {
                        throw BusError.invalid("the value cannot be decrypted")
                    }
                    return value
                }
                return SecretStruct(value: value, type: try message.readText())
            }
        }

        private init(value: consuming SecretBytes, type: String) {
            self.value = value
            self.type = type
        }
    }
#endif
