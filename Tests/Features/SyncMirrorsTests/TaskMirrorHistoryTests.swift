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
    /// Runs histories.
    private func run(
        _ seeds: Range<UInt64>, _ body: (inout History) throws -> Void
    ) throws {
        for seed in seeds {
            let failures = try withTemporaryFolder { folder in
                var history = History(
                    try TaskGroup(
                        at: folder, count: 2 + Int(seed % 8 / 2), seed: seed,
                        idCount: seed % 4 < 2 ? .max : 64), seed)
                defer { history.group.close() }
                do {
                    try body(&history)
                } catch {
                    history.failures.append("\(error)")
                }
                if !history.failures.isEmpty { HistorySeeds.show(history.trace, of: seeds) }
                return history.failures.map { "seed \(seed): \($0)" }
            }
            #expect(failures == [])
        }
    }

    @Test("homes converge after any history, and lose no text", arguments: HistorySeeds.parts(200))
    func histories(seeds: Range<UInt64>) throws {
        try run(seeds) { history in
            try history.play()
            try history.check()
        }
    }

    @Test(
        "one after the other, changes leave no mark", arguments: HistorySeeds.parts(8, divisor: 25))
    func sequences(seeds: Range<UInt64>) throws {
        try run(seeds) { history in
            try history.playSequence()
            try history.check()
            let marked = try history.group.homes.flatMap { try $0.mirror().markedIDs() }
            if !marked.isEmpty { history.failures.append("marked: \(marked)") }
        }
    }

    /// The difference of a control between one home and the others.
    enum Difference: String, CaseIterable {
        case earlierText = "lost"
        case mark = "marked"
        case name, order, subtasks
    }

    @Test("a difference between homes is noticed", arguments: Difference.allCases)
    func control(difference: Difference) throws {
        try run(3..<4) { history in
            try history.play()
            try history.addSubtasks()
            try history.check()
            #expect(history.failures == [])
            try history.makeDifference(difference)
            try history.check()
            let isHidden = [.earlierText, .mark].contains(difference)
            let word = isHidden ? difference.rawValue : "instead of"
            #expect(history.failures.contains { $0.contains(word) })
            history.failures = []
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
    func ended(
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
    /// The texts that whole rounds have sent.
    private var sent: Set<String> = []

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

    /// The beginning: some clocks are wrong.
    private mutating func begin() throws {
        for home in group.homes {
            home.clock.wait(.seconds(number(4) == 0 ? number(40_000_000) : number(600)))
            for index in 0..<3 { try home.add("task \(index)") }
        }
    }

    /// Commands in homes that are apart. In the end all have everything.
    mutating func play() throws {
        try begin()
        // The last one joins late, some with a list and some at the end only.
        let last = group.homes[group.homes.count - 1]
        let joins = group.homes.count > 2 && number(2) == 0 ? number(100) : 0
        if joins > 0 { group.absent = [last.device] }
        if joins > 50 { for task in try last.tasks() { try last.list.remove(task, from: nil) } }
        // Those of each `swift test` are short.
        for step in 0..<(seed < 200 ? 30 : 80) {
            if step == joins { group.absent = [] }
            let home = group.homes[number(group.homes.count - (group.absent.isEmpty ? 0 : 1))]
            try attempt(home, step)
            if number(4) == 0 { try round(home) }
            if number(20) == 0 {
                try SyncHistories.disturb(group.remote, &generator, losing: !joinsAgain)
            }
        }
        group.absent = []
        for home in group.homes { home.level = .afterVerification }
        try finish()
        // Removed tasks come back, and with them what comes after them.
        for home in group.homes { for _ in 0..<3 { _ = try? home.list.undo(in: home.vault) } }
        try finish()
    }

    /// A task with two subtasks, in all homes.
    mutating func addSubtasks() throws {
        let id = try group.homes[0].add("with subtasks")
        for name in ["first", "second"] { try group.homes[0].addSubtask(name, to: id) }
        try finish()
    }

    /// Each command after all homes have what came before it.
    mutating func playSequence() throws {
        try begin()
        try finish()
        for step in 0..<25 {
            try attempt(group.homes[number(group.homes.count)], step)
            for home in group.homes { home.level = .afterVerification }
            try finish()
        }
    }

    /// One command, which may be refused.
    private mutating func attempt(_ home: TaskHome, _ step: Int) throws {
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
    }

    private mutating func finish() throws {
        if try !group.syncAll(most: 10) { failures.append("the homes come to no end") }
    }

    // MARK: The result

    /// Compares the homes with each other, with their records, and with what was sent.
    mutating func check() throws {
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
            failures += try wrongMarks(of: home)
            let lost = sent.subtracting(try home.recordedTexts().values)
            if !lost.isEmpty { failures.append("\(home.name) lost \(lost)") }
        }
    }

    /// Whether a home marks what its records say.
    private func wrongMarks(of home: TaskHome) throws -> [String] {
        try home.store.mirrorTransaction { transaction in
            let marked = try transaction.marked()
            return try transaction.objects().compactMap { object in
                guard let state = try transaction.taskState(of: object),
                    state.isMarked != marked.contains(object)
                else { return nil }
                return "\(home.name): the mark of \(try transaction.versions(of: object))"
            }
        }
    }

    /// Lets one home have something else than the others.
    func makeDifference(_ difference: TaskMirrorHistoryTests.Difference) throws {
        let home = group.homes[1]
        let tasks = try home.tasks().filter { !$0.isProtected }
        switch difference {
        case .earlierText:
            let texts = try home.recordedTexts()
            let earlier = texts.keys.sorted().filter { key in
                texts.keys.contains {
                    $0.object == key.object && $0.field == key.field && $0.stamp > key.stamp
                }
            }
            // The only one with this text.
            let key = try #require(
                earlier.first { key in
                    sent.contains(texts[key] ?? "")
                        && texts.values.count { $0 == texts[key] } == 1
                })
            try home.store.mirrorTransaction { try $0.erase([key]) }
        case .mark:
            try home.store.mirrorTransaction { transaction in
                let object = try transaction.counterpart(named: tasks[0].id.name)?.object
                let marked = try transaction.marked()
                if let object { try transaction.setMarked(object, !marked.contains(object)) }
            }
        case .name: try home.editText(tasks[0].id) { $0.name += "!" }
        case .order:
            let task = try #require(tasks.first { !$0.dependencies.isEmpty })
            try home.edit(task.id) { $0.dependencies = [] }
        case .subtasks:
            let task = try #require(tasks.first { ($0.plainText?.subtasks.count ?? 0) > 1 })
            try home.editText(task.id) { $0.subtasks.swapAt(0, 1) }
        }
    }

    // MARK: Rounds and commands

    /// A round, which may end at any step.
    private mutating func round(_ home: TaskHome) throws {
        guard number(5) == 0 else {
            let texts = try home.shownTexts()
            trace.append("  round \(home.name) \(try home.sync())")
            if let unsent = try home.unsentTasks() {
                sent.formUnion(texts.filter { !unsent.contains($0.key) }.values.joined())
            }
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
