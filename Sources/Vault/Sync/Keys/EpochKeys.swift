package import Sealing
package import SecretMemory

/// The key of one level in one epoch.
package final class LevelKey: Sendable {
    package let key: Key<Purpose.SyncLevel>

    /// Uses a secret of 32 bytes as key.
    package init(_ secret: consuming SecretBytes) {
        key = Key(secret)
    }

    /// The commitment to the key, `hash(32, key, "TVEC" ‖ group ‖ level)`.
    ///
    /// A seal of XChaCha20-Poly1305 can open under two keys, each with another plaintext. The commitment permits one key.
    package func commitment(_ group: GroupID, _ level: SyncLevel) -> [UInt8] {
        Blake2b.hash(size: EpochStatement.commitmentSize, key: key) { input in
            input.feed("TVEC")
            input.feed(group.bytes)
            input.feed(level.rawValue)
        }
    }
}

/// The keys of an epoch that this process has now.
package struct EpochKeys: Sendable {
    /// The hash of the epoch's statement.
    package let id: [UInt8]
    let keys: [SyncLevel: LevelKey]

    /// - Parameters:
    ///   - id: The id of the epoch, 32 bytes.
    ///   - keys: The keys. A locked machine has only that of the list.
    package init(id: [UInt8], keys: [SyncLevel: LevelKey]) {
        precondition(id.count == EpochStatement.idSize)
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
