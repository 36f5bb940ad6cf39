package import SecretMemory
package import SecureStorage
package import Sync
package import SyncStorage
internal import TextCoding

/// The mirror of the owner's secrets and files: makes records of what changed in the vault, and changes in the vault what records of other devices say.
///
/// The vault knows nothing of it. A round is ``capture()``, `Replica.collect()`, `Replica.settle()`, ``apply()``, `Replica.publish(_:)`, under
/// a lock of its own. Every step can be repeated: after a crash the next round finds in the vault what it was about to change. Not
/// thread-safe.
package final class SecretMirror {
    let replica: Replica
    let store: any MirrorStore
    let secrets: any SecureStore
    let retention: EarlierRetention
    let random: RandomSource
    let now: @Sendable () -> Int64
    /// Whether this home joins again: what it changed meanwhile was written without knowledge of the group's news.
    var isResuming = false
    /// The changes that a former device of this home had not sent, while the secret has this revision.
    var unsent: [ObjectID: (revision: UInt64, fields: [UInt32: Stamp])] = [:]
    /// Whether the vault counts as the newest state, and the objects that it removes so, which its trash lacks.
    var isAdopting = false
    var lacking: [ObjectID] = []
    /// Records that count only for what their author has seen, of secrets with other news.
    var late: [Draft] = []
    /// The attribute of a file that has a value; nil for a malformed value.
    let fileAttribute: @Sendable (borrowing SecretBytes) -> ExtraAttribute?
    /// Files that wait until the remote has their content. ``capture()`` leaves them out.
    package var waitingFiles: Set<SecretName> = []

    /// - Parameters:
    ///   - replica: The replica of the chain *secrets*, with the key U, and with V if the owner is verified.
    ///   - store: Its store.
    ///   - secrets: The vault, unlocked.
    ///   - retention: How long the vault keeps earlier values and removed secrets.
    ///   - random: Random numbers, for the ids of objects.
    ///   - fileAttribute: The attribute beside a file's value that says which content it has; nil for a malformed value.
    ///   - now: Milliseconds since 1970-01-01 UTC: the clock of the replica.
    package init(
        _ replica: Replica, store: any MirrorStore, secrets: any SecureStore,
        retention: EarlierRetention = .standard, random: RandomSource = .system,
        fileAttribute: @escaping @Sendable (borrowing SecretBytes) -> ExtraAttribute? = { _ in nil
        },
        now: @escaping @Sendable () -> Int64
    ) {
        self.replica = replica
        self.store = store
        self.secrets = secrets
        self.retention = retention
        self.random = random
        self.fileAttribute = fileAttribute
        self.now = now
    }

    /// Whether secrets of a name travel: those of the owner, and files. Records of other names that come are refused.
    static func travels(_ name: SecretName) -> Bool {
        guard name.isReserved else { return true }
        return name.isFile && name.field == SecretName.standardField
            && Hexadecimal.isText(name.account, ofBytes: ObjectID.size)
    }

    /// Whether values of the class *after verification* can be sealed and opened.
    var hasVerificationKey: Bool {
        replica.epochs[replica.sealingEpoch]?[.afterVerification] != nil
    }
}

/// The result of a capture or of an application.
package struct SecretMirrorReport: Hashable, Sendable {
    /// The number of objects of which records were written.
    package var captured = 0
    /// The names of secrets that were saved or changed in the vault.
    package var changed: Set<SecretName> = []
    /// The names of secrets that were removed from the vault, to its trash.
    package var removed: Set<SecretName> = []
    /// The names of secrets with a change that needs verification. It is made in the first round after that.
    package var waiting: Set<SecretName> = []
    /// The names of secrets that changed in the vault during the round. The next round sees to them.
    package var postponed: Set<SecretName> = []
    /// The number of objects that the vault refuses: their name is reserved, or they exceed a limit of the vault.
    package var refused = 0

    package init() {}

    /// Adds what another step of the same round did.
    package mutating func add(_ other: SecretMirrorReport) {
        captured += other.captured
        changed.formUnion(other.changed)
        removed.formUnion(other.removed)
        waiting.formUnion(other.waiting)
        postponed.formUnion(other.postponed)
        refused += other.refused
    }
}

// MARK: Counterparts

/// Where the counterpart of an object is, encoded as the name of a `Counterpart`.
enum CounterpartPlace: Hashable {
    /// In the vault, under this name.
    case live(SecretName)
    /// In the trash. `name` is its last name; nil if it was never in this vault.
    case trash(ObjectID, SecretName?)
    /// In the vault, under a name that another object has in the store for a moment.
    case moving(ObjectID)

    init?(_ bytes: [UInt8]) {
        let place = ByteReader.reading(bytes) { reader -> CounterpartPlace? in
            switch reader.integer(UInt8.self) {
            case 1: return reader.name().map { .live($0) }
            case 2:
                guard let object = reader.id(of: SyncSubject.Object.self) else { return nil }
                if reader.isAtEnd { return .trash(object, nil) }
                return reader.name().map { .trash(object, $0) }
            case 3: return reader.id(of: SyncSubject.Object.self).map { .moving($0) }
            default: return nil
            }
        }
        guard let place else { return nil }
        self = place
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        switch self {
        case .live(let name):
            writer.integer(UInt8(1))
            writer.name(name)
        case .trash(let object, let name):
            writer.integer(UInt8(2))
            writer.id(object)
            if let name { writer.name(name) }
        case .moving(let object):
            writer.integer(UInt8(3))
            writer.id(object)
        }
        return writer.bytes
    }
}

extension Counterpart {
    /// The counterpart of an object in the vault.
    init(_ object: ObjectID, of item: SecretItem, revision: UInt64) {
        self.init(
            object, name: CounterpartPlace.live(item.name).bytes, revision: revision,
            created: item.created)
    }

    /// The counterpart of the same object in the trash.
    func inTrash(_ name: SecretName?) -> Counterpart {
        var other = self
        other.name = CounterpartPlace.trash(object, lastName ?? name).bytes
        return other
    }

    var place: CounterpartPlace? { CounterpartPlace(name) }

    /// Whether it is not in the trash.
    var isLive: Bool {
        if case .trash = place { false } else { true }
    }
}

extension MirrorTransaction {
    /// As `set(_:)`; another object that has the name in the store gives it up, and gets its own in the same round.
    func place(_ counterpart: Counterpart) throws {
        if var other = try self.counterpart(named: counterpart.name),
            other.object != counterpart.object
        {
            other.name = CounterpartPlace.moving(other.object).bytes
            try set(other)
        }
        try set(counterpart)
    }
}
