import SecureStorage
import TestSupport

/// The answered calls of several processes of one vault, and whether all of it can have happened one after the other.
struct VaultHistory {
    struct Entry {
        let process: Int
        let operation: RandomOperation
        var line: HistoryLine
    }

    /// Of each process, in its order.
    var processes: [[Entry]]
    /// The counter of the empty vault.
    let start: UInt64

    /// Why it is not linear; nil if it is.
    ///
    /// Commits are in the order of their counters. Every other answer must be that of a moment between two commits, and no answer may be
    /// older than one that was given before its question was asked.
    func objection() throws -> String? {
        let commits = processes.joined().filter { $0.line.counter != nil }
            .sorted { ($0.line.counter ?? 0) < ($1.line.counter ?? 0) }
        var states = [PlainVault()]
        for (entry, counter) in zip(commits, (start + 1)...) {
            guard entry.line.counter == counter else { return "no commit has counter \(counter)" }
            var state = states[states.count - 1]
            let expected = try state.answer(to: entry.operation)
            guard entry.line.answer == expected else {
                return "\(entry), which should be \(expected)"
            }
            states.append(state)
        }
        return try objection(to: states)
    }

    /// Gives each answer the earliest moment that it can be of.
    private func objection(to states: [PlainVault]) throws -> String? {
        var moments = processes.map { _ in [Int]() }
        var ended = processes.map { _ in 0 }
        for entry in processes.joined().sorted(by: { $0.line.began < $1.line.began }) {
            var earliest = 0
            for process in processes.indices {
                while ended[process] < moments[process].count,
                    processes[process][ended[process]].line.ended < entry.line.began
                {
                    ended[process] += 1
                }
                if ended[process] > 0 {
                    earliest = max(earliest, moments[process][ended[process] - 1])
                }
            }
            let moment: Int
            if let counter = entry.line.counter {
                moment = Int(counter - start)
                guard moment > earliest else { return "\(entry), though \(earliest) was seen" }
            } else if entry.line.isOfBusyVault {
                moment = earliest
            } else {
                let found = try (earliest..<states.count).first { index in
                    var state = states[index]
                    return try state.answer(to: entry.operation) == entry.line.answer
                        && state == states[index]
                }
                guard let found else { return "\(entry), which was never so after \(earliest)" }
                moment = found
            }
            moments[entry.process].append(moment)
        }
        return nil
    }

    /// The content at the end.
    func lastState() throws -> PlainVault {
        var state = PlainVault()
        for entry in processes.joined().filter({ $0.line.counter != nil })
            .sorted(by: { ($0.line.counter ?? 0) < ($1.line.counter ?? 0) })
        {
            _ = try state.answer(to: entry.operation)
        }
        return state
    }
}

extension HistoryLine {
    /// Whether the answer is that others kept the vault for too long, which changes nothing and tells nothing.
    var isOfBusyVault: Bool { answer.contains("busy") }
}

/// The content of a vault, as a value that can be kept for each moment.
struct PlainVault: Equatable {
    private struct Item: Equatable {
        var value: [UInt8]
        var accessClass: AccessClass
        var revision: UInt64
    }

    private var items: [Int: Item] = [:]

    /// Does the operation.
    mutating func answer(to operation: RandomOperation) throws -> String {
        let name = operation.name
        switch operation.kind {
        case .save(let value, let accessClass):
            guard items[name] == nil else { return "\(SecureStoreError.duplicate)" }
            items[name] = Item(value: value, accessClass: accessClass, revision: 1)
        case .update(let value, let revision):
            if let error = refusal(name, revision) { return "\(error)" }
            items[name]?.value = value
            items[name]?.revision += 1
        case .edit(let otherName, let accessClass, let revision):
            if let error = refusal(name, revision) { return "\(error)" }
            guard otherName == name || items[otherName] == nil else {
                return "\(SecureStoreError.duplicate)"
            }
            var item = items.removeValue(forKey: name)
            item?.accessClass = accessClass
            item?.revision += 1
            items[otherName] = item
            return try RandomOperation.describe(description(of: otherName))
        case .remove(let revision):
            if let error = refusal(name, revision) { return "\(error)" }
            items[name] = nil
            return RandomOperation.removed
        case .list: return try RandomOperation.describe(list())
        case .read:
            guard let item = items[name] else { return "\(SecureStoreError.notFound)" }
            return RandomOperation.describe(item.value)
        }
        return try RandomOperation.describe(description(of: name))
    }

    /// Names and values.
    func values() throws -> [SecretName: [UInt8]] {
        try Dictionary(
            uniqueKeysWithValues: items.map { (try TestVault.name($0.key), $0.value.value) })
    }

    /// All descriptions, with times of no meaning.
    func list() throws -> [SecretItem] {
        try items.keys.map(description).sorted { $0.name < $1.name }
    }

    private func refusal(_ name: Int, _ revision: UInt64?) -> SecureStoreError? {
        guard let item = items[name] else { return .notFound }
        if let revision, revision != item.revision { return .conflict(found: item.revision) }
        return nil
    }

    private func description(of name: Int) throws -> SecretItem {
        let item = items[name]
        return SecretItem(
            name: try TestVault.name(name),
            attributes: SecretAttributes(
                label: "l", accessClass: item?.accessClass ?? .whileUnlocked),
            revision: item?.revision ?? 0, created: 0, modified: 0)
    }
}
