import Database
import Platform
import Sealing
import SecretMemory
import SecureStorage
import Sync
import SyncMembers
@testable import SyncMirrors
import SyncStorage
import Synchronization
import Tasks
import TestSupport

/// A wall clock of a test.
final class HomeClock: Sendable {
    private let time = Mutex(PointInTime(milliseconds: 1_800_000_000_000))

    var now: PointInTime {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    func wait(_ duration: Duration) { now = now.advanced(by: duration) }
}

/// A home of a test: a list and records in files, and a vault.
final class TaskHome {
    private(set) var device: DeviceID
    let clock: HomeClock
    let vault: MemorySecureStore
    let repository: TaskRepository
    private let folder: String
    private var seed: [UInt8]
    private unowned let group: TaskGroup
    /// The device that this home was before, until the first round of the next one.
    private var former: DeviceID?
    private(set) var store: SyncDatabase
    private var openedLevel = SyncLevel.afterVerification
    private(set) var replica: Replica
    /// The part that is unlocked: the list alone, the vault, or all after verification.
    var level = SyncLevel.afterVerification {
        didSet {
            level == .list ? vault.lock() : vault.unlock()
            if level == .whileUnlocked { vault.endVerification() }
        }
    }

    fileprivate init(
        _ device: DeviceID, _ seed: [UInt8], at folder: String, _ group: TaskGroup
    ) throws {
        self.device = device
        self.seed = seed
        self.folder = folder
        self.group = group
        let clock = HomeClock()
        self.clock = clock
        vault = MemorySecureStore { clock.now.milliseconds }
        try SafeFolder.create(folder)
        repository = try .openOrCreate(.file("\(folder)/tasks.db"))
        store = try Self.open(folder, device, group, .afterVerification)
        replica = try group.replica(device, seed, store, clock, .afterVerification)
    }

    private static func open(
        _ folder: String, _ device: DeviceID, _ group: TaskGroup, _ level: SyncLevel
    ) throws -> SyncDatabase {
        var keys: [SyncLevel: StoreKey] = [:]
        for each in [SyncLevel.whileUnlocked, .afterVerification] where each <= level {
            let bytes = [UInt8](repeating: each.rawValue, count: 32)
            keys[each] = StoreKey(try SecretBytes(copying: unsafe bytes.span.bytes))
        }
        return try .open(
            at: "\(folder)/\(device.text).db", .list, device: device, keys: keys, creating: true)
    }

    /// The list, for one command.
    var list: TaskList {
        TaskList(
            repository, on: "machine", days: DayReminders(in: RuleCalendar.utc),
            now: { [clock] in clock.now })
    }

    /// The mirror of a program that starts now. It opens the store anew only where it has other keys than the last one: the store keeps nothing
    /// between transactions, and histories open it very often.
    func mirror() throws -> TaskMirror {
        if level != openedLevel {
            store.close()
            store = try Self.open(folder, device, group, level)
            openedLevel = level
        }
        replica = try group.replica(device, seed, store, clock, level)
        return TaskMirror(
            replica, store, repository, vault: level == .list ? nil : vault,
            calendar: RuleCalendar.utc, now: { [clock] in clock.now })
    }

    /// A short name.
    var name: String { String(device.text.prefix(3)) }

    /// Whether the last round of sync had nothing to do.
    private(set) var isQuiet = false

    /// One round of sync.
    @discardableResult
    func sync() throws -> TaskMirror.Applied {
        isQuiet = false
        let mirror = try mirror()
        if former != nil, level < .afterVerification { return TaskMirror.Applied() }
        let captured = try capture(mirror)
        former = nil
        var report = try replica.collect()
        try replica.settle()
        let applied = try mirror.apply()
        try replica.publish(&report)
        try replica.drop()
        isQuiet = captured + report.applied + report.published + applied.changed == 0
        return applied
    }

    /// Whether the first round of its device is still to come.
    var isJoining: Bool { former != nil }

    /// The first part of a round.
    ///
    /// - Returns: The number of rows that were compared.
    @discardableResult
    func capture(_ mirror: TaskMirror) throws -> Int {
        var changed: Set<TaskID> = []
        if let former {
            let store = try Self.open(folder, former, group, .list)
            defer { store.close() }
            _ = try replica.collect()
            changed = try mirror.resume(store.former())
        }
        return try mirror.capture(unsent: changed)
    }

