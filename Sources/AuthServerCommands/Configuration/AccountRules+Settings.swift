internal import Accounts
internal import VaultSealing

extension AccountRules {
    /// What the settings say of accounts.
    init(_ sources: SettingSources) {
        self.init()
        accessTokenLifetime = sources.certain(SettingTable.accessLifetime)
        refreshTokenLifetime = sources.certain(SettingTable.refreshLifetime)
        sessionLifetime = sources.certain(SettingTable.sessionLifetime)
        maximumSessions = sources.certain(SettingTable.sessions)
        invitationLifetime = sources.certain(SettingTable.invitationLifetime)
        registrationIsOpen = sources.certain(SettingTable.registration) == .open
        passwordCost = KeyDerivationCost(
            passes: UInt32(sources.certain(SettingTable.passes)),
            memoryKiB: UInt32(sources.certain(SettingTable.memory)) * 1_024)
        guessing.freeFailures = Int64(sources.certain(SettingTable.freeFailures))
        guessing.firstDelay = sources.certain(SettingTable.firstDelay)
        guessing.maximumDelay = sources.certain(SettingTable.longestDelay)
        guessing.memory = sources.certain(SettingTable.memoryOfFailures)
        guessing.networkAttempts = Int64(sources.certain(SettingTable.networkAttempts))
        guessing.networkPeriod = sources.certain(SettingTable.networkPeriod)
        guessing.maximumKeys = sources.certain(SettingTable.rememberedKeys)
        guessing.knownPlaceLifetime = sources.certain(SettingTable.placeLifetime)
        guessing.maximumKnownPlaces = sources.certain(SettingTable.places)
    }
}
