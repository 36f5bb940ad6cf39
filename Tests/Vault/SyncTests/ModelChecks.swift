import TestSupport

@testable import Sync

/// The rules of `Docs/Sync.md`, section 7, written again in the plainest way, over what authors really had seen.
struct ModelOracle {
    let records: [TrueRecord]

    private func of(_ field: RecordField) -> [TrueRecord] {
        records.filter { $0.version.field == field }
    }

    private var removes: [TrueRecord] { of(.remove) }
    private func isCovered(_ record: TrueRecord) -> Bool {
        removes.contains { $0.hasSeen(record) }
    }
    private var byPerson: [TrueRecord] {
        records.filter { record in
            ![2, 4, 5, 34, 37, 40, 41, 50, 51].contains(record.version.field.number)
        }
    }

    var isMade: Bool { !of(.create).isEmpty }
    var isRemoved: Bool { byPerson.allSatisfy { isCovered($0) } }
    var hasReturned: Bool {
        !isRemoved
            && removes.contains { remove in
                !isLookedAt(remove)
                    && byPerson.contains { !isCovered($0) && !$0.hasSeen(remove) }
            }
    }

    private func isLookedAt(_ record: TrueRecord) -> Bool {
        of(.looked).contains {
            RecordContent.stamps($0.version.content.bytes ?? [])?.contains(record.version.stamp)
                ?? false
        }
    }

    private func isBelow(_ left: TrueRecord, _ right: TrueRecord) -> Bool {
        if isCovered(left) != isCovered(right) { return isCovered(left) }
        return left.version.stamp < right.version.stamp
    }

    func current(_ field: RecordField) -> Version? {
        of(field).max { isBelow($0, $1) }?.version
    }

    func marked(_ field: RecordField) -> Set<Stamp> {
        let all = of(field)
        return Set(
            all.filter { low in
                !isLookedAt(low)
                    && all.contains { high in
                        isBelow(low, high) && high.text != low.text
                            && (!high.hasSeen(low) && !low.hasSeen(high) || isInTheOpen(high))
                    }
            }.map(\.version.stamp))
    }

    private var protecting: [TrueRecord] {
        let isTask = of(.create).first?.version.content.bytes == [ObjectState.Kind.task]
        return records.filter { record in
            record.version.field == .protection && record.version.content.bytes == [1]
                || isTask && record.version.field.isVersioned
                    && record.version.level == .afterVerification
        }
    }

    /// Whether the author of a text below the level of protected ones had seen that the object is protected.
    private func isInTheOpen(_ text: TrueRecord) -> Bool {
        text.version.field.isVersioned && text.version.level < .afterVerification
            && protecting.contains { record in
                text.hasSeen(record)
                    && !of(.protection).contains {
                        $0.version.level == .afterVerification && $0.hasSeen(record)
                            && text.hasSeen($0)
                    }
            }
    }

    var isProtected: Bool {
        protecting.contains { record in
            !of(.protection).contains {
                $0.version.level == .afterVerification && $0.hasSeen(record)
            }
        }
    }

    var completions: [TrueRecord] {
        records.filter { record in
            record.version.field.number == 37 && record.version.content.bytes?.first == 1
                && !records.contains {
                    $0.version.field == record.version.field
                        && $0.version.content.bytes == [0] && $0.hasSeen(record)
                }
        }
    }

    var due: DueDate? {
        var best: (DueDate, Stamp)?
        func offer(_ date: DueDate, _ stamp: Stamp) {
            guard let old = best else {
                best = (date, stamp)
                return
            }
            let isHigher =
                date.occurrence != old.0.occurrence
                ? date.occurrence > old.0.occurrence
                : date.isEdited != old.0.isEdited ? date.isEdited : stamp > old.1
            if isHigher { best = (date, stamp) }
        }
        for record in of(.due) {
            if let date = DueDate(record.version.content.bytes ?? []) {
                offer(date, record.version.stamp)
            }
        }
        for record in completions {
            if case .done(let next, let date) = Completion(record.version.content.bytes ?? []) {
                offer(
                    DueDate(occurrence: next, isEdited: false, date: date), record.version.stamp)
            }
        }
        return best?.0
    }
}

