internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn

extension CommandContext {
    /// The settings of the sign-in, which lie in the vault.
    func signInSettings() throws(CommandFailure) -> SignInSettings {
        try withStore(.reading) { (store) throws(CommandFailure) in
            try currentSignInSettings(store.secrets)
        }
    }

    /// The settings as they are now.
    func currentSignInSettings(
        _ store: any SecureStore
    ) throws(CommandFailure) -> SignInSettings {
        do {
            return try SignInSettings(store)
        } catch SecureStoreError.damaged(failure: "sign_in_settings") {
            throw CommandFailure(
                .damaged, code: "sign_in_settings",
                "the settings of the sign-in cannot be read; the rest of the vault is not concerned",
                hint: folders.command("secret remove taskvault.sign-in settings") + " removes them")
        } catch let error as SecureStoreError {
            throw error == .locked && usesAgent ? .locked(vault) : CommandFailure(error, vault)
        } catch {
            throw .outOfMemory
        }
    }

    /// Changes one; whoever forbids that credentials are cached, or goes to another server, has what is cached removed and its session ended.
    ///
    /// - Returns: The settings that hold now.
    func set(
        _ name: SignInSettingName, to text: String
    ) throws(CommandFailure) -> SignInSettings {
        try withStore(.changing) { (store) throws(CommandFailure) in
            try set(name, to: text, in: store.secrets)
        }
    }

    /// The same in a vault that is open.
    func set(
        _ name: SignInSettingName, to text: String, in store: any SecureStore
    ) throws(CommandFailure) -> SignInSettings {
        while true {
            let old = try currentSignInSettings(store)
            var settings = old
            try name.set(text, in: &settings)
            do {
                try replace(old, by: settings, store)
                return settings
            } catch SignInError.settingsChanged {
                // Another process changed a setting meanwhile.
                continue
            } catch {
                throw CommandFailure(signIn: error, vault)
            }
        }
    }

    private func replace(
        _ old: SignInSettings, by settings: SignInSettings, _ store: any SecureStore
    ) throws {
        guard settings.server != old.server || !settings.cachesCredentials else {
            return try settings.replace(old, in: store)
        }
        guard let server = old.server, let folder = folders.signIn else {
            return try replaceAndWipe(old, by: settings, store)
        }
        var token: SecretBytes?
        // Also where it fails after the session was forgotten: nobody could end it any more.
        defer {
            switch token.take() {
            case .some(let token): endSession(token, store, old)
            case .none: break
            }
        }
        // No other process of this machine signs in meanwhile.
        try MachineState(folder: folder).exclusively { machine in
            try old.replace(old, in: store)
            token = try CredentialCache(store, server, machine).forgetEverything(of: old.account)
            try replaceAndWipe(old, by: settings, store)
        }
    }

    private func replaceAndWipe(
        _ old: SignInSettings, by settings: SignInSettings, _ store: any SecureStore
    ) throws {
        try settings.replace(old, in: store)
        guard !settings.cachesCredentials else { return }
        try CredentialCache.wipe(store)
    }

    /// Ends the session of this machine at the server that was set.
    private func endSession(
        _ token: borrowing SecretBytes, _ store: any SecureStore, _ old: SignInSettings
    ) {
        do throws(CommandFailure) {
            guard let place = try signInPlace(store, old, isSilent: true) else { return }
            revoke(token, place)
        } catch {
            notices.warn(
                "not_revoked", "the session ends at the server by itself: \(error.message)")
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
