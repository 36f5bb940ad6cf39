import Foundation
import Platform
import Sealing
import SecretMemory
import TestSupport

@testable import Sync

/// A record with all records that its author really had. No rule of the product reads this.
struct TrueRecord {
    let index: Int
    let version: Version
    /// The content, also of a secret.
    let text: [UInt8]
    let past: Set<Int>

    /// Whether the author really had seen another record.
    func hasSeen(_ other: TrueRecord) -> Bool {
        if past.contains(other.index) || index == other.index { return true }
        let (own, dot) = (version.origin.dot, other.version.origin.dot)
        return own.device == dot.device
            && (dot.number, other.version.stamp) <= (own.number, version.stamp)
    }
}

/// A random history of a few devices, each with a folder of its own, between which files are copied.
final class ModelWorld {
    /// The operations of a person. A history draws from all or from a few.
    enum Operation: CaseIterable {
        case create, set, label, rename, remove, restore, raise, lower, look
        case newTask, text, done, list, finish, undo, due, tag, subtask, move, subtaskDone,
            subtaskRemove
        case protect, protectedText
        case acknowledge, erase, level, clockBack, snapshot, season
    }

    let seed: UInt64
    let group: TestGroup
    private var random: SeededGenerator
    private(set) var records: [TrueRecord] = []
    private(set) var failures: [String] = []
    private(set) var trace: [String] = []
    /// The true hash before the next segment, of each segment.
    private var segments: [Dot: Set<Int>] = [:]
    private var known: [DeviceID: Set<Int>] = [:]
    private var absorbed: [DeviceID: [DeviceID: UInt64]] = [:]
    private var serial = 0
    /// Whether positions have one stamp for all makers: the control of the digits' stamps.
    private let sharesPositions: Bool
    /// The operations; nil to draw some.
    private let focus: [Operation]?

