/// The associated data that binds a sealed blob to its location (`Docs/Format.md`, section 1).
///
/// A blob opens only with the context of its sealing. So it cannot be moved to another vault, item, class, revision or field.
public struct SealContext: Sendable {
    /// The kind of sealed data.
    public enum Purpose: UInt8, Sendable {
        /// The secret key and the authentication key of a slot.
        case slotPair = 1
        /// The attribute key, a value key or the secret key for backups, in the header.
        case wrappedKey = 2
        /// The attributes of an item.
        case attributes = 3
        /// The value of an item.
        case value = 4
        /// A bucket record.
        case bucket = 5
        /// The state of the vault.
        case state = 6
        /// The authentication key of a slot, under the root key's subkey.
        case slotKey = 7
        /// The link of a commit.
        case link = 8
        /// The time and the reason of an earlier row.
        case moved = 9
        /// A record of the log of reads.
        case read = 10
        /// The secret of an authenticator app, which an auth server keeps for an account (`Docs/Storage.md`).
        case oneTimePassword = 11
        /// One level of a segment (`Docs/Sync.md`).
        case segment = 12
        /// The name of a member of a group (`Docs/Sync.md`).
        case memberName = 14
        /// The secret keys of a recovery member (`Docs/Sync.md`).
        case recoveryMember = 15
        /// A record of sync in a device's own database (`Docs/Sync.md`).
        case syncRecord = 13
    }

    static let baseSize = 51
    static let maximumSize = baseSize + 32

    /// The version of the sealed record; the vault uses 2.
    public static let recordFormat: UInt32 = 2

    private(set) var bytes: InlineArray<83, UInt8>
    private(set) var size: Int

    /// Creates a context; fields that a purpose does not use stay zero.
    ///
    /// - Parameters:
    ///   - purpose: The kind of sealed data.
    ///   - vaultID: The vault's id, 16 bytes.
    ///   - id: A slot's or an item's id, 16 bytes, or none.
    ///   - accessClass: The number of the access class.
    ///   - revision: The revision of an item, the key epoch, or the counter of a commit.
    ///   - part: The part of the whole, as in the format's table of purposes.
    ///   - headerHash: For the state, segments and records of sync: the hash of the header, 32 bytes. For names of members: the id of the
    ///     epoch.
    public init(
        _ purpose: Purpose, vaultID: [UInt8], id: [UInt8] = [], accessClass: UInt8 = 0,
        revision: UInt64 = 0, part: UInt8 = 0, headerHash: [UInt8] = []
    ) {
        precondition(vaultID.count == 16 && (id.isEmpty || id.count == 16))
        precondition(headerHash.isEmpty || headerHash.count == 32)
        bytes = InlineArray(repeating: 0)
        size = Self.baseSize + headerHash.count
        put(at: 0, [0x54, 0x56, 0x41, 0x44])  // "TVAD"
        bytes[4] = purpose.rawValue
        put(at: 5, Self.recordFormat)
        put(at: 9, vaultID)
        put(at: 25, id)
        bytes[41] = accessClass
        put(at: 42, revision)
        bytes[50] = part
        put(at: 51, headerHash)
    }

    private mutating func put(at offset: Int, _ source: [UInt8]) {
        for index in source.indices { bytes[offset + index] = source[index] }
    }

    private mutating func put<Integer: FixedWidthInteger & UnsignedInteger>(
        at offset: Int, _ value: Integer
    ) {
        for index in 0..<(Integer.bitWidth / 8) {
            bytes[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }
}