extension ModelWorld {
    /// Compares all devices with each other and with what the truth demands.
    func check() {
        do {
            for device in devices {
                if !device.store.state.kept.isEmpty { fail("a part is still kept") }
                let chains = device.store.state.ledger.chains.mapValues(\.number)
                if chains != devices[0].store.state.ledger.chains.mapValues(\.number) {
                    fail("segments remain undelivered: \(try device.replica.collect().waiting)")
                }
            }
            let classes = joinedRecords()
            for device in devices { try check(device, classes) }
            try ModelExport.write(self, classes)
        } catch {
            fail("\(error)")
        }
    }

    /// All records, by the smallest id of the objects that aliases join.
    private func joinedRecords() -> [ObjectID: [TrueRecord]] {
        var parents: [ObjectID: ObjectID] = [:]
        func root(_ object: ObjectID) -> ObjectID {
            parents[object].map { root($0) } ?? object
        }
        if group.rules.contains(.aliases) {
            for record in records {
                guard let other = record.version.field.aliased else { continue }
                let (first, second) = (root(record.version.object), root(other))
                if first != second { parents[max(first, second)] = min(first, second) }
            }
        }
        return Dictionary(grouping: records) { root($0.version.object) }.mapValues { all in
            let removes = all.filter { $0.version.field == .remove }
            // What was removed and erased everywhere is gone, also if a silent device brings the object back.
            return all.filter { record in
                devices.contains {
                    $0.store.state.versions[record.version.object]?[record.version.key] != nil
                } || !removes.contains { $0.hasSeen(record) }
            }
        }
    }

    private func check(_ device: TestDevice, _ classes: [ObjectID: [TrueRecord]]) throws {
        let states = Dictionary(uniqueKeysWithValues: try states(device))
        let live = states.values.filter {
            $0.kind == ObjectState.Kind.item && !$0.isRemoved
        }
        let names = live.compactMap { $0.fields[.itemName]?.current.content.bytes }
        if Set(names).count != names.count { fail("two live items have one name") }
        for (object, records) in classes {
            let oracle = ModelOracle(records: records)
            guard oracle.isMade else { continue }
            // Promise 4: each value and each text, except those that a remove had seen.
            for record in records where record.version.field.isVersioned {
                let isThere =
                    device.store.state.versions[record.version.object]?[record.version.key] != nil
                let removes = records.filter { $0.version.field == .remove }
                if !isThere, !removes.contains(where: { $0.hasSeen(record) }) {
                    fail("lost: \(record.version.field)")
                }
            }
            guard let state = states[object] else {
                if !oracle.isRemoved { fail("gone: \(object)") }
                continue
            }
            compare(state, oracle)
        }
    }

    private func compare(_ state: ObjectState, _ oracle: ModelOracle) {
        if state.isRemoved != oracle.isRemoved { fail("removed: \(state.isRemoved)") }
        // A removed object may be erased in part by then.
        if state.isRemoved { return }
        if state.hasReturned != oracle.hasReturned { fail("returned: \(state.hasReturned)") }
        if state.isProtected != oracle.isProtected { fail("protected: \(state.isProtected)") }
        if state.completed.count != Set(oracle.completions.map(\.version.field)).count {
            fail("completions: \(state.completed)")
        }
        if state.due != oracle.due { fail("due: \(String(describing: state.due))") }
        for (field, found) in state.fields {
            // A snapshot has text that came in the open for a protected task as a secret.
            let current = oracle.current(field)
            if found.current.key != current?.key, found.current.content != current?.content {
                fail("current: \(field)")
            }
            let marked = Set(found.earlier.filter(\.isConcurrent).map(\.version.stamp))
            if marked != oracle.marked(field) { fail("marked: \(field)") }
        }
        if state.subtasks != devicesFirstState(state.object)?.subtasks { fail("order of subtasks") }
    }

    private func devicesFirstState(_ object: ObjectID) -> ObjectState? {
        try? devices[0].state(object)
    }
}
