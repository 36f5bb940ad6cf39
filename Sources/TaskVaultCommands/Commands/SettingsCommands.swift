internal import Terminal
internal import VaultAgent
internal import VaultCore

/// `settings list`: shows the security settings.
enum ListSettingsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let settings = try context.settings()
        guard !context.isJSON else { return try context.printJSON(settings) }
        var table = TextTable(["SETTING", "VALUE"].map { TextTable.Column($0) })
        for name in SettingName.allCases {
            table.add([name.rawValue, name.text(settings[name.setting])])
        }
        let columns = TerminalCapabilities(of: context.surroundings.output).columns
        try context.print { (output) throws(OutputError) in
            for line in table.lines(limit: columns) { try output.writeLine(line) }
        }
    }
}

/// `settings get`: shows one.
enum GetSettingCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.settingName()
        let settings = try context.settings()
        guard !context.isJSON else { return try context.printJSON(settings) }
        try context.printLine(name.text(settings[name.setting]))
    }
}

/// `settings set`: changes one.
enum SetSettingCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.settingName()
        guard let value = name.value(context.invocation.text(of: .settingValue)) else {
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
}

extension CommandContext {
    fileprivate func settingName() throws(CommandFailure) -> SettingName {
        guard let name = SettingName(rawValue: invocation.text(of: .setting)) else {
            preconditionFailure("the table lists the settings")
        }
        return name
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

    fileprivate func printJSON(_ settings: VaultSettings) throws(CommandFailure) {
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            for name in SettingName.allCases {
                let value = settings[name.setting]
                if name == .requireLockedMemory {
                    try json.member(name.member, value != 0)
                } else {
                    try json.member(name.member, UInt64(value))
                }
            }
            try json.endObject()
        }
    }
}
