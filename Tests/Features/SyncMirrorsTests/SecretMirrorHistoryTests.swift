import SecretMemory
import SecureStorage
import Sync
@testable import SyncMirrors
import SyncStorage
import TestSupport
import Testing

/// Random histories of two or three homes.
@Suite("Secrets of several homes: histories")
struct SecretMirrorHistoryTests {
    /// Runs histories.
    private func run(
        _ seeds: Range<UInt64>, _ body: (inout SecretHistory) throws -> Void
    ) throws {
        for seed in seeds {
            let failures = try withTemporaryFolder { folder in
                var history = try SecretHistory(seed, folder)
                try body(&history)
                if !history.failures.isEmpty { HistorySeeds.show(history.trace, of: seeds) }
                return history.failures.map { "seed \(seed): \($0)" }
            }
            #expect(failures == [])
        }
    }

    @Test("converge and lose no value", arguments: HistorySeeds.parts(200))
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
            let marked = try history.group.homes.flatMap { try $0.mirror.markedNames() }
            if !marked.isEmpty { history.failures.append("marked: \(marked)") }
        }
    }

    @Test("a value that one home lacks is noticed")
    func control() throws {
        try run(3..<4) { history in
            try history.play()
            try history.forgetValue()
            try history.check()
            #expect(history.failures.contains { $0.hasPrefix("the homes have") })
            history.failures = []
        }
    }
}

/// One history: changes of vaults, and rounds that can be cut off.
private struct SecretHistory {
    private enum Operation: CaseIterable {
        case set, label, attribute, rename, swap, remove, restore, protect, verify, look, expire
        case joinAgain
    }

    let group: SecretGroup
    /// Whether homes leave and join again. Then no file of the folder is lost: nobody has those of a device that left.
    private let joinsAgain: Bool
    private let time: SecretTestClock
    private var random: SeededGenerator
    private var count = 0
    /// The values that a vault has accepted.
    private var values: Set<String> = []
    var failures: [String] = []
    private(set) var trace: [String] = []

