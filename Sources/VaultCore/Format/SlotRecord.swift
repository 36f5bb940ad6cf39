internal import SecureStorage

/// What a program asks an authenticator with, to get the output that opens a slot (`Docs/Format.md`, section 4, hmac-secret).
struct SlotRecord: Sendable, Hashable {
    /// How to reach the authenticator.
    enum Transport: UInt8, Sendable {
        case securityKey = 1
        case passkey = 2
    }

    private static let inputSize = 32
    private static let credentialIDSizes = 1...1_023
    private static let publicKeySizes = 1...512
    private static let maximumNameSize = 64

    let transport: Transport
    /// Whether the authenticator said that the credential can be on several devices.
    let isSynchronised: Bool
    /// The random input of the salt, 32 bytes.
    let input: [UInt8]
    /// The id of the credential, 1 to 1,023 bytes.
    let credentialID: [UInt8]
    /// The public key of the credential as COSE_Key, 1 to 512 bytes, not looked into.
    let publicKey: [UInt8]
    /// For the owner; at most 64 bytes, without control characters.
    let name: String

    init(
        transport: Transport, isSynchronised: Bool, input: [UInt8], credentialID: [UInt8],
        publicKey: [UInt8], name: String
    ) {
        self.transport = transport
        self.isSynchronised = isSynchronised
        self.input = input
        self.credentialID = credentialID
        self.publicKey = publicKey
        self.name = name
    }

    /// Parses canonical bytes; nil for any other input.
    init?(_ bytes: [UInt8]) {
        guard let record = ByteReader.reading(bytes, { Self.read(from: &$0) }) else { return nil }
        self = record
    }

    private static func read(from reader: inout ByteReader) -> SlotRecord? {
        guard let transport = reader.integer(UInt8.self).flatMap(Transport.init),
            let synchronised = reader.integer(UInt8.self), synchronised <= 1,
            let input = reader.raw(inputSize),
            let credentialID = reader.sized(), credentialIDSizes.contains(credentialID.count),
            let publicKey = reader.sized(), publicKeySizes.contains(publicKey.count),
            let name = reader.text(), name.utf8.count <= maximumNameSize,
            TextRule.label.violation(name) == nil, reader.isAtEnd
        else { return nil }
        return SlotRecord(
            transport: transport, isSynchronised: synchronised == 1, input: input,
            credentialID: credentialID, publicKey: publicKey, name: name)
    }

    /// The canonical bytes.
    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(transport.rawValue)
        writer.integer(UInt8(isSynchronised ? 1 : 0))
        writer.raw(input)
        writer.sized(credentialID)
        writer.sized(publicKey)
        writer.text(name)
        return writer.bytes
    }
}
