package import Sync

/// The members of a group and its keys: a pure function of the set of statements (`Docs/Sync.md`, section 10).
package struct GroupState: Sendable {
    /// The maximum number of devices.
    package static let deviceLimit = 16

    /// A device or a recovery member.
    package struct Member: Hashable, Sendable {
        package let keys: DeviceKeys
        package let role: MemberRole
        /// The clock of the statement that made it a member; see ``Stamp/milliseconds``.
        package let joined: UInt64
        /// Who made it a member; nil for the first.
        package let addedBy: DeviceID?
        /// The heads that its adder had.
        package let heads: Heads
        fileprivate(set) var name: SealedName
        /// Whether it is a copy of the device that added it and that no person has named since: only such an *add* has a name.
        package fileprivate(set) var isNewCopy: Bool
        /// The statement that made it a member.
        let introduction: StatementID

        package var id: DeviceID { keys.id }
    }

    /// A former member.
    package struct Removed: Hashable, Sendable {
        package let member: Member
        package let removedBy: Set<DeviceID>
        /// The clock of the earliest remove.
        package let removed: UInt64
        /// The last heads of its two chains that one of the removers had. What it wrote later counts only if a member had seen it before the remove.
        package let heads: Heads
    }

    /// Keys that were made at one time.
    package struct Epoch: Hashable, Sendable {
        package let statement: EpochStatement
        package let author: DeviceID
        package let clock: UInt64
        /// Boxes for members that the epoch was not made for. One member can have several.
        fileprivate(set) var delivered: [DeviceID: Set<[[UInt8]]>] = [:]
        /// All who can open its keys, by the statements that count.
        package fileprivate(set) var openers: Set<DeviceID>
        /// The members whose removal everyone knows who has the epoch: its author had seen it.
        package fileprivate(set) var excluded: Set<DeviceID>

        package var id: [UInt8] { statement.id }
    }

    package let group: GroupID
    /// All statements that were given.
    package let statements: Set<Statement>
    /// The statement that made the group; nil if it is missing.
    package let create: StatementID?
    /// The devices. At most ``deviceLimit``: of more, those that joined first.
    package let members: [DeviceID: Member]
    package let recoveryMembers: [DeviceID: Member]
    package let removed: [DeviceID: Removed]
    /// All epochs, so that segments of every time can be read. Also those of statements that do not count: a member may have used one.
    package let epochs: [[UInt8]: Epoch]
    /// The epochs that may be used for new segments, newest first: those that count, and that members only can open.
    package let usableEpochs: [Epoch]
    /// The statements that are invalid or do not count.
    package let invalid: [StatementID: StatementFailure]
    /// The valid statements that are worth keeping: those whose past comes later can be had again, and of those that do not count some are
    /// enough.
    package let kept: Set<Statement>
    /// The number of statements that are kept of a removed member, beside those that count or that one of these has seen.
    package static let mostOfRemoved = 64
    /// The newest clock of the statements that count.
    package let clock: UInt64
    /// The statements that the next one names as seen.
    let latest: [StatementID]

    /// Computes the state.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - statements: All known statements, in any order.
    package init(_ group: GroupID, _ statements: some Sequence<Statement>) {
        self.group = group
        self.statements = Set(statements)
        let graph = StatementGraph(group, self.statements)
        let struck = graph.struck()
        let counting = graph.statements.indices.filter { !struck.contains($0) }
        kept = Set(graph.worthKeeping(counting, Self.mostOfRemoved).map { graph.statements[$0] })
        var invalid = graph.failures
        for index in graph.statements.indices where struck.contains(index) {
            invalid[graph.statements[index].id] = .removed
        }
        self.invalid = invalid
        var membership = Membership()
        // By stamp, so that the newest name is the last.
        let ordered = counting.map { graph.statements[$0] }.sorted(by: Self.isOrdered)
        for statement in ordered { membership.apply(statement) }
        create = ordered.first { $0.content.kind == .create }?.id
        clock = ordered.map(\.clock).max() ?? 0
        latest = Array(
            graph.latest(of: counting).map { graph.statements[$0].id }.sorted()
                .prefix(Statement.seenLimit))
        members = membership.devices
        recoveryMembers = membership.members.filter { $0.value.role == .recovery }
        removed = membership.removed
        epochs = Self.epochs(graph, counting: Set(ordered.map(\.id)))
        let present = Set(membership.members.keys)
        var usable: [Epoch] = []
        for case .epoch(let epoch) in ordered.reversed().map(\.content) {
            guard let found = epochs[epoch.id], found.openers.isSubset(of: present),
                !usable.contains(where: { $0.id == found.id })
            else { continue }
            usable.append(found)
        }
        usableEpochs = usable
    }

    private static func isOrdered(_ left: Statement, _ right: Statement) -> Bool {
        (left.clock, left.id) < (right.clock, right.id)
    }

    /// A statement that does not count can give a key, which its commitment proves, but makes no opener: a removed device could
    /// otherwise name itself as one of each new epoch.
    private static func epochs(
        _ graph: StatementGraph, counting: Set<StatementID>
    ) -> [[UInt8]: Epoch] {
        var epochs: [[UInt8]: Epoch] = [:]
        for (index, statement) in graph.statements.enumerated() {
            guard case .epoch(let epoch) = statement.content else { continue }
            let id = epoch.id
            let excluded = graph.removals(before: index)
            if epochs[id] == nil {
                epochs[id] = Epoch(
                    statement: epoch, author: statement.author, clock: statement.clock,
                    openers: epoch.members, excluded: excluded)
            }
            // One that has it by another statement may not know.
            epochs[id]?.excluded.formIntersection(excluded)
            if counting.contains(statement.id) { epochs[id]?.openers.insert(statement.author) }
        }
        for statement in graph.statements {
            guard case .deliver(let delivery) = statement.content else { continue }
            for (id, boxes) in delivery.boxes {
                epochs[id]?.delivered[delivery.member, default: []].insert(boxes)
                if counting.contains(statement.id) {
                    epochs[id]?.openers.formUnion([delivery.member, statement.author])
                }
            }
        }
        return epochs
    }

    /// The newest recovery member, to which epochs are sealed.
    package var recoveryMember: Member? {
        recoveryMembers.values.max { ($0.joined, $0.id) < ($1.joined, $1.id) }
    }

    /// The keys that verify the segments of a chain, by the ids of that chain.
    package func segmentKeys(of chain: SyncChain) -> [DeviceID: [UInt8]] {
        var keys: [DeviceID: [UInt8]] = [:]
        for (device, member) in members {
            keys[chain.id(of: device)] = member.keys.segmentKey(of: chain)
        }
        return keys
    }

    /// The state without the removes by some devices, and without the statements that have seen these.
    ///
    /// The holder of the recovery code writes upon it if devices are lost that removed others, or the recovery member itself: its removes of
    /// these devices outrank theirs.
    package func ignoringRemoves(by devices: Set<DeviceID>) -> GroupState {
        GroupState(group, statements.filter { $0.removed == nil || !devices.contains($0.author) })
    }

    /// The epochs that a member cannot open by what statements say.
    func missingEpochs(of member: DeviceID) -> [Epoch] {
        epochs.values.filter {
            !$0.statement.members.contains(member) && $0.delivered[member] == nil
        }
    }
}

