internal import HTTPClient
package import Inbox
internal import SecretMemory
internal import Services
package import SignIn
internal import Tasks
internal import TextCoding
package import VaultCore

/// A setting of `taskvault`. Commands, completions and documents all use this table.
package struct Setting: Sendable {
    /// The place of a value, which determines the permission to change it.
    package enum Storage: Sendable {
        /// The sealed state of the vault. A change requires an unlocked vault. Relaxing a limit
        /// requires verification.
        case vaultState(VaultSetting)
        /// The vault's item for the sign-in. A change requires an unlocked vault.
        case signInItem(
            get: @Sendable (SignInSettings) -> String,
            set: @Sendable (String, inout SignInSettings) throws -> Void)
        /// The vault's settings for lists of files. A change requires an unlocked vault.
        case fileItem(
            get: @Sendable (FileSettings) -> String,
            set: @Sendable (String, inout FileSettings) -> Void)
        /// The vault's settings for messages and checklists. A change requires an unlocked vault.
        case inboxItem(
            get: @Sendable (InboxSettings) -> String,
            set: @Sendable (String, inout InboxSettings) -> Void)
        /// The file `settings`. Every program that can write the file can change it.
        case file
        /// The file `settings` of this machine, independent of the home folder, which may be a copy
        /// from another person.
        case machineFile
    }

    /// The text of an unset value.
    package static let none = "none"

    /// The name on the command line.
    package let name: String
    /// The valid values.
    package let type: SettingType
    /// The place of its value.
    package let storage: Storage
    /// The default value.
    package let standard: String
    /// The effect, in lower case and without a full stop.
    package let help: String

    package init(
        _ name: String, _ type: SettingType, standard: String, _ storage: Storage, _ help: String
    ) {
        self.name = name
        self.type = type
        self.standard = standard
        self.storage = storage
        self.help = help
    }

    /// A setting of the vault's state.
    init(_ setting: VaultSetting) {
        let range = setting.range
        let type: SettingType =
            switch setting.kind {
            case .seconds:
                .time(
                    UInt64(range.lowerBound)...UInt64(range.upperBound),
                    "\(setting.text(range.lowerBound)) to \(setting.text(range.upperBound))")
            case .number: .number(range)
            case .yesNo: .yesNo
            }
        self.init(
            setting.name, type, standard: setting.text(setting.standard), .vaultState(setting),
            setting.help)
    }

    /// The name in JSON.
    package var member: String { name.split(separator: "-").joined(separator: "_") }

    /// A value of the file for results, without a password in an address.
    package func shown(_ value: String) -> String {
        guard case .database = type else { return value }
        return AddressText(value).withoutPassword
    }

    /// The setting of this name.
    package static func named(_ name: String) -> Setting? { all.first { $0.name == name } }

    /// Whether a backup contains it: a setting of the file, except addresses and programs of this
    /// machine.
    var isPortable: Bool {
        guard case .file = storage else { return false }
        switch type {
        case .database, .program: return false
        default: return true
        }
    }

    /// The settings of a file, by name.
    static func inFile(_ name: String) -> Setting? {
        guard let setting = named(name) else { return nil }
        switch setting.storage {
        case .file, .machineFile: return setting
        case .vaultState, .signInItem, .fileItem, .inboxItem: return nil
        }
    }
}

extension VaultSetting {
    /// A value as text.
    func text(_ value: UInt32) -> String {
        switch kind {
        case .seconds: TimeSpan(seconds: UInt64(value)).text
        case .number: "\(value)"
        case .yesNo: value == 0 ? "no" : "yes"
        }
    }

    /// The number for a text in its canonical form.
    func value(_ text: String) -> UInt32 {
        switch kind {
        case .seconds: UInt32(TimeSpan(text)?.seconds ?? 0)
        case .number: UInt32(text) ?? 0
        case .yesNo: text == "yes" ? 1 : 0
        }
    }
}

/// The valid values of a setting.
package enum SettingType: Sendable {
    /// A time within a range of seconds, with a description for messages.
    case time(ClosedRange<UInt64>, String, hasDays: Bool = false, mayBeNever: Bool = false)
    /// An integer in a range.
    case number(ClosedRange<UInt32>)
    /// Yes or no.
    case yesNo
    /// One of several words.
    case choice([String])
    /// A local file, by this word, or the address of a PostgreSQL database.
    case database(standard: String)
    /// The path of a program with its arguments, or `none`.
    case program
    /// Other values, with a description for messages.
    case other(String)

    /// The values, for messages and documents.
    package var explanation: String {
        switch self {
        case .time(_, let range, _, let mayBeNever):
            "a time from " + range + (mayBeNever ? ", or never" : "")
        case .number(let range): "\(range.lowerBound) to \(range.upperBound)"
        case .yesNo: "yes or no"
        case .choice(let words): words.joined(separator: ", ")
        case .database(let standard):
            standard + ", or an address such as postgresql://host/name"
        case .program: "none, or the absolute path of a program and its arguments"
        case .other(let explanation): explanation
        }
    }

    /// The value in its canonical form.
    ///
    /// - Throws: A failure of wrong usage that lists the valid values.
    package func canonical(_ text: String, of name: String, hint: String? = nil) throws -> String {
        let value: String? =
            switch self {
            case .time(let range, _, let hasDays, let mayBeNever):
                if mayBeNever, text == "never" {
                    text
                } else {
                    TimeSpan(text, hasDays: hasDays).flatMap {
                        range.contains($0.seconds) ? $0.text : nil
                    }
                }
            case .number(let range):
                UInt32(text).flatMap { range.contains($0) ? "\($0)" : nil }
            case .yesNo: ["yes", "no"].contains(text) ? text : nil
            case .choice(let words): words.contains(text) ? text : nil
            case .database(let standard):
                text == standard || Self.isAddress(text) ? text : nil
            case .program:
                text == Setting.none || (try? ReminderCommand(text)) != nil ? text : nil
            case .other: text
            }
        guard let value else {
            throw Failure.usage("\(name) is \(explanation)", hint: hint)
        }
        return value
    }

    private static func isAddress(_ text: String) -> Bool {
        ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
            && !text.unicodeScalars.contains { $0.value < 0x21 }
    }
}