    init(_ seed: UInt64, _ folder: String) throws {
        random = SeededGenerator(seed: seed &* 0x9E37_79B9 &+ 7)
        joinsAgain = !seed.isMultiple(of: 2)
        let retention = EarlierRetention(values: 10_000, days: 90, removedDays: 30)
        // Two secrets that one vault made at one time could not be told apart after an exchange of their names: it is one of their values.
        let time = SecretTestClock()
        let vaults = (0..<5).map { _ in
            MemorySecureStore(retention: retention) { time.next() }
        }
        group = try SecretGroup(
            folder, count: Int(random.next() % 4) + 2, seed: seed, vaults: vaults,
            retention: retention)
        self.time = time
        for home in group.homes { home.clock.now += Int64(random.next() % 600) * 1_000 - 300_000 }
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(random.next() % UInt64(elements.count))]
    }

    private mutating func chance(_ percent: UInt64) -> Bool { random.next() % 100 < percent }

    /// Changes and rounds in homes that are apart. In the end all have everything.
    mutating func play() throws {
        for _ in 0..<(Int(random.next() % 40) + 20) {
            group.wait(pick([0, 1, 500, 60_000]) ?? 0)
            guard let home = pick(group.homes) else { return }
            time.now = max(time.now, home.clock.now)
            if chance(4) {
                try SyncHistories.disturb(group.folder, &random, losing: !joinsAgain)
            }
            if chance(35) {
                try round(home)
            } else {
                try attempt(pick(Operation.allCases) ?? .set, home)
            }
        }
        for home in group.homes {
            home.crashes.stepsLeft = nil
            try home.verify(true)
        }
        try group.exchange(4)
    }

    /// Each change after all homes have what came before it.
    mutating func playSequence() throws {
        for _ in 0..<25 {
            group.wait(pick([0, 1, 500, 60_000]) ?? 0)
            guard let home = pick(group.homes) else { return }
            time.now = max(time.now, home.clock.now)
            try attempt(pick(Operation.allCases.filter { $0 != .verify }) ?? .set, home)
            try group.exchange(2)
        }
        try group.exchange(2)
    }

    /// Erases a value in the records of one home.
    func forgetValue() throws {
        try group.homes[0].set("e", "a value that all have")
        try group.exchange()
        try group.homes[1].store.mirrorTransaction { transaction in
            let values = try transaction.objects().flatMap { try transaction.versions(of: $0) }
                .filter { $0.field == .value }
            try transaction.erase([#require(values.first).key])
        }
    }

    /// One change, which may be refused.
    private mutating func attempt(_ operation: Operation, _ home: SecretHome) throws {
        do {
            try perform(operation, home)
        } catch let error as SecureStoreError
            where [.notVerified, .notFound, .duplicate].contains(error)
        {
            trace.append("  \(error)")
        }
    }

    private func name(of home: SecretHome) -> String { String(home.id.text.prefix(2)) }

    private mutating func round(_ home: SecretHome) throws {
        trace.append("round \(name(of: home))")
        if chance(30) { home.crashes.stepsLeft = Int(random.next() % 10) + 1 }
        do {
            try home.round()
            home.crashes.stepsLeft = nil
        } catch {
            guard home.crashes.stepsLeft.map({ $0 <= 0 }) ?? false else { throw error }
            trace.append("  ended")
            try home.open()
        }
    }

    private mutating func perform(_ operation: Operation, _ home: SecretHome) throws {
        let names = try home.vault.list().map(\.name.service)
        let target = pick(["a", "b", "c", "d"]) ?? "a"
        let old = pick(names) ?? "a"
        trace.append("\(operation) \(name(of: home)) \(old) \(target) \(names)")
        switch operation {
        case .set:
            count += 1
            let value = chance(10) ? "same" : "v\(count)"
            try home.set(target, value, isProtected: chance(20) ? true : nil)
            values.insert(value)
            trace.append("  \(value)")
        case .label: try home.edit(old, SecretEdit(label: "\(random.next() % 100)"))
        case .attribute:
            let extra =
                chance(30) ? [] : [ExtraAttribute(key: target, text: "\(random.next() % 9)")]
            try home.edit(old, SecretEdit(extra: extra))
        case .rename: try home.rename(old, to: target)
        case .swap:
            guard names.contains(target), old != target else { return }
            try home.rename(old, to: "between")
            try home.rename(target, to: old)
            try home.rename("between", to: target)
        case .remove: try home.remove(old)
        case .restore:
            guard let removed = pick(try home.vault.removed()) else { return }
            try home.restore(removed.item.name.service, as: chance(30) ? target : nil)
        case .protect:
            try home.edit(
                old, SecretEdit(accessClass: chance(50) ? .afterVerification : .whileUnlocked))
        case .verify: try home.verify(chance(60))
        case .look: try home.mirror.looked(at: .test(old))
        case .joinAgain:
            guard joinsAgain, chance(30) else { return }
            try home.verify(true)
            try home.joinAgain(removed: chance(50), capturing: chance(50))
        case .expire:
            try home.mirror.expire(now: home.clock.now)
            try home.replica.makeSnapshot()
        }
    }

    // MARK: The result

    mutating func check() throws {
        let first = try group.homes[0].all()
        let marks = try group.homes[0].mirror.markedNames()
        for home in group.homes {
            let all = try home.all()
            if all != first { failures.append("\(name(of: home)) has \(all) instead of \(first)") }
            let report = try home.round()
            if report != SecretMirrorReport() { failures.append("left: \(report)") }
            let marked = try home.mirror.markedNames()
            if marked != marks {
                failures.append("\(name(of: home)) marks \(marked) instead of \(marks)")
            }
        }
        // All homes have the same values. One that was removed before the first round after it is in the trash of its vault only.
        let recorded = try group.homes.map { try recordedValues($0) }
        if Set(recorded).count > 1 { failures.append("the homes have \(recorded)") }
        let kept = try group.homes.map { try keptValues($0) }
        let lost = values.subtracting(kept.joined()).subtracting(recorded.joined())
        if !lost.isEmpty { failures.append("lost \(lost)") }
    }

    /// The values of the records of a home. Those of secrets that are not in the trash are in the vault.
    private mutating func recordedValues(_ home: SecretHome) throws -> Set<String> {
        var all: Set<String> = []
        let objects = try home.store.mirrorTransaction { transaction in
            try transaction.counterparts().map { counterpart in
                let object = try transaction.mirrorObject(counterpart.object)
                let texts = try object.values.map { version in
                    let secret = try SecretContent(transaction.secret(of: version.key))
                    return String(decoding: Samples.bytes(secret.bytes), as: UTF8.self)
                }
                return (counterpart, object, texts)
            }
        }
        for (counterpart, object, texts) in objects {
            all.formUnion(texts)
            guard counterpart.isLive, let name = counterpart.lastName else { continue }
            if object.state?.isRemoved != false {
                failures.append("\(name) is in the vault, and not in the records")
            }
            let lost = Set(texts).subtracting(try home.values(name.service))
            if !lost.isEmpty { failures.append("\(name.service) lacks \(lost)") }
        }
        return all
    }

    /// The values of a vault, those of its trash included.
    private func keptValues(_ home: SecretHome) throws -> Set<String> {
        for (place, removed) in try home.vault.removed().enumerated() {
            try home.vault.restore(removed: removed.id, as: .test("restored \(place)"))
        }
        return Set(try home.vault.list().flatMap { try home.values($0.name.service) })
    }
}
