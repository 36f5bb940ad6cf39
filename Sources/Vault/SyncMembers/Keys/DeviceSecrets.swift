package import Sealing
package import SecretMemory
internal import SecureStorage
package import Sync
internal import TextCoding

/// The secret keys of a device for one level, which lie where that level lies: an X25519 pair, and an Ed25519 pair.
///
/// The Ed25519 pair of the list signs the segments of the list, that of *while unlocked* those of the secrets, and that of
/// *after verification* is the member key.
package final class LevelSecrets: Sendable {
    /// The size of the encoding, in bytes.
    package static let size = prefixSize + 2 * keySize
    private static let keySize = 32
    private static let prefixSize = 4 + 1 + DeviceID.size

    package let level: SyncLevel
    package let device: DeviceID
    /// Opens the epochs' keys of the level.
    package let box: BoxKeyPair
    package let signing: SigningKeyPair

    init(
        _ level: SyncLevel, of device: DeviceID, box: consuming BoxKeyPair,
        signing: consuming SigningKeyPair
    ) {
        self.level = level
        self.device = device
        self.box = box
        self.signing = signing
    }

    /// Parses canonical bytes; nil for any other input.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package convenience init?(_ bytes: borrowing SecretBytes) throws {
        guard bytes.count == Self.size else { return nil }
        let place = bytes.withBytes { bytes in
            ByteReader.reading(bytes) { reader -> (SyncLevel, DeviceID)? in
                guard reader.magic("TVSK") == true,
                    let level = reader.integer(UInt8.self).flatMap(SyncLevel.init),
                    let device = reader.id(of: SyncSubject.Device.self)
                else { return nil }
                return (level, device)
            }
        }
        guard let (level, device) = place else { return nil }
        let secretKey = try bytes.copy(from: Self.prefixSize, count: Self.keySize)
        let seed = try bytes.copy(from: Self.prefixSize + Self.keySize, count: Self.keySize)
        self.init(
            level, of: device, box: BoxKeyPair(secretKey: secretKey),
            signing: try SigningKeyPair(seed: seed))
    }

    /// The canonical bytes: "TVSK" ‖ level u8 ‖ device raw[16] ‖ X25519 secret key raw[32] ‖ Ed25519 seed raw[32].
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func encoded() throws -> SecretBytes {
        var writer = ByteWriter()
        writer.magic("TVSK")
        writer.integer(level.rawValue)
        writer.id(device)
        let prefix = writer.bytes
        var bytes = try SecretBytes(count: Self.size)
        bytes.withMutableBytes { bytes in
            bytes.copy(unsafe prefix.span.bytes)
            box.withSecretKey { bytes.copy($0, at: Self.prefixSize) }
            signing.withSeed { bytes.copy($0, at: Self.prefixSize + Self.keySize) }
        }
        return bytes
    }

    /// A second copy of the signing pair, such as for a ``Replica``.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func signingKeyPair() throws -> SigningKeyPair {
        try SigningKeyPair(seed: signing.withSeed { try SecretBytes(copying: $0) })
    }
}

/// All secret keys of a device, or of a recovery member.
package struct DeviceSecrets: Sendable {
    /// The public keys.
    package let keys: DeviceKeys
    private let levels: [LevelSecrets]

    /// Creates random keys.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package static func random(from source: RandomSource) throws -> DeviceSecrets {
        let drafts = try SyncLevel.allCases.map { level in
            LevelSecrets(
                level, of: .zero, box: try .random(from: source), signing: try .random(from: source)
            )
        }
        let device = keys(of: drafts).id
        return DeviceSecrets(
            try drafts.map { draft in
                LevelSecrets(
                    draft.level, of: device,
                    box: BoxKeyPair(
                        secretKey: try draft.box.withSecretKey { try SecretBytes(copying: $0) }),
                    signing: try draft.signingKeyPair())
            })
    }

    /// Combines the parts of one device; nil if they do not belong together.
    package init?(
        list: LevelSecrets, whileUnlocked: LevelSecrets, afterVerification: LevelSecrets
    ) {
        let levels = [list, whileUnlocked, afterVerification]
        guard levels.map(\.level) == SyncLevel.allCases else { return nil }
        self.init(levels)
        guard levels.allSatisfy({ $0.device == keys.id }) else { return nil }
    }

    private init(_ levels: [LevelSecrets]) {
        self.levels = levels
        keys = Self.keys(of: levels)
    }

    private static func keys(of levels: [LevelSecrets]) -> DeviceKeys {
        DeviceKeys(
            boxKeys: levels.map { $0.box.publicKey },
            signingKeys: levels.map { $0.signing.publicKey })
    }

    /// The id of the device.
    package var device: DeviceID { levels[0].device }

    package subscript(level: SyncLevel) -> LevelSecrets { levels[Int(level.rawValue)] }

    /// The parts, by ascending level.
    package var all: [LevelSecrets] { levels }
}
