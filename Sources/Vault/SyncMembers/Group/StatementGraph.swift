internal import Sync

/// The valid statements of a group, each after all that its author had seen.
///
/// Validity follows from a statement and from what its author had seen, so it never changes. What counts follows from the whole set.
struct StatementGraph {
    private(set) var statements: [Statement] = []
    private(set) var failures: [StatementID: StatementFailure] = [:]
    /// For each statement, all that its author had seen.
    private var past: [IndexSet] = []
    /// For each statement, the one that made its author a member; nil for a create.
    private var introductions: [Int?] = []
    private var indices: [StatementID: Int] = [:]
    /// The statements that introduced each member, those that added one or made the group, and the removes.
    private var introducing: [DeviceID: [Int]] = [:]
    private var additions: [Int] = []
    private(set) var removes: [Int] = []

    init(_ group: GroupID, _ statements: Set<Statement>) {
        var waiting: [Statement] = []
        for statement in statements {
            if statement.group == group {
                waiting.append(statement)
            } else {
                failures[statement.id] = .group
            }
        }
        // The order of the array must not follow from the order of arrival.
        waiting.sort { ($0.clock, $0.id) < ($1.clock, $1.id) }
        // A removed device can write as many as it likes, in any order: each is looked at again only when one came that it lacked.
        var lacking: [StatementID: [Statement]] = [:]
        for statement in waiting {
            var ready = [statement]
            while let next = ready.popLast() {
                if let missing = next.seen.first(where: { indices[$0] == nil }) {
                    lacking[missing, default: []].append(next)
                } else {
                    place(next)
                    if indices[next.id] != nil, let others = lacking.removeValue(forKey: next.id) {
                        ready += others.reversed()
                    }
                }
            }
        }
        for statement in lacking.values.joined() { failures[statement.id] = .seen }
    }

    /// Adds a statement whose past is there, or notes its failure.
    private mutating func place(_ statement: Statement) {
        var seen = IndexSet()
        for id in statement.seen {
            guard let index = indices[id] else { return }
            seen.formUnion(past[index])
            seen.insert(index)
        }
        let introduction = indices[statement.introduction]
        if let failure = failure(statement, introduction, seen) {
            failures[statement.id] = failure
        } else {
            let index = statements.count
            indices[statement.id] = index
            statements.append(statement)
            past.append(seen)
            introductions.append(introduction)
            if let (keys, _) = statement.introduced {
                introducing[keys.id, default: []].append(index)
                additions.append(index)
            }
            if statement.removed != nil { removes.append(index) }
        }
    }

    private func failure(
        _ statement: Statement, _ introduction: Int?, _ seen: IndexSet
    ) -> StatementFailure? {
        if case .create = statement.content { return nil }
        guard let introduction, seen.contains(introduction),
            let keys = statements[introduction].introduced?.keys, keys.id == statement.author
        else { return .author }
        guard statement.isSigned(by: keys) else { return .signature }
        func isKnown(_ member: DeviceID) -> Bool {
            introducing[member]?.contains { seen.contains($0) } == true
        }
        switch statement.content {
        case .create:
            return nil
        case .add(let addition):
            guard addition.newcomer.consents(to: statement.group) else { return .consent }
            let known = additions.filter { seen.contains($0) }.compactMap {
                statements[$0].introduced
            }
            let removed = Set(
                removes.filter { seen.contains($0) }.compactMap { statements[$0].removed })
            let devices = Set(known.filter { $0.role == .device }.map(\.keys.id))
            let isFull = devices.subtracting(removed).count >= GroupState.deviceLimit
            return addition.newcomer.role == .device && isFull ? .full : nil
        case .remove(let removal):
            return isKnown(removal.member) ? nil : .member
        case .rename(let member, _):
            return isKnown(member) ? nil : .member
        case .deliver(let delivery):
            return isKnown(delivery.member) ? nil : .member
        case .epoch(let epoch):
            return epoch.members.allSatisfy(isKnown) ? nil : .member
        }
    }

    // MARK: What counts

