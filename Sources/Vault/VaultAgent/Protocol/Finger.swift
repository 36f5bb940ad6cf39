/// What a finger can do in an agent's session.
public enum FingerState: UInt8, Sendable, Hashable {
    /// The setting is off, or the vault is locked.
    case off = 0
    /// A finger verifies the owner.
    case on = 1
    /// Turned off after three other fingers, until the next unlock.
    case turnedOff = 2
    /// The setting was switched on elsewhere: the key comes into memory with the next verification.
    case needsVerification = 3

    /// The owner's finger among the uses of slots.
    package static let useID = Array("fingerprint".utf8)
}

/// What the person at the reader has to know.
public struct FingerPrompt: Sendable, Hashable {
    /// Why the reader waits.
    public enum Reason: UInt8, Sendable, Hashable {
        /// For the first time.
        case touch = 1
        /// The finger was another one.
        case notRecognised = 2
        /// The finger was not read well.
        case notRead = 3
    }

    /// Why the reader waits.
    public var reason: Reason
    /// The process that asks, as the agent sees it; 0 if unknown.
    public var process: UInt32
    /// The name that this process has, which it can choose.
    public var program: String
}

/// Why a finger did not verify the owner.
public enum FingerError: String, Error, Sendable, Hashable, CaseIterable {
    /// The setting is off.
    case off
    /// Three other fingers; until the next unlock.
    case turnedOff = "turned_off"
    /// See ``FingerState/needsVerification``.
    case needsVerification = "needs_verification"
    /// Another client of the agent waits for a finger.
    case asked
    /// No fprintd, bus or library for it.
    case absent
    /// No reader.
    case noReader = "no_reader"
    /// No finger of this user is enrolled.
    case notEnrolled = "not_enrolled"
    /// Another program uses the reader.
    case busy
    /// The system does not let this user verify.
    case denied
    /// The process that answers as fprintd is not the system's.
    case notTrusted = "not_trusted"
    /// The reader was unplugged.
    case removed
    /// The reader or fprintd failed.
    case failed
    /// fprintd or the bus has ended.
    case gone
    /// No finger in time.
    case timeout
}
