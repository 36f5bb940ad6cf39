#if os(Linux)
    import Foundation
    import Platform
    import TestSupport
    import Testing

    /// A home with a vault, the service and a bus of their own, for programs that were not written for TaskVault.
    private final class ClientHome {
        private let folder: String
        private let address: String
        private let desktop: DesktopSession
        private var service: Process?

        static let script = Checkout.path("Tests/SecretServiceClients/clients")
        private static let python = "/usr/bin/python3"
        private static let taskvault = BuiltExecutable.path(of: "taskvault")

        /// The clients that are installed.
        static let installed: [String] = {
            guard let process = try? LineProcess(python, [script, "installed"]),
                let line = try? process.readLine()
            else { return [] }
            return line.split(separator: " ").map(String.init)
        }()

        init(in folder: String) throws {
            self.folder = folder
            desktop = try DesktopSession(in: folder)
            address = desktop.address
            try FileSystem.replace(folder + "/passphrase", with: "correct horse battery\n")
            try make()
            try start()
        }

        /// Makes the vault, and unlocks it.
        func make() throws {
            _ = try run("init", "--kdf-memory", "19", "--kdf-passes", "2", isOpening: true)
            try unlock()
        }

        private func process(_ path: String, _ words: [String]) -> Process {
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = words
            let own = ProcessInfo.processInfo.environment
            process.environment = [
                "HOME": folder + "/home", "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                "DBUS_SESSION_BUS_ADDRESS": address,
                "LD_LIBRARY_PATH": own["LD_LIBRARY_PATH"] ?? "", "TASKVAULT": Self.taskvault,
                "TASKVAULT_LOCKED_BROWSER": own["TASKVAULT_LOCKED_BROWSER"] ?? "5",
                "UNLOCK":
                    "'\(Self.taskvault)' unlock --offline --passphrase-file '\(folder)/passphrase'",
            ]
            process.standardInput = FileHandle.nullDevice
            return process
        }

        /// Runs `taskvault`, with the passphrase by `isOpening`.
        @discardableResult
        func run(_ words: String..., isOpening: Bool = false) throws -> Int32 {
            let process = process(
                Self.taskvault,
                words + (isOpening ? ["--passphrase-file", folder + "/passphrase"] : []))
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }

        /// The settings of the machine.
        var settings: String { folder + "/home/.config/taskvault/settings" }

        /// The programs that the machine knows as readers.
        func readers() throws -> [String] {
            let path = folder + "/home/.local/state/taskvault/readers"
            return try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
                .map(String.init)
        }

        func unlock() throws {
            #expect(try run("unlock", "--offline", isOpening: true) == 0)
        }

        /// Starts the service, which has no display.
        func start() throws {
            let new = process(Self.taskvault, ["services"])
            try new.run()
            service = new
            try eventually("it serves") { try client(["-c", Self.ask]).status == 0 }
        }

        private static let ask = """
            import subprocess, sys
            done = subprocess.run(["/usr/bin/dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus",
                "/", "org.freedesktop.DBus.GetNameOwner", "string:org.freedesktop.secrets"], capture_output=True)
            sys.exit(done.returncode)
            """

        /// Ends the service.
        func stop() {
            guard let service else { return }
            kill(service.processIdentifier, SIGTERM)
            service.waitUntilExit()
            #expect(service.terminationStatus == 0)
            self.service = nil
        }

        func end() throws {
            stop()
            _ = try run("destroy", "--yes")
            desktop.end()
        }

        /// A client that runs.
        struct Running {
            let process: Process
            private let output = Pipe()

            init(_ process: Process) throws {
                self.process = process
                process.standardOutput = output
                try process.run()
            }

            /// Its output and exit code, when it has ended.
            func result() throws -> (output: String, status: Int32) {
                let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return (String(decoding: bytes, as: UTF8.self), process.terminationStatus)
            }
        }

        /// The output of `taskvault`.
        func output(_ words: String...) throws -> String {
            try begin(Self.taskvault, words).result().output
        }

        func begin(_ path: String, _ words: [String]) throws -> Running {
            try Running(process(path, words))
        }

        /// Runs a script of Python.
        func client(_ words: [String]) throws -> (output: String, status: Int32) {
            try begin(Self.python, words).result()
        }
    }

    @Suite(
        "Real clients of the Secret Service",
        .enabled(
            if: DesktopSession.isWanted && !ClientHome.installed.isEmpty, "no client is installed"),
        .waitsLong, .timeLimit(.minutes(60)))
    struct RealClientTests {
        private static let tool = "/usr/bin/secret-tool"

        private func withHome(_ body: (ClientHome) throws -> Void) throws {
            try withTemporaryFolder { folder in
                try SafeFolder.create(folder + "/home")
                let home = try ClientHome(in: folder)
                do {
                    try body(home)
                } catch {
                    try? home.end()
                    throw error
                }
                try home.end()
            }
        }

        private func store(_ home: ClientHome) throws {
            let store = try home.begin(
                "/bin/sh",
                ["-c", "printf hidden | \(Self.tool) store --label=x site a.example user ada"])
            #expect(try store.result().status == 0)
        }

        @Test("store, find, change and remove", arguments: ClientHome.installed)
        func client(name: String) throws {
            try withHome { home in
                let (output, status) = try home.client([ClientHome.script, name])
                #expect(output == "passed \(name)\n")
                #expect(status == 0)
            }
        }

        @Test(
            "wait while the vault is locked, and go on after an unlock at another terminal",
            .enabled(if: ClientHome.installed.contains("secret-tool"), "needs libsecret-tools"))
        func headless() throws {
            try withHome { home in
                try store(home)
                let words = ["lookup", "site", "a.example"]
                try home.run("lock")
                let waiting = try home.begin(Self.tool, words)
                #expect(try home.run("status") == 0)
                #expect(waiting.process.isRunning)
                try home.unlock()
                #expect(try waiting.result().output == "hidden")

                // A service that has not seen the unlocked vault knows no items; it waits, too.
                home.stop()
                try home.run("lock")
                try home.start()
                let second = try home.begin(Self.tool, words)
                #expect(try home.run("status") == 0)
                #expect(second.process.isRunning)
                try home.unlock()
                #expect(try second.result().output == "hidden")
                // Each program once, whatever runs meanwhile.
                #expect(try home.readers() == ["secret-tool"])
            }
        }

        @Test(
            "Python's keyring finds an entry of the owner, who allowed it, and the account by itself",
            .enabled(if: ClientHome.installed.contains("keyring"), "needs python3-keyring"))
        func ownEntry() throws {
            try withHome { home in
                let site = "https://upload.example/legacy/"
                let saved = try home.begin(
                    "/bin/sh",
                    [
                        "-c",
                        "printf hidden | '\(BuiltExecutable.path(of: "taskvault"))' secret set \(site) ada",
                    ])
                #expect(try saved.result().status == 0)
                let ask = """
                    from keyring.backends.SecretService import Keyring
                    ring = Keyring()
                    print(ring.get_password("\(site)", "ada"))
                    found = ring.get_credential("\(site)", None)
                    print(found and (found.username, found.password))
                    """
                #expect(try home.client(["-c", ask]).output == "None\nNone\n")
                #expect(try home.run("settings", "set", "services-secrets", "all") == 0)
                #expect(try home.client(["-c", ask]).output == "hidden\n('ada', 'hidden')\n")
            }
        }

        @Test(
            "without a vault they are told so at once, and find one that is made later",
            .enabled(if: ClientHome.installed.contains("secret-tool"), "needs libsecret-tools"))
        func noVault() throws {
            try withHome { home in
                try store(home)
                #expect(try home.run("destroy", "--yes") == 0)
                for command in ["lookup site a.example", "store --label=x site a.example"] {
                    // A call that waited would be told that the vault is locked.
                    let asked = try home.begin(
                        "/bin/sh", ["-c", "printf new | \(Self.tool) \(command) 2>&1"])
                    let answer = try asked.result()
                    #expect(answer.output.contains("there is no vault at "))
                    #expect(answer.output.contains("taskvault init creates one"))
                    #expect(answer.status == 1)
                }
                try home.make()
                try store(home)
                let found = try home.begin(Self.tool, ["lookup", "site", "a.example"])
                #expect(try found.result().output == "hidden")
            }
        }

        @Test(
            "are in the log, with the label of what they read as long as it is there",
            .enabled(if: ClientHome.installed.contains("secret-tool"), "needs libsecret-tools"))
        func log() throws {
            try withHome { home in
                // The second label is none of the vault's.
                let labels = ["mail of ada", "two\\nlines"]
                for (number, label) in labels.enumerated() {
                    let store =
                        "printf hidden | \(Self.tool) store --label=\"$(printf '\(label)')\""
                    let stored = try home.begin("/bin/sh", ["-c", "\(store) n \(number)"])
                    #expect(try stored.result().status == 0)
                    let lookup = try home.begin(Self.tool, ["lookup", "n", "\(number)"])
                    #expect(try lookup.result().output == "hidden")
                }
                #expect(try home.output("log").contains(" (mail of ada)\n"))
                let json = try home.output("log", "--json")
                #expect(json.contains(#""label":"mail of ada""#))
                #expect(json.contains(#""label":"two\nlines""#))
                let clear = try home.begin(Self.tool, ["clear", "n", "0"])
                #expect(try clear.result().status == 0)
                let later = try home.output("log", "--json")
                #expect(!later.contains("mail of ada") && later.contains(#""label":null"#))
            }
        }

        @Test(
            "the setting services-secrets denies at once",
            .enabled(if: ClientHome.installed.contains("secret-tool"), "needs libsecret-tools"))
        func denied() throws {
            try withHome { home in
                try store(home)
                let words = ["lookup", "site", "a.example"]
                #expect(try home.run("settings", "set", "services-secrets", "off") == 0)
                let denied = try home.begin(Self.tool, words).result()
                #expect(denied.status == 1 && denied.output.isEmpty)
                #expect(try home.run("settings", "set", "services-secrets", "maybe") == 2)
                #expect(try home.run("settings", "set", "services-secrets", "programs") == 0)
                #expect(try home.begin(Self.tool, words).result().output == "hidden")

                // What is wrong with the settings is said.
                let good = try String(contentsOfFile: home.settings, encoding: .utf8)
                try FileSystem.replace(home.settings, with: "nonsense\n" + good)
                let call = """
                    /usr/bin/dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
                    org.freedesktop.Secret.Service.ReadAlias string:default 2>&1
                    """
                let answer = try home.begin("/bin/sh", ["-c", call]).result().output
                #expect(answer.contains("taskvault/settings, line 1: a line is 'name = value'"))
                try FileSystem.replace(home.settings, with: good)
                #expect(try home.begin(Self.tool, words).result().output == "hidden")
            }
        }
    }
#endif
