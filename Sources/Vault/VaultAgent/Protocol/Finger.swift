/// The state of the fingerprint in an agent's session.
public enum FingerState: UInt8, Sendable, Hashable {
    /// The setting is off, or the vault is locked.
    case off = 0
    /// A finger verifies the owner.
    case on = 1
    /// Disabled after three mismatches, until the next unlock.
    case turnedOff = 2
    /// Another process enabled the setting: the next verification loads the key.
    case needsVerification = 3

    /// The identifier of the fingerprint among the uses of slots.
    package static let useID = Array("fingerprint".utf8)
}

/// The prompt for the person at the reader.
public struct FingerPrompt: Sendable, Hashable {
    /// The reason of the prompt.
    public enum Reason: UInt8, Sendable, Hashable {
        /// The first scan.
        case touch = 1
        /// The finger did not match.
        case notRecognised = 2
        /// The scan failed.
        case notRead = 3
    }

    /// The reason of the prompt.
    public var reason: Reason
    /// The requesting process, as determined by the agent; 0 if unknown.
    public var process: UInt32
    /// The name of this process, which the process can choose.
    public var program: String
}

/// The reason why a finger did not verify the owner.
public enum FingerError: String, Error, Sendable, Hashable, CaseIterable {
    /// The setting is off.
    case off
    /// Three mismatches; disabled until the next unlock.
    case turnedOff = "turned_off"
    /// Another process enabled the setting. The owner has to verify once in another way; see ``FingerState/needsVerification``.
    case needsVerification = "needs_verification"
    /// Another client of the agent is waiting for a finger.
    case asked
    /// fprintd, the bus or its library is missing.
    case absent
    /// No reader is connected.
    case noReader = "no_reader"
    /// No finger of this user is enrolled.
    case notEnrolled = "not_enrolled"
    /// Another program uses the reader.
    case busy
    /// The system denies this user the verification.
    case denied
    /// The process that answers as fprintd is not the system's service.
    case notTrusted = "not_trusted"
    /// The reader was unplugged.
    case removed
    /// The reader or fprintd failed.
    case failed
    /// fprintd or the bus has stopped.
    case gone
    /// The time limit passed without a finger.
    case timeout
}
