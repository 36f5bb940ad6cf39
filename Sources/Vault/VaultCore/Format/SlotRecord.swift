internal import Sealing
internal import SecureStorage

/// The request to an authenticator for the output that opens a slot (`Docs/Format.md`, section 4, hmac-secret).
public struct SlotRecord: Sendable, Hashable {
    /// The protocol by which programs reach the authenticator.
    public enum Transport: UInt8, Sendable {
        /// A security key, by CTAP 2.
        case securityKey = 1
        /// A passkey, by WebAuthn.
        case passkey = 2
    }

    /// The size of the random input, in bytes.
    public static let inputSize = 32
    /// The maximum size of a name, in bytes.
    public static let maximumNameSize = 64
    private static let credentialIDSizes = 1...1_023
    private static let publicKeySizes = 1...512

    /// The protocol by which programs reach the authenticator.
    public let transport: Transport
    /// Whether the authenticator reported that the credential can be on several devices.
    public let isSynchronised: Bool
    /// The random input of the salt, 32 bytes.
    public let input: [UInt8]
    /// The id of the credential, 1 to 1,023 bytes.
    public let credentialID: [UInt8]
    /// The public key of the credential as a COSE_Key, 1 to 512 bytes; not parsed here.
    public let publicKey: [UInt8]
    /// The name, chosen by the owner; at most 64 bytes, without control characters.
    public let name: String

    /// Creates a record. It is checked when a slot is made from it.
    public init(
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
    public init?(_ bytes: [UInt8]) {
        guard let record = ByteReader.reading(bytes, { Self.read(from: &$0) }) else { return nil }
        self = record
    }

    private static func read(from reader: inout ByteReader) -> SlotRecord? {
        guard let transport = reader.integer(UInt8.self).flatMap(Transport.init),
            let synchronised = reader.integer(UInt8.self), synchronised <= 1,
            let input = reader.raw(inputSize),
            let credentialID = reader.sized(), credentialIDSizes.contains(credentialID.count),
            let publicKey = reader.sized(), publicKeySizes.contains(publicKey.count),
            let name = reader.text(), nameRule.violation(name) == nil, reader.isAtEnd
        else { return nil }
        return SlotRecord(
            transport: transport, isSynchronised: synchronised == 1, input: input,
            credentialID: credentialID, publicKey: publicKey, name: name)
    }

    /// The salt for the authenticator.
    public var salt: [UInt8] { Self.salt(of: input) }

    /// The salt of an input, as a browser computes it from a WebAuthn PRF input.
    public static func salt(of input: [UInt8]) -> [UInt8] {
        SHA256.hash(Array("WebAuthn PRF".utf8) + [0] + input)
    }

    /// The record with another name.
    func named(_ name: String) -> SlotRecord {
        SlotRecord(
            transport: transport, isSynchronised: isSynchronised, input: input,
            credentialID: credentialID, publicKey: publicKey, name: name)
    }

    /// Refuses a record that no header can have.
    ///
    /// - Throws: `SecureStoreError.invalidName` for the name; `VaultError.damaged(.slotRecord)` for any other field.
    func check() throws {
        try Self.check(name: name)
        guard SlotRecord(bytes) == self else { throw VaultError.damaged(.slotRecord) }
    }

    /// Refuses a name that no header can have.
    ///
    /// - Throws: `SecureStoreError.invalidName`.
    package static func check(name: String) throws {
        try nameRule.check(name, "label")
    }

    private static let nameRule = TextRule(
        sizes: 0...maximumNameSize, allowsControlCharacters: false)

    /// The canonical bytes.
    public var bytes: [UInt8] {
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
