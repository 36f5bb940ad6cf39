import Foundation
import Testing
import TestSupport

/// The settings of the sign-in, by the executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SignInSettingsTests {
    private static let names = [
        "server", "server-endpoints", "server-client", "client-secret", "scope", "redirect",
        "server-ca", "server-key", "allow-caching-credentials", "offline-limit", "account-notices",
    ]

    @Test func eachIsSetAndShown() throws {
        let home = try TestHome()
        try home.unlock()
        let key = "sha256//" + String(repeating: "A", count: 43) + "="
        for (name, value, shown) in [
            ("server", "https://Auth.Example.org:443/", "https://auth.example.org"),
            ("server-client", "another", "another"), ("server-key", key, key),
            ("scope", "account", "account"),
            ("allow-caching-credentials", "no", "no"), ("offline-limit", "2d", "48h"),
        ] {
            expectDone(try home.ask("settings set \(name) \(value)"))
            #expect(try home.ask("settings get \(name)").outputText == shown + "\n")
        }
        let all = try home.ask("settings list --json").object
        #expect(all["server"] as? String == "https://auth.example.org")
        #expect(all["server_client"] as? String == "another")
        #expect(all["server_key"] as? String == key)
        #expect(all["server_ca"] is NSNull)
        #expect(all["allow_caching_credentials"] as? Bool == false)
        #expect(all["offline_limit"] as? Int == 172_800)
        let one = try home.ask("settings set server none --json")
        #expect(one.object.keys.sorted() == ["server"])
        #expect(one.object["server"] is NSNull)
        #expect(try home.ask("settings get server").outputText == "none\n")
    }

    @Test(arguments: [
        ("server", "http://auth.example.org"), ("server", "ftp://auth.example.org"),
        ("server", "https://auth.example.org/?a=b"), ("server", "https://ada:pw@example.org"),
        ("server", "auth.example.org"), ("server-key", "sha256//AAAA"),
        ("server-ca", "/nowhere/at-all.pem"), ("server-ca", "passphrase"),
        ("allow-caching-credentials", "maybe"), ("offline-limit", "0s"),
        ("client-secret", "/nowhere/at-all"), ("scope", "a\"b"),
        ("offline-limit", "366d"),
    ])
    func invalidValuesAreRefused(name: String, value: String) throws {
        let home = try TestHome()
        try home.unlock()
        let before = try home.ask("settings list").outputText
        #expect(try home.ask("settings set \(name) \(value)").exitCode == 2)
        #expect(try home.ask("settings list").outputText == before)
    }

    /// The secret comes from a file, is shown nowhere, and goes to no other server.
    @Test func theClientSecretIsCopied() throws {
        let home = try TestHome()
        try home.unlock()
        expectDone(try home.ask("settings set server https://auth.example.org"))
        let file = home.folder + "/client"
        try Files.write("Kx9-secret\n", to: file)
        expectDone(try home.ask("settings set client-secret \(file)"))
        unsafe unlink(file)
        let shown = try home.ask("settings list")
        #expect(try home.ask("settings get client-secret").outputText == "set\n")
        #expect(!shown.outputText.contains("Kx9") && !shown.errorText.contains("Kx9"))
        // Beside certificates it stays what it was.
        expectDone(try home.ask("settings set server-ca none"))
        #expect(try home.ask("settings get client-secret").outputText == "set\n")
        expectDone(try home.ask("settings set server https://other.example.org"))
        #expect(try home.ask("settings get client-secret").outputText == "none\n")
    }

    /// Without a file.
    @Test func theClientSecretIsReadFromStandardInput() throws {
        let home = try TestHome()
        try home.unlock()
        expectDone(try home.ask("settings set client-secret -", input: "Kx9-secret\nsecond\n"))
        #expect(try home.ask("settings get client-secret").outputText == "set\n")
        expectDone(try home.ask("settings set client-secret none"))
        #expect(try home.ask("settings set client-secret -", input: "\n").exitCode == 2)
        #expect(try home.ask("settings get client-secret").outputText == "none\n")
    }

    @Test func whileTheVaultIsLockedNothingOfThemIsKnown() throws {
        let place = try AccountHome()
        try place.ask("lock")
        let list = try place.ask("settings list --json")
        expectDone(list)
        for name in Self.names {
            #expect(list.object[name.replacing("-", with: "_")] is NSNull, "\(name)")
            #expect(try place.ask("settings get \(name)").exitCode == 3)
        }
        #expect(!(try place.ask("settings list").outputText.contains(place.server.issuer)))
        // By the passphrase, without the agent.
        #expect(
            try place.home.run("settings get server").outputText == place.server.issuer + "\n")
    }

    @Test(.enabled(if: OpenSSL.isAvailable, "needs openssl"))
    func theAuthoritiesAreCopied() throws {
        let place = try AccountHome(isEncrypted: true)
        let authority = try #require(place.authority)
        try Files.write("no certificate any more", to: authority.certificate)
        try place.expectSilentStart()
        unsafe unlink(authority.certificate)
        try place.expectSilentStart()
        #expect(
            try place.ask("settings get server-ca").outputText == authority.certificate + "\n")
        expectDone(try place.ask("settings set server-ca none"))
        #expect(try place.ask("login").exitCode == 9)
    }

    @Test func whoForbidsCachingHasNothingCached() throws {
        let place = try AccountHome()
        #expect(try place.cachedKinds() == ["password", "session"])
        let before = place.server.relay.passwordsTried
        expectDone(try place.ask("settings set allow-caching-credentials no"))
        #expect(try place.cachedKinds() == [])
        #expect(try place.server.sessions() == 0)
        #expect(try place.unlock() == [])
        #expect(place.server.relay.passwordsTried == before)
        expectDone(try place.ask("login", [place.password]))
        #expect(try place.cached("password") == nil)
        #expect(try place.cached("session")?.contains("tv") != true)
        // Neither does a change leave anything behind.
        expectDone(try place.ask("account password", [place.password, "something else"]))
        #expect(try place.cached("password") == nil)
        #expect(try place.cached("pending-password") == nil)
        #expect(try place.cached("session")?.contains("tv") != true)
        expectDone(try place.ask("settings set allow-caching-credentials yes"))
        expectDone(try place.ask("login", ["something else"]))
        try place.expectSilentStart()
    }

    @Test func anotherServerGetsNothingOfTheFirst() throws {
        let place = try AccountHome()
        let other = try AuthServer(in: place.home.folder + "/other")
        expectDone(try place.ask("settings set server \(other.issuer)"))
        #expect(try place.unlock() == [])
        #expect(try place.ask("whoami").exitCode == 5)
        #expect(try place.ask("login \(AccountHome.account)").exitCode == 2)
        #expect(other.relay.passwordsTried == 0)
        // The account is signed out at the first server, and nothing of it is kept.
        #expect(try place.server.sessions() == 0)
        expectDone(try place.ask("settings set server \(place.server.issuer)"))
        #expect(try place.unlock() == [])
        #expect(try place.cachedKinds() == [])
        expectDone(try place.ask("login \(AccountHome.account)", [place.password]))
        try place.expectSilentStart()
    }

    @Test func aClientThatTheServerDoesNotKnow() throws {
        let place = try AccountHome()
        expectDone(try place.ask("settings set server-client stranger"))
        #expect(try place.ask("login").exitCode == 8)
        #expect(try place.cached("password") == place.password)
        expectDone(try place.ask("settings set server-client taskvault"))
        expectDone(try place.ask("login"))
    }

    @Test func anImportAddsNoTrust() throws {
        let ada = try AccountHome()
        let file = ada.home.folder + "/all.json"
        try Files.write(try ada.home.run("secret export --all").outputText, to: file)
        let other = try TestHome(withVault: false)
        try other.make()
        try other.unlock()
        let imported = try other.run("secret import \(file)")
        expectDone(imported)
        #expect(imported.outputText.contains("it belongs to tasks or to the sign-in"))
        #expect(try other.ownItems().isEmpty)
        #expect(try other.ask("settings get server").outputText == "none\n")
    }

    @Test func settingsThatChangeWhileAPasswordIsAwaitedHold() throws {
        let ada = try AccountHome()
        expectDone(try ada.home.ask("logout --forget"))
        let tried = ada.server.relay.passwordsTried
        let session = try TerminalSession(ada.home, ["login", AccountHome.account])
        try session.waitFor("Password of \(AccountHome.account) at \(ada.server.issuer): ")
        // Whom to trust, say, or that nothing may be kept.
        expectDone(try ada.home.ask("settings set offline-limit 1h"))
        try session.type(ada.password + "\n")
        #expect(try session.finish() == 8)
        #expect(session.screen.contains("the sign-in settings were changed by another process"))
        #expect(ada.server.relay.passwordsTried == tried)
        #expect(try ada.cached("password") == nil)
        #expect(try ada.home.ask("settings get offline-limit").outputText == "1h\n")
    }

    @Test func anotherServerEndsTheSessionHere() throws {
        let ada = try AccountHome()
        let old = try #require(try ada.cached("session"))
        expectDone(try ada.home.ask("settings set server none"))
        #expect(try ada.cachedKinds() == [])
        expectDone(try ada.home.ask("settings set server \(ada.server.issuer)"))
        #expect(old.hasPrefix("tvr_"))
        #expect(try ada.server.sessions(of: AccountHome.account) == 0)
    }
}
