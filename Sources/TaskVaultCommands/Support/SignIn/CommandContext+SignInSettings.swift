internal import CommandSyntax
internal import SecureStorage
internal import SignIn
internal import Terminal

extension CommandContext {
    /// The settings of the sign-in, which lie in the vault.
    func signInSettings() throws(CommandFailure) -> SignInSettings {
        try withStore(.reading) { (store) throws(CommandFailure) in
            try explaining { () throws(SecureStoreError) in try SignInSettings(store.secrets) }
        }
    }

    /// Changes one; whoever forbids that credentials are cached has them removed.
    ///
    /// - Returns: The settings that hold now.
    func set(
        _ name: SignInSettingName, to text: String
    ) throws(CommandFailure) -> SignInSettings {
        try withStore(.changing) { (store) throws(CommandFailure) in
            var settings = try explaining { () throws(SecureStoreError) in
                try SignInSettings(store.secrets)
            }
            try name.set(text, in: &settings)
            let changed = settings
            try explaining { () throws(SecureStoreError) in
                try changed.save(store.secrets)
                if !changed.cachesCredentials { try CredentialCache.wipe(store.secrets) }
            }
            return changed
        }
    }

    /// Prints one.
    func print(
        _ name: SignInSettingName, _ settings: SignInSettings
    ) throws(CommandFailure) {
        guard isJSON else { return try printLine(name.text(settings)) }
        try printJSON { (json) throws(OutputError) in
            try json.beginObject()
            try json.member(name, settings)
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes the settings of the sign-in as members of the open object, null where they are not known.
    mutating func members(of settings: SignInSettings?) throws(OutputError) {
        for name in SignInSettingName.allCases { try member(name, settings) }
    }

    fileprivate mutating func member(
        _ name: SignInSettingName, _ settings: SignInSettings?
    ) throws(OutputError) {
        guard let settings else { return try member(name.member, String?.none) }
        switch name {
        case .allowCachingCredentials: try member(name.member, settings.cachesCredentials)
        case .offlineLimit: try member(name.member, settings.offlineLimit)
        default:
            let text = name.text(settings)
            try member(name.member, text == SignInSettingName.none ? nil : text)
        }
    }
}
