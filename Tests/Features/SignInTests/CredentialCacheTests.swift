import SecureStorage
import SignIn
import Testing

@Suite("The credential cache")
struct CredentialCacheTests {
    @Test("has the class that is readable while unlocked, and no secret in a name")
    func classes() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            place.server.fail(
                .changePassword,
                .before(SignInError.unreachable(detail: "", mayHaveArrived: true)))
            _ = try place.changePassword(to: "second")
            let items = try place.store.list()
            #expect(items.count == 3)
            for item in items {
                #expect(item.attributes.accessClass == .whileUnlocked)
                let described = "\(item)"
                for secret in ["first", "second", "Xq7", "Zp3"] {
                    #expect(!described.contains(secret))
                }
            }
        }
    }

    @Test("of one server is not used for another")
    func issuers() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let other = try TestAuthServer(password: "first", at: "https://other.example.org")
            var login = LoginFlow(
                SignInContext(
                    place.account, at: TestAuthClient(server: other), place.store, place.machine()))
            #expect(try login.run(typing: []) == .needsPassword(.nothingCached))
            #expect(other.counters == TestAuthServer.Counters())
        }
    }

    @Test("is wiped completely, and nothing else is")
    func wiped() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.start(on: "second")
            let own = try SecretName(service: "taskvault", account: "ada@example.org")
            try place.store.save(try secret("mine"), as: own, SecretAttributes())
            #expect(try CredentialCache.wipe(place.store) == 3)
            #expect(try place.store.list().map(\.name) == [own])
            #expect(try place.start() == .needsPassword(.nothingCached))
        }
    }

    @Test("is forgotten by account")
    func forgotten() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            try place.withCache { cache in
                try cache.removePasswords(of: place.account)
            }
            #expect(try place.password(.current) == nil)
            #expect(try place.start() == .signedIn)
            try place.withCache { cache in try cache.removeSession() }
            #expect(try place.start() == .needsPassword(.nothingCached))
            try place.withCache { cache in try cache.removeSession() }
        }
    }

    @Test("sends the token of this device to its server and account, until it is forgotten")
    func devices() throws {
        try TestPlace.run { (place) throws in
            place.server.knowDevices()
            try place.start(typing: ["first"])
            try place.withCache { cache in
                try cache.signOut(of: place.account)
                try cache.removePasswords(of: place.account)
            }
            #expect(try place.start(typing: ["wrong", "first"]) == .signedIn)
            #expect(place.server.devices == [nil, "tvd_1"], "after a sign-out, too")
            try place.withCache { cache in
                let other = try #require(AccountName("other@example.org"))
                #expect(try cache.deviceToken(of: other) == nil)
                _ = try cache.removeAll(of: place.account)
                #expect(try cache.deviceToken(of: place.account) == nil)
            }
            #expect(try place.store.list().isEmpty)
        }
    }

    @Test("notes a sign-out until the next sign-in")
    func signedOut() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            #expect(try place.session()?.isSignedOut == false)
            try place.withCache { cache in
                try cache.signOut(of: place.account)
            }
            let session = try #require(try place.session())
            #expect(session.isSignedOut && !session.hasRefreshToken && session.lastSuccess == nil)
            #expect(try place.token(.access) == nil)
            try place.withCache { cache in
                try cache.recordTime(place.clock.now)
            }
            #expect(try place.session()?.isSignedOut == true)
            #expect(try place.start() == .signedIn)
            #expect(try place.session()?.isSignedOut == false)
            let options = SignInOptions(cachesCredentials: false)
            try place.withCache { cache in
                try cache.signOut(of: place.account)
            }
            try place.start(nil, options, typing: ["first"])
            #expect(try place.session()?.isSignedOut == false)
        }
    }

    @Test("is not available in a locked vault, before or after the request")
    func locked() throws {
        try TestPlace.run { (place) throws in
            try place.start(typing: ["first"])
            let before = place.server.counters
            place.store.lock()
            #expect(throws: SecureStoreError.locked) { try place.start() }
            #expect(place.server.counters == before)
            place.store.unlock()
            place.server.during(.refresh) { place.store.lock() }
            #expect(throws: SecureStoreError.locked) { try place.start() }
            place.store.unlock()
            #expect(try place.password(.current) == "first")
            #expect(try place.start() == .signedIn)
        }
    }

    @Test("has no password of a sign-in that the lock of the vault interrupted")
    func lockedAfterTyping() throws {
        try TestPlace.run { (place) throws in
            place.server.during(.signIn) { place.store.lock() }
            #expect(throws: SecureStoreError.locked) { try place.start(typing: ["first"]) }
            place.store.unlock()
            #expect(try place.store.list().isEmpty)
            #expect(try place.start(typing: ["first"]) == .signedIn)
        }
    }
}
