import SecureStorage
import Testing
import TestSupport
@testable import VaultCore
import VaultStorage

/// Random schedules of machines over a storage that shows each of them what it likes.
///
/// Each write saves a secret of its own, so that the list of an answer is the history that it is from.
@Suite("Any schedule of machines and storage")
struct FreshnessModelTests {
    private static let schedules = Attack.amount("TASKVAULT_SCHEDULES", ordinary: 30)
    private static let steps = 40

    @Test("answers only from a history with every write that the machine saw")
    func schedules() throws {
        let seed = SeededGenerator().seed
        var counts = FreshnessModel.Counts()
        var objections = 0
        for number in 0..<Self.schedules {
            var model = try FreshnessModel(seed: seed &+ UInt64(number))
            for _ in 0..<Self.steps { try model.step() }
            let objection = model.objection
            #expect(objection == nil, "schedule \(seed &+ UInt64(number))")
            counts.add(model.counts)
            if objection != nil { objections += 1 }
        }
        // Most of what is asked is answered, and enough is refused for good reason.
        #expect(counts.answers > Self.schedules * Self.steps / 5, "\(counts)")
        #expect(counts.refusals > Self.schedules, "\(counts)")
        #expect(counts.confirmations > Self.schedules / 10, "\(counts)")
        #expect(counts.merges > Self.schedules / 4, "\(counts)")
        #expect(counts.losses > Self.schedules / 10, "\(counts)")
        Attack.report([
            "schedules": Self.schedules, "answers": counts.answers, "refused": counts.refusals,
            "confirmed": counts.confirmations, "merged": counts.merges, "objections": objections,
        ])
        Attack.report(
            control: "without a record \(counts.losses) answers lacked an acknowledged write; "
                + "rows alone would have mixed two branches \(counts.merges) times")
    }
}

/// One schedule, and what each machine must find in every answer.
private struct FreshnessModel {
    struct Counts {
        var answers = 0
        var refusals = 0
        var confirmations = 0
        /// Branches merged by rows, so that the rows are those of neither.
        var merges = 0
        /// Answers on a machine without a record that lack what it saw.
        var losses = 0

        mutating func add(_ other: Counts) {
            answers += other.answers
            refusals += other.refusals
            confirmations += other.confirmations
            merges += other.merges
            losses += other.losses
        }
    }

    /// The writes that a history has, by the numbers of their secrets.
    private typealias History = Set<Int>

    private struct Session {
        let vault: UnlockedVault
        /// The state that it saw itself, which holds with and without a record.
        var seen: History
    }

    /// A machine: a state folder, what it is shown, and the programs that have the vault open, at most two.
    private final class Machine {
        let storage = ShownStorage()
        var records = UnwritableRecords(isWritable: true)
        var sessions: [Session] = []
        /// The state that the machine saw while it had a record.
        var seen: History = []
    }

