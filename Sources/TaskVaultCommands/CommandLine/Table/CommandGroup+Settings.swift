extension OperandDescription {
    /// A setting.
    package static let setting = OperandDescription(
        "SETTING", .choice(SettingName.allCases.map(\.rawValue)), "the setting")
    /// What it is set to.
    package static let settingValue = OperandDescription(
        "VALUE",
        "a time from 1s to 24h, such as 90s, 15m or 1h30m; yes or no for require-locked-memory")
}

extension CommandGroup {
    /// What the vault's owner decides.
    static let settings = CommandGroup(
        title: "Settings", commands: [listSettings, getSetting, setSetting])

    private static let listSettings = CommandDescription(
        path: ["settings", "list"],
        summary: "show the settings",
        notes: [
            """
            The settings lie sealed in the vault. Protected secrets can be read for the verification-window after the passphrase was typed or one \
            of them was used. The vault stays unlocked for the idle-limit without use, and for the absolute-limit at most. With \
            require-locked-memory it is not unlocked where the system does not keep keys out of swap.
            """
        ],
        examples: [
            .init("taskvault settings", "what holds now"),
            .init("taskvault settings list --json", "limits in seconds"),
        ],
        exitCodes: .opening, usesAgent: true)

    private static let getSetting = CommandDescription(
        path: ["settings", "get"],
        summary: "show one setting",
        operands: [.setting],
        examples: [.init("taskvault settings get idle-limit", "such as 15m")],
        exitCodes: .opening, usesAgent: true)

    private static let setSetting = CommandDescription(
        path: ["settings", "set"],
        summary: "change a setting",
        operands: [.setting, .settingValue],
        notes: [
            "Effective at once. What makes sessions longer, or asks for less, needs a fresh verification; the rest only an unlocked vault."
        ],
        examples: [
            .init("taskvault settings set idle-limit 5m", "lock earlier"),
            .init(
                "taskvault settings set require-locked-memory yes", "never without locked memory"),
        ],
        exitCodes: .opening, usesAgent: true)
}
