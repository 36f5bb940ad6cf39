public import SecretMemory

/// The purpose of a touch.
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

/// Prompts the owner of a security key.
public protocol SecurityKeyPrompting {
    /// Asks for the PIN of the key.
    ///
    /// - Parameters:
    ///   - attemptsLeft: The number of attempts before the key blocks its PIN; nil if the key does not report it.
    ///   - wasWrong: Whether the previous PIN was wrong.
    /// - Returns: The PIN in UTF-8.
    /// - Throws: Any error cancels; it is rethrown to the caller.
    func pin(attemptsLeft: Int?, wasWrong: Bool) throws -> SecretBytes
    /// Prompts for a touch, or for a finger on the key's reader, until the key has finished.
    ///
    /// - Parameters:
    ///   - touch: The purpose of the touch.
    ///   - isOver: Waits for a moment, and returns whether the key has finished.
    /// - Throws: Any error cancels; it is rethrown to the caller.
    func touch(_ touch: SecurityKeyTouch, until isOver: () -> Bool) throws
}
