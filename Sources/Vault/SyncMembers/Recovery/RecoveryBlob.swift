package import Sealing
internal import SecretMemory
internal import SecureStorage
package import Sync
internal import TextCoding

/// The secret keys of a recovery member, sealed under a key from its recovery code.
package struct RecoveryBlob: Hashable, Sendable {
    /// The size of the canonical bytes.
    package static let size = prefixSize + plaintextSize + Sealing.overhead
    private static let prefixSize = 4 + 4 + GroupID.size + DeviceID.size
    private static let plaintextSize = SyncLevel.allCases.count * LevelSecrets.size
    private static let format: UInt32 = 1

    package let group: GroupID
    /// The recovery member, whose id names the blob at the remote.
    package let member: DeviceID
    private let sealed: [UInt8]

    /// Seals the secrets.
    init(
        sealing secrets: DeviceSecrets, of group: GroupID, under code: borrowing RecoveryCode,
        random: RandomSource
    ) throws {
        self.group = group
        member = secrets.device
        var plaintext = try SecretBytes(count: Self.plaintextSize)
        for (index, part) in secrets.all.enumerated() {
            let encoded = try part.encoded()
            plaintext.withMutableBytes { plaintext in
                encoded.withBytes { plaintext.copy($0, at: index * LevelSecrets.size) }
            }
        }
        let key = try Self.key(code, group, secrets.device)
        let context = Self.context(group, secrets.device)
        sealed = plaintext.withBytes {
            Sealing.seal($0, under: key, context, random: random)
        }
    }

    /// Parses canonical bytes; nil for any other input, a later format included.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        let fields = ByteReader.reading(bytes) { reader -> (GroupID, DeviceID)? in
            guard reader.magic("TVRM") == true, reader.integer(UInt32.self) == Self.format,
                let group = reader.id(of: SyncSubject.Group.self),
                let member = reader.id(of: SyncSubject.Device.self)
            else { return nil }
            return (group, member)
        }
        guard let (group, member) = fields else { return nil }
        self.group = group
        self.member = member
        sealed = Array(bytes[Self.prefixSize...])
    }

    /// The canonical bytes: "TVRM" ‖ format u32 ‖ group raw[16] ‖ member raw[16] ‖ the sealed parts of all levels.
    package var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.magic("TVRM")
        writer.integer(Self.format)
        writer.id(group)
        writer.id(member)
        writer.raw(sealed)
        return writer.bytes
    }

    /// Opens the secrets.
    ///
    /// - Parameter code: The recovery code.
    /// - Returns: The secrets of the recovery member; nil for another code, or a changed blob.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func open(with code: borrowing RecoveryCode) throws -> DeviceSecrets? {
        let key: Key<Purpose.RecoveryMember> = try Self.key(code, group, member)
        var plaintext = try SecretBytes(count: Self.plaintextSize)
        do {
            try Sealing.open(
                sealed, under: key, Self.context(group, member), into: &plaintext)
        } catch is SealingError {
            return nil
        }
        var parts: [LevelSecrets] = []
        for index in SyncLevel.allCases.indices {
            let part = try plaintext.copy(
                from: index * LevelSecrets.size, count: LevelSecrets.size)
            guard let secrets = try LevelSecrets(part) else { return nil }
            parts.append(secrets)
        }
        let secrets = DeviceSecrets(
            list: parts[0], whileUnlocked: parts[1], afterVerification: parts[2])
        return secrets?.device == member ? secrets : nil
    }

    private static func key(
        _ code: borrowing RecoveryCode, _ group: GroupID, _ member: DeviceID
    ) throws -> Key<Purpose.RecoveryMember> {
        try code.key(for: Array("TVRB".utf8) + group.bytes + member.bytes)
    }

    private static func context(_ group: GroupID, _ member: DeviceID) -> SealContext {
        SealContext(.recoveryMember, vaultID: group.bytes, id: member.bytes)
    }
}
