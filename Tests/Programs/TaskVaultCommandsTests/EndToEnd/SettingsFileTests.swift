import Foundation
import Platform
import Testing
import TestSupport

/// The file `settings`, which only its owner may write.
@Suite(.waitsForProcesses) struct SettingsFileTests {
    private func home(_ text: String) throws -> TestHome {
        let home = try TestHome.forTasks(withVault: false)
        _ = try home.add("buy milk")
        try Files.write(text, to: home.settingsFile)
        return home
    }

    @Test func handwrittenLinesAreParsedAndKept() throws {
        let home = try home("# mine\n\n  task-order=name \t\r\nclear-after = never")
        #expect(try home.ask("settings get task-order").outputText == "name\n")
        #expect(try home.ask("settings get clear-after").outputText == "never\n")
        expect(try home.ask("settings set task-order created"), ends: 0)
        let text = String(decoding: try Files.read(home.settingsFile), as: UTF8.self)
        #expect(text == "# mine\n\ntask-order = created\nclear-after = never\n")
    }

    @Test func aFileThatIsNoTextIsNamedWithAWayOut() throws {
        let home = try home("")
        try Files.write([0x61, 0xFF, 0x0A], to: home.settingsFile)
        let way = "mv \(home.settingsFile) \(home.settingsFile).old"
        for command in ["task list", "task add milk"] {
            expect(
                try home.ask(command), ends: 8,
                "error: the settings file \(home.settingsFile) is not used: it is not UTF-8",
                "hint: correct it, or use the standard settings: \(way)")
        }
        try FileManager.default.moveItem(
            atPath: home.settingsFile, toPath: home.settingsFile + ".old")
        expect(try home.ask("task list"), ends: 0)
    }

    @Test func filesOfAKilledProcessAreReused() throws {
        let home = try home("task-order = name")
        let left = home.settingsFile + ".new"
        try Files.write(String(repeating: "half a line ", count: 100), to: left)
        expect(try home.ask("settings set task-order created"), ends: 0)
        #expect(!Files.exists(left))
        let text = String(decoding: try Files.read(home.settingsFile), as: UTF8.self)
        #expect(text == "task-order = created\n")
    }

    @Test func processesThatChangeThemAtOnceTakeTurns() throws {
        let home = try home("task-order = name")
        let nothing = try Files.open("/dev/null", O_RDWR)
        defer { close(nothing) }
        let processes = try (0..<16).map { number in
            try Executable.start(
                ["settings", "set", "task-order", number.isMultiple(of: 2) ? "created" : "due"],
                environment: home.environment, in: home.folder,
                .init(input: nothing, output: nothing, errors: nothing))
        }
        for process in processes { #expect(Executable.wait(for: process) == 0) }
        #expect(
            ["created\n", "due\n"].contains(try home.ask("settings get task-order").outputText))
        #expect(Files.names(in: home.home).filter { $0.hasPrefix("settings") } == ["settings"])
    }

    @Test(arguments: [
        ("garbage", 1), ("task-order = name\n\nwhat is this", 3), ("task-odor = name", 1),
        ("task-order = name\ntask-order = due", 2), ("= name", 1), ("\u{1B}[2J = x", 1),
        ("Task-Order = name", 1),
    ])
    func aLineThatIsNotUnderstoodIsNamed(text: String, line: Int) throws {
        let home = try home(text)
        for command in ["task list", "task add x", "settings get task-order", "settings"] {
            let refused = try home.ask(command)
            #expect(refused.exitCode == 2, "\(command): \(refused.errorText)")
            #expect(refused.errorText.contains("settings, line \(line): "), "\(refused.errorText)")
            #expect(!refused.errorText.contains("\u{1B}"))
        }
        #expect(try home.ask("settings set task-order name").exitCode == 2)
        #expect(String(decoding: try Files.read(home.settingsFile), as: UTF8.self) == text)
    }

    @Test(arguments: [
        ("task-order = sideways", "task-order is name"), ("task-order =", "task-order is name"),
        ("clear-after = soon", "clear-after is a time"),
        ("clear-after = 5s", "clear-after is a time"),
        ("clear-after = -1h", "clear-after is a time"), ("clear-after =", "clear-after is a time"),
        ("database = oracle://host/tasks", "database"), ("database =", "database"),
        ("database = /tmp/tasks.db", "database"),
    ])
    func aValueThatCannotBeIsNotGuessed(text: String, reason: String) throws {
        let home = try home(text)
        let refused = try home.ask("task list")
        #expect(refused.exitCode == 2, "\(refused.outputText)")
        #expect(refused.errorText.contains(reason), "\(refused.errorText)")
        // It can be put right without an editor.
        let name = text.prefix { $0 != " " }
        let right = ["task-order": "due", "clear-after": "24h", "database": "sqlite"]
        expect(try home.ask("settings set \(name) \(right[String(name)] ?? "")"), ends: 0)
        #expect(try home.tasks().count == 1)
    }

    @Test func theStatusNeedsThemNot() throws {
        let home = try home("garbage")
        #expect(try home.runBare(["status", "--json"]).object["state"] as? String == "none")
    }

