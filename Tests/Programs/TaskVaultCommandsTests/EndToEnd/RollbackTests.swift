import Platform
import Testing
import TestSupport
import VaultStorage

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
                == "taskvault: hint: if you restored it on purpose, taskvault unlock --accept-older"
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

    /// The state that an agent saw of the newer one does not make the accepted one too old again when it locks.
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

    /// A limit: after the record is removed, too, an old vault cannot be distinguished from the newest.
    @Test func anOlderCopyOpensWhereTheMarkIsGoneAsWell() throws {
        let home = try Self.homeWithAnOlderCopy()
        #expect(try home.run("secret get mail.example ada").exitCode == 7)
        let records = home.folder + "/state/taskvault/rollback"
        for name in Files.names(in: records) { unsafe unlink(records + "/" + name) }
        #expect(try home.value() == "old")
        Attack.report(control: "without its record the older copy opens")
    }

    @Test func aFolderOfMarksThatOthersCanChangeIsRefused() throws {
        let home = try TestHome()
        let records = home.folder + "/state/taskvault/rollback"
        for folder in [records, home.folder + "/state"] {
            let mode = Files.mode(folder)
            Files.setMode(folder, 0o777)
            let reason =
                folder == records ? "accessible to other users" : "writable by other users"
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
        @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
        func aWrittenRecordSurvivesAPowerCut() throws {
            let home = try TestHome()
            let log = home.folder + "/trace"
            func calls(_ words: String...) throws -> [Substring] {
                let saved = try home.runBare(
                    words + ["--no-agent", "--passphrase-file", home.passphraseFile],
                    input: [1],
                    beneath: [
                        Tracer.path, "-f", "-qq", "-y", "-e",
                        "trace=rename,renameat,renameat2,pwrite64,fsync,fdatasync", "-o", log,
                    ])
                #expect(saved.exitCode == 0, "\(saved.errorText)")
                return String(decoding: try Files.read(log), as: UTF8.self)
                    .split(separator: "\n").filter { $0.contains("/taskvault/rollback") }
            }
            // The record of an existing place is written in place, and synced at the end.
            let written = try calls("secret", "set", "a", "b")
            #expect(!written.contains { $0.contains("rename") })
            let last = try #require(written.lastIndex { $0.contains("pwrite64") })
            #expect(written[last...].contains { $0.contains("fdatasync") })
            // A new file needs its folder, too.
            let records = home.folder + "/state/taskvault/rollback"
            for name in Files.names(in: records) { unsafe unlink(records + "/" + name) }
            let created = try calls("secret", "list")
            let first = try #require(created.firstIndex { $0.contains("pwrite64") })
            #expect(
                created[first...].contains { $0.contains("fsync") && $0.contains("/rollback/") })
            #expect(created[first...].contains { $0.contains("/rollback>) = 0") })
        }
    #endif

    @Test func theMarkIsNotInTheHome() throws {
        let home = try TestHome()
        #expect(Files.names(in: home.home) == ["vault.db"])
        let records = home.folder + "/state/taskvault/rollback"
        #expect(Files.names(in: records).count == 1)
        #expect(Files.mode(records) == 0o700)
    }

    @Test func aDamagedMarkIsRefusedUntilItIsAccepted() throws {
        let home = try TestHome()
        let records = home.folder + "/state/taskvault/rollback"
        let record = try #require(Files.names(in: records).first)
        try Files.write(Array("damaged".utf8), to: records + "/" + record)
        expect(
            try home.run("secret list"), ends: 7,
            "error: the vault is damaged or was tampered with: this machine's rollback record is damaged",
            "hint: if this is expected, taskvault unlock --accept-older")
        #expect(try home.run("secret list --accept-older").exitCode == 0)
        #expect(try home.run("secret list").exitCode == 0)
    }

    /// Two machines with state folders of their own, and a file synchronisation that shows each its own version.
    @Test func aForkIsRefusedByCommandsAndByTheAgent() throws {
        let home = try TestHome()
        try home.save("common")
        let ours = home.environment["XDG_STATE_HOME"]
        try Files.copy(home.vault, to: home.folder + "/before.db")
        try home.unlock()
        expect(try home.ask("secret set only-a ada", input: "a"), ends: 0)
        expect(try home.ask("lock"), ends: 0)
        let copy = home.folder + "/a.db"
        try Files.copy(home.vault, to: copy)
        func put(_ file: String) throws {
            for suffix in ["-wal", "-shm"] { unsafe unlink(home.vault + suffix) }
            try Files.copy(file, to: home.folder + "/next.db")
            try #require(unsafe rename(home.folder + "/next.db", home.vault) == 0)
        }
        // Machine B sees the state before, and goes on from there.
        try put(home.folder + "/before.db")
        home.environment["XDG_STATE_HOME"] = home.folder + "/other-state"
        for name in ["one", "two", "three"] {
            expect(try home.run("secret set \(name) ada", input: "b"), ends: 0)
        }
        try Files.copy(home.vault, to: home.folder + "/b.db")
        // Machine A has an agent over its own version, which is then exchanged.
        home.environment["XDG_STATE_HOME"] = ours
        try put(copy)
        try home.unlock()
        expect(try home.ask("secret get only-a ada"), ends: 0)
        try put(home.folder + "/b.db")
        for words in ["secret get only-a ada", "secret get mail.example ada", "secret list"] {
            #expect(try home.ask(words).exitCode == 7, "\(words)")
        }
        let json = try home.ask("secret list --json")
        #expect(json.failure["code"] as? String == "forked")
        let refused = try home.run("secret get only-a ada")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines.first
                == "taskvault: error: the vault was forked: commit 4, which this machine saw, is not in it"
        )
        #expect(refused.errorLines.last?.contains("--accept-older") == true)
        let found = try home.run("doctor")
        #expect(found.exitCode == 7)
        #expect(found.outputText.contains("problem: forked: "))
        expect(try home.run("secret list --accept-older"), ends: 0)
        #expect(try home.run("secret get only-a ada").exitCode == 5)
        #expect(try home.run("secret get one ada").outputText == "b")
        // The word holds for this machine alone: B is shown A's version, and refuses it.
        try put(copy)
        home.environment["XDG_STATE_HOME"] = home.folder + "/other-state"
        #expect(try home.run("secret list").exitCode == 7)
    }

    @Test func anotherVaultInThePlaceOfOneIsRefused() throws {
        let home = try TestHome()
        let other = try TestHome(withVault: false)
        try other.make()
        try home.save("ours")
        try Files.copy(home.vault, to: home.folder + "/ours.db")
        try Files.copy(other.vault, to: home.vault)
        expect(
            try home.run("secret list"), ends: 7,
            "error: the vault at \(home.vault) is not the one last seen there on this machine",
            "hint: if you put it there on purpose, taskvault unlock --accept-other")
        #expect(try home.run("secret list --accept-older").exitCode == 7)
        #expect(try home.run("doctor").outputText.contains("problem: other_vault: "))
        expect(try home.run("secret list --accept-other"), ends: 0)
        expect(try home.run("secret list"), ends: 0)
        // A vault that was destroyed does not come back by itself; a new one may be made.
        expect(try home.run("destroy --yes"), ends: 0)
        try Files.copy(home.folder + "/ours.db", to: home.vault)
        expect(
            try home.run("secret list"), ends: 7,
            "error: the vault at \(home.vault) was destroyed on this machine, and there is one again",
            "hint: if you put it there on purpose, taskvault unlock --accept-other")
        unsafe unlink(home.vault)
        expect(try home.run("init"), ends: 0)
        expect(try home.run("secret list"), ends: 0)
        unsafe unlink(home.vault)
        expect(
            try home.run("init"), ends: 7,
            "error: the vault that this machine saw at \(home.vault) is missing",
            "hint: taskvault restore BACKUP restores a backup; --accept-other creates a new vault")
        expect(try home.run("init --accept-other"), ends: 0)
    }

    /// Without the links, a fork and a copy that is only damaged look alike.
    @Test func aForkWithoutItsLinksIsNotRepaired() throws {
        let home = try TestHome()
        try Files.copy(home.vault, to: home.folder + "/before.db")
        try home.save("important")
        let ours = home.environment["XDG_STATE_HOME"]
        home.environment["XDG_STATE_HOME"] = home.folder + "/other-state"
        try Files.copy(home.folder + "/before.db", to: home.vault)
        for name in ["one", "two", "three"] { try home.run("secret set \(name) ada", input: "b") }
        home.environment["XDG_STATE_HOME"] = ours
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        try storage.write { try $0.removeLinks(4...4) }
        storage.close()
        let found = try home.run("doctor")
        #expect(found.exitCode == 7)
        #expect(found.outputText.contains("problem: link_missing: "))
        #expect(
            found.errorLines.last?.hasSuffix(
                "taskvault doctor --accept-older --repair accepts this one") == true)
        #expect(try home.run("doctor --repair --yes").exitCode == 7)
        #expect(try home.run("secret list").exitCode == 7)
        expect(try home.run("doctor --accept-older --repair --yes"), ends: 0)
        #expect(try home.run("secret get one ada").outputText == "b")
    }

    @Test func aVaultThatIsDestroyedWithoutARecordMayComeBack() throws {
        let home = try TestHome()
        unsafe chmod(home.folder + "/state/taskvault/rollback", 0o777)
        let removed = try home.run("destroy --yes")
        #expect(removed.exitCode == 0)
        #expect(removed.errorText.contains("a copy that is put there later will open"))
    }

    @Test func aRestoreToLookDoesNotDisturbTheVault() throws {
        let home = try TestHome()
        try home.save("ours")
        expect(try home.run("backup \(home.folder)/backup.db"), ends: 0)
        try home.run("secret update mail.example ada", input: "newer")
        let look = try home.runBare(
            [
                "restore", "--home", home.folder + "/look", home.folder + "/backup.db",
                "--passphrase-file", home.passphraseFile,
            ])
        #expect(look.exitCode == 0, "\(look.errorText)")
        #expect(try home.value() == "newer")
    }

    @Test func aVaultThatRequiresARecordIsRefusedWithoutOne() throws {
        let home = try TestHome()
        expect(try home.run("settings set require-rollback-record yes"), ends: 0)
        try Files.write("", to: home.folder + "/file")
        home.environment["XDG_STATE_HOME"] = home.folder + "/file"
        let refused = try home.run("secret list")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines.contains(
                "taskvault: error: the vault requires a rollback record, and this machine cannot keep one"
            ))
        let unlock = try home.runBare(["unlock", "--passphrase-file", home.passphraseFile])
        #expect(unlock.exitCode == 7)
        let json = try home.run("secret list --json")
        #expect(json.failure["code"] as? String == "no_rollback_record")
    }

    @Test func aMachineThatKeepsNoMarkSaysSoOnceAndGoesOn() throws {
        let home = try TestHome()
        // A file where the folder should be.
        try Files.write("", to: home.folder + "/file")
        home.environment["XDG_STATE_HOME"] = home.folder + "/file"
        let records = home.folder + "/file/taskvault/rollback"
        expect(
            try home.run("secret set a b", input: "value"), ends: 0,
            "warning: cannot keep this machine's rollback record (\(records): not a directory): "
                + "an older copy would not be detected")
        let json = try home.run("secret list --json")
        #expect(json.exitCode == 0)
        #expect(json.failure["warning"] as? String == "rollback_record_not_kept")
    }
}
