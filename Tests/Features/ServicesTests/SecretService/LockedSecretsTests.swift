#if os(Linux)
    import Platform
    import SecretMemory
    import SecureStorage
    import Synchronization
    import TestSupport
    import Testing

    @testable import Services

    @Suite(
        "Secrets of a locked vault", .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct LockedSecretsTests {
        private static let login = SecretClient.login

        /// The path of a prompt for the collection.
        private func prompt(_ client: SecretClient) throws -> String {
            let answer = try client.call("Unlock", of: "Service") {
                try $0.append(paths: [SecretClient.root + "/aliases/default"])
            }
            #expect(try answer.readPaths() == [])
            return try answer.readPath()
        }

        private func begin(_ prompt: String, _ client: SecretClient) throws {
            #expect(
                try !client.call("Prompt", of: "Prompt", at: prompt) { try $0.append("") }.isError)
        }

        /// Whether the prompt was dismissed, and what is unlocked.
        private func completion(_ client: SecretClient) throws -> (Bool, [String]) {
            let signal = try client.signal("Completed", of: "Prompt")
            let isDismissed = try signal.readBoolean()
            return (
                isDismissed, try signal.read(BusMessage.variant, "ao") { try signal.readPaths() }
            )
        }

        @Test("a search after a lock gives locked paths at once, without label and attributes")
        func search() throws {
            try withSecrets { client, served, address in
                let watcher = try SecretClient(address, served)
                let session = try client.openSession()
                let path = try client.created(["user": "quux"], [1], session)
                try watcher.listen()
                try served.vault.lock()
                let found = try client.search(["user": "quux"])
                #expect(found.unlocked == [])
                #expect(found.locked == [path])
                #expect(try client.search(["user": "bob"]).locked == [])
                #expect(try client.isLocked())
                let changed = try watcher.signal("PropertiesChanged", of: "Properties")
                #expect(try changed.readText() == "org.freedesktop.Secret.Collection")
                let label = try client.property("Label", of: "Item", at: path)
                #expect(try label.read(BusMessage.variant, "s") { try label.readText() } == "")
                let attributes = try client.property("Attributes", of: "Item", at: path)
                #expect(
                    try attributes.read(BusMessage.variant, "a{ss}") {
                        try attributes.readDictionary()
                    } == [:])
                // The memory holds hashes only.
                let memory = String(reflecting: served.service.index)
                #expect(!memory.contains("quux"))
                served.vault.unlock()
                #expect(try client.search(["user": "quux"]).unlocked == [path])
            }
        }

        /// Runs `body` with a locked vault that the service never saw unlocked, and a client.
        private func withLockedSecrets(
            _ body: (SecretClient, ServedSecrets, String) throws -> Void
        ) throws {
            try withTemporaryFolder { folder in
                let desktop = try DesktopSession(in: folder)
                defer { desktop.end() }
                let vault = TestProgramVault()
                try vault.saveEntry("a.example", "ada", "x")
                try vault.lock()
                let served = try ServedSecrets(vault, on: desktop.address)
                try body(SecretClient(desktop.address, served), served, desktop.address)
            }
        }

        @Test("before the first unlock a call waits 20 seconds, and goes on after an unlock")
        func firstCall() throws {
            try withLockedSecrets { client, served, _ in
                func items() throws -> UInt64 {
                    try client.send("Get", of: "Properties", at: Self.login) {
                        try $0.append("org.freedesktop.Secret.Collection")
                        try $0.append("Items")
                    }
                }
                let number = try items()
                try served.until("it waits") { served.service.pendingCalls.count == 1 }
                try served.advance(.seconds(19))
                #expect(try client.answer(to: number) == nil)
                try served.advance(.seconds(2))
                var answer: BusMessage?
                try served.until("it is answered") {
                    answer = try client.answer(to: number)
                    return answer != nil
                }
                #expect(answer?.isRefusal("IsLocked") == true)
                let second = try items()
                try served.until("it waits") { served.service.pendingCalls.count == 1 }
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                try served.until("it is answered") {
                    answer = try client.answer(to: second)
                    return answer != nil
                }
                #expect(answer?.isError == false)
                #expect(served.service.pendingCalls.isEmpty)
                #expect(served.service.deadline == .never)
            }
        }

        @Test("before the first unlock a search gives an item that stands for the result")
        func firstSearch() throws {
            try withLockedSecrets { client, served, address in
                let found = try client.search(["account": "ada"])
                #expect(found.unlocked == [] && found.locked.count == 1)
                let path = try #require(found.locked.first)
                let missing = try #require(try client.search(["account": "bob"]).locked.first)
                #expect(path != missing)
                let label = try client.property("Label", of: "Item", at: path)
                #expect(try label.read(BusMessage.variant, "s") { try label.readText() } == "")
                do {
                    let other = try SecretClient(address, served)
                    for _ in 0..<SecretService.callLimits.perClient {
                        _ = try other.search(["account": "ada"])
                    }
                    _ = try other.send("SearchItems", of: "Service") {
                        try SecretClient.append([:], to: $0)
                    }
                    try served.until("it waits") { served.service.pendingCalls.count == 1 }
                    withExtendedLifetime(other) {}
                }
                try served.until("it is forgotten") { served.service.searches.count == 2 }

                let answer = try client.call("Unlock", of: "Service") {
                    try $0.append(paths: [path])
                }
                #expect(try answer.readPaths() == [])
                try begin(try answer.readPath(), client)
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                let (isDismissed, unlocked) = try completion(client)
                #expect(!isDismissed && unlocked == [path])
                let session = try client.openSession()
                #expect(try client.secret(path, session)?.value == Array("x".utf8))
                #expect(try client.secret(missing, session) == nil)
                let secrets = try client.call("GetSecrets", of: "Service") {
                    try $0.append(paths: [missing, path])
                    try $0.append(path: session)
                }
                var paths: [String] = []
                try secrets.readEach(of: "{o(oayays)}") {
                    try secrets.read(BusMessage.entry, "o(oayays)") {
                        paths.append(try secrets.readPath())
                        try secrets.skip("(oayays)")
                    }
                }
                #expect(paths == [path])
                #expect(
                    try client.property("Label", of: "Item", at: missing).isRefusal("NoSuchObject"))
            }
        }

        @Test("an early search finds an item that was made over D-Bus")
        func earlyItem() throws {
            try withSecrets { client, served, address in
                let made = try client.created(["a": "1"], [1], client.openSession())
                try served.vault.lock()
                let again = try ServedSecrets(served.vault, on: address)
                let id = SecretItemID(ofSearchIn: .login)
                again.service.searches[id] = EarlySearch(
                    client: "", pairs: again.service.index.hashes(["a": "1"]), collection: nil)
                served.vault.unlock()
                try again.service.refresh()
                #expect(try again.service.known(id).path == made)
                #expect(try again.service.describe(id).attributes == ["a": "1"])
                #expect(throws: BusError.noSuchObject) {
                    try again.service.known(SecretItemID(ofSearchIn: .login))
                }
            }
        }

        @Test("GetSecret without an unlock waits, and goes on after taskvault unlock")
        func read() throws {
            try withSecrets { client, served, _ in
                let session = try client.openSession()
                let path = try client.created(["a": "1"], [7], session)
                try served.vault.lock()
                let number = try client.send("GetSecret", of: "Item", at: path) {
                    try $0.append(path: session)
                }
                try served.until("it waits") { served.service.pendingCalls.count == 1 }
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                var answer: BusMessage?
                try served.until("it is answered") {
                    answer = try client.answer(to: number)
                    return answer != nil
                }
                #expect(answer?.isError == false)
            }
        }

        @Test("a prompt ends with an unlock elsewhere or by Dismiss, and by no time")
        func prompts() throws {
            try withSecrets { client, served, address in
                try served.vault.lock()
                let first = try prompt(client)
                let other = try SecretClient(address, served)
                try other.listen()
                #expect(
                    try other.call("Prompt", of: "Prompt", at: first) { try $0.append("") }
                        .isRefusal("NoSuchObject"))
                try begin(first, client)
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                let (isDismissed, paths) = try completion(client)
                #expect(!isDismissed)
                #expect(paths == [SecretClient.root + "/aliases/default"])

                try served.vault.lock()
                let second = try prompt(client)
                try begin(second, client)
                #expect(try !client.call("Dismiss", of: "Prompt", at: second).isError)
                #expect(try completion(client).0)

                let third = try prompt(client)
                try begin(third, client)
                try served.advance(.seconds(100_000))
                #expect(served.service.prompts.count == 1)
                #expect(try !client.call("Dismiss", of: "Prompt", at: third).isError)
                #expect(try completion(client).0)
                #expect(served.service.prompts.isEmpty)
                #expect(served.service.deadline == .never)
                // Others hear of no prompt.
                #expect(try other.isLocked())
                #expect(
                    !other.signals.contains {
                        $0.isSignal("Completed", of: "org.freedesktop.Secret.Prompt")
                    })
            }
        }

        @Test("a cancelled question ends every wait")
        func cancelled() throws {
            try withSecrets(asking: { _ in .cancelled }) { client, served, _ in
                try served.vault.lock()
                try begin(try prompt(client), client)
                #expect(try completion(client).0)
                let answer = try client.create(["a": "1"], [1], try client.openSession())
                #expect(answer.isRefusal("IsLocked"))
            }
        }

        @Test("after a cancelled question its program causes none for a minute, or until an unlock")
        func pause() throws {
            try withSecrets(asking: { request in
                request.vault.report("asked", hint: "")
                return .cancelled
            }) { client, served, _ in
                func ask() throws {
                    try begin(try prompt(client), client)
                    #expect(try completion(client).0)
                }
                try served.vault.lock()
                for _ in 0..<11 { try ask() }
                let session = try client.openSession()
                #expect(try client.create([:], [1], session).isRefusal("IsLocked"))
                #expect(served.vault.reports == ["asked"])
                try served.advance(SecretService.cancelPause + .seconds(1))
                try ask()
                #expect(served.vault.reports.count == 2)
                served.vault.unlock()
                #expect(try !client.isLocked())
                try served.vault.lock()
                try ask()
                #expect(served.vault.reports.count == 3)
            }
        }

        @Test("what waits has few bytes, of each client and in all")
        func waitingBytes() throws {
            try withSecrets { client, served, address in
                let limits = SecretService.sizeLimits
                let value = [UInt8](repeating: 1, count: SecretLimits.maximumValueSize)
                func held() -> Int { served.service.pendingCalls.reduce(0) { $0 + $1.size } }
                /// Lets as many calls wait as fit, and one more.
                func fill(_ client: SecretClient) throws {
                    let session = try client.openSession()
                    for _ in 0..<limits.perClient / value.count - 1 {
                        _ = try client.send("CreateItem", of: "Collection", at: Self.login) {
                            message in
                            try message.append(BusMessage.array, of: "{sv}") {}
                            try SecretClient.append(value, session, to: message)
                            try message.append(false)
                        }
                    }
                    #expect(try client.create([:], value, session).isRefusal("IsLocked"))
                }
                try served.vault.lock()
                try fill(client)
                #expect(held() > limits.perClient / 2 && held() <= limits.perClient)
                // A large text, and many small ones, count like a large value.
                let other = try SecretClient(address, served)
                let session = try other.openSession()
                let text = String(repeating: "x", count: limits.perClient)
                #expect(try other.create(["a": text], [], session).isRefusal("IsLocked"))
                let pairs = Dictionary(
                    uniqueKeysWithValues: (0..<limits.perClient / 24).map { ("\($0)", "") })
                #expect(try other.create(pairs, [], session).isRefusal("IsLocked"))
                // So do the paths of a prompt.
                let paths = [String](
                    repeating: Self.login + "/" + String(repeating: "0", count: 32),
                    count: limits.perClient / 128)
                let prompt = try other.call("Unlock", of: "Service") { try $0.append(paths: paths) }
                #expect(prompt.isError("org.freedesktop.DBus.Error.LimitsExceeded"))
                #expect(served.service.prompts.isEmpty)

                let many = try (0..<limits.total / limits.perClient + 1).map { _ in
                    try SecretClient(address, served)
                }
                for client in many { try fill(client) }
                #expect(held() > limits.total / 2 && held() <= limits.total)
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                #expect(served.service.pendingCalls.isEmpty)
                #expect(try !client.search([:]).unlocked.isEmpty)
                withExtendedLifetime(many) {}
            }
        }

        @Test("the size of a message counts each kind of value")
        func messageSize() throws {
            try withSecrets { client, served, _ in
                try served.vault.lock()
                _ = try client.send("CreateItem", of: "Collection", at: Self.login) { message in
                    try message.append(BusMessage.array, of: "{sv}") {
                        try message.append(BusMessage.entry, of: "sv") {
                            try message.append("n")
                            try message.append(variant: "t") { try message.append(1 as UInt64) }
                        }
                    }
                    try SecretClient.append([1, 2, 3], "/none", to: message)
                    try message.append(false)
                }
                try served.until("it waits") { served.service.pendingCalls.count == 1 }
                let call = try #require(served.service.pendingCalls.first)
                // 11 values and containers, and the bytes of n, /none, 1 2 3 and text/plain.
                #expect(call.size == 11 * 8 + 1 + 5 + 3 + 10)
                #expect(try call.call.size(upTo: 1) < call.size)
                // It is still read from its beginning.
                served.vault.unlock()
                try served.advance(.milliseconds(200))
                #expect(served.service.pendingCalls.isEmpty)
            }
        }

        @Test("clients that vanish while they wait leave nothing")
        func vanished() throws {
            try withSecrets { client, served, address in
                try served.vault.lock()
                do {
                    let other = try SecretClient(address, served)
                    try begin(try prompt(other), other)
                    let session = try other.openSession()
                    _ = try other.send("CreateItem", of: "Collection", at: Self.login) { message in
                        try message.append(BusMessage.array, of: "{sv}") {}
                        try SecretClient.append([1], session, to: message)
                        try message.append(false)
                    }
                    try served.until("it waits") { served.service.pendingCalls.count == 1 }
                    withExtendedLifetime(other) {}
                }
                try served.until("it is forgotten") { served.service.clients.isEmpty }
                #expect(served.service.pendingCalls.isEmpty)
                #expect(served.service.prompts.isEmpty)
                #expect(served.service.sessions.isEmpty)
                #expect(served.service.deadline == .never)
            }
        }

        @Test("Lock locks the vault")
        func lock() throws {
            try withSecrets { client, served, _ in
                let answer = try client.call("Lock", of: "Service") {
                    try $0.append(paths: [Self.login])
                }
                #expect(try answer.readPaths() == [Self.login])
                #expect(try answer.readPath() == "/")
                #expect(try client.isLocked())
            }
        }

        @Test("locking the session collection locks only that")
        func lockSession() throws {
            try withSecrets { client, served, address in
                let collection = SecretClient.root + "/collection/session"
                let session = try client.openSession()
                let item = try client.create(["a": "1"], [1], session, at: collection).readPath()
                let other = try client.created(["a": "1"], [2], session)
                let watcher = try SecretClient(address, served)
                try watcher.listen()
                func call(_ member: String) throws {
                    let answer = try client.call(member, of: "Service") {
                        try $0.append(paths: [collection])
                    }
                    #expect(try answer.readPaths() == [collection])
                    #expect(try answer.readPath() == "/")
                    let changed = try watcher.signal("PropertiesChanged", of: "Properties")
                    #expect(changed.target.path == collection)
                }
                try call("Lock")
                #expect(!served.vault.state.withLock { $0.isLocked })
                #expect(try client.isLocked(collection) && !client.isLocked())
                let found = try client.search(["a": "1"])
                #expect(found.locked == [item] && found.unlocked == [other])
                // No unlock of the vault helps, so they are refused at once.
                let read = try client.call("GetSecret", of: "Item", at: item) {
                    try $0.append(path: session)
                }
                #expect(read.isRefusal("IsLocked"))
                let made = try client.create([:], [1], session, at: collection)
                #expect(made.isRefusal("IsLocked"))
                #expect(try client.secret(other, session)?.value == [2])
                try call("Unlock")
                #expect(try client.secret(item, session)?.value == [1])
            }
        }

        @Test("only code 99 of pinentry is a cancellation; another error leads to the next way")
        func pinentryErrors() throws {
            try withTemporaryFolder { folder in
                let script = folder + "/pinentry"
                func outcome(_ error: String, at places: [String?]) throws -> String {
                    try FileSystem.replace(
                        script,
                        with: """
                            #!/bin/sh
                            echo "OK hello"
                            while read -r line; do
                                case "$line" in
                                "OPTION ttyname="*) terminal=1; echo OK ;;
                                SETTITLE*) echo "ERR 83886360 Unknown command" ;;
                                GETPIN) echo >>"\(folder)/log"
                                    if [ "$terminal" ]; then echo "D right %25"; echo OK; else \(error); fi ;;
                                *) echo OK ;;
                                esac
                            done

                            """)
                    _ = unsafe chmod(script, 0o700)
                    try FileSystem.replace(folder + "/log", with: "")
                    let request = PassphraseDialog.Request("it", TestProgramVault())
                    let outcome = PassphraseDialog.run(script, for: request, at: places)
                    #expect(request.isActive)
                    let asked = FileSystem.content(folder + "/log", limit: 64)?.count ?? 0
                    return "\(outcome) \(asked)"
                }
                for error in ["echo 'ERR 83918950 Inappropriate ioctl'", "echo ERR", "exit"] {
                    let alone = try outcome(error, at: [nil])
                    #expect(alone == "impossible 1")
                    let second = try outcome(error, at: [nil, "/dev/pts/0"])
                    #expect(second == "unlocked 2")
                }
                let cancel = "echo 'ERR 83886179 Operation cancelled <Pinentry>'"
                let cancelled = try outcome(cancel, at: [nil, "/dev/pts/0"])
                #expect(cancelled == "cancelled 1")
            }
        }

        @Test("pinentry asks; a wrong passphrase is asked again")
        func pinentry() throws {
            try withTemporaryFolder { folder in
                let script = folder + "/pinentry"
                try FileSystem.replace(
                    script,
                    with: """
                        #!/bin/sh
                        echo "OK hello"
                        wrong=1
                        while read -r line; do
                            echo "$line" >>"\(folder)/log"
                            case "$line" in
                            GETPIN) if [ "$wrong" ]; then wrong=; echo "D wrong"; else echo "D right %25"; fi; echo OK ;;
                            *) echo OK ;;
                            esac
                        done

                        """)
                _ = unsafe chmod(script, 0o700)
                let vault = TestProgramVault()
                let pinentry = try Pinentry(script, on: nil)
                // An array, because a macro takes no value that cannot be copied.
                var outcomes: [UnlockOutcome] = []
                for (reason, error) in [("100 %\nof it", nil), ("it", "wrong passphrase")] {
                    guard let typed = try pinentry.passphrase(for: reason, after: error) else {
                        break
                    }
                    outcomes.append(vault.unlock(with: typed))
                }
                #expect(outcomes == [.wrongPassphrase, .unlocked])
                let log = String(
                    decoding: FileSystem.content(folder + "/log", limit: 4_096) ?? [],
                    as: UTF8.self)
                #expect(log.contains("SETDESC 100 %25%0Aof it\n"))
                #expect(log.contains("SETERROR wrong passphrase\n"))
            }
        }
    }
#endif