    init(
        seed: UInt64, at folder: String, rules: SyncRules = .all, sharesPositions: Bool = false,
        focus: [Operation]? = nil, makeStore: TestGroup.StoreMaker? = nil
    ) throws {
        self.seed = seed
        self.sharesPositions = sharesPositions
        self.focus = focus
        var random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 1)
        let count = Int(random.next() % 4) + 2
        group = try TestGroup(
            at: folder, count: count, seed: seed, rules: rules, ownFolders: true,
            makeStore: makeStore)
        for device in group.devices {
            device.clock.now += Int64(random.next() % 580) * 1_000 - 290_000
        }
        if count > 2, random.next().isMultiple(of: 4) {
            group.devices[count - 1].clock.now += 366 * 86_400_000
        }
        self.random = random
    }

    var devices: [TestDevice] { group.devices }

    private func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    private func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

    func fail(_ text: String) { failures.append("seed \(seed): \(text)") }

    // MARK: A history

    /// Runs the history, delivers everything, and checks.
    func run() throws {
        try shareObjects()
        let focus: [Operation] =
            self.focus
            ?? pick([
                Operation.allCases, Operation.allCases,
                [.create, .rename, .remove, .set, .restore, .look, .erase, .acknowledge],
                [.create, .set, .remove, .label, .erase, .acknowledge, .snapshot, .season],
                [.newTask, .text, .protect, .acknowledge, .snapshot, .level, .season],
                [.newTask, .finish, .due, .undo, .finish, .due],
                [.newTask, .subtask, .subtask, .move, .subtaskRemove, .subtaskDone],
                [.create, .raise, .lower, .set, .level, .remove, .restore],
                [.newTask, .protect, .protectedText, .protectedText, .level, .text],
            ]) ?? Operation.allCases
        var cut: Set<Int> = []
        for _ in 0..<(Int(random.next() % 50) + 10) {
            group.wait(pick([1, 500, 5_000, 60_000]) ?? 1)
            if chance(8) { cut = chance(50) ? [] : [Int(random.next() % UInt64(devices.count))] }
            guard let device = pick(devices) else { return }
            if chance(55) {
                try operate(pick(focus) ?? .create, device)
            } else if let source = pick(devices), source !== device,
                let first = devices.firstIndex(where: { $0 === device }),
                let second = devices.firstIndex(where: { $0 === source }),
                cut.contains(first) == cut.contains(second)
            {
                try deliver(from: source, to: device, Int(random.next() % 5) + 1)
            }
        }
        try deliverAll()
        check()
    }

    /// Objects that all devices have.
    private func shareObjects() throws {
        guard chance(70) else { return }
        for operation in [Operation.create, .create, .newTask, .subtask, .subtask] {
            try operate(operation, devices[0])
        }
        for device in devices.dropFirst() { try deliver(from: devices[0], to: device, 99) }
    }

    /// One operation, then a full exchange, again and again: nothing is concurrent.
    func runSequence() throws {
        for _ in 0..<30 {
            group.wait(1_000)
            guard let device = pick(devices) else { return }
            try operate(pick(Operation.allCases) ?? .create, device)
            try deliverAll()
        }
        check()
        for device in devices {
            for (_, state) in try states(device) {
                if state.hasReturned || state.fields.values.contains(where: \.isConcurrent) {
                    fail("a mark after a sequential history: \(state.object)")
                }
            }
        }
    }

    // MARK: Delivery

    /// Copies some files, not always whole or under their name, and lets the device collect them.
    private func deliver(from source: TestDevice, to device: TestDevice, _ count: Int) throws {
        try publish(source)
        var missing = try files(of: source, missingAt: device)
        if chance(30) { missing.shuffle(using: &random) }
        trace.append("from \(name(source)) to \(name(device))")
        for file in missing.prefix(count) {
            var data = try Data(contentsOf: URL(filePath: source.folder + "/" + file))
            var name = file
            if chance(5) { data = data.prefix(Int(random.next() % UInt64(data.count + 1))) }
            if chance(5) { name += ".sync-conflict-20260101-000000-ABCDEFG" }
            let path = URL(filePath: device.folder + "/" + name)
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: path)
            trace.append("  \(data.count) bytes of \(shortened(name))")
        }
        try forget(source, at: device)
        if chance(10) { device.store.stepsLeft = Int(random.next() % 12) + 1 }
        try surviving(device) { try collect(device) }
        if chance(5), let lost = pick(try files(device)) {
            try FileManager.default.removeItem(atPath: device.folder + "/" + lost)
            trace.append("  lost \(shortened(lost))")
        }
    }

    private func name(_ device: TestDevice) -> String { String(device.id.text.prefix(4)) }
    /// Author and name of a file.
    private func shortened(_ file: String) -> String {
        file.split(separator: "/").dropFirst().map { $0.prefix(4) }.joined(separator: " ")
    }

    /// Deletes copies of what a device has dropped, as the program does that copies the folder.
    private func forget(_ source: TestDevice, at device: TestDevice) throws {
        let present = Set(try files(source))
        for file in try files(device)
        where file.contains("/\(source.id.text)/") && !present.contains(file) {
            try FileManager.default.removeItem(atPath: device.folder + "/" + file)
            trace.append("  forgotten \(shortened(file))")
        }
    }

    /// Runs a body; a crash restarts the device.
    private func surviving(_ device: TestDevice, _ body: () throws -> Void) throws {
        do {
            try body()
            device.store.stepsLeft = nil
        } catch is TestStore.Crash {
            trace.append("  crash")
            try device.restart()
        }
        absorb(device)
    }

    private func collect(_ device: TestDevice) throws {
        _ = try device.replica.collect()
        absorb(device)
        try device.replica.settle()
    }

    /// The last part of a round: a file of a snapshot can be lost, and its author makes another one.
    private func publish(_ device: TestDevice) throws {
        var report = SyncReport()
        try device.replica.makeSnapshotIfDue()
        try device.replica.publish(&report)
        try device.replica.drop()
    }

    private func files(_ device: TestDevice) throws -> [String] {
        let base = device.folder + "/" + group.id.text
        guard FileManager.default.fileExists(atPath: base) else { return [] }
        return try FileSystem.names(in: base).flatMap { owner in
            try FileSystem.names(in: base + "/" + owner)
                .filter { UInt64($0) != nil || BlobName(text: $0) != nil }
                .sorted { (UInt64($0) ?? 0, $0) < (UInt64($1) ?? 0, $1) }
                .map { "\(group.id.text)/\(owner)/\($0)" }
        }
    }

    /// The files that one device has, and another one has not or not completely. The author of a segment puts it again by itself.
    private func files(
        of source: TestDevice, missingAt device: TestDevice
    ) throws -> [String] {
        func size(_ file: String, _ device: TestDevice) -> Int64 {
            FileSystem.size(device.folder + "/" + file) ?? -1
        }
        return try files(source).filter { file in
            !file.contains("/\(device.id.text)/") && size(file, device) < size(file, source)
        }
    }

    /// Everybody gets everything, until nothing new is written.
    private func deliverAll() throws {
        let levels = devices.map(\.level)
        for device in devices { device.level = .afterVerification }
        for _ in 0..<20 {
            let before = devices.map { $0.store.state.ledger.chains }
            for source in devices {
                try publish(source)
                for device in devices where device !== source {
                    try forget(source, at: device)
                    for file in try files(of: source, missingAt: device) {
                        let path = URL(filePath: device.folder + "/" + file)
                        try FileManager.default.createDirectory(
                            at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
                        try Data(contentsOf: URL(filePath: source.folder + "/" + file)).write(
                            to: path)
                    }
                    try collect(device)
                    absorb(device)
                }
            }
            if devices.map({ $0.store.state.ledger.chains }) == before {
                for (device, level) in zip(devices, levels) { device.level = level }
                return
            }
        }
        fail("the devices do not come to an end")
    }

    // MARK: The truth

    /// Notes what a device really has now: all of each segment that it applied, and its own new records.
    private func absorb(_ device: TestDevice) {
        let chains = device.store.state.ledger.chains
        for (other, chain) in chains where other != device.id {
            let from = absorbed[device.id]?[other] ?? 0
            guard chain.number > from else { continue }
            for number in (from + 1)...chain.number {
                known[device.id, default: []].formUnion(segments[Dot(other, number)] ?? [])
            }
            absorbed[device.id, default: [:]][other] = chain.number
        }
        let from = absorbed[device.id]?[device.id] ?? 0
        let newest = chains[device.id]?.number ?? 0
        guard newest > from else { return }
        let versions = device.store.state.versions.values.flatMap(\.values)
        for number in (from + 1)...newest {
            let dot = Dot(device.id, number)
            let past = known[device.id, default: []]
            for version in versions.filter({ $0.origin.dot == dot }).sorted(by: { $0.key < $1.key })
            {
                let secret = device.store.state.secrets[version.key]
                records.append(
                    TrueRecord(
                        index: records.count, version: version,
                        text: version.content.bytes ?? secret ?? [], past: past))
                known[device.id, default: []].insert(records.count - 1)
            }
            segments[dot] = known[device.id]
        }
        absorbed[device.id, default: [:]][device.id] = newest
    }

    /// The objects of a device, without those whose beginning it does not have.
    func states(_ device: TestDevice) throws -> [(ObjectID, ObjectState)] {
        var found: [ObjectID: ObjectState] = [:]
        for object in device.store.state.versions.keys {
            if let state = try device.state(object) { found[state.object] = state }
        }
        return found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    // MARK: Operations

    private func fresh() -> String {
        serial += 1
        return chance(15) ? "same" : "v\(serial)"
    }

    private func operate(_ operation: Operation, _ device: TestDevice) throws {
        trace.append("\(operation) \(name(device))")
        if group.rules.contains(.keptPartsFirst) { try device.replica.applyKept() }
        if chance(3) { device.store.stepsLeft = Int(random.next() % 6) + 1 }
        try surviving(device) {
            do {
                try perform(operation, device)
            } catch SyncError.valueSealed {
                trace.append("  needs verification")
            }
            absorb(device)
            // After a verification the next command comes before a round.
            if operation != .level { try device.replica.settle() }
        }
    }

    private func perform(_ operation: Operation, _ device: TestDevice) throws {
        let states = try states(device)
        let items = device.level > .list ? states.filter { $0.1.kind == ObjectState.Kind.item } : []
        let tasks = states.filter { $0.1.kind == ObjectState.Kind.task }
        let liveItems = items.filter { !$0.1.isRemoved }
        let liveTasks = tasks.filter { !$0.1.isRemoved }
        let names = Set(liveItems.compactMap { $0.1.fields[.itemName]?.current.content.bytes })
        let name = pick(["a", "b", "c", "d"]) ?? "a"
        let isFree = !names.contains(Array(name.utf8))
        switch operation {
        case .create:
            guard device.level > .list, isFree else { return }
            let isProtected = device.level == .afterVerification && chance(30)
            let object = group.object()
            let text = fresh()
            try device.replica.change { _ in
                try Draft.item(object, name: name, value: text, isProtected: isProtected)
            }
        case .set:
            guard let (item, state) = pick(liveItems),
                !state.isProtected || device.level == .afterVerification
            else { return }
            let level: SyncLevel = state.isProtected ? .afterVerification : .whileUnlocked
            try write(.secret(item, .value, level, fresh()), of: item, .value, device)
        case .label:
            guard let (item, _) = pick(liveItems) else { return }
            try device.change(.text(item, .label, fresh(), .whileUnlocked))
        case .rename:
            guard let (item, _) = pick(liveItems), isFree else { return }
            try device.change(.text(item, .itemName, name, .whileUnlocked))
        case .raise, .lower:
            guard let (item, _) = pick(liveItems), device.level == .afterVerification else {
                return
            }
            try device.change(.protection(item, operation == .raise, .whileUnlocked))
        case .remove:
            guard let (object, state) = pick(liveItems + liveTasks) else { return }
            try device.change(Draft(object, .remove, level(state)))
        case .restore:
            let removed = (items + tasks).filter { $0.1.isRemoved }.filter {
                $0.1.fields[.itemName]?.current.content.bytes.map { !names.contains($0) } ?? true
            }
            guard let (object, _) = pick(removed) else { return }
            try device.replica.restore(object)
        case .look:
            guard let (object, state) = pick(liveItems + liveTasks) else { return }
            let marked = state.fields.values.flatMap(\.earlier).filter(\.isConcurrent)
                .map(\.version.stamp)
            let removes = device.store.state.versions.values.flatMap(\.values)
                .filter { $0.field == .remove }.map(\.stamp)
            try device.change(
                Draft(object, .looked, level(state), RecordContent.stamps(Set(marked + removes))))
        case .newTask:
            let object = group.object()
            let text = fresh()
            let due = Int64(random.next() % 5) + 10
            try device.replica.change { _ in Draft.task(object, name: text, due: due) }
        case .acknowledge: try device.replica.acknowledge()
        case .erase:
            for (object, state) in states where state.isRemoved {
                if try device.replica.erase(object) { trace.append("  erased") }
            }
        case .snapshot:
            try device.replica.makeSnapshot()
            try publish(device)
        case .season: group.wait(46 * 86_400_000)
        case .level: device.level = pick([.list, .whileUnlocked, .afterVerification]) ?? .list
        case .clockBack:
            device.clock.now -= Int64(random.next() % 400) * 1_000
            try device.restart()
        default:
            guard let (task, state) = pick(liveTasks) else { return }
            try perform(operation, task, state, device)
        }
    }

    /// Writes a field, of which no newer version may be sealed then.
    private func write(
        _ draft: Draft, of object: ObjectID, _ field: RecordField, _ device: TestDevice
    ) throws {
        try device.change(draft)
        let sealed = try device.store.transaction { try $0.sealedFields(of: object) }
        if sealed.contains(field) { fail("a value that could not be read was replaced") }
    }

    private func level(_ state: ObjectState) -> SyncLevel {
        state.kind == ObjectState.Kind.task ? .list : .whileUnlocked
    }

    private func perform(
        _ operation: Operation, _ task: ObjectID, _ state: ObjectState, _ device: TestDevice
    ) throws {
        let subtask = pick(state.subtasks)
        switch operation {
        case .text:
            guard !state.isProtected else { return }
            try device.change(.text(task, .taskName, fresh(), .list))
        case .done:
            try device.change(Draft(task, .done, .list, RecordContent.flag(chance(50))))
        case .list:
            try device.change(.text(task, .list, pick(["x", "y"]) ?? "x", .list))
        case .finish:
            guard let due = state.due, due.occurrence < 200 else { return }
            let next = due.occurrence + Int64(random.next() % 7) + 1
            try device.change(
                Draft(
                    task, .completion(due.occurrence), .list,
                    Completion.done(next: next, date: [UInt8(truncatingIfNeeded: next)]).bytes))
        case .undo:
            guard let occurrence = pick(state.completed.sorted()) else { return }
            try device.change(
                Draft(task, .completion(occurrence), .list, Completion.undone.bytes))
        case .due:
            guard let due = state.due else { return }
            try device.change(
                Draft(
                    task, .due, .list,
                    DueDate(
                        occurrence: due.occurrence, isEdited: true,
                        date: [UInt8(truncatingIfNeeded: random.next())]
                    ).bytes))
        case .tag:
            let tag = RecordField.tag(pick(["x", "y", "z"]) ?? "x")
            try device.change(
                Draft(task, tag, .list, RecordContent.flag(!state.tags.contains(tag))))
        case .subtask: try place(SubtaskID.random(from: group.random), task, state, device)
        case .move:
            guard let subtask else { return }
            try place(subtask.id, task, state, device)
        case .subtaskDone:
            guard let subtask else { return }
            try device.change(
                Draft(task, .subtaskDone(subtask.id), .list, RecordContent.flag(chance(50))))
        case .subtaskRemove:
            guard let subtask else { return }
            try device.change(Draft(task, .subtaskRemove(subtask.id), .list))
        case .protect:
            guard device.level == .afterVerification else { return }
            try device.change(.protection(task, chance(60), .list))
        case .protectedText:
            guard device.level == .afterVerification, state.isProtected else { return }
            try write(
                .secret(task, .notes, .afterVerification, fresh()), of: task, .notes, device)
        default: return
        }
    }

    /// Puts a subtask at a random place, and looks whether it is shown there.
    private func place(
        _ id: SubtaskID, _ task: ObjectID, _ state: ObjectState, _ device: TestDevice
    ) throws {
        let rows = state.subtasks.filter { $0.id != id }
        let place = Int(random.next() % UInt64(rows.count + 1))
        try device.replica.change { stamp in
            let position = Position.between(
                place > 0 ? rows[place - 1].position : nil,
                place < rows.count ? rows[place].position : nil,
                stamp: sharesPositions ? .zero : stamp)
            return [Draft(task, .subtaskPosition(id), .list, position.bytes)]
        }
        var wanted = rows.map(\.id)
        wanted.insert(id, at: place)
        let shown = try device.state(task)?.subtasks.map(\.id)
        if shown != wanted { fail("a subtask is shown at another place") }
    }
}
