public import SecretMemory

/// What a security key waits for.
public enum SecurityKeyTouch: Sendable, Hashable {
    /// A touch that selects one of several keys.
    ///
    /// - Parameter among: The number of keys.
    case choose(among: Int)
    /// A touch that creates a credential.
    case create
    /// A touch that uses a credential.
    case use
}

/// Asks the owner of a security key.
public protocol SecurityKeyPrompting {
    /// Asks for the PIN of the key.
    ///
    /// - Parameters:
    ///   - attemptsLeft: The number of attempts before the key blocks its PIN; nil if the key does not say.
    ///   - wasWrong: Whether the previous PIN was wrong.
    /// - Returns: The PIN in UTF-8.
    /// - Throws: Any error to cancel; the caller of the key gets it.
    func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes
    /// Says that a key waits for a touch, or for a finger on its reader, and waits with it.
    ///
    /// - Parameters:
    ///   - touch: What it waits for.
    ///   - isOver: Waits a moment, and says whether the key waits no longer.
    /// - Throws: Any error to cancel; the caller of the key gets it.
    func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) throws
}