    /// The home leaves the group, and joins again as another device. Its next round is the first. It can note what changed before it leaves.
    func joinAgain(capturing isCapturing: Bool = true) throws {
        if former == nil {
            if isCapturing { try mirror().capture(isLast: true) }
            try store.retire()
            former = device
        }
        store.close()
        (device, seed) = try group.addMember()
        store = try Self.open(folder, device, group, level)
        openedLevel = level
        replica = try group.replica(device, seed, store, clock, level)
    }

    func close() {
        store.close()
        repository.close()
    }

    // MARK: The list

    /// All tasks, cleared ones included.
    func tasks() throws -> [TodoTask] {
        try repository.tasks(TaskSelection(TaskFilter(.openOrDone)))
            + repository.tasks(TaskSelection(TaskFilter(.cleared)))
    }

    func task(_ id: TaskID) throws -> TodoTask {
        guard let task = try repository.task(id) else { throw TaskListError.missing(id) }
        return task
    }

    func text(_ id: TaskID) throws -> TaskText {
        try list.text(of: task(id), from: vault).text
    }

    @discardableResult
    func add(_ name: String, _ change: (inout TodoTask) -> Void = { _ in }) throws -> TaskID {
        var id = group.newID()
        while try repository.task(id) != nil { id = group.newID() }
        var task = TodoTask(
            id: id, content: .plain(TaskText(name: name)), created: clock.now)
        change(&task)
        return try list.add(task).id
    }

    func edit(_ id: TaskID, _ change: (inout TodoTask) -> Void) throws {
        let task = try task(id)
        var edited = task
        change(&edited)
        try list.edit(task, to: edited)
    }

    func editText(_ id: TaskID, _ change: (inout TaskText) -> Void) throws {
        let task = try task(id)
        let stored = try list.text(of: task, from: vault)
        var text = stored.text
        change(&text)
        try list.edit(task, stored, to: text, in: vault)
    }

    func addSubtask(_ name: String, to id: TaskID) throws {
        try editText(id) { text in
            var id = group.newID()
            while text.subtasks.contains(where: { $0.id == id }) { id = group.newID() }
            text.subtasks.append(TodoSubtask(id: id, name: name))
        }
    }

    func finish(_ id: TaskID) throws {
        try list.finish([task(id)], in: RuleCalendar.utc)
    }

    /// The state of a task by its records.
    func state(_ id: TaskID) throws -> ObjectState? {
        try store.mirrorTransaction { transaction in
            try transaction.counterpart(named: id.name).flatMap {
                try transaction.taskState(of: $0.object)
            }
        }
    }

    /// The texts that the list shows, by task; those of protected tasks after a verification.
    func shownTexts() throws -> [TaskID: Set<String>] {
        var shown: [TaskID: Set<String>] = [:]
        for task in try tasks() {
            let isReadable = level == .afterVerification
            guard let text = task.plainText ?? (isReadable ? try? text(task.id) : nil) else {
                continue
            }
            // A subtask whose name has not come shows its six characters.
            let names = text.subtasks.filter { $0.name != $0.id.text }.map(\.name)
            shown[task.id] = Set([text.name, text.notes] + names)
            shown[task.id]?.remove("")
        }
        return shown
    }

    /// The tasks whose text a round could not send; nil for all.
    func unsentTasks() throws -> Set<TaskID>? {
        if isJoining { return nil }
        return try store.mirrorTransaction { transaction in
            guard try transaction.note("renaming")?.isEmpty ?? true else { return nil }
            return Set(
                try transaction.objects(.texts).compactMap {
                    try transaction.counterpart(of: $0)?.task
                })
        }
    }

    /// The current and earlier texts of all records, by their keys.
    func recordedTexts() throws -> [RecordKey: String] {
        try store.mirrorTransaction { transaction in
            var texts: [RecordKey: String] = [:]
            for version in try transaction.objects().flatMap({ try transaction.versions(of: $0) })
            where version.field.isVersioned {
                if let bytes = version.content.bytes {
                    texts[version.key] = String(decoding: bytes, as: UTF8.self)
                } else {
                    try transaction.withSecret(of: version.key) { texts[version.key] = $0.text() }
                }
            }
            return texts
        }
    }

