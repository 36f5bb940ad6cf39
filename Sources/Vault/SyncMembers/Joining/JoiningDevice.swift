package import SecretMemory
internal import SecureStorage
package import Sync

/// The new device's side of joining. It takes no statement and sends nothing of its own before the member's digits were right.
///
/// A value lives for one exchange. It does not start again by itself.
package struct JoiningDevice: Sendable {
    private enum Step {
        case committed
        case opened(DeviceKeys, StatementID, JoinTranscript)
        case over
    }

    private let group: GroupID
    private let newcomer: Newcomer
    private let value: [UInt8]
    private var step = Step.committed
    /// The first message.
    package let commitment: JoinMessage

    /// Begins an exchange.
    ///
    /// - Parameters:
    ///   - group: The group whose mailbox is used.
    ///   - secrets: The keys of this device.
    ///   - random: The source of id and value.
    package init(_ group: GroupID, _ secrets: DeviceSecrets, random: RandomSource) {
        self.group = group
        newcomer = Newcomer(secrets, as: .device, to: group)
        value = random.bytes(count: JoinMessage.valueSize)
        commitment = JoinMessage(
            group, .random(from: random), .commitment(JoinMessage.commitment(secrets.keys, value)))
    }

    /// Takes the member's answer, and counts an attempt.
    ///
    /// - Parameters:
    ///   - message: The answer.
    ///   - attempts: The attempts of this device. Store them before the opening is sent.
    ///   - now: The wall clock, in milliseconds since 1970-01-01 UTC.
    /// - Returns: The opening, the third message.
    /// - Throws: ``JoinFailure``.
    package mutating func receive(
        _ message: JoinMessage, _ attempts: inout JoinAttempts, now: Int64
    ) throws(JoinFailure) -> JoinMessage {
        guard case .committed = step else { throw .step }
        step = .over
        guard case .answer(let keys, let create, let memberValue) = message.content,
            message.group == group, message.exchange == commitment.exchange,
            case .commitment(let commitment) = commitment.content
        else { throw .message }
        try attempts.count(at: now)
        let transcript = JoinTranscript(
            group, create, newcomer: (newcomer.keys, value), commitment: commitment,
            member: (keys, memberValue))
        step = .opened(keys, create, transcript)
        return JoinMessage(group, message.exchange, .opening(newcomer, value: value))
    }

    /// The six digits that a person types on the member; nil before the opening was made.
    package var digits: String? {
        guard case .opened(_, _, let transcript) = step else { return nil }
        return String(decoding: transcript.first, as: UTF8.self)
    }

    /// Compares the digits that the member showed. Wrong digits end the exchange.
    ///
    /// - Parameter typed: The digits; spaces are ignored.
    /// - Returns: The group that may be trusted from now on.
    /// - Throws: ``JoinFailure``.
    package mutating func confirm(_ typed: String) throws(JoinFailure) -> ConfirmedGroup {
        guard case .opened(let member, let create, let transcript) = step else { throw .step }
        step = .over
        guard JoinTranscript.isRight(typed, transcript.second) else { throw .digits }
        return ConfirmedGroup(
            group: group, create: create, member: member.id, device: newcomer.id)
    }
}

/// The group that a person confirmed on the new device.
package struct ConfirmedGroup: Hashable, Sendable {
    package let group: GroupID
    /// The hash of the group's first statement.
    let create: StatementID
    /// The member that confirmed this device.
    package let member: DeviceID
    let device: DeviceID

    /// Computes the group's state from the remote's statements.
    ///
    /// - Parameter statements: All statements that the remote has.
    /// - Returns: The state, in which this device is a member.
    /// - Throws: ``GroupError/otherGroup``; ``GroupError/noMember(_:)`` while the remote lacks the *add* of this device, or if the member was removed.
    package func state(
        of statements: some Sequence<Statement>
    ) throws(GroupError) -> GroupState {
        let state = GroupState(group, statements)
        guard state.create == create else { throw .otherGroup }
        for id in [member, device] where state.members[id] == nil { throw .noMember(id) }
        return state
    }
}
