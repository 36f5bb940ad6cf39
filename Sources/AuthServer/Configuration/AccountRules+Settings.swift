internal import Accounts
internal import Sealing

extension AccountRules {
    /// What the settings say of accounts.
    init(_ sources: SettingSources) {
        self.init()
        accessTokenLifetime = sources.certain(SettingTable.accessLifetime)
        refreshTokenLifetime = sources.certain(SettingTable.refreshLifetime)
        sessionLifetime = sources.certain(SettingTable.sessionLifetime)
        maximumSessions = sources.certain(SettingTable.sessions)
        let accessTokens = sources.certain(SettingTable.accessTokens)
        maximumAccessTokens = accessTokens == 0 ? .max : accessTokens
        let replacedTokens = sources.certain(SettingTable.replacedTokens)
        maximumReplacedTokens = replacedTokens == 0 ? .max : replacedTokens
        invitationLifetime = sources.certain(SettingTable.invitationLifetime)
        registrationIsOpen = sources.certain(SettingTable.registration) == .open
        passwordCost = KeyDerivationCost(
            passes: UInt32(sources.certain(SettingTable.passes)),
            memoryKiB: UInt32(sources.certain(SettingTable.memory)) * 1_024)
        guessing.freeFailures = Int64(sources.certain(SettingTable.freeFailures))
        guessing.firstDelay = sources.certain(SettingTable.firstDelay)
        guessing.maximumDelay = sources.certain(SettingTable.longestDelay).orUnlimited
        guessing.memory = sources.certain(SettingTable.memoryOfFailures).orUnlimited
        guessing.networkAttempts = Int64(sources.certain(SettingTable.networkAttempts))
        guessing.networkPeriod = sources.certain(SettingTable.networkPeriod)
        // To get all attempts back at once is to have any number of them.
        if guessing.networkPeriod == .zero { guessing.networkAttempts = 0 }
        guessing.maximumKeys = sources.certain(SettingTable.rememberedKeys)
        guessing.knownPlaceLifetime = sources.certain(SettingTable.placeLifetime).orUnlimited
        let places = sources.certain(SettingTable.places)
        guessing.maximumKnownPlaces = places == 0 ? .max : places
    }
}

extension Duration {
    /// What a limit of 0 stands for: longer than anything lasts.
    var orUnlimited: Duration { self == .zero ? .seconds(1_000_000_000_000) : self }
}
