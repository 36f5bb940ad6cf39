#if os(Linux)
    internal import SecretMemory

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
#endif