    /// The indices of the statements that do not count.
    ///
    /// A remove *strikes* each statement of the removed member that its author had not seen, and each that rests on such a statement.
    /// Of two removes that strike each other neither does, except that of a recovery member whom a device removed.
    func struck() -> IndexSet {
        var strikes: [Int: IndexSet] = [:]
        for remove in removes { strikes[remove] = self.strikes(of: remove) }
        var threats: [Int: [Int]] = [:]
        for (remove, struck) in strikes {
            for other in removes where struck.contains(other) {
                let isMutual = strikes[other]?.contains(remove) == true
                if !isMutual || outranks(remove, other) {
                    threats[other, default: []].append(remove)
                }
            }
        }
        // Removes that threaten each other in a ring stay undecided, and count.
        var sure: Set<Int> = []
        var void: Set<Int> = []
        var isProgressing = true
        while isProgressing {
            isProgressing = false
            for remove in removes where !sure.contains(remove) && !void.contains(remove) {
                let own = threats[remove] ?? []
                if own.allSatisfy(void.contains) {
                    sure.insert(remove)
                } else if own.contains(where: sure.contains) {
                    void.insert(remove)
                } else {
                    continue
                }
                isProgressing = true
            }
        }
        let counting = removes.filter { !void.contains($0) }
        var struck = IndexSet()
        for remove in counting { if let own = strikes[remove] { struck.formUnion(own) } }
        for remove in removes {
            if void.contains(remove) { struck.insert(remove) } else { struck.remove(remove) }
        }
        return struck
    }

    /// The members whose removal the author of a statement had seen.
    func removals(before index: Int) -> Set<DeviceID> {
        Set(removes.filter { past[index].contains($0) }.compactMap { statements[$0].removed })
    }

    private func strikes(of remove: Int) -> IndexSet {
        let removed = statements[remove].removed
        var struck = IndexSet()
        for index in statements.indices where index != remove {
            let isOwn = statements[index].author == removed && !past[remove].contains(index)
            if isOwn || introductions[index].map(struck.contains) == true { struck.insert(index) }
        }
        return struck
    }

    /// Whether a remove by a recovery member prevails over one by a device, which removed that recovery member.
    private func outranks(_ remove: Int, _ other: Int) -> Bool {
        func role(_ index: Int) -> MemberRole? {
            introductions[index].flatMap { statements[$0].introduced?.role } ?? .device
        }
        return role(remove) == .recovery && role(other) == .device
            && statements[other].removed == statements[remove].author
    }

    /// The statements that count, all that these have seen, and the first ones of each removed member, with those whom it added: others may have
    /// used its keys before they knew, and it can write any number.
    ///
    /// - Parameters:
    ///   - counting: The indices of the statements that count.
    ///   - most: The number for a removed member.
    /// - Returns: The indices.
    func worthKeeping(_ counting: [Int], _ most: Int) -> [Int] {
        var kept = IndexSet()
        for index in counting {
            kept.insert(index)
            kept.formUnion(past[index])
        }
        let needed = kept
        var responsible: [DeviceID] = []
        var numbers: [DeviceID: Int] = [:]
        for (index, statement) in statements.enumerated() {
            let introduction = introductions[index]
            let owner = introduction.flatMap { needed.contains($0) ? nil : responsible[$0] }
            responsible.append(owner ?? statement.author)
            guard !needed.contains(index), numbers[responsible[index], default: 0] < most,
                statement.seen.allSatisfy({ indices[$0].map(kept.contains) == true })
            else { continue }
            numbers[responsible[index], default: 0] += 1
            kept.insert(index)
        }
        return statements.indices.filter { kept.contains($0) }
    }

    /// Those of some statements that no other of them has seen.
    func latest(of indices: [Int]) -> [Int] {
        var seen = IndexSet()
        for index in indices { seen.formUnion(past[index]) }
        return indices.filter { !seen.contains($0) }
    }
}

extension Statement {
    /// The keys that the statement made a member, with their role.
    var introduced: (keys: DeviceKeys, role: MemberRole)? {
        switch content {
        case .create(let keys): (keys, .device)
        case .add(let addition): (addition.newcomer.keys, addition.newcomer.role)
        default: nil
        }
    }

    /// The member that the statement removed.
    // Inlined, the optimizer of Swift 6.3 ends the lifetime of the content too early, and stops.
    @inline(never)
    var removed: DeviceID? {
        if case .remove(let removal) = content { removal.member } else { nil }
    }
}

/// A set of small numbers.
struct IndexSet {
    private var words: [UInt64] = []

    func contains(_ index: Int) -> Bool {
        index / 64 < words.count && words[index / 64] >> UInt64(index % 64) & 1 == 1
    }

    mutating func insert(_ index: Int) {
        while words.count <= index / 64 { words.append(0) }
        words[index / 64] |= 1 << UInt64(index % 64)
    }

    mutating func remove(_ index: Int) {
        if contains(index) { words[index / 64] ^= 1 << UInt64(index % 64) }
    }

    mutating func formUnion(_ other: IndexSet) {
        while words.count < other.words.count { words.append(0) }
        for index in other.words.indices { words[index] |= other.words[index] }
    }
}
