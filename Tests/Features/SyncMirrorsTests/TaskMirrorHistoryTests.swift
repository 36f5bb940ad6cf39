import SecureStorage
import Sync
@testable import SyncMirrors
import SyncStorage
import Tasks
import Testing
import TestSupport

/// Random histories and interrupted rounds.
@Suite("Task mirror: histories")
struct TaskMirrorHistoryTests {
    @Test("homes converge after any history", arguments: HistorySeeds.parts(40))
    func histories(seeds: Range<UInt64>) throws {
        for seed in seeds {
            let failures = try withTemporaryFolder { folder in
                var history = History(
                    try TaskGroup(
                        at: folder, count: 2 + Int(seed % 8 / 2), seed: seed,
                        idCount: seed % 4 < 2 ? .max : 64), seed)
                defer { history.group.close() }
                do {
                    try history.run()
                } catch {
                    history.failures.append("\(error)")
                }
                if !history.failures.isEmpty { HistorySeeds.show(history.trace, of: seeds) }
                return history.failures.map { "seed \(seed): \($0)" }
            }
            #expect(failures == [])
        }
    }

    @Test("a round that ends at any step does no harm", arguments: [false, true])
    func interrupted(isChangedAfterwards: Bool) throws {
        for isCapture in [false, true] {
            var steps = 1
            while try interrupt(after: steps, isCapture, isChangedAfterwards) { steps += 1 }
            #expect(steps > 3)
        }
    }

    /// Ends a round of one home after some transactions of its store.
    ///
    /// - Returns: Whether the round was longer.
    private func interrupt(
        after steps: Int, _ isCapture: Bool, _ isChangedAfterwards: Bool
    ) throws -> Bool {
        try withTemporaryFolder { folder in
            let group = try TaskGroup(at: folder)
            let (first, second) = (group.homes[0], group.homes[1])
            let removed = try first.add("removed")
            let changed = try first.add("changed")
            let hidden = try first.add("hidden")
            let repeating = try first.add("repeating") { task in
                task.due = CalendarDate(year: 2027, month: 1, day: 18).map { .day($0) }
                task.setRepetition(try? RepeatRule(rule: "FREQ=DAILY"), in: RuleCalendar.utc)
            }
            try group.syncAll()
            group.wait(.seconds(60))
            try first.list.remove(first.task(removed), from: nil)
            try first.editText(changed) { $0.name = "new" }
            try first.list.protect(first.task(hidden), in: first.vault)
            try first.finish(repeating)
            let added = try first.add("added")
            let protected = try first.list.addProtected(
                TaskText(name: "protected"), created: first.clock.now, in: first.vault
            ).id
            var isLonger = false
            if isCapture {
                isLonger = try first.mirror().ended(after: steps) { try $0.capture() }
                if isChangedAfterwards { try first.edit(changed) { $0.priority = .low } }
            } else {
                try first.sync()
                let mirror = try second.mirror()
                _ = try second.replica.collect()
                isLonger = try mirror.ended(after: steps) { try $0.apply() }
                if isChangedAfterwards {
                    try second.edit(changed) { $0.priority = .low }
                    if try second.repository.task(added) != nil {
                        try second.edit(added) { $0.list = "house" }
                    }
                }
            }
            try group.syncAll()
            try group.syncAll()
            let end: Comment = "\(steps) steps, capture \(isCapture), \(isChangedAfterwards)"
            #expect(try first.tasks().count == 5, end)
            #expect(try first.described() == second.described(), end)
            #expect(try first.text(changed).name == "new", end)
            #expect(try second.text(protected).name == "protected", end)
            #expect(try second.text(hidden).name == "hidden", end)
            #expect(try second.task(hidden).isProtected, end)
            #expect(try first.state(repeating)?.completed.count == 1, end)
            #expect(try first.task(changed).priority == (isChangedAfterwards ? .low : .none), end)
            return isLonger
        }
    }
}

extension TaskMirror {
    /// Runs a part of a round by a program that ends.
    ///
    /// - Returns: Whether it ended before the part did.
    fileprivate func ended(
        after steps: Int, _ body: (TaskMirror) throws -> Void
    ) throws -> Bool {
        let store = EndingStore(store, steps)
        let mirror = TaskMirror(
            replica, store, repository, vault: vault, calendar: calendar, now: now)
        do {
            try body(mirror)
            return false
        } catch is EndingStore.Ended {
            return true
        }
    }
}