    private(set) var objection: String?
    private(set) var counts = Counts()
    private var random: SeededGenerator
    private let machines: [Machine]
    /// Everything that the storage was ever given, each with its history.
    private var snapshots: [(records: ShownRecords, history: History)]
    private var writes = 0

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        let storage = ShownStorage()
        try TestVault.create(in: storage)
        snapshots = [(storage.records, [])]
        machines = (0..<(2 + Int(random.next() % 3))).map { _ in Machine() }
        for machine in machines { machine.storage.records = storage.records }
    }

    private mutating func pick(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }

    /// The history of what a machine is shown.
    private func history(shownTo machine: Machine) -> History {
        let state = machine.storage.records.state
        return snapshots.last { $0.records.state == state }?.history ?? []
    }

    mutating func step() throws {
        let machine = machines[pick(machines.count)]
        switch pick(21) {
        case 0...3: try unlock(machine, accepting: false)
        case 4...8: try write(machine)
        case 9...12: try list(machine)
        case 13: machine.storage.records = snapshots[pick(snapshots.count)].records
        // An honest storage shows all machines the same.
        case 14, 15: machine.storage.records = snapshots[snapshots.count - 1].records
        case 16: try crash(machine)
        case 17:
            // The state folder becomes unwritable, or writable again.
            machine.records.isWritable.toggle()
        case 18: try clone(machine, from: machines[pick(machines.count)])
        case 19: try merge(machine)
        default:
            machine.storage.records = snapshots[pick(snapshots.count)].records
            try unlock(machine, accepting: true)
        }
    }

    /// The state that an answer of the machine must have.
    private func required(_ machine: Machine, _ session: Session?) -> History {
        (machine.records.isWritable ? machine.seen : []).union(session?.seen ?? [])
    }

    /// Notes an answer from a history, or the refusal of one.
    private mutating func note(
        _ machine: Machine, _ session: Int?, _ found: History?, _ what: String
    ) {
        let required = required(machine, session.map { machine.sessions[$0] })
        guard let found else {
            counts.refusals += 1
            if history(shownTo: machine).isSuperset(of: required) {
                objection = objection ?? "\(what) is refused without reason"
            }
            return
        }
        counts.answers += 1
        if !found.isSuperset(of: machine.seen) { counts.losses += 1 }
        if !found.isSuperset(of: required) {
            objection = objection ?? "\(what) lacks \(required.subtracting(found))"
        }
        if machine.records.isWritable { machine.seen = found }
        if let session { machine.sessions[session].seen = found }
    }

    private mutating func unlock(_ machine: Machine, accepting: Bool) throws {
        var environment = TestVault.environment(rollbackRecords: machine.records)
        environment.acceptsOlder = accepting
        // As the program does: no session goes on over what the owner accepts.
        if accepting { machine.sessions = [] }
        if machine.sessions.count == 2 { machine.sessions.removeFirst() }
        let vault = try? TestVault.unlock(machine.storage, environment)
        guard let vault else { return note(machine, nil, nil, "unlock") }
        if accepting, machine.records.isWritable,
            !history(shownTo: machine).isSuperset(of: machine.seen)
        {
            counts.confirmations += 1
            machine.seen = history(shownTo: machine)
        }
        note(machine, nil, Self.names(try vault.list()), "unlock")
        machine.sessions.append(Session(vault: vault, seen: history(shownTo: machine)))
    }

    private mutating func list(_ machine: Machine) throws {
        guard !machine.sessions.isEmpty else { return try unlock(machine, accepting: false) }
        let session = pick(machine.sessions.count)
        let found = try? machine.sessions[session].vault.list()
        note(machine, session, found.map(Self.names), "a list")
    }

    private mutating func write(_ machine: Machine) throws {
        guard !machine.sessions.isEmpty else { return try unlock(machine, accepting: false) }
        let session = pick(machine.sessions.count)
        writes += 1
        let number = writes
        let before = history(shownTo: machine)
        let outcome = [ShownStorage.Outcome.done, .done, .done, .madeAndDenied, .lost][pick(5)]
        machine.storage.outcome = outcome
        defer { machine.storage.outcome = .done }
        let state = machine.storage.records.state
        let vault = machine.sessions[session].vault
        let isAcknowledged =
            (try? vault.save(
                Samples.one(), as: TestVault.name(number), SecretAttributes())) != nil
        if machine.storage.records.state != state {
            snapshots.append((machine.storage.records, before.union([number])))
        } else if isAcknowledged {
            objection = objection ?? "write \(number) is acknowledged and not there"
        }
        if isAcknowledged {
            note(machine, session, before.union([number]), "write \(number)")
        } else if outcome == .lost,
            before.isSuperset(of: required(machine, machine.sessions[session]))
        {
            // The session read what it is shown before it wrote.
            note(machine, session, before, "write \(number)")
        } else {
            note(machine, session, nil, "write \(number)")
        }
    }

    /// Shows the rows of two branches as one vault, for one program of the machine: it answers as one of the branches, or refuses.
    private mutating func merge(_ machine: Machine) throws {
        let shown = machine.storage.records
        defer { machine.storage.records = shown }
        let base = snapshots[pick(snapshots.count)]
        let merged = base.records.merged(
            with: snapshots[pick(snapshots.count)].records, &random)
        if merged.items.keys != base.records.items.keys { counts.merges += 1 }
        // What this program records is forgotten with it.
        let records = UnwritableRecords(isWritable: machine.records.isWritable)
        if records.isWritable, let record = try machine.records.read() {
            try records.replace(with: record)
        }
        let isUnlockedBefore = pick(2) == 0
        machine.storage.records = isUnlockedBefore ? base.records : merged
        let vault = try? TestVault.unlock(
            machine.storage, TestVault.environment(rollbackRecords: records))
        machine.storage.records = merged
        guard let vault else { return }
        if !base.history.isSuperset(of: required(machine, nil)) {
            objection = objection ?? "a merged branch without what was seen is unlocked"
        }
        if let found = try? vault.list(), Self.names(found) != base.history {
            objection = objection ?? "a list is of two branches"
        }
        for number in 0..<writes {
            let isThere = base.history.contains(number + 1)
            do {
                _ = try vault.value(of: TestVault.name(number + 1))
                if !isThere { objection = objection ?? "a row of the other branch is answered" }
            } catch SecureStoreError.notFound {
                if isThere { objection = objection ?? "a write is taken for none" }
            } catch {}
        }
    }

    /// Ends a program between its commit and the record.
    private mutating func crash(_ machine: Machine) throws {
        guard !machine.sessions.isEmpty, machine.records.isWritable else { return }
        let known = try machine.records.read()
        let seen = machine.seen
        try write(machine)
        machine.sessions = []
        if let known, try machine.records.read()?.counter == known.counter + 1 {
            try machine.records.replace(with: known)
            machine.seen = seen
        }
    }

    /// Gives a machine the state of another one, as a virtual machine that is copied has it.
    private mutating func clone(_ machine: Machine, from other: Machine) throws {
        guard machine !== other, other.records.isWritable else { return }
        machine.sessions = []
        machine.records = UnwritableRecords(isWritable: true)
        if let record = try other.records.read() { try machine.records.replace(with: record) }
        machine.seen = other.seen
    }

    private static func names(_ items: [SecretItem]) -> History {
        Set(items.compactMap { Int($0.name.service.dropFirst("service ".count)) })
    }
}
