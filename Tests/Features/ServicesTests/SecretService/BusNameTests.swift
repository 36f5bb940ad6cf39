#if os(Linux)
    import Platform
    import SecureStorage
    import Synchronization
    import TestSupport
    import Testing

    @testable import Services

    @Suite(
        "The name of the Secret Service",
        .enabled(if: DesktopSession.isWanted, DesktopSession.reason), .waitsForProcesses,
        .timeLimit(.minutes(60)))
    struct BusNameTests {
        @Test("another owner is named, and followed when it ends")
        func otherOwner() throws {
            try withTemporaryFolder { folder in
                let desktop = try DesktopSession(in: folder)
                defer { desktop.end() }
                let vault = TestProgramVault()
                var served: ServedSecrets
                do {
                    let other = try ServedSecrets(TestProgramVault(), on: desktop.address)
                    try other.until("it has the name") { other.service.isOwner }
                    served = try ServedSecrets(vault, on: desktop.address)
                    try served.until("it is told") { !vault.reports.isEmpty }
                    #expect(
                        vault.reports.first?.hasSuffix(
                            "process \(getpid()), already serves secrets on this bus") == true)
                    #expect(!served.service.isOwner)
                    // Neither permits to be replaced.
                    let forced = try ServedSecrets(
                        TestProgramVault(), on: desktop.address, replacing: true)
                    try forced.until("it is told") { !forced.vault.reports.isEmpty }
                    withExtendedLifetime(other) {}
                }
                try served.until("it has the name") { served.service.isOwner }
            }
        }

        @Test("the name is taken from an owner that permits it, only on request")
        func replaced() throws {
            try withTemporaryFolder { folder in
                let desktop = try DesktopSession(in: folder)
                defer { desktop.end() }
                let other = try SessionBus(address: desktop.address)
                let number = try other.call(
                    "RequestName", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                    to: "org.freedesktop.DBus"
                ) {
                    try $0.append(SecretService.name)
                    // It permits to be replaced, and does not queue.
                    try $0.append(5 as UInt32)
                }
                try eventually("it has the name") {
                    try other.next().map { $0.replySerial == number } ?? false
                }
                let polite = try ServedSecrets(TestProgramVault(), on: desktop.address)
                try polite.until("it is told") { !polite.vault.reports.isEmpty }
                #expect(!polite.service.isOwner)
                let served = try ServedSecrets(
                    TestProgramVault(), on: desktop.address, replacing: true)
                try served.until("it has the name") { served.service.isOwner }
                #expect(served.vault.reports.isEmpty)
                withExtendedLifetime(other) {}
            }
        }

        @Test("a signal of another program that says it is the bus changes nothing")
        func forged() throws {
            try withSecrets { client, served, address in
                let session = try client.openSession()
                let path = try client.created(["a": "1"], [1], session)
                let hostile = try SecretClient(address, served)
                let own = try #require(served.service.bus.uniqueName)
                let victim = try #require(client.bus.uniqueName)
                for name in [victim, "org.freedesktop.secrets"] {
                    try hostile.bus.signal(
                        "NameOwnerChanged", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                        to: own
                    ) { message in
                        try message.append(name)
                        try message.append(victim)
                        try message.append(name == victim ? "" : hostile.bus.uniqueName ?? "")
                    }
                }
                // Its call comes after its signals.
                #expect(
                    try hostile.call("GetSecret", of: "Item", at: path) {
                        try $0.append(path: session)
                    }.isRefusal("NoSession"))
                #expect(served.service.isOwner)
                #expect(try client.secret(path, session)?.value == [1])
            }
        }

        @Test("a bus that restarts is found again")
        func restart() throws {
            try withTemporaryFolder { folder in
                let vault = TestProgramVault()
                let first = try DesktopSession(in: folder)
                let address = first.address.prefix { $0 != "," }
                let stop = try SystemPipe()
                let ended = Monitor(false)
                let descriptor = stop.reader
                let bus = String(address)
                let isStarted = DetachedThread.start {
                    SecretServiceLoop.run(
                        vault, on: bus, replacing: false, asking: { _ in .impossible },
                        until: descriptor)
                    ended.update { $0 = true }
                }
                try #require(isStarted)
                try eventually("it serves") { try Self.isServed(first.address) }
                first.end()
                try eventually("it says so") { !vault.reports.isEmpty }
                let second = try DesktopSession(in: folder)
                try eventually("it serves again") { try Self.isServed(second.address) }
                #expect(vault.reports.count == 1)
                stop.signal()
                _ = ended.wait { $0 ? true : nil }
                second.end()
            }
        }

        private static func isServed(_ address: String) throws -> Bool {
            let bus = try SessionBus(address: address)
            let number = try bus.call(
                "NameHasOwner", of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus",
                to: "org.freedesktop.DBus"
            ) { try $0.append("org.freedesktop.secrets") }
            var isOwned: Bool?
            try eventually("the bus answers") {
                while let message = try bus.next() {
                    if message.replySerial == number { isOwned = try message.readBoolean() }
                }
                return isOwned != nil
            }
            return isOwned == true
        }

        @Test("the first read by a program is announced once, and a locked vault, too")
        func notifications() throws {
            try withDesktop { desktop, _ in
                let served = try ServedSecrets(TestProgramVault(), on: desktop.address)
                for _ in 0..<2 {
                    let client = try SecretClient(desktop.address, served)
                    let session = try client.openSession()
                    let path = try client.created(["a": "1"], [1], session)
                    try served.until("the client is known") {
                        served.service.clients.values.contains { $0.process == getpid() }
                    }
                    for _ in 0..<2 {
                        #expect(try client.secret(path, session)?.value == [1])
                    }
                }
                let shown = try desktop.shown(1)
                #expect(shown.count == 1)
                #expect(shown.first?.title.hasSuffix(" read a secret") == true)
                #expect(
                    shown.first?.body == "Process \(getpid()), for the first time on this machine.")
                #expect(Set(served.vault.state.withLock { $0.readers }).count == 1)
                #expect(
                    served.vault.state.withLock { $0.processes }
                        == [Int32](repeating: getpid(), count: 4))

                try served.vault.lock()
                let client = try SecretClient(desktop.address, served)
                _ = try client.send("CreateItem", of: "Collection", at: SecretClient.login) {
                    message in
                    try message.append(BusMessage.array, of: "{sv}") {}
                    try SecretClient.append([1], "/none", to: message)
                    try message.append(false)
                }
                try served.until("a notification is asked for") {
                    served.service.unlockNotification != nil
                }
                let second = try #require(try desktop.shown(2).last)
                #expect(second.title.hasSuffix(" waits for the vault"))
                #expect(second.body == "taskvault unlock")
                withExtendedLifetime(client) {}
            }
        }
    }
#endif
