import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct RollbackTests {
    /// A home whose vault was replaced by a copy from before its last change.
    private static func homeWithAnOlderCopy() throws -> TestHome {
        let home = try TestHome()
        try home.save("old")
        try Files.copy(home.vault, to: home.folder + "/older.db")
        try home.run("secret update mail.example ada", input: "new")
        try Files.copy(home.folder + "/older.db", to: home.vault)
        return home
    }

    @Test func anOlderCopyInTheVaultsPlaceIsRefused() throws {
        let home = try Self.homeWithAnOlderCopy()
        let refused = try home.run("secret get mail.example ada")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines.first?.hasPrefix(
                "taskvault: error: the vault is older than the state last seen on this machine: ")
                == true)
        #expect(
            refused.errorLines.last
                == "taskvault: hint: if you restored it on purpose, run the command again with --accept-older"
        )
        #expect(refused.output.isEmpty)
        let json = try home.run("secret list --json")
        #expect(json.failure["code"] as? String == "rolled_back")
        let found = try home.run("doctor")
        #expect(found.exitCode == 7)
        #expect(found.outputText.contains("problem: rolled_back: "))
        #expect(
            found.errorLines.last
                == "taskvault: hint: if you restored the file on purpose, taskvault doctor --accept-older"
        )
        // Accepted once, the older one is the newest that this machine knows.
        #expect(try home.run("secret get mail.example ada --accept-older").outputText == "old")
        #expect(try home.value() == "old")
    }

    /// What an agent saw of the newer one does not make the accepted one too old again when it locks.
    @Test(arguments: ["unlock", "doctor", "secret list --no-agent"])
    func anAgentForgetsTheNewerOneThatTheOwnerGaveUp(command: String) throws {
        let home = try TestHome()
        try home.save("old")
        try Files.copy(home.vault, to: home.folder + "/older.db")
        try home.unlock()
        expect(try home.ask("secret set other ada", input: "new"), ends: 0)
        // As by moving a copy there: another file, without the log of the one that is gone.
        for suffix in ["-wal", "-shm"] { unsafe unlink(home.vault + suffix) }
        try #require(unsafe rename(home.folder + "/older.db", home.vault) == 0)
        #expect(try home.ask("secret list").exitCode == 7)
        let accepted = try home.runBare(
            command.split(separator: " ").map(String.init)
                + ["--accept-older", "--passphrase-file", home.passphraseFile])
        #expect(accepted.exitCode == 0, "\(accepted.errorText)")
        expect(try home.ask("lock"), ends: 0)
        #expect(try home.value() == "old")
        try home.unlock()
        #expect(try home.ask("secret list").exitCode == 0)
    }

    /// A limit: after the mark is removed, too, an old vault cannot be distinguished from the newest.
    @Test func anOlderCopyOpensWhereTheMarkIsGoneAsWell() throws {
        let home = try Self.homeWithAnOlderCopy()
        #expect(try home.run("secret get mail.example ada").exitCode == 7)
        let marks = home.folder + "/state/taskvault/marks"
        for name in Files.names(in: marks) { unsafe unlink(marks + "/" + name) }
        #expect(try home.value() == "old")
        Attack.report(control: "without its mark the older copy opens")
    }

    @Test func aFolderOfMarksThatOthersCanChangeIsRefused() throws {
        let home = try TestHome()
        let marks = home.folder + "/state/taskvault/marks"
        for folder in [marks, home.folder + "/state"] {
            let mode = Files.mode(folder)
            Files.setMode(folder, 0o777)
            let reason =
                folder == marks ? "accessible to other users" : "writable by other users"
            for command in [
                "secret list --no-agent", "secret list --no-agent --accept-older", "unlock",
                "doctor", "init --home other",
            ] {
                let refused = try home.runBare(
                    command.split(separator: " ").map(String.init)
                        + ["--passphrase-file", home.passphraseFile])
                #expect(refused.exitCode == 8, "\(command)")
                #expect(
                    refused.errorLines.suffix(2) == [
                        "taskvault: error: \(folder) is not safe to use: \(reason)",
                        "taskvault: hint: chmod go= \(folder), unless other users need it",
                    ], "\(command)")
            }
            #expect(!Files.exists(home.folder + "/other"))
            Files.setMode(folder, mode)
            #expect(try home.run("secret list").exitCode == 0)
        }
    }

    #if os(Linux)
        @Test(.enabled(if: Files.exists(SystemCallFault.tracer), "strace is not installed"))
        func aRaisedMarkSurvivesAPowerCut() throws {
            let home = try TestHome()
            let trace = home.folder + "/trace"
            let saved = try home.runBare(
                [
                    "secret", "set", "a", "b", "--no-agent", "--passphrase-file",
                    home.passphraseFile,
                ],
                input: [1],
                beneath: [
                    SystemCallFault.tracer, "-f", "-qq", "-y", "-e",
                    "trace=rename,renameat,renameat2,fsync", "-o", trace,
                ])
            #expect(saved.exitCode == 0)
            let calls = String(decoding: try Files.read(trace), as: UTF8.self)
                .split(separator: "\n").filter { $0.contains("/taskvault/marks") }
            let renamed = try #require(calls.lastIndex { $0.contains("rename") })
            #expect(calls[..<renamed].last?.contains("fsync") == true)
            #expect(calls[renamed...].last?.contains("/marks>) = 0") == true)
        }
    #endif

    @Test func theMarkIsNotInTheHome() throws {
        let home = try TestHome()
        #expect(Files.names(in: home.home) == ["vault.db"])
        let marks = home.folder + "/state/taskvault/marks"
        #expect(Files.names(in: marks).count == 2)  // The mark, and the lock file.
        #expect(Files.mode(marks) == 0o700)
    }

    @Test func aDamagedMarkIsRefusedUntilItIsAccepted() throws {
        let home = try TestHome()
        let marks = home.folder + "/state/taskvault/marks"
        let mark = try #require(Files.names(in: marks).first { $0 != "lock" })
        try Files.flip(marks + "/" + mark, at: 30)
        expect(
            try home.run("secret list"), ends: 7,
            "error: the vault is damaged or was tampered with: this machine's rollback record is damaged",
            "hint: if this is expected, run the command again with --accept-older")
        #expect(try home.run("secret list --accept-older").exitCode == 0)
        #expect(try home.run("secret list").exitCode == 0)
    }

    @Test func aMachineThatKeepsNoMarkSaysSoOnceAndGoesOn() throws {
        let home = try TestHome()
        // A file where the folder should be.
        try Files.write("", to: home.folder + "/file")
        home.environment["XDG_STATE_HOME"] = home.folder + "/file"
        let marks = home.folder + "/file/taskvault/marks"
        expect(
            try home.run("secret set a b", input: "value"), ends: 0,
            "warning: cannot keep this machine's rollback record (\(marks): not a directory): "
                + "an older copy of the vault would not be detected")
        let json = try home.run("secret list --json")
        #expect(json.exitCode == 0)
        #expect(json.failure["warning"] as? String == "mark_not_kept")
    }
}