/// The members while statements are applied by their stamps.
private struct Membership {
    private var added: [DeviceID: GroupState.Member] = [:]
    private var names: [DeviceID: SealedName] = [:]
    private var removes: [DeviceID: [Statement]] = [:]

    mutating func apply(_ statement: Statement) {
        switch statement.content {
        case .create(let keys):
            add(keys, .device, nil, [:], .none, statement)
        case .add(let addition):
            add(
                addition.newcomer.keys, addition.newcomer.role, statement.author, addition.heads,
                addition.name, statement)
        case .remove(let removal): removes[removal.member, default: []].append(statement)
        case .rename(let member, let name): names[member] = name
        case .epoch, .deliver: break
        }
    }

    /// The first add counts.
    private mutating func add(
        _ keys: DeviceKeys, _ role: MemberRole, _ author: DeviceID?, _ heads: Heads,
        _ name: SealedName, _ statement: Statement
    ) {
        guard added[keys.id] == nil else { return }
        added[keys.id] = GroupState.Member(
            keys: keys, role: role, joined: statement.clock, addedBy: author, heads: heads,
            name: name,
            isNewCopy: role == .device && name != .none
                && author.flatMap { added[$0] }?.role == .device,
            introduction: statement.id)
    }

    private var named: [DeviceID: GroupState.Member] {
        var members = added
        for (member, name) in names {
            members[member]?.name = name
            members[member]?.isNewCopy = false
        }
        return members
    }

    /// The members, devices beyond the limit included.
    var members: [DeviceID: GroupState.Member] { named.filter { removes[$0.key] == nil } }

    var devices: [DeviceID: GroupState.Member] {
        let devices = members.values.filter { $0.role == .device }
            .sorted { ($0.joined, $0.id) < ($1.joined, $1.id) }.prefix(GroupState.deviceLimit)
        return Dictionary(uniqueKeysWithValues: devices.map { ($0.id, $0) })
    }

    var removed: [DeviceID: GroupState.Removed] {
        var removed: [DeviceID: GroupState.Removed] = [:]
        for (device, member) in named {
            guard let removes = removes[device] else { continue }
            var heads: Heads = [:]
            for case .remove(let removal) in removes.map(\.content) {
                heads.merge(removal.heads) { $0.number < $1.number ? $1 : $0 }
            }
            removed[device] = GroupState.Removed(
                member: member, removedBy: Set(removes.map(\.author)),
                removed: removes.map(\.clock).min() ?? 0, heads: heads)
        }
        return removed
    }
}
