internal import CommandSyntax
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import Terminal

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
        try explaining { () throws(SecureStoreError) -> Result<SignInSettings, CommandFailure> in
            do throws(SecureStoreError) {
                return .success(try SignInSettings(store))
            } catch .damaged(failure: "sign_in_settings") {
                return .failure(
                    CommandFailure(
                        .damaged, code: "sign_in_settings",
                        "the settings of the sign-in cannot be read; the rest of the vault is not concerned",
                        hint: folders.command("secret remove taskvault.sign-in settings")
                            + " removes them"))
            }
        }.get()
    }

    /// Changes one; whoever forbids that credentials are cached, or goes to another server, has what is cached removed and its session ended.
    ///
    /// - Returns: The settings that hold now.
    func set(
        _ name: SignInSettingName, to text: String
    ) throws(CommandFailure) -> SignInSettings {
        try withStore(.changing) { (store) throws(CommandFailure) in
            let old = try currentSignInSettings(store.secrets)
            var settings = old
            try name.set(text, in: &settings)
            let changed = settings
            if changed.server != old.server || !changed.cachesCredentials {
                try endSession(store.secrets, old)
            }
            try explaining { () throws(SecureStoreError) in
                try changed.save(store.secrets)
                if !changed.cachesCredentials { try CredentialCache.wipe(store.secrets) }
            }
            return changed
        }
    }

    /// Ends the session of this machine at the server that is set, and forgets what is cached of the account there.
    private func endSession(
        _ store: any SecureStore, _ settings: SignInSettings
    ) throws(CommandFailure) {
        guard let server = settings.server, let folder = folders.signIn else { return }
        let token = try explainingSignIn { () throws(SignInError) in
            try MachineState(folder: folder).withCache(of: server, in: store) {
                (cache) throws(SecureStoreError) in
                try cache.forgetEverything(of: settings.account)
            }
        }
        switch consume token {
        case .some(let token):
            do throws(CommandFailure) {
                guard let place = try signInPlace(store, isSilent: true) else { return }
                revoke(token, place)
            } catch {
                notices.warn(
                    "not_revoked", "the session ends at the server by itself: \(error.message)")
            }
        case .none: break
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
