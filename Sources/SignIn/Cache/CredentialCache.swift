public import SecretMemory
public import SecureStorage
public import TextCoding

/// What the vault has of the accounts at one server: items of the class `whileUnlocked` (`Docs/Format.md`, section 12).
///
/// The password belongs to issuer and account, and is shared by all machines that share the vault. Tokens belong to issuer and machine,
/// because a server that rotates them takes two machines with the same token for a thief and its victim. Every change is one step of the
/// store, so that a process that ends leaves what was before or what was meant. Thread-safe where the store is; two processes of one
/// machine take turns by ``MachineState``.
public struct CredentialCache: Sendable {
    let store: any SecureStore
    let issuer: Issuer
    let machine: MachineID

    /// Looks at a store.
    public init(_ store: any SecureStore, _ issuer: Issuer, _ machine: MachineID) {
        self.store = store
        self.issuer = issuer
        self.machine = machine
    }

    /// What there is of an account, without the secrets.
    ///
    /// - Throws: What the store throws, `locked` above all.
    public func credentials(
        of account: AccountName, at now: PointInTime = .now
    ) throws(SecureStoreError) -> CachedCredentials {
        let session = try session()
        let states = try states(of: account, at: now)
        return CachedCredentials(
            password: states.current, pendingPassword: states.pending,
            hasRefreshToken: session?.account == account && session?.hasRefreshToken == true)
    }

    /// Removes the password of an account, and the pending one.
    public func forgetPasswords(of account: AccountName) throws(SecureStoreError) {
        for kind in PasswordKind.allCases { try remove(name(kind, account)) }
    }

    /// Removes what this machine knows of its session.
    public func forgetSession() throws(SecureStoreError) {
        try remove(sessionName)
    }

    /// Removes what there is of an account, and of this machine's session.
    ///
    /// - Returns: The refresh token that the session had, so that the server can be told.
    /// - Throws: `store`.
    public func forgetEverything(of account: AccountName?) throws(SignInError) -> SecretBytes? {
        do throws(SecureStoreError) {
            let token = try token(.refresh)
            let names = try [session()?.account, account].compactMap(\.self)
            for name in names { try forgetPasswords(of: name) }
            // Last: whoever comes after one that was interrupted still finds the token that ends the session.
            try forgetSession()
            return token
        } catch {
            throw .store(error)
        }
    }

    /// Removes every password and every token of every server and machine.
    ///
    /// - Returns: How many items.
    @discardableResult
    public static func wipe(_ store: any SecureStore) throws(SecureStoreError) -> Int {
        let names = try store.list().map(\.name).filter { name in
            CachedItem.allCases.contains { name.service.hasPrefix($0.prefix) }
        }
        for name in names { try Self.remove(name, from: store) }
        return names.count
    }

    func remove(
        _ name: SecretName, expecting revision: UInt64? = nil
    ) throws(SecureStoreError) {
        try Self.remove(name, from: store, expecting: revision)
    }

    /// Removes an item, or finds that somebody else did.
    private static func remove(
        _ name: SecretName, from store: any SecureStore, expecting revision: UInt64? = nil
    ) throws(SecureStoreError) {
        do throws(SecureStoreError) {
            try store.remove(name, expecting: revision)
        } catch .notFound {
            return
        }
    }

    func put(
        _ value: borrowing SecretBytes, as name: SecretName, _ extra: [ExtraAttribute]
    ) throws(SecureStoreError) {
        try store.put(value, as: name, extra)
    }

    var sessionName: SecretName {
        CachedItem.session.name(at: issuer, machine.text)
    }

    func name(_ kind: PasswordKind, _ account: AccountName) -> SecretName {
        (kind == .current ? CachedItem.password : .pendingPassword).name(at: issuer, account.text)
    }
}

/// The kinds of items; each has a service of its own for each issuer.
enum CachedItem: String, CaseIterable {
    case password, pendingPassword = "pending-password", session

    /// What the services of this kind begin with.
    var prefix: String { "taskvault.\(rawValue):" }

    func name(at issuer: Issuer, _ account: String) -> SecretName {
        do {
            return try SecretName(service: prefix + issuer.text, account: account)
        } catch {
            preconditionFailure("issuers, accounts and machines are acceptable as names")
        }
    }
}
