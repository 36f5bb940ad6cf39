internal import HTTPClient
package import Inbox
internal import SecretMemory
internal import Services
package import SignIn
package import TextCoding
package import VaultCore

/// A setting of `taskvault` with the place of its value. Commands, completions and documents all use
/// the table of these.
package struct StoredSetting: Sendable {
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

    /// The name, the valid values, the default and the effect.
    package let setting: any AnySetting
    /// The place of its value.
    package let storage: Storage

    /// The name on the command line.
    package var name: String { setting.name }
    /// The default value.
    package var standard: String { setting.standard ?? Self.none }

    init<Value>(
        _ name: String, _ type: SettingType<Value>, standard: String, _ storage: Storage,
        _ help: String
    ) {
        setting = Setting(name, type, help, standard: standard)
        self.storage = storage
    }

    /// A setting of the vault's state.
    init(_ row: VaultSetting) {
        let standard = row.text(row.standard)
        let storage = Storage.vaultState(row)
        let range = row.range
        switch row.kind {
        case .seconds:
            self.init(
                row.name, .time(row.text(range.lowerBound), row.text(range.upperBound)),
                standard: standard, storage, row.help)
        case .number:
            self.init(
                row.name, .number(Int(range.lowerBound)...Int(range.upperBound)),
                standard: standard, storage, row.help)
        case .yesNo: self.init(row.name, .yesNo, standard: standard, storage, row.help)
        case .choice(let words):
            self.init(
                row.name, SettingType<String>.choice("CHOICE", of: words), standard: standard,
                storage, row.help)
        }
    }

    /// The value in its canonical form.
    ///
    /// - Throws: A failure of wrong usage that lists the valid values.
    package func canonical(_ text: String, hint: String? = nil) throws -> String {
        guard let value = setting.canonical(text) else {
            let close = Suggestion.closest(to: text, among: setting.words)
            throw Failure.usage(
                "\(name) is \(setting.values)", hint: close.map { "did you mean '\($0)'?" } ?? hint)
        }
        return value
    }

    /// Values that a shell can offer: the words, and the default.
    package var examples: [String] {
        setting.words + (setting.words.contains(standard) ? [] : [standard])
    }

    /// The name in JSON.
    package var member: String { name.split(separator: "-").joined(separator: "_") }

    /// The setting of this name.
    package static func named(_ name: String) -> StoredSetting? { all.first { $0.name == name } }

    /// Whether a backup contains it: a setting of the file, except addresses.
    var isPortable: Bool {
        guard case .file = storage else { return false }
        return name != Self.database.name && name != Self.vault.name
    }

    /// The settings of a file, by name.
    static func inFile(_ name: String) -> StoredSetting? {
        guard let setting = named(name) else { return nil }
        switch setting.storage {
        case .file, .machineFile: return setting
        case .vaultState, .signInItem, .fileItem, .inboxItem: return nil
        }
    }
}

extension VaultSetting {
    /// A value as text.
    package func text(_ value: UInt32) -> String {
        switch kind {
        case .seconds: TimeSpan(seconds: UInt64(value)).text
        case .number: "\(value)"
        case .yesNo: value == 0 ? "no" : "yes"
        case .choice(let words): words.indices.contains(Int(value)) ? words[Int(value)] : ""
        }
    }

    /// The number for a text in its canonical form.
    func value(_ text: String) -> UInt32 {
        switch kind {
        case .seconds: UInt32(TimeSpan(text)?.seconds ?? 0)
        case .number: UInt32(text) ?? 0
        case .yesNo: text == "yes" ? 1 : 0
        case .choice(let words): UInt32(words.firstIndex(of: text) ?? 0)
        }
    }
}

extension SettingType where Value == String {
    /// A text that has its own check, with a description of the valid ones.
    static func text(_ values: String) -> SettingType { SettingType(.text("TEXT"), values) { $0 } }

    /// On or off.
    static let onOff = SettingType(.text("STATE"), "on or off", words: ["on", "off"]) {
        ["on", "off"].contains($0) ? $0 : nil
    }

    /// A local file, by this word, or the address of a PostgreSQL database.
    static func database(local: String) -> SettingType {
        SettingType(
            .text("DATABASE"), "\(local), or an address such as postgresql://host/name",
            words: [local]
        ) { text in
            let isAddress =
                ["postgresql://", "postgres://"].contains { text.hasPrefix($0) }
                && !text.unicodeScalars.contains { $0.value < 0x21 }
            return text == local || isAddress ? text : nil
        }
    }

    /// The path of a program with its arguments, or `none`.
    static let program = SettingType(
        .text("PROGRAM"), "none, or the absolute path of a program and its arguments",
        words: [StoredSetting.none]
    ) { text in
        text == StoredSetting.none || (try? ReminderCommand(text)) != nil ? text : nil
    }
}

/// Whether the picture of a message is loaded.
enum PictureLoading: String, CaseIterable {
    /// A person chooses it for each message.
    case ask
    /// When the message is shown.
    case always
}
