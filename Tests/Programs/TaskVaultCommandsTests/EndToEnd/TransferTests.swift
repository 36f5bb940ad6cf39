import Foundation
import SecureStorage
import Testing
import TestSupport
import VaultAgent

@Suite(.waitsForProcesses) struct TransferTests {
    private static let warning =
        "warning: the export is not encrypted: anyone who can read it has all secrets; remove it after use"

    @Test(arguments: ["json", "csv"]) func exportAndImportAreARoundTrip(format: String) throws {
        let home = try TestHome()
        try home.run("secret set mail.example ada --label Mail", input: "first, \"quoted\"\nline")
        try home.run(["secret", "set", "bytes", "b"], input: [0, 255, 10, 13])
        try home.run("secret set diary d --class after-verification", input: "dear diary")
        let exported = try home.run("secret export --format \(format)")
        expect(exported, ends: 0, Self.warning)
        try Files.write(exported.output, to: home.folder + "/export")
        let other = try TestHome(withVault: false)
        try other.make()
        let imported = try other.run("secret import \(home.folder)/export")
        expect(imported, ends: 0)
        #expect(
            imported.outputText
                == "imported 3 secrets from TaskVault \(format.uppercased())\n")
        if format == "json" {
            let lines = try other.run("secret import \(home.folder)/export").outputLines.dropFirst()
            #expect(
                lines.compactMap { $0.split(separator: ":").first } == [
                    "bytes b (line 2)", "diary d (line 3)", "mail.example ada (line 4)",
                ])
        }
        #expect(try other.value() == "first, \"quoted\"\nline")
        #expect(try other.run("secret get bytes b").output == [0, 255, 10, 13])
        let diary = try other.run("secret get diary d --json").object
        #expect(diary["class"] as? String == "after-verification")
    }

    @Test func exportNeedsThePassphrase() throws {
        let home = try TestHome()
        try home.save("canary")
        let refused = try home.runBare(["secret", "export"])
        #expect(refused.exitCode == 2)
        #expect(refused.output.isEmpty)
        let wrong = try home.run("secret export", lines: ["wrong passphrase"])
        #expect(wrong.exitCode == 4)
        #expect(wrong.output.isEmpty)
    }

    @Test(arguments: ["secret", "task"]) func exportToAFileIsForItsOwnerOnly(kind: String) throws {
        let home = try TestHome.forTasks()
        try home.save("canary")
        _ = try home.add("paint")
        let printed = try home.run("\(kind) export").output
        let before = Files.names(in: home.folder)
        let written = try home.run("\(kind) export --output all.json")
        #expect(written.exitCode == 0)
        #expect(written.outputText == "wrote the export all.json\n")
        let file = home.folder + "/all.json"
        #expect(Files.mode(file) == 0o600)
        #expect(try Files.read(file) == printed)
        // What is there stays, and nothing else is left in the folder.
        try Files.write("mine", to: file)
        expect(
            try home.run("\(kind) export --output all.json"), ends: 6,
            "error: all.json already exists",
            "hint: an export never replaces a file: give another name")
        #expect(try Files.read(file) == Array("mine".utf8))
        let nowhere = try home.run("\(kind) export --output no/file")
        #expect(nowhere.exitCode == 5)
        #expect(nowhere.errorLines.last == "taskvault: error: there is no folder for no/file")
        #expect(Files.names(in: home.folder) == (before + ["all.json"]).sorted())
        let json = try home.run("\(kind) export --output other.json --json")
        #expect(json.object["path"] as? String == "other.json")
    }

    @Test(.enabled(if: Files.exists("/usr/bin/prlimit"), "prlimit is not installed"))
    func anExportThatIsNotCompleteLeavesNoFile() throws {
        let home = try TestHome()
        try home.run(["secret", "set", "a", "b"], input: [UInt8](repeating: 7, count: 100_000))
        let before = Files.names(in: home.folder)
        let failed = try home.runBare(
            [
                "secret", "export", "--no-agent", "--passphrase-file", home.passphraseFile,
                "--output", "all.json",
            ], beneath: ["/usr/bin/prlimit", "--fsize=65536"])
        #expect(failed.exitCode == 1)
        #expect(failed.errorText.contains("error: cannot write all.json: file too large"))
        #expect(Files.names(in: home.folder) == before)
    }

    @Test func anExportChecksItsFolderFirstAndCanGoToStandardOutput() throws {
        let home = try TestHome()
        // Without the warning: it fails before it opens the vault.
        expect(
            try home.run("secret export --output no/such/all.json"), ends: 5,
            "error: there is no folder for no/such/all.json")
        let shown = try home.run("secret export --output -")
        expect(shown, ends: 0, Self.warning)
        #expect(shown.object["items"] != nil)
    }

    @Test func exportLeavesOutTaskVaultsOwnItemsUnlessAllAreAsked() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        try home.tell("value")
        _ = try home.add("--protected", input: "words\n")
        let exported = try home.run("secret export")
        expect(
            exported, ends: 0, Self.warning,
            "warning: left out: items of tasks, of the inbox and of the sign-in (1); --all exports them"
        )
        #expect((exported.object["items"] as? [Any])?.count == 1)
        #expect(!exported.outputText.contains("taskvault."))
        let agent = try AgentClient(
            AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test")
        try agent.save(
            Samples.one(), as: SecretName(service: SecretName.programService, account: "a"),
            SecretAttributes())
        expect(
            try home.run("secret export"), ends: 0, Self.warning,
            "warning: left out: items of programs (1); --all exports them",
            "warning: left out: items of tasks, of the inbox and of the sign-in (1); --all exports them"
        )
        let whole = try home.run("secret export --all")
        expect(whole, ends: 0, Self.warning)
        #expect((whole.object["items"] as? [Any])?.count == 3)
    }

    @Test func aVerifiedSessionImportsWithoutThePassphrase() throws {
        let home = try TestHome()
        try home.unlock()
        try home.tell("mine", "bank")
        try Files.write(Self.table, to: home.folder + "/passwords.csv")
        let imported = try home.ask("secret import passwords.csv --class after-verification")
        expect(imported, ends: 0)
        #expect(
            imported.outputText == """
                imported 1 secret from Chrome, Edge or Brave: 1 login
                bank (line 3): skipped, it already exists with another value: --replace

                """)
        try home.expectValue("first", "mail")
        try home.expectValue("mine", "bank")
        let replaced = try home.ask("secret import - --replace --json", input: Self.table)
        #expect(replaced.object["imported"] as? Int == 2)
        try home.expectValue("second", "bank")
        try Files.write(
            Self.table.replacing("mail", with: "new") + "\n\"open", to: home.folder + "/broken.csv")
        #expect(try home.ask("secret import broken.csv").exitCode == 2)
        #expect(try home.ask("secret list").outputLines.count == 3)
        // Without a verified session it asks, as before.
        expect(try home.ask("settings set verification-window 1s"), ends: 0)
        try home.waitFor("unlocked")
        expect(
            try home.ask("secret import passwords.csv"), ends: 2,
            "error: cannot ask for the passphrase: standard input is not a terminal",
            "hint: run it in a terminal, or give --passphrase-file FILE")
    }

    private static let table = """
        name,url,username,password
        mail,https://mail.example/,ada,first
        bank,https://bank.example/,ada,second
        """

    @Test func importReportsSkippedLines() throws {
        let home = try TestHome()
        try home.save("mine", "bank", "ada")
        try Files.write(Self.table, to: home.folder + "/passwords.csv")
        let imported = try home.run("secret import passwords.csv")
        expect(imported, ends: 0)
        #expect(
            imported.outputText == """
                imported 1 secret from Chrome, Edge or Brave: 1 login
                bank (line 3): skipped, it already exists with another value: --replace

                """)
        #expect(try home.value("bank", "ada") == "mine")
        let replaced = try home.run(
            "secret import passwords.csv --replace --json --class after-verification")
        #expect(replaced.object["imported"] as? Int == 2)
        #expect((replaced.object["skipped"] as? [Any])?.isEmpty == true)
        #expect(try home.value("bank", "ada") == "second")
        let bank = try home.run("secret get bank ada --json").object
        #expect(bank["class"] as? String == "after-verification")
        #expect(bank["revision"] as? Int == 2)
    }

    @Test func importFromStandardInput() throws {
        let home = try TestHome()
        let table = Array(Self.table.utf8)
        expect(try home.run(["secret", "import", "-"], input: table), ends: 0)
        let other = try TestHome()
        let both = try other.runBare(
            ["secret", "import", "-", "--passphrase-file", "-"],
            input: Array((TestHome.passphrase + "\n").utf8) + table)
        expect(both, ends: 0)
        #expect(try other.value("mail", "ada") == "first")
    }

    @Test func aFileThatCannotBeReadImportsNothing() throws {
        let home = try TestHome()
        // Sound at first, with an error at the end.
        try Files.write(Self.table + "\n\"open", to: home.folder + "/broken.csv")
        expect(
            try home.run("secret import broken.csv"), ends: 2,
            "error: nothing was imported: line 4: the quoted field has no end",
            "hint: export it again as CSV, in UTF-8, with the header line")
        expect(
            try home.run("secret import missing.csv"), ends: 2,
            "error: cannot read missing.csv: no such file or directory")
        expect(
            try home.run("secret import ."), ends: 2,
            "error: nothing was imported: the folder has no entries of pass",
            "hint: pass keeps them in ~/.password-store")
        try Files.write(Self.table, to: home.folder + "/passwords.csv")
        expect(
            try home.run("secret import passwords.csv --format bitwarden"), ends: 2,
            "error: nothing was imported: the file is one of Chrome, Edge or Brave",
            "hint: leave --format out, or give --format browser")
        #expect(try home.run("secret list").output.isEmpty)
    }
}
