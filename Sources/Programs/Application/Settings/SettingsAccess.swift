internal import Inbox
package import SecretMemory
package import SecureStorage
package import SignIn
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// Reads and changes settings in all their places.
package struct SettingsAccess {
    private let vault: VaultAccess
    private let signIn: SignInAccess
    private let file: SettingsFile
    private let errors: ErrorContext

    /// Creates the access.
    package init(
        _ vault: VaultAccess, _ signIn: SignInAccess, _ file: SettingsFile, _ errors: ErrorContext
    ) {
        self.vault = vault
        self.signIn = signIn
        self.file = file
        self.errors = errors
    }

    private var machineFile: SettingsFile { SettingsFile(file.folders.ofMachine) }

    /// All values by name, without passwords; the values of a locked vault are missing.
    package func values() throws -> [String: String] {
        let content = try file.read()
        let state = try stateUnlessLocked()
        let item = state == nil ? nil : try item()
        let files = state == nil ? nil : try fileSettings()
        let inbox = state == nil ? nil : try inboxSettings()
        var values: [String: String] = [:]
        for setting in StoredSetting.all {
            switch setting.storage {
            case .vaultState(let setting):
                values[setting.name] = state.map { setting.text($0[setting]) }
            case .signInItem(let get, _): values[setting.name] = item.map(get)
            case .fileItem(let get, _): values[setting.name] = files.map(get)
            case .inboxItem(let get, _): values[setting.name] = inbox.map(get)
            case .file: values[setting.name] = AddressRedaction(content[setting]).withoutPassword
            case .machineFile: values[setting.name] = try machineFile.read()[setting]
            }
        }
        return values
    }

    /// The value of a setting, without a password.
    package func value(of setting: StoredSetting) throws -> String {
        switch setting.storage {
        case .vaultState(let setting): setting.text(try state()[setting])
        case .signInItem(let get, _): get(try item())
        case .fileItem(let get, _): get(try fileSettings())
        case .inboxItem(let get, _): get(try inboxSettings())
        case .file: AddressRedaction(try file.read()[setting]).withoutPassword
        case .machineFile: try machineFile.read()[setting]
        }
    }

    /// Changes a setting.
    ///
    /// - Returns: The values to report: all values of the vault's state, or the changed value.
    package func set(_ setting: StoredSetting, to text: String) throws -> [String: String] {
        switch setting.storage {
        case .vaultState(let row):
            let example = "settings set \(setting.name) 15m"
            let value = try setting.canonical(
                text, hint: setting.setting.form == .time ? errors.command(example) : nil)
            let state = try change(row, to: row.value(value))
            var values: [String: String] = [:]
            for row in VaultSetting.all { values[row.name] = row.text(state[row]) }
            return values
        case .signInItem(let get, _):
            let settings = try vault.withStore(.changing) { store in
                try set(setting, to: text, in: store.secrets)
            }
            return [setting.name: get(settings)]
        case .fileItem(_, let set):
            let value = try setting.canonical(text)
            try vault.withStore(.changing) { store in
                _ = try store.files.changeSettings { set(value, &$0) }
            }
            return [setting.name: value]
        case .inboxItem(_, let set):
            let value = try setting.canonical(text)
            try vault.withStore(.changing) { store in
                let inbox = InboxStore(store.secrets)
                try inbox.changeSettings { settings in
                    let wasAllowed = settings.allowsSaving
                    set(value, &settings)
                    if wasAllowed, !settings.allowsSaving {
                        try requireConsentToErase(inbox.savedChecklists().count)
                    }
                }
            }
            return [setting.name: value]
        case .file:
            let value = try setting.canonical(text)
            try setInFile(setting, to: value)
            return [setting.name: value]
        case .machineFile:
            let value = try setting.canonical(text)
            try machineFile.set(setting, to: value)
            return [setting.name: value]
        }
    }

    /// Gives a setting its default. A line of a file is removed.
    ///
    /// - Returns: As ``set(_:to:)``.
    package func unset(_ setting: StoredSetting) throws -> [String: String] {
        switch setting.storage {
        case .file: try setInFile(setting, to: nil)
        case .machineFile: try machineFile.set(setting, to: nil)
        case .vaultState, .signInItem, .fileItem, .inboxItem:
            return try set(setting, to: setting.standard)
        }
        return [setting.name: setting.standard]
    }

    /// Changes the client secret to a typed one.
    ///
    /// - Returns: The value to report.
    package func setClientSecret(_ line: consuming SecretBytes) throws -> [String: String] {
        let secret = try StoredSetting.clientSecret(typed: line)
        _ = try vault.withStore(.changing) { store in
            try changeSignIn(in: store.secrets) { $0.clientSecret = secret }
        }
        return [StoredSetting.clientSecret.name: "set"]
    }

    /// Asks before saved checklists are erased.
    private func requireConsentToErase(_ count: Int) throws {
        if count == 0 { return }
        let what = counted(count, "saved checklist")
        try vault.owner.requireConsent(
            to: "remove \(what)", "Remove \(what) from the vault?")
    }

    /// Sets a setting of the file; nil for its default.
    private func setInFile(_ setting: StoredSetting, to text: String?) throws {
        let value = text ?? setting.standard
        try requireNoSync(setting, value)
        guard setting.name == StoredSetting.vault.name else {
            // The operation does not store an address with a password, or one that it refuses
            // later.
            if setting.name == StoredSetting.database.name {
                _ = try TaskDatabasePlace(value, file.folders)
            }
            try file.set(setting, to: text)
            return
        }
        _ = try VaultSource(value, file.folders)
        // The agent holds the vault that the setting named before.
        if try file.read()[.vault] != value { try vault.endAgent() }
        let old = try file.set(setting, to: text)
        // An agent that was starting has the old vault, or reads the setting again.
        if old != value { try vault.endAgent() }
    }

    /// Refuses a vault or a list on a server where this home syncs.
    ///
    /// - Parameters:
    ///   - setting: The setting that is about to be changed.
    ///   - value: Its new value.
    /// - Throws: A failure.
    package func requireNoSync(_ setting: StoredSetting, _ value: String) throws {
        guard [StoredSetting.vault, .database].contains(where: { $0.name == setting.name }),
            value != setting.standard,
            (try? SyncPlace(file.folders).isUsed) == true
        else { return }
        throw Failure(
            .refused, code: "sync_needs_files",
            "this home syncs, and sync needs vault and list in files",
            hint: errors.command("sync disable"))
    }

    /// The settings in the vault's state; nil for a locked or missing vault. Never prompts for a
    /// passphrase.
    private func stateUnlessLocked() throws -> VaultSettings? {
        guard vault.usesAgent else { return try state() }
        do {
            guard let agent = try vault.agent() else { throw try vault.lockedFailure() }
            return try agent.settings()
        } catch {
            let failure = errors.failure(error)
            guard failure.exitCode == .locked || failure.exitCode == .notFound else { throw error }
            return nil
        }
    }

    private func state() throws -> VaultSettings {
        try vault.withStore(.reading) { store in try store.settings() }
    }

    private func change(_ setting: VaultSetting, to value: UInt32) throws -> VaultSettings {
        try vault.withStore(.changing) { store in
            try vault.verifying(store) { try store.change(setting, to: value) }
        }
    }

    private func item() throws -> SignInSettings {
        try vault.withStore(.reading) { store in try signIn.settings(in: store.secrets) }
    }

    private func fileSettings() throws -> FileSettings {
        try vault.withStore(.reading) { store in try store.files.settings() }
    }

    private func inboxSettings() throws -> InboxSettings {
        try vault.withStore(.reading) { store in try InboxStore(store.secrets).settings() }
    }

    /// Changes a setting of the sign-in. Another server, other endpoints, or disabling the cache
    /// removes the cached credentials and ends the session.
    ///
    /// - Returns: The settings of the sign-in after the change.
    package func set(
        _ setting: StoredSetting, to text: String, in store: any SecureStore
    ) throws -> SignInSettings {
        guard case .signInItem(_, let set) = setting.storage else {
            preconditionFailure("\(setting.name) is no setting of the sign-in")
        }
        let text = try setting.canonical(text)
        return try changeSignIn(in: store) { try set(text, &$0) }
    }

    private func changeSignIn(
        in store: any SecureStore, _ change: (inout SignInSettings) throws -> Void
    ) throws -> SignInSettings {
        while true {
            let old = try signIn.settings(in: store)
            var settings = old
            try change(&settings)
            do {
                try replace(old, by: settings, store)
                return settings
            } catch SignInError.settingsChanged {
                // Another program changed a setting at the same moment.
                continue
            }
        }
    }

    private func replace(
        _ old: SignInSettings, by settings: SignInSettings, _ store: any SecureStore
    ) throws {
        guard
            settings.server != old.server || settings.endpoints != old.endpoints
                || !settings.cachesCredentials
        else {
            return try settings.replace(old, in: store)
        }
        guard let server = old.server, let folder = file.folders.signIn else {
            return try replaceAndWipe(old, by: settings, store)
        }
        var token: SecretBytes?
        // Runs after a failure too: without the session here, no other operation can end it.
        defer {
            switch token.take() {
            case .some(let token): signIn.endSession(token, store, old)
            case .none: break
            }
        }
        // The lock keeps other processes of this machine from signing in.
        try MachineState(folder: folder).exclusively { machine in
            try old.replace(old, in: store)
            token = try CredentialCache(store, server, machine).removeAll(of: old.account)
            try replaceAndWipe(old, by: settings, store)
        }
    }

    private func replaceAndWipe(
        _ old: SignInSettings, by settings: SignInSettings, _ store: any SecureStore
    ) throws {
        try settings.replace(old, in: store)
        if !settings.cachesCredentials { try CredentialCache.wipe(store) }
        // No credential goes to endpoints that have not accepted it, from no machine.
        if let server = old.server, settings.endpoints != old.endpoints {
            try CredentialCache.wipe(store, of: server)
        }
    }
}
