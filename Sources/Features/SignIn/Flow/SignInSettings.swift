internal import HTTPClient
internal import SecretMemory
public import SecureStorage
internal import TextCoding

/// The settings of the sign-in. The vault holds them, because a changed server or authority could
/// obtain the password.
public struct SignInSettings: Sendable, Hashable {
    /// The range of the offline limit, in seconds (up to one year).
    public static let offlineLimits: ClosedRange<UInt32> = 1...31_536_000

    /// The server; nil if none is set.
    public var server: Issuer?
    /// The server's endpoints; nil to request its metadata.
    public var endpoints: ServerEndpoints?
    /// The address to which the server's page sends the browser.
    public var redirect = RedirectAddress.standard
    /// The account that signed in last; nil before the first sign-in.
    public var account: AccountName?
    /// The client identifier (RFC 6749, section 2.2).
    public var clientID = OAuthClient.standardClientID
    /// The client secret; nil for a public client.
    public var clientSecret: ClientSecret?
    /// The requested scope; empty for the server's default.
    public var scope = ""
    /// Additional certificate authorities for the server, as PEM; may be empty.
    public var authorities: [UInt8] = []
    /// The file that the authorities came from, for display.
    public var authoritiesFile = ""
    /// The accepted public keys of the server, as `sha256//…`; empty to accept any key.
    public var pinnedKeys: [String] = []
    /// Whether the vault may keep passwords and tokens.
    public var cachesCredentials = true
    /// The time for which the user counts as signed in without the server, in seconds.
    public var offlineLimit: UInt32 = 604_800

    /// Whether a sign-in without a question puts what the owner should know into the inbox.
    public var receivesNotices = false

    /// Makes the default settings: no server, caching allowed, seven days offline.
    public init() {}

    /// The settings for ``SignInContext``.
    public var options: SignInOptions {
        SignInOptions(
            cachesCredentials: cachesCredentials, offlineLimit: .seconds(Int64(offlineLimit)),
            endpoints: endpoints)
    }

    private static let serverKey = "server"
    private static let endpointsKey = "endpoints"
    private static let redirectKey = "redirect"
    private static let accountKey = "account"
    private static let clientKey = "client"
    private static let scopeKey = "scope"
    private static let fileKey = "authorities-file"
    private static let keysKey = "pinned-keys"
    private static let cacheKey = "caches-credentials"
    private static let offlineKey = "offline-limit"
    private static let noticesKey = "receives-notices"

    static var name: SecretName {
        do {
            return try SecretName(
                service: SecretName.reservedPrefix + "sign-in", account: "settings")
        } catch {
            preconditionFailure("the name is valid")
        }
    }

    /// Reads the settings of a vault.
    ///
    /// - Throws: An error of the store; `SecureStoreError.damaged` if the item is not valid.
    public init(_ store: any SecureStore) throws {
        self = try Self.stored(store)?.settings ?? SignInSettings()
    }

    /// The stored settings and their revision; nil if none are stored.
    static func stored(
        _ store: any SecureStore
    ) throws -> (settings: SignInSettings, revision: UInt64)? {
        guard let item = try store.item(name) else { return nil }
        guard let settings = SignInSettings(item.attributes, item.value) else {
            throw SecureStoreError.damaged(failure: "sign_in_settings")
        }
        return (settings, item.revision)
    }

    private init?(_ attributes: SecretAttributes, _ value: borrowing SecretBytes) {
        self.init()
        if let text = attributes[Self.serverKey] {
            guard let url = try? WebURL(text), let issuer = Issuer(url) else { return nil }
            server = issuer
        }
        if let text = attributes[Self.endpointsKey] {
            guard let endpoints = ServerEndpoints(text) else { return nil }
            self.endpoints = endpoints
        }
        if let text = attributes[Self.redirectKey] {
            guard let redirect = RedirectAddress(text) else { return nil }
            self.redirect = redirect
        }
        if let text = attributes[Self.accountKey] {
            guard let name = AccountName(text) else { return nil }
            account = name
        }
        clientID = attributes[Self.clientKey] ?? clientID
        scope = attributes[Self.scopeKey] ?? ""
        authoritiesFile = attributes[Self.fileKey] ?? ""
        pinnedKeys =
            attributes[Self.keysKey].map { $0.split(separator: " ").map(String.init) } ?? []
        cachesCredentials = attributes[Self.cacheKey] != "no"
        receivesNotices = attributes[Self.noticesKey] == "yes"
        if let text = attributes[Self.offlineKey] {
            guard let seconds = UInt32(text), Self.offlineLimits.contains(seconds) else {
                return nil
            }
            offlineLimit = seconds
        }
        let end = value.withBytes { bytes in
            (0..<bytes.byteCount).first { bytes[$0] == 0 } ?? bytes.byteCount
        }
        authorities = value.withBytes { bytes in (0..<end).map { bytes[$0] } }
        guard end < value.count else { return }
        guard var secret = try? value.copy() else { return nil }
        secret.keep(from: end + 1, count: value.count - end - 1)
        guard let clientSecret = ClientSecret(secret) else { return nil }
        self.clientSecret = clientSecret
    }

    /// Changes the stored settings. Changes by other processes are kept.
    ///
    /// - Parameters:
    ///   - store: The vault.
    ///   - body: Changes the settings; runs again after a conflict with another process.
    /// - Throws: An error of the store or of `body`.
    public static func change(
        _ store: any SecureStore, _ body: (inout SignInSettings) throws -> Void
    ) throws {
        try store.retryingConflicts {
            let stored = try stored(store)
            var settings = stored?.settings ?? SignInSettings()
            try body(&settings)
            guard settings != stored?.settings else { return }
            try settings.save(store, over: stored?.revision)
        }
    }

    /// Replaces the settings, if they still equal `known`.
    ///
    /// - Throws: `SignInError.settingsChanged` if another process changed them; an error of the
    ///   store.
    public func replace(_ known: SignInSettings, in store: any SecureStore) throws {
        try Self.change(store) { settings in
            guard settings == known else { throw SignInError.settingsChanged }
            settings = self
        }
    }

    private func save(_ store: any SecureStore, over revision: UInt64?) throws {
        // Certificates are text, so a zero byte can separate them from the secret.
        var value = try SecretText(
            capacity: authorities.count + (clientSecret.map { $0.value.count + 1 } ?? 0))
        for byte in authorities { value.append(byte) }
        if let clientSecret {
            value.append(0)
            clientSecret.value.withBytes { bytes in
                for offset in 0..<bytes.byteCount { value.append(bytes[offset]) }
            }
        }
        try save(value.finish(), store, over: revision)
    }

    private func save(
        _ value: borrowing SecretBytes, _ store: any SecureStore, over revision: UInt64?
    ) throws {
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
            (Self.endpointsKey, endpoints?.text),
            (Self.offlineKey, String(offlineLimit)),
            (Self.keysKey, pinnedKeys.isEmpty ? nil : pinnedKeys.joined(separator: " ")),
            (Self.noticesKey, receivesNotices ? "yes" : nil),
            (Self.redirectKey, redirect == .standard ? nil : redirect.text),
            (Self.scopeKey, scope.isEmpty ? nil : scope),
            (Self.serverKey, server?.text),
        ]
        return texts.compactMap { key, text in text.map { ExtraAttribute(key: key, text: $0) } }
    }
}
