internal import Sealing
internal import SecretMemory
internal import SecureStorage

/// A message between a client and the agent (`Docs/AgentProtocol.md`): its type, and the encoding of its fields.
///
/// A secret at the end of a message is kept separately, in guarded memory.
protocol AgentMessage: Sendable {
    /// The first byte of the payload.
    static var messageType: UInt8 { get }
    /// Whether a secret is the last field.
    static var carriesSecret: Bool { get }

    /// Decodes the fields before the secret; nil for invalid bytes.
    init?(from reader: inout ByteReader)

    /// Encodes the fields before the secret.
    func write(to writer: inout ByteWriter)
}

/// A request of a client; the server's table is ``RequestTable``.
///
/// The answer has any number of messages of the type `Part`, by default none. One message of the
/// type `Answer` follows.
protocol AgentRequest: AgentMessage {
    associatedtype Part = Never
    associatedtype Answer: AgentMessage

    /// Whether the client allows more time for the answer: for a key derivation, many secrets or a
    /// large file.
    static var isSlow: Bool { get }
}

extension AgentMessage {
    static var carriesSecret: Bool { false }

    /// The payload up to the secret, if any.
    var head: [UInt8] {
        var writer = ByteWriter()
        writer.integer(Self.messageType)
        write(to: &writer)
        return writer.bytes
    }

    /// Decodes a payload and removes all bytes except its secret.
    ///
    /// - Returns: nil if the payload is not a valid message of this type; `payload` is then
    ///   undefined.
    static func take(from payload: inout SecretBytes) -> Self? {
        let found = payload.withBytes { bytes in
            ByteReader.reading(bytes) { (reader) -> (message: Self, offset: Int)? in
                guard reader.integer(UInt8.self) == messageType,
                    let message = Self(from: &reader)
                else { return nil }
                if carriesSecret {
                    guard let size = reader.integer(UInt32.self),
                        Int(size) == bytes.byteCount - reader.offset
                    else { return nil }
                } else if !reader.isAtEnd {
                    return nil
                }
                return (message, reader.offset)
            }
        }
        guard let found else { return nil }
        payload.keep(from: found.offset, count: payload.count - found.offset)
        return found.message
    }
}

extension AgentRequest {
    static var isSlow: Bool { false }
}

/// A message without fields.
protocol EmptyMessage: AgentMessage {
    init()
}

extension EmptyMessage {
    init?(from reader: inout ByteReader) { self.init() }

    func write(to writer: inout ByteWriter) {}
}

extension SecretBytes {
    /// The type of the message in a payload.
    var messageType: UInt8? {
        withBytes { bytes in
            bytes.byteCount == 0 ? nil : unsafe bytes.unsafeLoad(as: UInt8.self)
        }
    }
}
