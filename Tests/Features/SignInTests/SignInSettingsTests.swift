import HTTPClient
import SecureStorage
import SignIn
import Testing

@Suite("The settings of the sign-in")
struct SignInSettingsTests {
    private let store = MemorySecureStore(now: { 0 })

    @Test("have their defaults in a new vault")
    func usual() throws {
        let settings = try SignInSettings(store)
        #expect(settings == SignInSettings())
        #expect(settings.server == nil && settings.account == nil)
        #expect(settings.options == SignInOptions())
    }

    @Test("are restored as saved, and survive a wipe of the credentials")
    func saved() throws {
        var settings = SignInSettings()
        settings.server = try makeIssuer("https://auth.example.org/tenant/")
        settings.account = AccountName("ada@example.org")
        settings.clientID = "another"
        settings.endpoints = ServerEndpoints(
            "token=https://a.example.org/t?b=c authorization=https://b.example.org/a")
        settings.redirect = try #require(RedirectAddress("http://localhost:8400/"))
        settings.authorities = Array(1...255)
        settings.authoritiesFile = "/etc/authority.pem"
        settings.pinnedKeys = ["sha256//a=", "sha256//b="]
        settings.cachesCredentials = false
        settings.offlineLimit = 60
        settings.receivesNotices = true
        for _ in 0..<2 {
            try SignInSettings.change(store) { $0 = settings }
            #expect(try SignInSettings(store) == settings)
        }
        #expect(try CredentialCache.wipe(store) == 0)
        #expect(try SignInSettings(store).options.offlineLimit == .seconds(60))
        try SignInSettings.change(store) { $0 = SignInSettings() }
        #expect(try SignInSettings(store) == SignInSettings())
    }

    @Test(
        "that are invalid are an error",
        arguments: [
            ("server", "http://auth.example.org"), ("server", "https://auth.example.org/?a"),
            ("server", ""), ("account", ""), ("account", String(repeating: "a", count: 255)),
            ("offline-limit", "0"), ("offline-limit", "31536001"), ("offline-limit", "-1"),
            ("offline-limit", "week"), ("endpoints", "token=ftp://a"), ("redirect", "here"),
        ])
    func damaged(key: String, text: String) throws {
        let name = try SecretName(service: "taskvault.sign-in", account: "settings")
        try store.save(
            try secret(""), as: name,
            SecretAttributes(extra: [ExtraAttribute(key: key, text: text)]))
        #expect(throws: SecureStoreError.damaged(failure: "sign_in_settings")) {
            try SignInSettings(store)
        }
    }

    @Test("are not available in a locked vault")
    func locked() {
        store.lock()
        #expect(throws: SecureStoreError.locked) { try SignInSettings(store) }
        #expect(throws: SecureStoreError.locked) {
            try SignInSettings.change(store) { $0.offlineLimit = 60 }
        }
    }

    @Test("compare accounts by their bytes, without white space around them")
    func names() {
        #expect(AccountName(" \u{A0}ada@example.org\t\n")?.text == "ada@example.org")
        for text in ["", "  ", "a\u{7}b", "a\nb", String(repeating: "a", count: 255)] {
            #expect(AccountName(text) == nil)
        }
        #expect(AccountName("e\u{301}") != AccountName("\u{e9}"))
        #expect(AccountName(String(repeating: "a", count: 254)) != nil)
    }
}
