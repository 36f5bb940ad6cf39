internal import CommandLine
internal import VaultCore

/// The settings of the vault by the names that people use.
package enum SettingName: String, CaseIterable, Sendable {
    case verificationWindow = "verification-window"
    case idleLimit = "idle-limit"
    case absoluteLimit = "absolute-limit"
    case requireLockedMemory = "require-locked-memory"

    /// The setting of the vault.
    var setting: VaultSetting {
        switch self {
        case .verificationWindow: .verificationWindow
        case .idleLimit: .idleLimit
        case .absoluteLimit: .absoluteLimit
        case .requireLockedMemory: .requiresLockedMemory
        }
    }

    /// The name in JSON.
    var member: String { rawValue.split(separator: "-").joined(separator: "_") }

    /// A value as people write it.
    func text(_ value: UInt32) -> String {
        if self == .requireLockedMemory { return value == 0 ? "no" : "yes" }
        return TimeSpan(seconds: UInt64(value)).text
    }

    /// Reads what somebody wrote; nil for what it cannot be.
    func value(_ text: String) -> UInt32? {
        if self == .requireLockedMemory {
            return switch text {
            case "yes": 1
            case "no": 0
            default: nil
            }
        }
        guard let seconds = TimeSpan(text)?.seconds,
            let value = UInt32(exactly: seconds), VaultSettings.limitRange.contains(value)
        else { return nil }
        return value
    }
}
