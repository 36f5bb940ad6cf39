/// How the password of an account is changed, on the server and in the vault, as one step. It asks nobody itself and stores nothing.
///
/// The new password is in the vault before the server hears of it, and becomes the current one after the server agreed. Whatever ends in
/// between, at least one of the two in the vault counts, and ``LoginFlow`` finds out which at the next start.
///
/// ```
/// note ──▶ ask the server ──agreed──▶ promote: changed
///                │ refused, or certainly not asked ──▶ drop: not changed
///                └ no answer ──▶ both stay: unknown
/// ```
public struct PasswordChange: Sendable {
    /// What is to be done.
    public enum Step: Sendable, Hashable {
        /// Note the new password as pending.
        case note
        /// Ask the server to change it.
        case ask
        /// Nothing.
        case done(Outcome)
    }

    /// How it ended.
    public enum Outcome: Sendable, Hashable {
        /// The server changed it.
        case changed
        /// The server did not.
        case unchanged(AuthClientError)
        /// Nobody knows.
        case unknown(AuthClientError)
    }

    /// What is to be done next.
    public private(set) var step: Step
    private let cachesCredentials: Bool
    /// Whether a change to the same password may be under way already.
    private var isRepeated = false

    /// Begins.
    ///
    /// - Parameter cachesCredentials: Whether anything may be stored. If not, the vault has no part in it.
    public init(cachesCredentials: Bool = true) {
        self.cachesCredentials = cachesCredentials
        step = cachesCredentials ? .note : .ask
    }

    /// The new password is stored.
    ///
    /// - Parameter isRepeated: Whether it was there, for a change of which nobody knows whether the server still makes it.
    public mutating func noted(isRepeated: Bool = false) {
        precondition(step == .note)
        self.isRepeated = isRepeated
        step = .ask
    }

    /// The vault has another new password, for a change of which nobody knows whether the server still makes it. That one must not be lost.
    public mutating func notNoted() {
        precondition(step == .note)
        let detail = "an earlier change of the password may still be under way; try again later"
        step = .done(.unchanged(.refused(.other(detail: detail))))
    }

    /// The server changed it.
    ///
    /// - Returns: What is to be stored, in this order.
    public mutating func accepted() -> [CacheChange] {
        precondition(step == .ask)
        step = .done(.changed)
        return cachesCredentials
            ? [.promotePending, .storeTokens, .noteSuccess] : [.noteSuccess]
    }

    /// The server did not, or nobody knows.
    ///
    /// - Returns: What is to be stored, in this order.
    public mutating func failed(_ error: AuthClientError) -> [CacheChange] {
        precondition(step == .ask)
        step = .done(error.mayBeDone ? .unknown(error) : .unchanged(error))
        return cachesCredentials && !error.mayBeDone && !isRepeated ? [.dropPending] : []
    }
}
