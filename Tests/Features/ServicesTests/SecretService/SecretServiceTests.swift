#if os(Linux)
    import Platform
    import Sealing
    import SecretMemory
    import SecureStorage
    import Synchronization
    import TestSupport
    import Testing

    @testable import Services

    @Suite(
        "The Secret Service", .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct SecretServiceTests {
        private static let root = SecretClient.root
        private static let login = SecretClient.login

        @Test("an item by an alias, its properties, and its path after a restart")
        func item() throws {
            try withSecrets { client, served, address in
                let session = try client.openSession()
                // A combining mark joins what stands before it.
                let attributes = [
                    "server": "a.example", "user": "ada", "": "empty name", "\u{301}x": "\u{301}",
                ]
                let path = try client.created(attributes, Array("s3cret".utf8), session)
                #expect(path.hasPrefix(Self.login + "/"))
                let alias = path.replacing("collection/login", with: "aliases/default")
                for path in [path, alias] {
                    let found = try #require(try client.secret(path, session))
                    #expect(found.value == Array("s3cret".utf8))
                    #expect(found.type == "text/plain")
                }
                #expect(try client.search(["user": "ada"]).unlocked == [path])
                #expect(try client.search(attributes).unlocked == [path])
                #expect(try client.search(["user": "bob"]).unlocked == [])
                #expect(try client.search(["user": "ada", "other": ""]).unlocked == [])
                let label = try client.property("Label", of: "Item", at: path)
                #expect(try label.read(BusMessage.variant, "s") { try label.readText() } == "label")
                let stored = try client.property("Attributes", of: "Item", at: path)
                #expect(
                    try stored.read(BusMessage.variant, "a{ss}") { try stored.readDictionary() }
                        == attributes)
                for name in ["Created", "Modified"] {
                    let time = try client.property(name, of: "Item", at: path)
                    #expect(time.variantType == "t")
                }
                let answer = try client.call("ReadAlias", of: "Service") {
                    try $0.append("default")
                }
                #expect(try answer.readPath() == Self.login)
                let none = try client.call("ReadAlias", of: "Service") { try $0.append("other") }
                #expect(try none.readPath() == "/")
                let again = try ServedSecrets(served.vault, on: address, replacing: true)
                try served.until("it has the new index") { again.service.isIndexed }
                #expect(again.service.index.search(attributes).map(\.path) == [path])
                #expect(served.vault.reports.isEmpty)
            }
        }

        @Test("a vault that cannot be reached is an answer, and ends no connection")
        func unreachable() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                let path = try client.created(["user": "ada"], [1], session)
                served.vault.state.withLock {
                    $0.failure = SystemFailure("connect", code: EMFILE)
                }
                let answer = try client.call("SearchItems", of: "Service") {
                    try SecretClient.append(["user": "ada"], to: $0)
                }
                #expect(answer.isError("org.freedesktop.DBus.Error.Failed"))
                served.vault.state.withLock { $0.failure = nil }
                #expect(try client.search(["user": "ada"]).unlocked == [path])
            }
        }

        @Test("a read by a client that the bus has not told of yet is in nobody else's name")
        func unknownReader() throws {
            try withSecrets { client, served, address in
                let path = try client.created(["user": "ada"], [1], client.openSession())
                let other = try SecretClient(address, served)
                let session = SecretClient.root + "/session/s\(served.service.lastNumber + 1)"
                _ = try other.send("OpenSession", of: "Service") { message in
                    try message.append("plain")
                    try message.append(variant: "s") { try message.append("") }
                }
                let answer = try other.call("GetSecret", of: "Item", at: path) {
                    try $0.append(path: session)
                }
                #expect(!answer.isError)
                let processes = served.vault.state.withLock { $0.processes }
                #expect(processes == [0] || processes == [getpid()])
            }
        }

        @Test(
            "entries of the owner are read without a list; with one while programs fill the session",
            arguments: [false, true])
        func manyEntries(isSessionFull: Bool) throws {
            try withSecrets { client, served, _ in
                if isSessionFull {
                    try served.vault.store.remove(
                        SecretName(
                            service: SecretName.sessionService,
                            account: SecretName.namesKeyAccount))
                    served.vault.store.isSessionFull.store(true, ordering: .relaxed)
                }
                let session = try client.openSession()
                for account in ["ada", "bob", "eve"] {
                    try served.vault.saveEntry("a.example", account, account)
                }
                let paths = try client.search(["service": "a.example"]).unlocked
                #expect(paths.count == 3)
                let before = served.vault.store.lists.load(ordering: .relaxed)
                let answer = try client.call("GetSecrets", of: "Service") {
                    try $0.append(paths: paths)
                    try $0.append(path: session)
                }
                var found = 0
                try answer.readEach(of: "{o(oayays)}") {
                    found += 1
                    try answer.skip("{o(oayays)}")
                }
                #expect(found == 3)
                for path in paths {
                    let value = try #require(try client.secret(path, session)).value
                    let label = try client.property("Label", of: "Item", at: path)
                    let text = try label.read(BusMessage.variant, "s") { try label.readText() }
                    #expect(text.utf8.suffix(value.count).elementsEqual(value))
                }
                let lists = served.vault.store.lists.load(ordering: .relaxed) - before
                #expect(lists == (isSessionFull ? 7 : 0))
            }
        }

        @Test("names of the owner's entries open with the key that a lock erases")
        func ownerNames() throws {
            let name = try SecretName(service: "mail.example", account: "a\u{301}da")
            let id = SecretItemID(ofEntry: name, [UInt8](repeating: 7, count: 16))
            let key = try AttributeKey.random(from: .system)
            var names = OwnerEntryNames([UInt8](repeating: 7, count: 16))
            names.set(id, name, key)
            #expect(try names.name(of: id, key) == name)
            #expect(try names.name(of: SecretItemID(randomIn: .login), key) == nil)
            let other = try AttributeKey.random(from: .system)
            #expect(throws: SealingError.self) { try names.name(of: id, other) }
        }

        @Test("a search looks at as many items among 5,000 as among 100")
        func searchedItems() throws {
            var index = try AttributeIndex()
            for number in 0..<5_000 {
                if number == 100 { #expect(index.candidates(index.hashes(["n": "9"])).count == 1) }
                index.set(
                    SecretItemID(randomIn: number % 2 == 0 ? .login : .session),
                    ["n": "\(number)", "user": "ada"], modified: Int64(number))
            }
            let both = ["user": "ada", "n": "4999"]
            #expect(index.candidates(index.hashes(both)).count == 1)
            #expect(index.candidates(index.hashes(["user": "bob"])).isEmpty)
            let id = try #require(index.search(both).first)
            #expect(index.search(both, in: .login).isEmpty)
            #expect(index.search(["user": "ada"]).count == 5_000)
            #expect(index.search(["user": "ada"]).first == id)
            #expect(index.search([:]).count == 5_000)
            // The last item takes the place of a removed one.
            index.remove(try #require(index.search(["n": "0"]).first))
            #expect(index.search(["n": "0"]).isEmpty && index.search(both) == [id])
            index.remove(id)
            #expect(index.search(both).isEmpty && index.search(["n": "4998"]).count == 1)
            #expect(index.search(["user": "ada"]).count == 4_998)
        }

        @Test("attributes that an earlier build stored are found, shown and kept by a change")
        func earlierAttributes() throws {
            try withSecrets { client, served, _ in
                let id = SecretItemID(randomIn: .login)
                let attributes = ["user": "ada", "a:user": "bob", ":x": "y"]
                let extra =
                    attributes.map { ExtraAttribute(key: "a:" + $0.key, text: $0.value) }
                    + [ExtraAttribute(key: "content-type", text: "a/b")]
                _ = try served.vault.store.save(
                    SecretBytes(count: 1), as: id.name(),
                    SecretAttributes(label: "old", extra: extra))
                let session = try client.openSession()
                func check() throws {
                    #expect(try client.search(attributes).unlocked == [id.path])
                    let stored = try client.property("Attributes", of: "Item", at: id.path)
                    #expect(
                        try stored.read(BusMessage.variant, "a{ss}") {
                            try stored.readDictionary()
                        } == attributes)
                }
                try check()
                #expect(try client.secret(id.path, session)?.type == "a/b")
                let set = try client.call("SetSecret", of: "Item", at: id.path) {
                    try SecretClient.append([2], session, to: $0)
                }
                #expect(!set.isError)
                try check()
                #expect(try client.created(attributes, [3], session, replacing: true) == id.path)
            }
        }

        @Test("replaced and removed items leave nothing in the index")
        func indexSize() throws {
            var index = try AttributeIndex()
            let kept = SecretItemID(randomIn: .login)
            index.set(kept, ["user": "ada"], modified: 1)
            let id = SecretItemID(randomIn: .login)
            for round in 0..<5_000 {
                index.set(id, ["round": "\(round)", "user": "bob"], modified: 2)
                if round % 3 == 0 { index.remove(id) }
            }
            #expect(index.hashCount < 2_000)
            #expect(index.search(["user": "ada"]) == [kept])
            #expect(index.search(["user": "bob", "round": "4999"]) == [id])
            #expect(index.search(["round": "4997"]).isEmpty)
        }

        @Test("a session with encryption, which another client cannot use and which ends with it")
        func sessions() throws {
            try withSecrets { client, served, address in
                let random = RandomSource { span in
                    unsafe span.withUnsafeMutableBytes { bytes in
                        for index in bytes.indices { unsafe bytes[index] = 0x33 }
                    }
                }
                let own = try #require(try TransportKeyAgreement.agree(with: [2], random)).publicKey
                let answer = try client.call("OpenSession", of: "Service") { message in
                    try message.append(TransportKeyAgreement.name)
                    try message.append(variant: "ay") {
                        try unsafe message.append(bytes: own.span.bytes)
                    }
                }
                let peer = try answer.read(BusMessage.variant, "ay") {
                    try answer.readBytes { bytes in
                        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    }
                }
                let path = try answer.readPath()
                let cipher = try #require(try TransportKeyAgreement.agree(with: peer, random))
                let plain = try client.openSession()
                let item = try client.created(["a": "b"], Array("hidden".utf8), plain)
                let read = try client.call("GetSecret", of: "Item", at: item) {
                    try $0.append(path: path)
                }
                let opened = try read.read(BusMessage.structure, "oayays") {
                    () -> [UInt8] in
                    _ = try read.readPath()
                    let vector = try read.readBytes { bytes in
                        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    }
                    let value = try read.readBytes { try cipher.decrypt($0, vector) }
                    _ = try read.readText()
                    guard let value else { return [] }
                    return value.withBytes { bytes in
                        unsafe bytes.withUnsafeBytes { unsafe Array($0) }
                    }
                }
                #expect(opened == Array("hidden".utf8))

                let other = try SecretClient(address, served)
                let stolen = try other.call("GetSecret", of: "Item", at: item) {
                    try $0.append(path: path)
                }
                #expect(stolen.isRefusal("NoSession"))
                let missing = try other.call("GetSecret", of: "Item", at: item) {
                    try $0.append(path: Self.root + "/session/s99")
                }
                #expect(missing.isRefusal("NoSession"))
                #expect(served.service.sessions.count == 2)
                #expect(try !client.call("Close", of: "Session", at: path).isError)
                #expect(served.service.sessions.count == 1)
                let unknown = try client.call("OpenSession", of: "Service") { message in
                    try message.append("rot13")
                    try message.append(variant: "s") { try message.append("") }
                }
                #expect(unknown.isError("org.freedesktop.DBus.Error.NotSupported"))
            }
        }

        @Test("a thousand sessions, and their end with the client")
        func manySessions() throws {
            try withSecrets { client, served, address in
                do {
                    let other = try SecretClient(address, served)
                    for _ in 0..<SecretService.sessionLimits.perClient {
                        _ = try other.openSession()
                    }
                    let refused = try other.call("OpenSession", of: "Service") { message in
                        try message.append("plain")
                        try message.append(variant: "s") { try message.append("") }
                    }
                    #expect(refused.isError("org.freedesktop.DBus.Error.LimitsExceeded"))
                    _ = try client.openSession()
                    #expect(
                        served.service.sessions.count == SecretService.sessionLimits.perClient + 1)
                }
                try served.until("they ended") { served.service.sessions.count == 1 }
                #expect(served.service.clients.count == 1)
            }
        }

        @Test("replace matches the whole set of attributes; two programs, each with its own")
        func replace() throws {
            try withSecrets { client, served, address in
                let session = try client.openSession()
                let small = try client.created(["a": "1"], [1], session)
                let large = try client.created(["a": "1", "b": "2"], [2], session, replacing: true)
                #expect(small != large)
                #expect(
                    try client.created(["a": "1"], [3], session, replacing: true) == small)
                #expect(try client.created(["a": "1"], [4], session) != small)
                #expect(try client.secret(small, session)?.value == [3])
                #expect(try client.secret(large, session)?.value == [2])
                // Another program gives one item the attributes of the other.
                let other = try SecretClient(address, served)
                let theirs = try other.openSession()
                let set = try other.call("Set", of: "Properties", at: large) { message in
                    try message.append("org.freedesktop.Secret.Item")
                    try message.append("Attributes")
                    try message.append(variant: "a{ss}") {
                        try SecretClient.append(["c": "3"], to: message)
                    }
                }
                #expect(!set.isError)
                #expect(try client.search(["b": "2"]).unlocked == [])
                #expect(try client.search(["c": "3"]).unlocked == [large])
                #expect(try other.created(["c": "3"], [5], theirs, replacing: true) == large)
                #expect(try client.secret(large, session)?.value == [5])
            }
        }

        @Test("a change is followed without another list")
        func following() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                _ = try client.search([:])
                let lists = served.vault.store.lists.load(ordering: .relaxed)
                let path = try client.created(["a": "1"], [1], session)
                #expect(try client.search(["a": "1"]).unlocked == [path])
                #expect(try !client.call("Delete", of: "Item", at: path).isError)
                #expect(try client.search(["a": "1"]).unlocked == [])
                #expect(served.vault.store.lists.load(ordering: .relaxed) == lists)
                // A change by another program needs one.
                try served.vault.saveEntry("a.example", "ada", "x")
                #expect(try client.search(["service": "a.example"]).unlocked.count == 1)
                #expect(served.vault.store.lists.load(ordering: .relaxed) == lists + 1)
            }
        }

        @Test("empty and large values, content types, long labels, and what is too large")
        func limits() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                let empty = try client.created(["n": "0"], [], session)
                #expect(try client.secret(empty, session)?.value == [])
                let bytes = [UInt8](repeating: 0xA5, count: SecretLimits.maximumValueSize)
                let large = try client.created(["n": "1"], bytes, session)
                #expect(try client.secret(large, session)?.value == bytes)
                let limits = "org.freedesktop.DBus.Error.LimitsExceeded"
                #expect(try client.create(["n": "2"], bytes + [0], session).isError(limits))
                let text = String(repeating: "x", count: 65_536)
                #expect(try client.create(["n": text], [], session).isError(limits))
                let wide = String(text.dropLast(1_000))
                #expect(try !client.create(["n": wide], [], session).isError)
                let label = String(repeating: "long ", count: 1_000) + "\n"
                let typed = try client.create(
                    ["n": "3"], [0, 1], session, label: label, type: "application/octet-stream")
                let path = try typed.readPath()
                #expect(try client.secret(path, session)?.type == "application/octet-stream")
                let answer = try client.property("Label", of: "Item", at: path)
                #expect(
                    try answer.read(BusMessage.variant, "s") { try answer.readText() } == label)
                let long = String(repeating: "k", count: 1_023)
                #expect(try !client.create([long: "v"], [], session).isError)
                let longer = try client.create([long + "k": "v"], [], session)
                #expect(longer.isError("org.freedesktop.DBus.Error.InvalidArgs"))
                let name = try client.create(["a\nb": ""], [], session)
                #expect(name.isError("org.freedesktop.DBus.Error.InvalidArgs"))
            }
        }

        /// The names of the properties with values in a `PropertiesChanged`, and those without.
        private func properties(
            _ signal: BusMessage, of interface: String
        ) throws -> (changed: [String], invalidated: [String]) {
            #expect(try signal.readText() == "org.freedesktop.Secret." + interface)
            var changed: [String] = []
            try signal.readEach(of: "{sv}") {
                try signal.read(BusMessage.entry, "sv") {
                    changed.append(try signal.readText())
                    try signal.skip("v")
                }
            }
            return (changed, try signal.readTexts())
        }

        @Test("signals have no label and no attributes, and each property with its value")
        func signals() throws {
            try withSecrets { client, served, address in
                let watcher = try SecretClient(address, served)
                try watcher.listen()
                let session = try client.openSession()
                let path = try client.created(["a": "1"], [1], session)
                #expect(
                    try watcher.signal("ItemCreated", of: "Collection").readPath() == path)
                let made = try properties(
                    watcher.signal("PropertiesChanged", of: "Properties"), of: "Collection")
                #expect(made.changed == ["Items", "Modified"] && made.invalidated == [])
                let set = try client.call("SetSecret", of: "Item", at: path) {
                    try SecretClient.append([2], session, to: $0)
                }
                #expect(!set.isError)
                #expect(
                    try watcher.signal("ItemChanged", of: "Collection").readPath() == path)
                let changed = try properties(
                    watcher.signal("PropertiesChanged", of: "Properties"), of: "Item")
                #expect(changed.changed == ["Modified"] && changed.invalidated == [])
                #expect(try !client.call("Delete", of: "Item", at: path).isError)
                #expect(
                    try watcher.signal("ItemDeleted", of: "Collection").readPath() == path)
                let removed = try watcher.signal("PropertiesChanged", of: "Properties")
                _ = try removed.readText()
                try removed.readEach(of: "{sv}") {
                    try removed.read(BusMessage.entry, "sv") {
                        guard try removed.readText() == "Items" else {
                            return try removed.skip("v")
                        }
                        #expect(
                            try removed.read(BusMessage.variant, "ao") { try removed.readPaths() }
                                == [])
                    }
                }
                #expect(
                    try client.call("Delete", of: "Item", at: path).isRefusal("NoSuchObject"))
            }
        }

        /// Makes a collection, and returns its path.
        private func make(_ label: String, _ client: SecretClient) throws -> String {
            let answer = try client.call("CreateCollection", of: "Service") { message in
                try message.append(BusMessage.array, of: "{sv}") {
                    try message.append(BusMessage.entry, of: "sv") {
                        try message.append("org.freedesktop.Secret.Collection.Label")
                        try message.append(variant: "s") { try message.append(label) }
                    }
                }
                try message.append("")
            }
            let path = try answer.readPath()
            #expect(try answer.readPath() == "/")
            return path
        }

        private func paths(
            _ name: String, of interface: String, at path: String, _ client: SecretClient
        ) throws -> [String] {
            let answer = try client.property(name, of: interface, at: path)
            return try answer.read(BusMessage.variant, "ao") { try answer.readPaths() }
        }

        private func label(_ path: String, _ client: SecretClient) throws -> String {
            let answer = try client.property("Label", of: "Collection", at: path)
            return try answer.read(BusMessage.variant, "s") { try answer.readText() }
        }

        @Test("programs make collections, find them by name, label and remove them")
        func collections() throws {
            try withSecrets { client, served, address in
                let watcher = try SecretClient(address, served)
                try watcher.listen()
                let session = try client.openSession()
                let path = try make("aws vault", client)
                #expect(path == Self.root + "/collection/aws_20vault")
                let created = try watcher.signal("CollectionCreated", of: "Service")
                #expect(try created.readPath() == path)
                #expect(try make("aws vault", client) == path + "_1")
                #expect(try make("login", client) == Self.login + "_1")
                let all = [
                    Self.login, Self.root + "/collection/session", path, path + "_1",
                    Self.login + "_1",
                ]
                #expect(try paths("Collections", of: "Service", at: Self.root, client) == all)
                #expect(try label(path, client) == "aws vault")

                // The same attributes in another collection are another item.
                let item = try client.create(["a": "1"], [1], session, at: path).readPath()
                #expect(item.hasPrefix(path + "/"))
                let other = try client.created(["a": "1"], [2], session, replacing: true)
                #expect(other.hasPrefix(Self.login + "/"))
                #expect(Set(try client.search(["a": "1"]).unlocked) == [item, other])
                #expect(try paths("Items", of: "Collection", at: path, client) == [item])
                let set = try client.call("SetSecret", of: "Item", at: item) {
                    try SecretClient.append([3], session, to: $0)
                }
                #expect(!set.isError)

                for (path, name) in [(path, "renamed"), (Self.login, "Main\n")] {
                    let answer = try client.call("Set", of: "Properties", at: path) { message in
                        try message.append("org.freedesktop.Secret.Collection")
                        try message.append("Label")
                        try message.append(variant: "s") { try message.append(name) }
                    }
                    #expect(!answer.isError)
                    let changed = try watcher.signal("CollectionChanged", of: "Service")
                    #expect(try changed.readPath() == path)
                    #expect(try label(path, client) == name)
                }
                let again = try ServedSecrets(served.vault, on: address)
                #expect(Set(again.service.collections.map(\.path)) == Set(all))
                let found = again.service.index.search(["a": "1"]).map(\.path)
                #expect(Set(found) == [item, other])

                #expect(try !client.call("Delete", of: "Collection", at: path).isError)
                let deleted = try watcher.signal("CollectionDeleted", of: "Service")
                #expect(try deleted.readPath() == path)
                #expect(try client.search(["a": "1"]).unlocked == [other])
                #expect(
                    try client.property("Label", of: "Collection", at: path)
                        .isRefusal("NoSuchObject"))
                #expect(
                    try client.call("Delete", of: "Collection", at: Self.login)
                        .isError("org.freedesktop.DBus.Error.NotSupported"))
                // Another service follows.
                try again.service.refresh()
                #expect(
                    Set(again.service.collections.map(\.path)) == Set(all).subtracting([path]))
            }
        }

        @Test("the tree of objects leads to each collection and item")
        func tree() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                let path = try make("made", client)
                let items = [
                    try client.created(["a": "1"], [1], session),
                    try client.create([:], [1], session, at: path).readPath(),
                ]
                var found: Set<String> = []
                func visit(_ path: String) throws {
                    found.insert(path)
                    let answer = try client.call("Introspect", of: "Introspectable", at: path)
                    let parts = try answer.readText().split(separator: "<node name=\"")
                    for part in parts.dropFirst() {
                        let name = part.prefix { $0 != "\"" }
                        try visit((path == "/" ? "" : path) + "/" + name)
                    }
                }
                try visit("/")
                #expect(found.isSuperset(of: items + [Self.root, Self.login, path]))
                #expect(found.contains(Self.root + "/collection/session"))
            }
        }

        @Test("the owner's entries are read-only, and protected ones do not appear")
        func owners() throws {
            try withSecrets { client, served, _ in
                let vault = served.vault
                try vault.saveEntry("mail.example", "ada", "hers")
                try vault.saveEntry("bank.example", "ada", "no", .afterVerification)
                try vault.saveEntry("half.example", "ada", "no")
                try vault.saveEntry("half.example", "ada", "no", field: "pin", .afterVerification)
                try vault.saveEntry("taskvault.sign-in", "settings", "no")
                let session = try client.openSession()
                let found = try client.search(["account": "ada"]).unlocked
                let path = try #require(found.first)
                #expect(found.count == 1)
                #expect(try client.search([:]).unlocked == [path])
                #expect(
                    try client.search(
                        ["service": "mail.example", "xdg:schema": "org.taskvault.Entry"]
                    ).unlocked == [path])
                // So Python's keyring asks, and takes the account from the answer.
                #expect(
                    try client.search(["service": "mail.example", "username": "ada"]).unlocked
                        == [path])
                let stored = try client.property("Attributes", of: "Item", at: path)
                let shown = try stored.read(BusMessage.variant, "a{ss}") {
                    try stored.readDictionary()
                }
                #expect(shown["username"] == "ada")
                #expect(try client.secret(path, session)?.value == Array("hers".utf8))
                for (member, write) in [
                    ("Delete", { _ in }),
                    ("SetSecret", { try SecretClient.append([1], session, to: $0) }),
                ] as [(String, (BusMessage) throws -> Void)] {
                    let answer = try client.call(member, of: "Item", at: path, write)
                    #expect(answer.isError("org.freedesktop.DBus.Error.PropertyReadOnly"))
                }
                // The same attributes do not replace it.
                let attributes = [
                    "service": "mail.example", "account": "ada", "username": "ada",
                    "xdg:schema": "org.taskvault.Entry",
                ]
                #expect(
                    try client.created(attributes, [1], session, replacing: true) != path)
                #expect(try client.secret(path, session)?.value == Array("hers".utf8))
            }
        }

        @Test("the owner's entries appear by the setting all only, also by a known path")
        func access() throws {
            try withSecrets { client, served, _ in
                func set(_ access: ProgramAccess) {
                    served.vault.state.withLock { $0.access = access }
                }
                let session = try client.openSession()
                try served.vault.saveEntry("mail.example", "ada", "hers")
                let own = try client.created(["account": "ada"], [1], session)
                let both = try client.search(["account": "ada"]).unlocked
                let entry = try #require(both.first { $0 != own })
                #expect(try client.secret(entry, session)?.value == Array("hers".utf8))
                set(.programs)
                #expect(try client.search([:]).unlocked == [own])
                let items = try client.property("Items", of: "Collection", at: Self.login)
                #expect(
                    try items.read(BusMessage.variant, "ao") { try items.readPaths() } == [own])
                #expect(try client.secret(entry, session) == nil)
                #expect(
                    try client.property("Label", of: "Item", at: entry).isRefusal("NoSuchObject"))
                let answer = try client.call("GetSecrets", of: "Service") {
                    try $0.append(paths: [own, entry])
                    try $0.append(path: session)
                }
                var found = 0
                try answer.readEach(of: "{o(oayays)}") {
                    found += 1
                    try answer.skip("{o(oayays)}")
                }
                #expect(found == 1)
                try served.vault.lock()
                #expect(try client.search([:]).locked == [own])
                served.vault.unlock()
                set(.all)
                #expect(try client.secret(entry, session)?.value == Array("hers".utf8))
            }
        }

        @Test("errors have the names that clients know")
        func errors() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                let item = Self.login + "/" + String(repeating: "0", count: 32)
                #expect(
                    try client.call("GetSecret", of: "Item", at: item) {
                        try $0.append(path: session)
                    }.isRefusal("NoSuchObject"))
                for path in ["/collection/other", "/collection/login/x", "/aliases/no", "/session"]
                {
                    let answer = try client.property(
                        "Label", of: "Collection", at: Self.root + path)
                    #expect(answer.isRefusal("NoSuchObject"), "\(path)")
                }
                #expect(
                    try client.call("Nothing", of: "Service").isError(
                        "org.freedesktop.DBus.Error.UnknownMethod"))
                #expect(
                    try client.call("SearchItems", of: "Service") { try $0.append("x") }.isError(
                        "org.freedesktop.DBus.Error.UnknownMethod"))
                served.vault.state.withLock { $0.access = .off }
                let refused = try client.call("SearchItems", of: "Service") {
                    try SecretClient.append([:], to: $0)
                }
                #expect(refused.isError("org.freedesktop.DBus.Error.NotSupported"))
            }
        }
    }
#endif
