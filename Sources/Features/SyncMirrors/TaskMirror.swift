internal import SecretMemory
package import SecureStorage
package import Sync
package import SyncStorage
package import Tasks

/// Joins the to-do list with the records of the chain *list*: ``capture()`` makes records of what changed in the list, and ``apply()``
/// changes the list as records of other devices say (`Docs/Sync.md`, section 14).
///
/// A round is `capture`, `collect` and `settle` of the replica, `apply`, `publish`. One process at a time. Any step may end at any point:
/// the next round continues. Without the vault, or without the key V, all but protected text travels.
package final class TaskMirror {
    /// The work of ``apply()``.
    package struct Applied: Hashable, Sendable {
        /// The tasks that were made, changed or removed in the list.
        package var changed = 0
        /// Tasks that changed in the list meanwhile, or whose text needs the vault. A later round applies them.
        package var waiting = 0
        /// Tasks that the list cannot store.
        package var refused: Set<ObjectID> = []

        package init() {}
    }

    let replica: Replica
    let store: any MirrorStore
    let repository: TaskRepository
    let vault: (any SecureStore)?
    let calendar: any LocalCalendar
    let now: @Sendable () -> PointInTime
    /// Whether this home joins again: what it changed meanwhile was written without knowledge of the group's news.
    var isResuming = false
    /// The changes that a former device of this home had not sent, while the row has this revision.
    var unsent: [ObjectID: (revision: UInt64, fields: [UInt32: Stamp])] = [:]

    /// - Parameters:
    ///   - replica: The replica of the chain *list*, over `store`.
    ///   - store: Its store.
    ///   - repository: The list.
    ///   - vault: The unlocked vault with the text of protected tasks; nil if it is locked. Unless it is verified, text waits.
    ///   - calendar: The calendar of the owner.
    ///   - now: The wall clock.
    package init(
        _ replica: Replica, _ store: any MirrorStore, _ repository: TaskRepository,
        vault: (any SecureStore)?, calendar: any LocalCalendar = SystemCalendar(),
        now: @escaping @Sendable () -> PointInTime
    ) {
        self.replica = replica
        self.store = store
        self.repository = repository
        self.vault = vault
        self.calendar = calendar
        self.now = now
    }

    /// Whether the key V is there, so that protected text can travel.
    var hasTextKey: Bool { replica.epochs[replica.sealingEpoch]?[.afterVerification] != nil }

    // MARK: Marks

    /// The tasks that a person should look at: with *concurrent* texts, or returned after a removal. Needs no key.
    package func markedIDs() throws -> Set<TaskID> {
        try store.mirrorTransaction { transaction in
            Set(try transaction.marked().compactMap { try transaction.counterpart(of: $0)?.task })
        }
    }

    /// The protected tasks whose text has not come, or waits for verification. Their rows are no damage. Needs no key.
    package func arrivingIDs() throws -> Set<TaskID> {
        try store.mirrorTransaction { transaction in
            Set(
                try transaction.objects(.arriving).compactMap {
                    try transaction.counterpart(of: $0)?.task
                })
        }
    }

    /// Notes for all devices that a person looked at the other versions of a task.
    ///
    /// - Returns: Whether the task was marked.
    package func looked(at id: TaskID) throws -> Bool {
        try store.mirrorTransaction { transaction in
            guard let object = try transaction.counterpart(named: id.name)?.object,
                let state = try transaction.taskState(of: object)
            else { return false }
            var stamps: Set<Stamp> = []
            for field in state.fields.values where field.current.field.isVersioned {
                stamps.formUnion(field.earlier.filter(\.isConcurrent).map(\.version.stamp))
            }
            if state.hasReturned {
                let removes = try transaction.versions(of: object).filter { $0.field == .remove }
                stamps.formUnion(removes.map(\.stamp))
            }
            if !stamps.isEmpty {
                try replica.change(in: transaction) { _ in
                    [Draft(object, .looked, .list, RecordContent.stamps(stamps))]
                }
            }
            try transaction.setMarked(object, false)
            return !stamps.isEmpty
        }
    }

    /// Marks tasks whose records changed by a capture, or whose last ``apply()`` ended before it did.
    func mark(_ objects: [ObjectID], _ transaction: any MirrorTransaction) throws {
        try transaction.mark(
            objects.compactMap { try transaction.taskState(of: $0) }, canCompare: hasTextKey)
    }

    // MARK: Removed tasks

    /// Erases the records of tasks that were removed long ago, as soon as all members have seen them.
    ///
    /// - Parameter days: The days that a removed task stays.
    /// - Returns: The number of erased tasks.
    /// - Throws: The errors of the store.
    package func expire(afterDays days: Int = EarlierRetention.standard.removedDays) throws -> Int {
        let limit = now().milliseconds - Int64(days) * 86_400_000
        let old = try store.mirrorTransaction { transaction in
            try transaction.counterparts().filter(\.isGone).map(\.object).filter { object in
                let versions = try transaction.versions(of: object)
                // By this device's clock: a stamp erases nothing.
                let isOld = versions.allSatisfy { $0.applied < limit }
                return isOld && ObjectState(versions)?.isRemoved == true
            }
        }
        var count = 0
        for object in old where try replica.erase(object) {
            try store.mirrorTransaction { try $0.removeCounterpart(of: object) }
            count += 1
        }
        return count
    }
}

