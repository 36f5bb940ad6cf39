package import Sealing
package import SecretMemory

/// A device of a group: writes its own segments, and applies those of the others. Not thread-safe; one process at a time.
///
/// The functions do what `Docs/Sync.md` says, over a ``SyncStore`` and a ``SyncRemote``. Any of them may end at any point: the next
/// one continues from the last transaction.
package final class Replica {
    /// The parameters that tests replace.
    package struct Environment: Sendable {
        /// The wall clock, in milliseconds since 1970-01-01 UTC.
        let now: @Sendable () -> Int64
        let random: RandomSource
        let rules: SyncRules

        package init(
            now: @escaping @Sendable () -> Int64, random: RandomSource, rules: SyncRules = .all
        ) {
            self.now = now
            self.random = random
            self.rules = rules
        }
    }

    package let group: GroupID
    package let device: DeviceID
    let key: SigningKeyPair
    let store: any SyncStore
    package let remote: any SyncRemote
    let environment: Environment

    /// The other members and this device, with their segment keys.
    package var members: [DeviceID: [UInt8]]
    /// Those of ``members`` that were removed: their segments still count, and nothing waits for them.
    package var formerMembers: Set<DeviceID> = []
    /// The heads that the device which added this one had: no snapshot is taken that does not reach them.
    package var requiredHeads: Heads = [:]
    /// The keys of epochs, as far as they are there now: a locked machine has those of the list.
    package var epochs: [[UInt8]: EpochKeys]
    /// The removed members that matter for an epoch, by its id.
    package var audiences: [[UInt8]: EpochAudience] = [:]
    /// The id of the epoch under which this device seals.
    package var sealingEpoch: [UInt8]
    /// Whether changes are written as by a device that has seen nothing: they were made before. It has an effect until the chain names heads.
    package var isBlind = false

    /// - Parameters:
    ///   - group: The group.
    ///   - device: This device.
    ///   - key: Its segment key.
    ///   - members: All members, with the Ed25519 keys that verify their segments.
    ///   - epochs: The known epochs; this device seals under the first.
    ///   - store: The store of this device.
    ///   - remote: The remote.
    ///   - environment: Time and random numbers.
    package init(
        _ group: GroupID, _ device: DeviceID, key: consuming SigningKeyPair,
        members: [DeviceID: [UInt8]], epochs: [EpochKeys], store: any SyncStore,
        remote: any SyncRemote, environment: Environment
    ) {
        self.group = group
        self.device = device
        self.key = key
        self.members = members
        self.epochs = Dictionary(epochs.map { ($0.id, $0) }) { first, _ in first }
        sealingEpoch = epochs.first?.id ?? []
        self.store = store
        self.remote = remote
        self.environment = environment
    }

    var rules: SyncRules { environment.rules }

    /// Whether the key of a level is there.
    func has(_ level: SyncLevel) -> Bool { epochs[sealingEpoch]?[level] != nil }
}
