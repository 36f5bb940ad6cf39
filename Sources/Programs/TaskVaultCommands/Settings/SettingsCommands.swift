internal import Application
internal import CommandLine
internal import TextCoding
internal import VaultCore

/// `settings list`: shows all settings, except those of a locked vault.
enum ListSettingsCommand: Command {
    static let description = CommandDescription(
        path: ["settings", "list"],
        summary: "show the settings and what they mean",
        notes: StoredSetting.notes + [
            "The settings of the vault are not shown while it is locked."
        ],
        examples: [
            .init("taskvault settings", "all values, each with its meaning"),
            .init(
                "taskvault settings list --json",
                "limits in seconds, null while the vault is locked"),
        ],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.folders.warnOfForeignCommand(context.console.notices.warn)
        let values = try context.settings.values()
        if context.console.isJSON { return try context.console.print(StoredSetting.all, values) }
        let missing = context.vault.mayExist ? "(vault is locked)" : "(no vault)"
        let rows =
            [("SETTING", "VALUE", "MEANING")]
            + StoredSetting.all.map { row(of: $0, values, otherwise: missing) }
        let columns = TerminalCapabilities(of: context.console.output).columns
        try context.console.print { output in
            for line in lines(rows, columns: columns) { try output.writeLine(line) }
        }
    }

    private static func row(
        of setting: StoredSetting, _ values: [String: String], otherwise missing: String
    ) -> (String, String, String) {
        let value = values[setting.name]
        let isChanged = value != nil && value != setting.standard
        let meaning = setting.setting.help + (isChanged ? " (default: \(setting.standard))" : "")
        return (setting.name, VisibleText.escape(value ?? missing), meaning)
    }

    /// The rows as lines. A meaning that is wider than the terminal continues on the next lines.
    private static func lines(
        _ rows: [(name: String, value: String, meaning: String)], columns: Int?
    ) -> [String] {
        func width(_ texts: [String]) -> Int { texts.map { TextWidth.columns(of: $0) }.max() ?? 0 }
        let name = width(rows.map(\.name)) + 2
        // At most 17 characters: one long value, such as an address, must not push the explanations of all settings to the right.
        let value = min(width(rows.map(\.value)), 17) + 2
        return rows.flatMap { row in
            let lead =
                TextWidth.pad(row.name, to: name) + TextWidth.pad(row.value, to: value - 2) + "  "
            guard let columns else { return [lead + row.meaning] }
            let isRoomy = columns - TextWidth.columns(of: lead) >= 24
            let indent = isRoomy ? TextWidth.columns(of: lead) : 4
            let parts = TextWidth.wrap(row.meaning, to: max(columns - indent, 8))
            let more = (isRoomy ? Array(parts.dropFirst()) : parts).map {
                String(repeating: " ", count: indent) + $0
            }
            return [isRoomy ? lead + parts[0] : lead] + more
        }
    }
}

/// `settings get`: shows one setting.
enum GetSettingCommand: Command {
    static let description = CommandDescription(
        path: ["settings", "get"],
        summary: "show one setting",
        operands: [.setting],
        examples: [.init("taskvault settings get idle-limit", "one value")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let setting = try context.setting()
        let value = try context.settings.value(of: setting)
        guard context.console.isJSON else { return try context.console.printLine(value) }
        try context.console.print([setting], [setting.name: value])
    }
}

/// `settings set`: changes one setting.
enum SetSettingCommand: Command {
    static let description = CommandDescription(
        path: ["settings", "set"],
        summary: "change a setting",
        operands: [.setting, .settingValue],
        options: [.yes],
        notes: ["A change is effective at once. One that removes saved checklists asks first."]
            + StoredSetting.notes,
        examples: [
            .init("taskvault settings set idle-limit 5m", "lock earlier"),
            .init(
                "taskvault settings set database postgresql:///tasks",
                "keep the tasks in PostgreSQL on this machine"),
            .init("taskvault settings set server https://auth.example.org", "before login"),
            .init("taskvault settings set clear-after never", "keep completed tasks"),
            .init("taskvault settings set removed-days 0", "remove secrets permanently"),
            .init(
                "taskvault settings set allow-saving no", "remove saved checklists, with a question"
            ),
            .init("taskvault settings set file-sort -- -name", "list files from Z to A"),
            .init(
                "taskvault settings set require-locked-memory yes", "require locked memory"),
            .init(
                "taskvault settings set verify-with-fingerprint yes", "after taskvault verify"),
        ],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let setting = try context.setting()
        let text = context.invocation.text(of: .settingValue)
        let values =
            try setting.name == StoredSetting.clientSecret.name && text == "-"
            ? context.settings.setClientSecret(context.console.readSecretLine("Client secret"))
            : context.settings.set(setting, to: text)
        if setting.name == VaultSetting.verifyWithFingerprint.name, values[setting.name] == "yes" {
            context.console.notices.warn(
                "fingerprint_limit",
                "a finger stops a person at the keyboard, not a program that reads the agent's memory: the key of protected secrets stays there while the vault is unlocked"
            )
        }
        try context.report(setting, values)
    }
}

/// `settings unset`: gives one setting its default.
enum UnsetSettingCommand: Command {
    static let description = CommandDescription(
        path: ["settings", "unset"],
        summary: "give a setting its default again",
        operands: [.setting],
        notes: ["The same rules hold as for settings set."],
        examples: [
            .init("taskvault settings unset idle-limit", "15m again"),
            .init("taskvault settings unset server", "no auth server"),
        ],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let setting = try context.setting()
        try context.report(setting, try context.settings.unset(setting))
    }
}

extension CommandContext {
    /// Prints the value that a setting has now.
    fileprivate func report(_ setting: StoredSetting, _ values: [String: String]) throws {
        guard console.isJSON else {
            return try console.printLine("\(setting.name) is \(values[setting.name] ?? "") now")
        }
        try console.print(StoredSetting.all.filter { values[$0.name] != nil }, values)
    }

    /// The setting that the operand names.
    fileprivate func setting() throws -> StoredSetting {
        let name = invocation.text(of: .setting)
        guard let setting = StoredSetting.named(name) else {
            throw Failure.usage("there is no setting \(name)")
        }
        if case .machineFile = setting.storage {
            try folders.warnOfForeignCommand(console.notices.warn)
        }
        return setting
    }
}

extension Console {
    /// Prints settings in JSON, null if the value is not known or not set.
    fileprivate func print(_ settings: [StoredSetting], _ values: [String: String]) throws {
        try printJSON { json in
            try json.beginObject()
            for setting in settings { try json.member(setting, values[setting.name]) }
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a setting as a member of the open object. Times of vault settings are numbers of seconds.
    fileprivate mutating func member(_ setting: StoredSetting, _ value: String?) throws {
        guard let value else { return try member(setting.member, String?.none) }
        switch (setting.storage, setting.setting.form) {
        case (.file, _), (.machineFile, _):
            try member(setting.member, value == StoredSetting.none ? nil : value)
        case (_, .yesNo): try member(setting.member, value == "yes")
        case (_, .number): try member(setting.member, UInt32(value))
        case (_, .time): try member(setting.member, TimeSpan(value)?.seconds)
        default: try member(setting.member, value == StoredSetting.none ? nil : value)
        }
    }
}

extension OperandDescription {
    static let setting = OperandDescription(
        "SETTING",
        .choice(Words(StoredSetting.all.map(\.name))),
        "the setting")
    static let settingValue = OperandDescription(
        "VALUE", .stored(.settingValue),
        "the new value, as described above; a time is such as 90s, 15m or 1h30m"
    )
}
