internal import Sealing
package import SecretMemory
internal import SecureStorage
package import Sync

/// The member's side of joining. It shows its own digits only after those of the new device were right.
///
/// A value lives for one exchange. It does not start again by itself.
package struct ApprovingMember: Sendable {
    private enum Step {
        case waiting
        case answered(ExchangeID, commitment: [UInt8], value: [UInt8])
        case opened(Newcomer, JoinTranscript)
        case over
    }

    private let group: GroupID
    private let create: StatementID
    private let keys: DeviceKeys
    private var step = Step.waiting

    /// - Parameters:
    ///   - state: The group.
    ///   - device: This device, which needs no secret keys before it adds the other.
    /// - Throws: ``GroupError``, if it is no member.
    package init(_ state: GroupState, _ device: DeviceID) throws(GroupError) {
        guard let create = state.create else { throw .otherGroup }
        guard let own = state.members[device] else { throw .noMember(device) }
        group = state.group
        self.create = create
        keys = own.keys
    }

    /// Answers a commitment, and counts an attempt.
    ///
    /// - Parameters:
    ///   - message: The commitment.
    ///   - attempts: The attempts of this device. Store them before the answer is sent.
    ///   - now: The wall clock, in milliseconds since 1970-01-01 UTC.
    ///   - random: The source of the value.
    /// - Returns: The answer, the second message.
    /// - Throws: ``JoinFailure``.
    package mutating func receive(
        _ message: JoinMessage, _ attempts: inout JoinAttempts, now: Int64, random: RandomSource
    ) throws(JoinFailure) -> JoinMessage {
        guard case .waiting = step else { throw .step }
        guard case .commitment(let commitment) = message.content, message.group == group else {
            throw .message
        }
        step = .over
        try attempts.count(at: now)
        let value = random.bytes(count: JoinMessage.valueSize)
        step = .answered(message.exchange, commitment: commitment, value: value)
        return JoinMessage(
            group, message.exchange, .answer(keys, create: create, value: value))
    }

    /// Takes the opening. The digits can be compared then.
    ///
    /// - Throws: ``JoinFailure``.
    package mutating func receive(_ message: JoinMessage) throws(JoinFailure) {
        guard case .answered(let exchange, let commitment, let value) = step else { throw .step }
        step = .over
        guard case .opening(let newcomer, let newcomerValue) = message.content,
            message.group == group, message.exchange == exchange
        else { throw .message }
        guard
            ConstantTime.areEqual(
                JoinMessage.commitment(newcomer.keys, newcomerValue), commitment)
        else { throw .commitment }
        guard newcomer.consents(to: group) else { throw .consent }
        let transcript = JoinTranscript(
            group, create, newcomer: (newcomer.keys, newcomerValue), commitment: commitment,
            member: (keys, value))
        step = .opened(newcomer, transcript)
    }

    /// Compares the digits that the new device shows. Wrong digits end the exchange.
    ///
    /// - Parameter typed: The digits; spaces are ignored.
    /// - Returns: The new device, which may be added, and the digits to show now.
    /// - Throws: ``JoinFailure``.
    package mutating func confirm(
        _ typed: String
    ) throws(JoinFailure) -> (newcomer: Newcomer, digits: String) {
        guard case .opened(let newcomer, let transcript) = step else { throw .step }
        step = .over
        guard JoinTranscript.isRight(typed, transcript.first) else { throw .digits }
        return (newcomer, String(decoding: transcript.second, as: UTF8.self))
    }
}
