import CommandLine
import Foundation
import Platform
import TaskVaultCommands
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct InformationTests {
    /// The folder of the package.
    private static let package = Checkout.folder.path

    @Test func everyCommandOfTheTableDoesSomething() throws {
        let home = try TestHome(withVault: false)
        for command in CommandTable.taskvault.commands {
            let help = try home.runBare(command.path + ["--help"])
            expect(help, ends: 0)
            // Who asks for the help of a command wants to copy a line.
            #expect(
                help.outputText.hasPrefix(
                    "taskvault \(command.name): \(command.summary)\n\nExamples:\n"))
            #expect(try home.runBare(["help"] + command.path).outputText == help.outputText)
        }
    }

    @Test func helpLongerThanTheScreenOpensInThePager() throws {
        let home = try TestHome.forTasks(withVault: false)
        let session = try TerminalSession(home, ["help"], rows: 24)
        try session.waitFor("q closes")
        #expect(ScreenModel(session.screen, rows: 24).isAlternate)
        try session.type("q")
        #expect(try session.finish() == 0)
        #expect(session.echoes)
    }

    @Test func versionAndHelp() throws {
        let home = try TestHome(withVault: false)
        let versions = try home.runBare(["--version"]).outputText
            .split(separator: "\n").map { $0.split(separator: " ") }
        #expect(versions.map(\.first) == ["taskvault", "libsodium", "SQLite"])
        #expect(versions[0][1] == ProductVersion.number)
        #expect(versions.allSatisfy { $0.count == 2 && $0[1].contains(".") })
        let help = try home.runBare(["help"])
        expect(help, ends: 0)
        for command in CommandTable.taskvault.commands {
            // A long name has a line of its own.
            #expect(
                [" ", "\n"].contains { help.outputText.contains("  \(command.name)\($0)") })
        }
        expect(
            try home.runBare(["secrets", "list"]), ends: 2, "error: unknown command 'secrets'",
            "hint: did you mean 'taskvault secret'?")
    }

    @Test func libraries() throws {
        let home = try TestHome(withVault: false)
        let lines = try home.runBare(["version", "--libraries"]).outputLines
        #expect(lines.first == "taskvault " + ProductVersion.number)
        #if os(Linux)
            for name in ["libsodium.so.", "libsqlite3.so."] {
                let paths = lines.filter { $0.contains("/" + name) }
                #expect(paths.count == 1 && paths[0].hasPrefix("/"))
            }
        #endif
        let json = try home.runBare(["version", "--json"]).outputText
        #expect(json == #"{"version":"\#(ProductVersion.number)","libraries":null}"# + "\n")
    }

    @Test func aloneItShowsTheFirstCommands() throws {
        let home = try TestHome(withVault: false)
        let beginning = try home.runBare([])
        expect(beginning, ends: 0)
        let lines = beginning.outputLines
        #expect(lines.count <= 20 && lines.allSatisfy { $0.count <= 80 })
        let names = lines.filter { $0.hasPrefix("  ") }.dropFirst().map { line in
            line.split(separator: "  ").first.map(String.init)
        }
        #expect(names.count == 10)
        for name in names {
            let path = try #require(name).split(separator: " ").map(String.init)
            #expect(CommandTable.taskvault.command(path) != nil)
        }
        #expect(lines.first { $0.hasPrefix("Usage") } != nil)
        #expect(lines.last?.hasPrefix("taskvault help lists all ") == true)
    }

    @Test func theHelpOfACommandShowsItsOwnOptionsFirst() throws {
        let home = try TestHome(withVault: false)
        let lines = try home.runBare(["secret", "get", "--help"]).outputLines
        let own = try #require(lines.firstIndex { $0.hasPrefix("      --field NAME") })
        let global = try #require(lines.firstIndex { $0.hasPrefix("Global options: --home, ") })
        let note = try #require(lines.firstIndex { $0.hasPrefix("SERVICE alone") })
        #expect(own < global && global < note)
        #expect(lines[global].hasSuffix(", … (taskvault help)"))
        #expect(lines[global].count <= 80)
        #expect(lines.count { $0.contains("--passphrase-file") } == 1)
        let agent = try home.runBare(["unlock", "--help"]).outputText
        #expect(!agent.contains("--no-agent"), "an option that unlock does not take")
        #expect(try home.runBare(["help"]).outputText.contains("  --no-agent "))
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completions(shell: String) throws {
        let home = try TestHome(withVault: false)
        let script = try home.runBare(["completions", shell])
        expect(script, ends: 0)
        #expect(script.outputText.contains("passphrase-file"))
    }

    @Test func theDocumentsMatchTheExecutable() throws {
        let home = try TestHome(withVault: false)
        for (option, file) in [("--markdown", "CommandLine.md"), ("--man-page", "taskvault.1")] {
            let printed = try home.runBare(["help", option])
            expect(printed, ends: 0)
            let document = try Files.read("\(Self.package)/Docs/\(file)")
            #expect(
                printed.output == document,
                "Docs/\(file) is old: taskvault help \(option) > Docs/\(file)")
        }
    }

    @Test(arguments: [
        ("", "taskvault: error: argument 3 is not valid UTF-8\n"),
        ("--json", #""message":"argument 4 is not valid UTF-8""#),
    ])
    func argumentsThatAreNoTextAreRefused(option: String, expected: String) throws {
        let home = try TestHome()
        // By a shell, because a Swift string cannot hold the byte.
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", "exec '\(Executable.path)' \(option) secret get \"$(printf 'a\\377')\" b",
        ]
        process.environment = home.environment
        process.standardError = errors
        try process.run()
        let text = String(
            decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 2)
        #expect(text.contains(expected), "\(text)")
    }
}
