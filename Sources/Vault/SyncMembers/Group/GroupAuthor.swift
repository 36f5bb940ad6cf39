package import Sealing
package import SecretMemory
internal import SecureStorage
package import Sync

/// Writes statements as one member, which needs its keys of all levels.
///
/// ``written`` has them in the order in which they must be saved and put.
package struct GroupAuthor {
    private let secrets: DeviceSecrets
    private let now: Int64
    private let random: RandomSource
    package private(set) var state: GroupState
    package private(set) var written: [Statement] = []

    /// - Parameters:
    ///   - secrets: The keys of a member of the group.
    ///   - state: The newest known state.
    ///   - now: The wall clock, in milliseconds since 1970-01-01 UTC.
    ///   - random: The source of keys.
    package init(
        _ secrets: DeviceSecrets, _ state: GroupState, now: Int64, random: RandomSource
    ) {
        self.secrets = secrets
        self.state = state
        self.now = now
        self.random = random
    }

    /// Makes a group: its first statement, its first epoch, and the name of its first device.
    ///
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package static func create(
        _ secrets: DeviceSecrets, name: String, now: Int64, random: RandomSource
    ) throws -> GroupAuthor {
        let origin = Statement.Origin(
            group: .zero, author: secrets.device, introduction: .none,
            clock: Stamp(milliseconds: now, device: secrets.device).clock, seen: [])
        let create = Statement(
            .create(secrets.keys), origin, key: secrets[.afterVerification].signing)
        var author = GroupAuthor(
            secrets, GroupState(create.group, [create]), now: now, random: random)
        author.written = [create]
        try author.newEpoch()
        try author.rename(secrets.device, to: name)
        return author
    }

    private var own: GroupState.Member? {
        state.members[secrets.device] ?? state.recoveryMembers[secrets.device]
    }

    /// The statement's content, signed by this member, as part of the state.
    private mutating func write(_ content: StatementContent) throws {
        guard let own else { throw GroupError.noMember(secrets.device) }
        var clock = HybridClock(last: state.clock)
        let origin = Statement.Origin(
            group: state.group, author: secrets.device, introduction: own.introduction,
            // A member that used the last clock must not keep the others from removing it.
            clock: (try? clock.next(at: now)) ?? Stamp.limit - 1, seen: state.latest)
        let statement = Statement(content, origin, key: secrets[.afterVerification].signing)
        written.append(statement)
        state = GroupState(state.group, state.statements.union([statement]))
    }

    /// Adds a device that this member confirmed, and delivers the keys of all epochs to it.
    ///
    /// - Parameters:
    ///   - newcomer: The device, from ``ApprovingMember`` or ``Newcomer``.
    ///   - name: Its name; nil if it names itself.
    ///   - heads: The heads of all chains that this member has. What the newcomer gets must reach them.
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func add(_ newcomer: Newcomer, name: String? = nil, heads: Heads = [:]) throws
    {
        guard newcomer.consents(to: state.group) else { throw GroupError.consent }
        guard state.removed[newcomer.id] == nil else { throw GroupError.noMember(newcomer.id) }
        guard newcomer.role == .recovery || state.members.count < GroupState.deviceLimit else {
            throw GroupError.full
        }
        let sealed = try name.map { try seal($0, of: newcomer.id) } ?? .none
        try write(
            .add(StatementContent.Addition(newcomer: newcomer, name: sealed, heads: heads)))
        try deliver(to: newcomer.id)
    }

    /// Removes members for ever, and makes new keys at once.
    ///
    /// - Parameters:
    ///   - members: Devices or recovery members.
    ///   - heads: The heads of all chains that this member has. What a removed device wrote later does not count.
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func remove(_ members: [DeviceID], heads: Heads) throws {
        for member in members {
            try require(member)
            let own = heads.filter { $0.key == member || $0.key == member.secretsChain }
            try write(.remove(StatementContent.Removal(member: member, heads: own)))
        }
        if own != nil { try newEpoch() }
    }

    /// Gives a member another name.
    ///
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func rename(_ member: DeviceID, to name: String) throws {
        try require(member)
        try write(.rename(member, try seal(name, of: member)))
    }

    /// Makes new keys for all devices and the recovery member.
    ///
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func newEpoch() throws {
        var members = state.members.mapValues(\.keys)
        if let recovery = state.recoveryMember {
            members[recovery.id] = recovery.keys
        }
        let (epoch, _) = try EpochStatement.make(state.group, for: members, random: random)
        try write(.epoch(epoch))
    }

    /// Delivers keys of epochs to all members that lack them, as far as this member has them.
    ///
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func deliver() throws {
        for member in state.members.keys.sorted() { try deliver(to: member) }
        if let recovery = state.recoveryMember { try deliver(to: recovery.id) }
    }

    private mutating func deliver(to id: DeviceID) throws {
        guard let member = state.members[id] ?? state.recoveryMembers[id] else { return }
        let own = try state.openEpochs(with: secrets.all).keys
        var boxes: [[UInt8]: [[UInt8]]] = [:]
        for epoch in state.missingEpochs(of: id) {
            guard let keys = own.first(where: { $0.id == epoch.id }), keys.isComplete else {
                continue
            }
            boxes[epoch.id] = try epoch.statement.boxes(
                of: keys, for: id, to: member.keys)
        }
        var rest = boxes.sorted { $0.key.lexicographicallyPrecedes($1.key) }[...]
        while !rest.isEmpty {
            let part = rest.prefix(StatementContent.Delivery.limit)
            rest = rest.dropFirst(part.count)
            try write(
                .deliver(
                    StatementContent.Delivery(
                        member: id,
                        boxes: Dictionary(uniqueKeysWithValues: part.map { ($0.key, $0.value) }))))
        }
    }

    /// Adds the recovery member that a code opens, in place of an earlier one.
    ///
    /// - Parameters:
    ///   - code: The recovery code.
    ///   - heads: The heads of all chains that this member has.
    /// - Returns: The blob with the member's secret keys, to be put under its id. Nothing else has them.
    /// - Throws: ``GroupError``; `SecretMemoryError.outOfMemory`.
    package mutating func addRecoveryMember(
        _ code: borrowing RecoveryCode, heads: Heads = [:]
    ) throws -> RecoveryBlob {
        let former = Array(state.recoveryMembers.keys)
        let recovery = try DeviceSecrets.random(from: random)
        try add(Newcomer(recovery, as: .recovery, to: state.group), heads: heads)
        if !former.isEmpty { try remove(former, heads: [:]) }
        return try RecoveryBlob(sealing: recovery, of: state.group, under: code, random: random)
    }

    /// - Throws: ``GroupError/noMember(_:)`` for one who never was a member.
    private func require(_ id: DeviceID) throws {
        guard
            state.members[id] != nil || state.recoveryMembers[id] != nil || state.removed[id] != nil
        else { throw GroupError.noMember(id) }
    }

    private func seal(_ name: String, of member: DeviceID) throws -> SealedName {
        guard SealedName.isValid(name) else { throw GroupError.name }
        let epochs = try state.openEpochs(with: secrets.all)
        guard let keys = epochs.keys.first, keys.id == epochs.sealing else {
            throw GroupError.epochMissing
        }
        return try SealedName(name, of: member, in: state.group, keys, random: random)
    }
}

/// Why a statement was not written, or statements were not accepted.
package enum GroupError: Error, Sendable, Hashable {
    /// This one is no member, or was removed.
    case noMember(DeviceID)
    /// The group has 16 devices.
    case full
    /// The newcomer did not sign its keys and the group.
    case consent
    /// A name is empty, has more than 120 bytes, or has control characters.
    case name
    /// There is no epoch for new names: one must be made, or delivered.
    case epochMissing
    /// The group's first statement is another one than in the joining, or is missing.
    case otherGroup
}