    /// The owner's view of all tasks, in words that are equal in homes with the same list. Done tasks that a home with this clock may have
    /// cleared and removed by itself are left out.
    func described(without latest: PointInTime? = nil) throws -> [String] {
        let tasks = try tasks().filter { task in
            guard let latest, let completion = task.completion else { return true }
            return completion.keptFrom.advanced(by: TaskList.undoPeriod) > latest
        }
        let ids = Set(tasks.map(\.id))
        return try tasks.map { task in
            var task = task
            task.revision = 1
            task.completion?.cleared = nil
            task.tags.sort()
            task.dependencies = task.dependencies.filter(ids.contains).sorted()
            let text = task.isProtected ? try text(task.id) : task.plainText
            task.content = .plain(TaskText(name: ""))
            task.subtaskRows = text?.subtasks.map(\.row) ?? []
            let names = text?.subtasks.map(\.name) ?? []
            return "\(text?.name ?? "") \(text?.notes ?? "") \(names) \(task)"
        }.sorted()
    }
}

/// Homes that share a folder.
final class TaskGroup {
    let id: GroupID
    let random: RandomSource
    private(set) var homes: [TaskHome] = []
    /// The folder that the homes share.
    var remote: String { folder + "/remote" }
    private let folder: String
    private var members: [DeviceID: [UInt8]] = [:]
    private let epoch: EpochKeys
    /// The number of different ids that new tasks can get. If there are few, homes give one id to different tasks.
    private let idCount: UInt64
    /// Homes that are no members yet.
    var absent: Set<DeviceID> = []

    init(
        at folder: String, count: Int = 2, seed: UInt64 = 1, idCount: UInt64 = .max
    ) throws {
        self.idCount = idCount
        self.folder = folder
        random = .seeded(seed)
        id = .random(from: random)
        epoch = try EpochStatement.make(id, for: [:], random: random).1
        var seeds: [DeviceID: [UInt8]] = [:]
        for _ in 0..<count {
            let (device, seed) = try addMember()
            seeds[device] = seed
        }
        for (device, seed) in seeds.sorted(by: { $0.key < $1.key }) {
            homes.append(try TaskHome(device, seed, at: "\(folder)/\(device.text)", self))
        }
        try SafeFolder.create(remote)
    }

    fileprivate func addMember() throws -> (DeviceID, [UInt8]) {
        let seed = random.bytes(count: 32)
        let key = try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes))
        let device = DeviceID.random(from: random)
        members[device] = key.publicKey
        return (device, seed)
    }

    fileprivate func replica(
        _ device: DeviceID, _ seed: [UInt8], _ store: SyncDatabase, _ clock: HomeClock,
        _ level: SyncLevel
    ) throws -> Replica {
        Replica(
            id, device, key: try SigningKeyPair(seed: SecretBytes(copying: unsafe seed.span.bytes)),
            members: members.filter { !absent.contains($0.key) || $0.key == device },
            epochs: [epoch.limited(to: level)], store: store,
            remote: FolderRemote(at: self.remote, group: id, device: device),
            environment: Replica.Environment(now: { clock.now.milliseconds }, random: random))
    }

    /// Six characters that the seed decides, so that a history can be repeated.
    func newID() -> TaskID {
        let number = random.bytes(count: 8).reduce(0) { $0 << 8 | UInt64($1) }
        return TaskID(number: number % idCount)
    }

    /// Syncs until no home has anything to do.
    ///
    /// - Parameter most: The largest number of rounds of each home.
    /// - Returns: Whether they came to an end.
    /// - Throws: The errors of a round.
    @discardableResult
    func syncAll(most: Int = 3) throws -> Bool {
        for _ in 0..<most {
            for home in homes where !absent.contains(home.device) { try home.sync() }
            if homes.allSatisfy({ $0.isQuiet || absent.contains($0.device) }) { return true }
        }
        return false
    }

    func close() {
        for home in homes { home.close() }
    }

    /// Time passes for all homes.
    func wait(_ duration: Duration) {
        for home in homes { home.clock.wait(duration) }
    }
}

/// Runs a test with two homes.
func withTaskHomes(_ body: (TaskGroup, TaskHome, TaskHome) throws -> Void) throws {
    try withTemporaryFolder { folder in
        let group = try TaskGroup(at: folder)
        defer { group.close() }
        try body(group, group.homes[0], group.homes[1])
    }
}
