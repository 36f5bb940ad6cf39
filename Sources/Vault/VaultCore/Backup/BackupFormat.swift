internal import Sealing
internal import TextCoding

/// The unsealed head of a backup (`Docs/Format.md`, section 9).
struct BackupHead {
    static let version: UInt32 = 2
    static let boxSize = BoxKeyPair.overhead + SecretStream.keySize
    static let macSize = 32
    static let chunkSize = 65_536
    /// The size of the largest header: eight slots with the largest records.
    static let largestHeader = 65_536
    static let largestSize = 4 + 4 + 8 + 4 + largestHeader + sizeAfterHeader
    private static let sizeAfterHeader = boxSize + 16 + SecretStream.headerSize

    let time: Int64
    /// The vault's header, as stored in the vault.
    let headerBytes: [UInt8]
    let box: [UInt8]
    let machineID: [UInt8]
    let streamHeader: [UInt8]

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVBU")
        writer.integer(Self.version)
        writer.integer(time)
        writer.sized(headerBytes)
        writer.raw(box)
        writer.raw(machineID)
        writer.raw(streamHeader)
        return writer.bytes
    }

    /// Whether a file with these first bytes is a backup, of any version.
    static func isBackup(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "TVBU".utf8) }

    /// Parses the first bytes of a backup.
    ///
    /// - Parameters:
    ///   - bytes: The beginning of the file: all of it, or ``largestSize`` bytes.
    ///   - fileSize: The size of the file.
    /// - Throws: `damaged`, `storage(.foreign)`, `storage(.newerVersion)`, `storage(.earlierBuild)`.
    init(_ bytes: [UInt8], fileSize: Int64) throws {
        self = try ByteReader.reading(bytes) { reader in
            guard reader.magic("TVBU") == true else {
                throw DatabaseError.foreign(reason: "not a backup")
            }
            guard let version = reader.integer(UInt32.self) else {
                throw VaultError.damaged(.backupTruncated)
            }
            guard version <= Self.version else { throw DatabaseError.newerVersion(Int(version)) }
            guard version == Self.version else {
                throw DatabaseError.earlierBuild(schema: nil)
            }
            guard let time = reader.integer(Int64.self), let size = reader.integer(UInt32.self)
            else { throw VaultError.damaged(.backupTruncated) }
            guard size <= Self.largestHeader else {
                let end = Int64(reader.offset) + Int64(size) + Int64(Self.sizeAfterHeader)
                throw VaultError.damaged(fileSize < end ? .backupTruncated : .headerTrailingBytes)
            }
            guard let header = reader.raw(Int(size)), let box = reader.raw(Self.boxSize),
                let machineID = reader.raw(16),
                let streamHeader = reader.raw(SecretStream.headerSize)
            else { throw VaultError.damaged(.backupTruncated) }
            return BackupHead(
                time: time, headerBytes: header, box: box, machineID: machineID,
                streamHeader: streamHeader)
        }
    }

    init(
        time: Int64, headerBytes: [UInt8], box: [UInt8], machineID: [UInt8], streamHeader: [UInt8]
    ) {
        self.time = time
        self.headerBytes = headerBytes
        self.box = box
        self.machineID = machineID
        self.streamHeader = streamHeader
    }
}

/// A part of a backup. Parts are stored in the order of their numbers.
public enum BackupPart: UInt8, Sendable, CaseIterable {
    /// The vault, an SQLite file; always present.
    case vault = 1
    /// The tasks, an SQLite file.
    case tasks = 2
    /// The settings, in the format of the settings file.
    case settings = 3
}

/// The key with which a machine authenticates its backups. No other proof exists that the tasks and settings are the owner's.
public struct BackupKey: ~Copyable, Sendable {
    /// The size of the key, in bytes.
    public static let size = 32

    /// The machine's id, 16 bytes.
    public let machineID: [UInt8]
    /// 32 bytes.
    let key: SecretBytes

    /// - Parameters:
    ///   - machineID: 16 bytes.
    ///   - key: 32 bytes.
    public init(machineID: [UInt8], key: consuming SecretBytes) {
        precondition(machineID.count == 16 && key.count == Self.size)
        self.machineID = machineID
        self.key = key
    }

    /// The name of the vault's item that holds the key of a machine.
    public static func item(of machineID: [UInt8]) throws -> SecretName {
        try SecretName(service: ReservedService.backup, account: Hexadecimal.text(machineID))
    }
}

/// The services of items that a restore treats specially.
package enum ReservedService {
    package static let backup = SecretName.reservedPrefix + "backup"
    static let expiry = SecretName.reservedPrefix + "expiry"
    static let file = SecretName.fileService
    static let settings = SecretName.reservedPrefix + "settings"
    static let task = SecretName.reservedPrefix + "task"
    /// Followed by the issuer.
    static let session = SecretName.reservedPrefix + "session:"
}
