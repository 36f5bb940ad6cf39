#if os(Linux)
    internal import SecretMemory
    internal import SecureStorage

    /// A session of the Secret Service, which encrypts values between client and service.
    struct TransportSession {
        /// The client's unique bus name. The session ends with that connection.
        let client: String
        /// The key agreement; nil for the algorithm `plain`.
        let agreement: TransportKeyAgreement?

        /// Appends a secret struct `(oayays)`: session, parameters, value and content type.
        func write(
            _ value: borrowing SecretBytes, type: String, path: String, to message: BusMessage
        ) throws {
            try message.markSensitive()
            var vector: [UInt8] = []
            var sealed: [UInt8]?
            if let agreement {
                vector = RandomSource.system.bytes(count: TransportKeyAgreement.blockSize)
                sealed = try agreement.encrypt(value, vector)
            }
            try message.open(BusMessage.structure, of: "oayays")
            try message.append(path: path)
            try unsafe message.append(bytes: vector.span.bytes)
            if let sealed {
                try unsafe message.append(bytes: sealed.span.bytes)
            } else {
                try value.withBytes { bytes in try message.append(bytes: bytes) }
            }
            try message.append(type)
            try message.close()
        }
    }

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