// MARK: Names and notes

extension TaskID {
    /// The name of the task's counterpart.
    var name: [UInt8] { Array(text.utf8) }

    init?(name: some Sequence<UInt8>) {
        self.init(String(decoding: Array(name), as: UTF8.self))
    }
}

extension Counterpart {
    /// The mark of a counterpart whose row is gone: removed, or purged after its clearing.
    private static let gone: UInt64 = 1 << 62
    /// A revision that no row has.
    static let noRevision = gone - 1

    package var task: TaskID? { TaskID(name: name) }
    var isGone: Bool { revision & Self.gone != 0 }
    /// Whether a row is as it was. Another task can have got the characters of one that was removed since.
    func isRow(_ row: TaskRepository.Revision) -> Bool {
        revision == row.number && created == row.created.milliseconds
    }

    /// The last revision of the row.
    var lastRevision: UInt64 { revision & ~Self.gone }

    /// The same without a row.
    var withoutRow: Counterpart {
        var gone = self
        // A row that comes back gets a later revision than the last one.
        gone.revision = (revision == Self.noRevision ? 0 : revision) | Self.gone
        return gone
    }
}

/// The notes of the mirror that are sets of objects.
enum ObjectNote: String {
    /// Tasks whose text may have changed in the vault while it could not be read.
    case texts
    /// Protected tasks without text in the vault.
    case arriving
    /// Tasks that ``TaskMirror/apply()`` looks at again: the list was put back, they come after a task that is not known, or it is not known
    /// whether they are marked.
    case again

    /// The objects of a note's content.
    static func objects(_ bytes: [UInt8]) -> Set<ObjectID> {
        Set(
            stride(from: 0, to: bytes.count - bytes.count % 16, by: 16).compactMap {
                ObjectID(Array(bytes[$0..<($0 + 16)]))
            })
    }
}

extension MirrorTransaction {
    func objects(_ note: ObjectNote) throws -> Set<ObjectID> {
        ObjectNote.objects(try self.note(note.rawValue) ?? [])
    }

    /// Changes a set of objects.
    func update(_ note: ObjectNote, _ change: (inout Set<ObjectID>) -> Void) throws {
        let old = try objects(note)
        var new = old
        change(&new)
        if new != old { try setNote(note.rawValue, new.sorted().flatMap(\.bytes)) }
    }

    /// The head up to which the list was read.
    var readHead: TaskHead? {
        get throws {
            guard let bytes = try note("head") else { return nil }
            return ByteReader.reading(bytes) { reader -> TaskHead? in
                guard let number = reader.integer(Int64.self),
                    let mark = reader.integer(Int64.self)
                else { return nil }
                return TaskHead(number: number, mark: mark)
            }
        }
    }

    func setReadHead(_ head: TaskHead) throws {
        var writer = ByteWriter(capacity: 16)
        writer.integer(head.number)
        writer.integer(head.mark)
        try setNote("head", writer.bytes)
    }

    /// The state of a task, nil for no task. Aliases do not join tasks.
    func taskState(of object: ObjectID, without hidden: Set<RecordKey> = []) throws -> ObjectState?
    {
        taskState(over: try versions(of: object), without: hidden)
    }

    /// The state of a task over its records, without some of them; nil for no task.
    func taskState(
        over versions: [Version], without hidden: Set<RecordKey> = []
    ) -> ObjectState? {
        let state = ObjectState(
            hidden.isEmpty ? versions : versions.filter { !hidden.contains($0.key) },
            fingerprint: fingerprintOfOpen)
        return state?.kind == ObjectState.Kind.task ? state : nil
    }

    /// Marks tasks that a person should look at, and removes the marks of the others.
    ///
    /// - Parameters:
    ///   - states: The tasks.
    ///   - canCompare: Whether protected texts can be compared with others. Otherwise no task is marked because of them until a round can.
    /// - Throws: The errors of the store.
    func mark(_ states: [ObjectState], canCompare: Bool) throws {
        let known = try marked()
        for state in states where !state.isMarked == known.contains(state.object) {
            if state.isMarked, !canCompare, !state.isMarkedInTheOpen {
                try update(.again) { $0.insert(state.object) }
            } else {
                try setMarked(state.object, state.isMarked)
            }
        }
    }
}

extension ObjectState {
    /// Whether it is marked whatever protected texts say. A text can be sealed also where its task is no longer protected.
    fileprivate var isMarkedInTheOpen: Bool {
        hasReturned
            || !isProtected
                && fields.contains { field, state in
                    field.isVersioned && state.current.content.bytes != nil
                        && state.earlier.contains {
                            $0.isConcurrent && $0.version.content.bytes != nil
                        }
                }
    }
}
