public import TextCoding

/// A change to an account by an operator's command. It is stored with the change, until a server writes it into its log.
public struct AuditEvent: Sendable, Hashable {
    /// The change.
    public enum Action: String, Sendable, CaseIterable {
        case invited
        case passwordReset = "password_reset"
        case resetCodeIssued = "reset_code_issued"
        case disabled
        case enabled
        case sessionsEnded = "sessions_ended"
        case secondFactorReset = "second_factor_reset"
        case removed
    }

    /// The id of the event: 128 random bits as 32 hexadecimal digits in lower case.
    public let id: AccountID
    /// The time of the change.
    public let time: PointInTime
    /// The change.
    public let action: Action
    /// The account; for an invitation, the beginning of the stored hash of its code.
    public let subject: AccountID
    /// The operator.
    public let actor: String

    /// Makes an event.
    public init(
        id: AccountID = AccountID(), time: PointInTime, action: Action, subject: AccountID,
        actor: String
    ) {
        self.id = id
        self.time = time
        self.action = action
        self.subject = subject
        self.actor = actor
    }
}

extension Invitation {
    /// The id of the invitation in audit events.
    public var auditID: AccountID {
        guard let id = AccountID(Hexadecimal.text(Array(code.bytes.prefix(16)))) else {
            preconditionFailure("16 bytes are an id")
        }
        return id
    }
}
