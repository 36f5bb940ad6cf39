public import TextCoding

/// A change to an account by an operator's command, or what its owner should know. It is stored with the change. A server writes it into its log,
/// and keeps it for a while.
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
        /// A sign-in on a device that was not known.
        case deviceAdded = "device_added"
        /// A refresh token was used again, so its session ended.
        case tokenReused = "refresh_token_reused"
        /// Several wrong passwords for the name.
        case guessed = "name_guessed"
        /// Several wrong second factors after the right password, which another person then knows.
        case factorGuessed = "second_factor_guessed"
    }

    /// The actor of an action that needs the owner's proof, whether it was given or not.
    static let (owner, stranger) = ("owner", "unknown")
    /// How long events are kept.
    static let lifetime = Duration.seconds(90 * 24 * 60 * 60)
    /// The largest number of events of one account by others than operators; the oldest ones beyond it are removed.
    static let maximumOfAccount = 100

    /// The id of the event: 128 random bits as 32 hexadecimal digits in lower case.
    public let id: AccountID
    /// The time of the change.
    public let time: PointInTime
    /// The change.
    public let action: Action
    /// The account; for an invitation, the beginning of the stored hash of its code.
    public let subject: AccountID
    /// The operator; or whether it was the owner.
    public let actor: String
    /// The network of a request; empty for a command.
    public let network: String
    /// The name that a device gave; may be empty.
    public let device: String

    /// Makes an event.
    public init(
        id: AccountID = AccountID(), time: PointInTime, action: Action, subject: AccountID,
        actor: String, network: String = "", device: String = ""
    ) {
        self.id = id
        self.time = time
        self.action = action
        self.subject = subject
        self.actor = actor
        self.network = network
        self.device = device
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
