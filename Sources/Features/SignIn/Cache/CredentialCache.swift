public import SecretMemory
public import SecureStorage

/// The credentials that the vault keeps for one server: items of the class `whileUnlocked` (`Docs/Format.md`, section 12).
///
/// A password belongs to issuer and account; machines that share the vault share it. Tokens belong to issuer and machine: a server that rotates
/// tokens would take two machines with one token for a theft. Every change is one step of the store, so that an interrupted process leaves the
/// state before or after it. Thread-safe if the store is; the processes of a machine take turns by ``MachineState``.
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

    /// Removes the password of an account, and the pending one.
    public func forgetPasswords(of account: AccountName) throws {
        for kind in PasswordKind.allCases { try store.removeIfPresent(name(kind, account)) }
    }

    /// Removes the session of this machine.
    public func forgetSession() throws {
        try store.removeIfPresent(sessionName)
    }

    /// Removes the session of this machine, its token of the device, and the passwords of its account and of `account`.
    ///
    /// - Returns: The refresh token of the session, so that the caller can revoke it.
    public func forgetEverything(of account: AccountName?) throws -> SecretBytes? {
        let token = try token(.refresh)
        let names = try [session()?.account, account].compactMap(\.self)
        for name in names { try forgetPasswords(of: name) }
        try store.removeIfPresent(deviceName)
        // Last, so that after an interruption the token is still there.
        try forgetSession()
        return token
    }

    /// Whether an item belongs to the sign-in: its settings, or a credential.
    public static func owns(_ name: SecretName) -> Bool {
        name == SignInSettings.name || isCredential(name)
    }

    private static func isCredential(_ name: SecretName) -> Bool {
        CachedItem.allCases.contains { name.service.hasPrefix($0.prefix) }
    }

    /// Removes every password and every token of every server and machine.
    ///
    /// - Returns: The number of items.
    @discardableResult
    public static func wipe(_ store: any SecureStore) throws -> Int {
        let names = try store.list().map(\.name).filter(isCredential)
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

/// The kinds of items.
private enum CachedItem: String, CaseIterable {
    case password, pendingPassword = "pending-password", session, device

    /// The beginning of the services of this kind.
    var prefix: String { "\(SecretName.reservedPrefix)\(rawValue):" }

    func name(at issuer: Issuer, _ account: String) -> SecretName {
        do {
            return try SecretName(service: prefix + issuer.text, account: account)
        } catch {
            preconditionFailure("issuers, accounts and machines are valid names")
        }
    }
}