    @Test func valuesThatCannotBeAreNotSet() throws {
        let home = try home("")
        for (name, value) in [
            ("task-order", "sideways"), ("task-order", ""), ("clear-after", "59s"),
            ("clear-after", "8761h"), ("clear-after", "0"), ("clear-after", "-1h"),
            ("database", "mysql://host/x"), ("database", "tasks.db"), ("database", ""),
            ("database", "postgresql://h/x\ntask-order = name"), ("vault", "x"), ("colour", "red"),
        ] {
            let refused = try home.runBare(["settings", "set", name, value])
            #expect(refused.exitCode == 2, "\(name) \(value)")
        }
        #expect(try Files.read(home.settingsFile).isEmpty)
    }

    @Test func aPasswordInTheAddressIsRefusedAndNotRepeated() throws {
        let secret = "Wallaby4711"
        for address in [
            "postgresql://ada:\(secret)@localhost/tasks",
            "postgres://ada:\(secret)@localhost/tasks",
            "postgresql://localhost/tasks?password=\(secret)",
            "postgresql://ada@localhost/tasks?user=ada&password=\(secret)",
            "postgresql://ada@localhost/tasks?passw%6Frd=\(secret)",
        ] {
            let home = try home("")
            for command in [
                ["settings", "set", "database", address], ["settings", "set", "vault", address],
                ["task", "move-database", address],
            ] {
                let refused = try home.runBare(command)
                #expect(refused.exitCode == 2, "\(command): \(refused.errorText)")
                #expect(!refused.errorText.contains(secret), "\(command)")
            }
            let found = try ByteSearch(for: [secret]).findings(below: home.folder)
            #expect(found.isEmpty)
            try Files.write("database = \(address)\n", to: home.settingsFile)
            for command in ["task list", "task add x"] {
                let refused = try home.ask(command)
                #expect(refused.exitCode == 2)
                #expect(refused.errorText.contains(".pgpass"), "\(refused.errorText)")
                #expect(!refused.errorText.contains(secret), "\(command)")
            }
        }
    }

    @Test func aHandwrittenPasswordIsHidden() throws {
        for (address, shown) in [
            ("postgresql://ada@db.example:5432/tasks?sslmode=verify-full", nil),
            ("postgresql://ada:Wallaby4711@db/tasks", "postgresql://ada:***@db/tasks"),
            ("postgres://ada:x/?@:Wallaby4711@db/tasks", "postgres://ada:***@db/tasks"),
            (
                "postgresql://db/tasks?password=a&b=Wallaby4711",
                "postgresql://db/tasks?password=***"
            ),
            (
                "postgresql://a:Wal?laby4711@db/x?sslmode=require&passw%6Frd=Wallaby4711",
                "postgresql://a:***@db/x?sslmode=require&passw%6Frd=***"
            ),
            (
                "postgresql://db/x?user=a@b&sslPassword=W@:allaby",
                "postgresql://db/x?user=a@b&sslPassword=***"
            ),
        ] as [(String, String?)] {
            let home = try home("database = \(address)\n")
            let shown = shown ?? address
            #expect(try home.ask("settings get database").outputText == shown + "\n")
            let listed = try home.ask("settings list")
            #expect(listed.outputText.contains(" \(shown) "), "\(listed.outputText)")
            #expect(!listed.outputText.contains("allaby"))
            #expect(try home.ask("settings list --json").object["database"] as? String == shown)
        }
    }

    @Test func aFileThatOthersCouldHaveWrittenIsNotUsed() throws {
        let home = try home("database = postgresql://evil.example/tasks\n")
        for mode: mode_t in [0o660, 0o602, 0o666, 0o622] {
            Files.setMode(home.settingsFile, mode)
            for command in ["task list", "task add x", "settings get database"] {
                let refused = try home.ask(command)
                #expect(refused.exitCode == 8, "\(command): \(refused.errorText)")
                #expect(refused.errorText.contains("other users can write it"))
            }
        }
        for mode: mode_t in [0o644, 0o600, 0o400] {
            Files.setMode(home.settingsFile, mode)
            #expect(try home.ask("settings get task-order").exitCode == 0)
        }
        let other = home.folder + "/other"
        try FileManager.default.moveItem(atPath: home.settingsFile, toPath: other)
        try #require(unsafe symlink(other, home.settingsFile) == 0)
        #expect(try home.ask("settings get task-order").exitCode != 0)
        unsafe unlink(home.settingsFile)
        try #require(unsafe mkfifo(home.settingsFile, 0o600) == 0)
        #expect(try home.ask("settings get task-order").exitCode == 8)
        unsafe unlink(home.settingsFile)
        try Files.write([UInt8](repeating: 0x23, count: 70_000), to: home.settingsFile)
        #expect(try home.ask("settings get task-order").exitCode == 8)
        try Files.write([0x23, 0xFF, 0x0A], to: home.settingsFile)
        #expect(try home.ask("settings get task-order").exitCode == 8)
    }

    @Test(.enabled(if: geteuid() == 0, "only the administrator gives files away"))
    func aFileOfAnotherOwnerIsNotUsed() throws {
        let home = try home("database = postgresql://evil.example/tasks\n")
        try #require(unsafe chown(home.settingsFile, 65_534, 65_534) == 0)
        for command in ["task list", "task add x", "settings get database", "settings"] {
            #expect(try home.ask(command).exitCode == 8, "\(command)")
        }
    }
}
