internal import Sealing
internal import SecretMemory
internal import SecureStorage
internal import Sync
internal import TextCoding

/// The name of a member, sealed under L of an epoch.
package struct SealedName: Hashable, Sendable {
    /// The maximum size of a name, in bytes of UTF-8.
    package static let limit = 120
    fileprivate static let sealedLimit = 256
    /// No name.
    static let none = SealedName(
        epoch: [UInt8](repeating: 0, count: EpochKeys.idSize), sealed: [])

    fileprivate let epoch: [UInt8]
    fileprivate let sealed: [UInt8]

    fileprivate init(epoch: [UInt8], sealed: [UInt8]) {
        self.epoch = epoch
        self.sealed = sealed
    }

    /// Whether a name has 1 to 120 bytes, and no control character.
    package static func isValid(_ name: String) -> Bool {
        (1...limit).contains(name.utf8.count)
            && !name.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }

    /// Seals a valid name.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    init(
        _ name: String, of member: DeviceID, in group: GroupID, _ keys: EpochKeys,
        random: RandomSource
    ) throws {
        guard let key = keys[.list], Self.isValid(name) else {
            self = .none
            return
        }
        let text = Array(name.utf8)
        self.init(
            epoch: keys.id,
            sealed: try Sealing.sealPadded(
                unsafe text.span.bytes, under: key.key, Self.context(group, member, keys.id),
                random: random))
    }

    /// Opens the name; nil if L of its epoch is not there, or the name is not valid.
    func text(of member: DeviceID, in group: GroupID, _ epochs: [EpochKeys]) -> String? {
        guard let key = epochs.first(where: { $0.id == epoch })?[.list] else { return nil }
        let text: String? = try? Sealing.withOpenedPadded(
            sealed, under: key.key, Self.context(group, member, epoch)
        ) { text in String(validating: text.withBytes { $0.array }, as: UTF8.self) }
        return text.flatMap { Self.isValid($0) ? $0 : nil }
    }

    private static func context(
        _ group: GroupID, _ member: DeviceID, _ epoch: [UInt8]
    ) -> SealContext {
        SealContext(.memberName, vaultID: group.bytes, id: member.bytes, headerHash: epoch)
    }
}

extension ByteWriter {
    mutating func sealedName(_ name: SealedName) {
        raw(name.epoch)
        sized(name.sealed)
    }
}

extension ByteReader {
    /// Reads a name; nil if it is too long, or names an epoch without a sealed text.
    mutating func sealedName() -> SealedName? {
        guard let epoch = raw(EpochKeys.idSize), let sealed = sized(),
            sealed.count <= SealedName.sealedLimit
        else { return nil }
        let name = SealedName(epoch: epoch, sealed: sealed)
        return sealed.isEmpty && name != .none ? nil : name
    }
}