/// A store whose program ends after some transactions.
private final class EndingStore: MirrorStore {
    struct Ended: Error {}

    private let base: any MirrorStore
    private var left: Int

    init(_ base: any MirrorStore, _ steps: Int) {
        self.base = base
        left = steps
    }

    func transaction<Result>(_ body: (any SyncTransaction) throws -> Result) throws -> Result {
        try mirrorTransaction(body)
    }

    func mirrorTransaction<Result>(
        _ body: (any MirrorTransaction) throws -> Result
    ) throws -> Result {
        left -= 1
        if left < 0 { throw Ended() }
        return try base.mirrorTransaction(body)
    }
}

/// Random commands in several homes.
private struct History {
    let group: TaskGroup
    private let seed: UInt64
    private var generator: SeededGenerator
    var failures: [String] = []
    private(set) var trace: [String] = []

    /// Whether homes leave and join again. Then no file of the folder is lost: nobody has those of a device that left.
    private var joinsAgain: Bool { !seed.isMultiple(of: 2) }

    private enum Operation {
        case add, name, notes, addSubtask, swapSubtasks, removeSubtask, tags, priority, after
        case finish, reopen, remove, undo, due, protect, unprotect, level, verify, noDue, list
        case looked, snapshot, joinAgain

        static let all: [Operation] = [
            .looked, .snapshot, .add, .add, .name, .notes, .addSubtask, .swapSubtasks,
            .removeSubtask, .tags,
            .priority, .after, .finish, .reopen, .remove, .undo, .undo, .due, .protect,
            .unprotect, .level, .verify, .noDue, .list, .joinAgain,
        ]
    }

    init(_ group: TaskGroup, _ seed: UInt64) {
        self.group = group
        self.seed = seed
        generator = SeededGenerator(seed: seed)
    }

    private mutating func number(_ limit: Int) -> Int { Int(generator.next() % UInt64(limit)) }

    mutating func run() throws {
        for home in group.homes {
            // Some clocks are wrong.
            home.clock.wait(.seconds(number(4) == 0 ? number(40_000_000) : number(600)))
            for index in 0..<3 { try home.add("task \(index)") }
        }
        // The last one joins late, some with a list and some at the end only.
        let last = group.homes[group.homes.count - 1]
        let joins = group.homes.count > 2 && number(2) == 0 ? number(100) : 0
        if joins > 0 { group.absent = [last.device] }
        if joins > 50 { for task in try last.tasks() { try last.list.remove(task, from: nil) } }
        for step in 0..<80 {
            if step == joins { group.absent = [] }
            let home = group.homes[number(group.homes.count - (group.absent.isEmpty ? 0 : 1))]
            home.clock.wait(.seconds(number(3_000)))
            do {
                try command(home, step)
            } catch let error as TaskListError {
                switch error {
                case .changedSince, .nothingToUndo, .textNotUndoable, .circular, .textMissing,
                    .noTimeToRepeat, .overtaken:
                    trace.append("  \(error)")
                default: throw error
                }
            } catch SecureStoreError.locked, SecureStoreError.notVerified {}
            if number(4) == 0 { try round(home) }
            if number(20) == 0 {
                try SyncHistories.disturb(group.remote, &generator, losing: !joinsAgain)
            }
        }
        group.absent = []
        for home in group.homes { home.level = .afterVerification }
        for _ in 0..<3 { try group.syncAll() }
        // Removed tasks come back, and with them what comes after them.
        for home in group.homes { for _ in 0..<3 { _ = try? home.list.undo(in: home.vault) } }
        for _ in 0..<3 { try group.syncAll() }
        let latest = group.homes.map(\.clock.now).max()
        let described = try group.homes.map { Set(try $0.described(without: latest)) }
        for other in described.dropFirst() where other != described[0] {
            failures.append(
                "\(described[0].subtracting(other)) instead of \(other.subtracting(described[0]))")
        }
        let marked = try group.homes.map { try Set($0.mirror().markedIDs().map(\.text)) }
        for other in marked.dropFirst() where other != marked[0] {
            failures.append("marked \(marked[0]) and \(other)")
        }
        for home in group.homes {
            let waiting = try home.replica.collect().waiting
            if !waiting.isEmpty { failures.append("\(home.name) waits: \(waiting)") }
            let arriving = try home.mirror().arrivingIDs()
            if !arriving.isEmpty { failures.append("arriving \(arriving)") }
            let left = try home.store.mirrorTransaction { try $0.unmirrored() }
            if !left.isEmpty { failures.append("not applied: \(left.map(\.text))") }
            let captured = try home.mirror().capture()
            if captured != 0 { failures.append("\(captured) rows differ") }
        }
    }

