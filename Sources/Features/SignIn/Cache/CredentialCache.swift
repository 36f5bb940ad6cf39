public import SecretMemory
public import SecureStorage

/// The credentials for one server in the vault: items of the class `whileUnlocked`
/// (`Docs/Format.md`, section 12).
///
/// A password belongs to an issuer and an account; all machines of the vault share it. Tokens
/// belong to an issuer and a machine. A server with token rotation would treat two machines with
/// one refresh token as a theft.
///
/// Each change is one step of the store, so an interrupted process leaves the state before or after
/// it. Thread-safe if the store is. ``MachineState`` serialises the processes of a machine.
public struct CredentialCache: Sendable {
    let store: any SecureStore
    let issuer: Issuer
    let machine: MachineID

    /// Opens the credentials of a server in a store.
    public init(_ store: any SecureStore, _ issuer: Issuer, _ machine: MachineID) {
        self.store = store
        self.issuer = issuer
        self.machine = machine
    }

    /// Removes the current and the pending password of an account.
    public func removePasswords(of account: AccountName) throws {
        for kind in PasswordKind.allCases { try store.removeIfPresent(name(kind, account)) }
    }

    /// Removes the session of this machine.
    public func removeSession() throws {
        try store.removeIfPresent(sessionName)
    }

    /// Removes the session of this machine, its device token, and the passwords of the session's
    /// account and of `account`.
    ///
    /// - Returns: The refresh token of the session, so that the caller can revoke it.
    public func removeAll(of account: AccountName?) throws -> SecretBytes? {
        let token = try token(.refresh)
        let names = try [session()?.account, account].compactMap(\.self)
        for name in names { try removePasswords(of: name) }
        try store.removeIfPresent(deviceName)
        // The session comes last, so that its refresh token survives an interruption.
        try removeSession()
        return token
    }

    /// Whether an item belongs to the sign-in: the settings or a credential.
    public static func owns(_ name: SecretName) -> Bool {
        name == SignInSettings.name || isCredential(name)
    }

    private static func isCredential(_ name: SecretName) -> Bool {
        CachedItem.allCases.contains { name.service.hasPrefix($0.prefix) }
    }

    /// Removes the passwords and tokens of all machines.
    ///
    /// - Parameters:
    ///   - store: The vault.
    ///   - issuer: The server; nil for all servers.
    /// - Returns: The number of items.
    /// - Throws: An error of the store.
    @discardableResult
    public static func wipe(_ store: any SecureStore, of issuer: Issuer? = nil) throws -> Int {
        let names = try store.list().map(\.name).filter { name in
            guard let issuer else { return isCredential(name) }
            return CachedItem.allCases.contains { name.service == $0.prefix + issuer.text }
        }
        for name in names { try store.removeIfPresent(name) }
        return names.count
    }

    var sessionName: SecretName {
        CachedItem.session.name(at: issuer, machine.text)
    }

    var deviceName: SecretName {
        CachedItem.device.name(at: issuer, machine.text)
    }

    func name(_ kind: PasswordKind, _ account: AccountName) -> SecretName {
        (kind == .current ? CachedItem.password : .pendingPassword).name(at: issuer, account.text)
    }
}

/// The kinds of stored items.
private enum CachedItem: String, CaseIterable {
    case password, pendingPassword = "pending-password", session, device

    /// The prefix of the service names of this kind.
    var prefix: String { "\(SecretName.reservedPrefix)\(rawValue):" }

    func name(at issuer: Issuer, _ account: String) -> SecretName {
        do {
            return try SecretName(service: prefix + issuer.text, account: account)
        } catch {
            preconditionFailure("issuers, accounts and machines are valid names")
        }
    }
}
