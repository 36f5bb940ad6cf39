internal import HTTPClient
internal import SecretMemory
public import SecureStorage
internal import TextCoding

/// How the vault's owner signs in. Kept in the vault, because whoever could change the server or whom to trust could ask for the password.
public struct SignInSettings: Sendable, Hashable {
    /// The longest time that the offline limit can be, in seconds: a year.
    public static let offlineLimits: ClosedRange<UInt32> = 1...31_536_000

    /// The server; nil where there is none.
    public var server: Issuer?
    /// Whose account it is; nil before the first sign-in.
    public var account: AccountName?
    /// The name of this public client at the server.
    public var clientID = OAuthClient.standardClientID
    /// Further authorities that may sign the server's certificate, as PEM; empty where there are none.
    public var authorities: [UInt8] = []
    /// From which file they came, for people.
    public var authoritiesFile = ""
    /// The public keys that the server may have, as `sha256//…`; empty where any is right.
    public var pinnedKeys: [String] = []
    /// Whether passwords and tokens may be kept in the vault.
    public var cachesCredentials = true
    /// How long somebody counts as signed in while the server cannot be asked, in seconds.
    public var offlineLimit: UInt32 = 604_800

    /// What holds where nothing was set: no server, caching allowed, seven days offline.
    public init() {}

    /// What the flows take of it.
    public var options: SignInOptions {
        SignInOptions(
            cachesCredentials: cachesCredentials, offlineLimit: .seconds(Int64(offlineLimit)))
    }

    private static let serverKey = "server"
    private static let accountKey = "account"
    private static let clientKey = "client"
    private static let fileKey = "authorities-file"
    private static let keysKey = "pinned-keys"
    private static let cacheKey = "caches-credentials"
    private static let offlineKey = "offline-limit"

    private static var name: SecretName {
        do {
            return try SecretName(service: "taskvault.sign-in", account: "settings")
        } catch {
            preconditionFailure("the name is acceptable")
        }
    }

    /// Reads the settings of a vault.
    ///
    /// - Throws: What the store throws; `damaged` for an item that these settings cannot be.
    public init(_ store: any SecureStore) throws(SecureStoreError) {
        self = try Self.stored(store)?.settings ?? SignInSettings()
    }

    /// What is stored, and its revision; nil where nothing is.
    static func stored(
        _ store: any SecureStore
    ) throws(SecureStoreError) -> (settings: SignInSettings, revision: UInt64)? {
        do throws(SecureStoreError) {
            return try store.read(name) { (item, value) throws(SecureStoreError) in
                guard let settings = SignInSettings(item.attributes, value) else {
                    throw .damaged(failure: "sign_in_settings")
                }
                return (settings, item.revision)
            }
        } catch .notFound {
            return nil
        }
    }

    private init?(_ attributes: SecretAttributes, _ value: borrowing SecretBytes) {
        self.init()
        if let text = attributes[Self.serverKey] {
            guard let url = try? WebURL(text), let issuer = Issuer(url) else { return nil }
            server = issuer
        }
        if let text = attributes[Self.accountKey] {
            guard let name = AccountName(text) else { return nil }
            account = name
        }
        clientID = attributes[Self.clientKey] ?? clientID
        authoritiesFile = attributes[Self.fileKey] ?? ""
        pinnedKeys =
            attributes[Self.keysKey].map { $0.split(separator: " ").map(String.init) } ?? []
        cachesCredentials = attributes[Self.cacheKey] != "no"
        if let text = attributes[Self.offlineKey] {
            guard let seconds = UInt32(text), Self.offlineLimits.contains(seconds) else {
                return nil
            }
            offlineLimit = seconds
        }
        authorities = value.withBytes { $0.array }
    }

    /// Changes the settings, as they are in that moment: what somebody else changes meanwhile is not reverted.
    ///
    /// - Parameters:
    ///   - store: The vault.
    ///   - body: Gets the settings; more than once where somebody else changes them at the same time.
    /// - Throws: What the store throws, or what `body` throws.
    public static func change(
        _ store: any SecureStore,
        _ body: (inout SignInSettings) throws(SecureStoreError) -> Void
    ) throws(SecureStoreError) {
        while true {
            let stored = try stored(store)
            var settings = stored?.settings ?? SignInSettings()
            try body(&settings)
            guard settings != stored?.settings else { return }
            do throws(SecureStoreError) {
                return try settings.save(store, over: stored?.revision)
            } catch .conflict {
            } catch .duplicate {
            } catch .notFound {
                // Somebody else was there between the two.
            }
        }
    }

    /// Puts these settings in the place of those that were read before.
    ///
    /// - Throws: `settingsChanged` where there are others by now; `store`.
    public func replace(
        _ known: SignInSettings, in store: any SecureStore
    ) throws(SignInError) {
        var isKnown = true
        do throws(SecureStoreError) {
            try Self.change(store) { (settings) throws(SecureStoreError) in
                isKnown = settings == known
                if isKnown { settings = self }
            }
        } catch {
            throw .store(error)
        }
        guard isKnown else { throw .settingsChanged }
    }

    private func save(
        _ store: any SecureStore, over revision: UInt64?
    ) throws(SecureStoreError) {
        let value: SecretBytes
        do {
            value = try unsafe SecretBytes(copying: authorities.span.bytes)
        } catch {
            throw SecureStoreError(error)
        }
        guard let revision else {
            try store.save(value, as: Self.name, SecretAttributes(extra: extra))
            return
        }
        try store.update(Self.name, to: value, SecretEdit(extra: extra), expecting: revision)
    }

    private var extra: [ExtraAttribute] {
        let texts: [(String, String?)] = [
            (Self.accountKey, account?.text),
            (Self.fileKey, authoritiesFile.isEmpty ? nil : authoritiesFile),
            (Self.cacheKey, cachesCredentials ? nil : "no"),
            (Self.clientKey, clientID == OAuthClient.standardClientID ? nil : clientID),
            (Self.offlineKey, String(offlineLimit)),
            (Self.keysKey, pinnedKeys.isEmpty ? nil : pinnedKeys.joined(separator: " ")),
            (Self.serverKey, server?.text),
        ]
        return texts.compactMap { key, text in text.map { ExtraAttribute(key: key, text: $0) } }
    }
}