    /// A round, which may end at any step.
    private mutating func round(_ home: TaskHome) throws {
        guard number(5) == 0 else {
            trace.append("  round \(home.name) \(try home.sync())")
            return
        }
        let steps = number(8)
        let mirror = try home.mirror()
        trace.append("  round \(home.name), ended after \(steps)")
        if home.isJoining { return }
        if try mirror.ended(after: steps, { try $0.capture() }) { return }
        _ = try home.replica.collect()
        try home.replica.settle()
        _ = try mirror.ended(after: steps) { try $0.apply() }
    }

    private mutating func command(_ home: TaskHome, _ step: Int) throws {
        let tasks = try home.tasks().filter { $0.completion?.cleared == nil }
            .sorted { $0.created < $1.created }
        guard !tasks.isEmpty else {
            try home.add("task \(step)")
            return
        }
        let task = tasks[number(tasks.count)]
        let other = tasks[number(tasks.count)]
        let id = task.id
        let operation = Operation.all[number(Operation.all.count)]
        trace.append(
            "\(step) \(home.name) \(home.level) \(operation) \(id.text) \(other.id.text)")
        switch operation {
        case .add: try home.add("task \(step)")
        case .name: try home.editText(id) { $0.name = "name \(step)" }
        case .notes: try home.editText(id) { $0.notes = "notes \(step)" }
        case .addSubtask: try home.addSubtask("subtask \(step)", to: id)
        case .swapSubtasks:
            let (from, to) = (number(8), number(8))
            try home.editText(id) { text in
                guard max(from, to) < text.subtasks.count else { return }
                text.subtasks.swapAt(from, to)
                text.subtasks[from].name += "!"
            }
        case .removeSubtask:
            let place = number(4)
            try home.editText(id) { text in
                if place < text.subtasks.count { text.subtasks.remove(at: place) }
            }
        case .tags: try home.edit(id) { $0.tags = ["t\(step % 5)", "u\(step % 3)"] }
        case .priority: try home.edit(id) { $0.priority = step % 2 == 0 ? .high : .low }
        case .after: if other.id != id { try home.edit(id) { $0.dependencies = [other.id] } }
        case .finish: try home.finish(id)
        case .reopen: try home.list.reopen([task])
        case .remove: try home.list.remove(task, from: home.level == .list ? nil : home.vault)
        case .undo: _ = try home.list.undo(in: home.level == .list ? nil : home.vault)
        case .due:
            let due = CalendarDate(year: 2027, month: 2, day: 1 + step % 25)
            try home.edit(id) { task in
                task.setDue(due.map { .day($0) }, in: RuleCalendar.utc)
                if step % 2 == 0 {
                    task.setRepetition(
                        try? RepeatRule(rule: "FREQ=DAILY;COUNT=20"), in: RuleCalendar.utc)
                }
            }
        case .protect: if !task.isProtected { try home.list.protect(task, in: home.vault) }
        case .unprotect: if task.isProtected { try home.list.unprotect(task, from: home.vault) }
        case .level: home.level = [.list, .whileUnlocked, .afterVerification][number(3)]
        case .verify: home.level = .afterVerification
        case .joinAgain:
            guard joinsAgain else { return }
            home.level = .afterVerification
            try home.joinAgain(capturing: step % 2 == 0)
        case .looked: _ = try home.mirror().looked(at: id)
        case .snapshot:
            _ = try home.mirror()
            try home.replica.makeSnapshot()
        case .noDue: try home.edit(id) { $0.setDue(nil, in: RuleCalendar.utc) }
        case .list: try home.edit(id) { $0.list = "list \(step % 4)" }
        }
    }
}
