package import Sealing
package import SecretMemory

/// The key of one level in one epoch.
package final class LevelKey: Sendable {
    package let key: Key<Purpose.SyncLevel>

    /// Uses a secret of 32 bytes as key.
    package init(_ secret: consuming SecretBytes) {
        key = Key(secret)
    }
}

/// The keys of an epoch that this process has now.
package struct EpochKeys: Sendable {
    /// The size of an epoch's id, in bytes.
    package static let idSize = 32

    /// The hash of the epoch's statement.
    package let id: [UInt8]
    package let keys: [SyncLevel: LevelKey]

    /// - Parameters:
    ///   - id: The id of the epoch, 32 bytes.
    ///   - keys: The keys. A locked machine has only that of the list.
    package init(id: [UInt8], keys: [SyncLevel: LevelKey]) {
        precondition(id.count == Self.idSize)
        self.id = id
        self.keys = keys
    }

    /// Whether the keys of all levels are there.
    package var isComplete: Bool { keys.count == SyncLevel.allCases.count }

    package subscript(level: SyncLevel) -> LevelKey? { keys[level] }

    /// The same epoch with the keys up to a level only.
    package func limited(to level: SyncLevel) -> EpochKeys {
        EpochKeys(id: id, keys: keys.filter { $0.key <= level })
    }
}
