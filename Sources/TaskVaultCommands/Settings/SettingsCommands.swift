internal import CommandLine
internal import VaultAgent
internal import VaultCore

/// `settings list`: shows all settings, those of a locked vault apart.
enum ListSettingsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let preferences = try context.preferences()
        let settings = try context.settingsUnlessLocked()
        let signIn = settings == nil ? nil : try context.signInSettings()
        if context.isJSON {
            return try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.members(of: settings)
                try json.members(of: signIn)
                for name in Preference.allCases { try json.member(name.member, preferences[name]) }
                try json.endObject()
            }
        }
        var table = TextTable(["SETTING", "VALUE"].map { TextTable.Column($0) })
        for name in SettingName.allCases {
            table.add([
                name.rawValue, settings.map { name.text($0[name.setting]) } ?? "(vault is locked)",
            ])
        }
        for name in SignInSettingName.allCases {
            table.add([name.rawValue, signIn.map { name.text($0) } ?? "(vault is locked)"])
        }
        for name in Preference.allCases { table.add([name.rawValue, preferences[name]]) }
        let columns = TerminalCapabilities(of: context.surroundings.output).columns
        try context.print { (output) throws(OutputError) in
            for line in table.lines(limit: columns) { try output.writeLine(line) }
        }
    }
}

/// `settings get`: shows one.
enum GetSettingCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        if let preference = context.preference {
            return try context.print(preference, try context.preferences()[preference])
        }
        if let name = context.signInSetting {
            return try context.print(name, try context.signInSettings())
        }
        let name = context.settingName
        let settings = try context.settings()
        guard !context.isJSON else { return try context.printJSON(settings, [name]) }
        try context.printLine(name.text(settings[name.setting]))
    }
}

/// `settings set`: changes one.
enum SetSettingCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let text = context.invocation.text(of: .settingValue)
        if let preference = context.preference {
            return try set(preference, to: text, context)
        }
        if let name = context.signInSetting {
            let settings = try context.set(name, to: text)
            guard !context.isJSON else { return try context.print(name, settings) }
            return try context.printLine("\(name.rawValue) is \(name.text(settings)) now")
        }
        let name = context.settingName
        guard let value = name.value(text) else {
            throw .usage(
                name == .requireLockedMemory
                    ? "\(name.rawValue) is yes or no" : "\(name.rawValue) is a time from 1s to 24h",
                hint: name == .requireLockedMemory
                    ? nil : context.folders.command("settings set \(name.rawValue) 15m"))
        }
        let settings = try context.change(name.setting, to: value)
        guard !context.isJSON else { return try context.printJSON(settings) }
        try context.printLine("\(name.rawValue) is \(name.text(settings[name.setting])) now")
    }

    private static func set(
        _ preference: Preference, to text: String, _ context: CommandContext
    ) throws(CommandFailure) {
        guard let value = preference.canonical(text) else { throw .usage(preference.explanation) }
        // An address that could never be used, or holds a password, is not written down.
        switch preference {
        case .database: _ = try TaskDatabasePlace(value, context.folders)
        case .vault:
            _ = try VaultSource(value, context.folders)
            // It holds the vault that is not meant any more.
            if try context.preferences()[.vault] != value { try context.endAgent() }
        case .taskOrder, .clearAfter: break
        }
        let old = try context.set(preference, to: value)
        // One that was starting has the old vault, or looks at the setting once more.
        if preference == .vault, old != value { try context.endAgent() }
        guard !context.isJSON else { return try context.print(preference, value) }
        try context.printLine("\(preference.rawValue) is \(value) now")
    }
}

extension CommandContext {
    /// The preference that the operand names; nil for a setting of the vault.
    fileprivate var preference: Preference? { Preference(rawValue: invocation.text(of: .setting)) }

    /// The setting of the sign-in that the operand names.
    fileprivate var signInSetting: SignInSettingName? {
        SignInSettingName(rawValue: invocation.text(of: .setting))
    }

    fileprivate var settingName: SettingName {
        guard let name = SettingName(rawValue: invocation.text(of: .setting)) else {
            preconditionFailure("the table lists the settings")
        }
        return name
    }

    /// The settings of the vault; nil where it is locked, or where there is none.
    fileprivate func settingsUnlessLocked() throws(CommandFailure) -> VaultSettings? {
        do throws(CommandFailure) {
            return try settings()
        } catch {
            guard usesAgent, error.exitCode == .locked || error.exitCode == .notFound else {
                throw error
            }
            return nil
        }
    }

    fileprivate func print(_ preference: Preference, _ value: String) throws(CommandFailure) {
        guard isJSON else { return try printLine(value) }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member(preference.member, value)
            try json.endObject()
        }
    }

    fileprivate func settings() throws(CommandFailure) -> VaultSettings {
        guard usesAgent else {
            return try withUnlockedVault(.reading) { (vault, _) throws(CommandFailure) in
                try explaining { () throws(VaultError) in try vault.currentSettings() }
            }
        }
        guard let agent = try agent() else { throw try lockedFailure() }
        return try explainingAgent { () throws(AgentError) in try agent.settings() }
    }

    fileprivate func change(
        _ setting: VaultSetting, to value: UInt32
    ) throws(CommandFailure) -> VaultSettings {
        guard usesAgent else {
            return try withUnlockedVault(.changing) { (vault, _) throws(CommandFailure) in
                try explaining { () throws(VaultError) in
                    try vault.changeSettings { $0[setting] = value }
                }
            }
        }
        guard let agent = try agent() else { throw try lockedFailure() }
        return try explainingAgent { () throws(AgentError) in
            try agent.change(setting, to: value)
        }
    }

    fileprivate func printJSON(
        _ settings: VaultSettings, _ names: [SettingName] = SettingName.allCases
    ) throws(CommandFailure) {
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.members(of: settings, names)
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the settings of the vault as members of the open object, null where they are not known.
    fileprivate mutating func members(
        of settings: VaultSettings?, _ names: [SettingName] = SettingName.allCases
    ) throws(OutputError) {
        for name in names {
            guard let value = settings?[name.setting] else {
                try key(name.member)
                try null()
                continue
            }
            if name == .requireLockedMemory {
                try member(name.member, value != 0)
            } else {
                try member(name.member, UInt64(value))
            }
        }
    }
}
