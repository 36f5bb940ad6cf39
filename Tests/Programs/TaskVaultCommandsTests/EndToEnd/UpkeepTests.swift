import Foundation
import Testing
import TestSupport
import VaultStorage

@Suite(.waitsForProcesses) struct UpkeepTests {
    @Test func doctorFindsASoundVaultSoundAndWarns() throws {
        let home = try TestHome()
        try home.save("one", "a", "1")
        try home.run("recovery revoke")
        let checked = try home.run("doctor")
        expect(checked, ends: 0)
        #expect(
            checked.outputLines.prefix(5).filter { !$0.hasPrefix("memory") } == [
                "file             ok", "keys and state   passphrase, 2 warnings",
                "rollback record  ok", "secrets          1 checked",
            ])
        #expect(checked.outputLines.last == "next: taskvault recovery show-new")
        #expect(
            checked.outputLines.contains(
                "warning: the key derivation cost is below the current default: "
                    + "taskvault passphrase change --kdf-memory 256 --kdf-passes 3"))
        #expect(checked.outputText.contains("warning: there is no recovery code"))
        let json = try home.run("doctor --json").object
        #expect(json["sound"] as? Bool == true)
        #expect(json["sound_items"] as? Int == 1)
        #expect((json["problems"] as? [Any])?.isEmpty == true)
        let warnings = try #require(json["warnings"] as? [[String: String]])
        #expect(warnings.contains { $0["code"] == "kdf_below_standard" })
        #expect(warnings.contains { $0["code"] == "no_recovery_code" })
    }

    /// Backup fails on it, and a restore keeps it beside the new one.
    @Test(arguments: ["a page of zeros", "text"])
    func doctorFindsADamagedToDoList(damage: String) throws {
        let home = try TestHome.forTasks()
        _ = try home.add("buy milk")
        expect(try home.run("backup good"), ends: 0)
        let sound = try home.run("doctor")
        expect(sound, ends: 0)
        #expect(sound.outputLines.contains("to-do list       1 task"), "\(sound.outputText)")
        let path = home.home + "/tasks.db"
        var bytes = try Files.read(path)
        if damage == "text" {
            bytes = Array("text".utf8)
        } else {
            for offset in 8_192..<12_288 { bytes[offset] = 0 }
        }
        try Files.write(bytes, to: path)
        let found = try home.run("doctor")
        #expect(found.exitCode == 7)
        #expect(found.outputLines.contains("to-do list       1 problem"), "\(found.outputText)")
        #expect(found.outputLines.contains { $0.hasPrefix("problem: database_") })
        #expect(found.errorText.contains("restore --replace BACKUP"), "\(found.errorText)")
        let json = try home.run("doctor --json")
        #expect(json.exitCode == 7 && json.object["sound"] as? Bool == false)
        expect(try home.run("restore --replace good"), ends: 0)
        expect(try home.run("doctor"), ends: 0)
        #expect(try home.tasks().count == 1)
    }

    @Test func doctorCountsTheSecretsThatTheListShows() throws {
        let home = try TestHome.forTasks()
        try home.save("one", "a", "1")
        try home.save("two", "a", "2")
        expect(try home.run("secret set a 1 --field totp", input: "MFRGGZDFMZTWQ2LK"), ends: 0)
        try home.unlock()
        _ = try home.add("--protected", input: "buy a present\n")
        expect(try home.ask("lock"), ends: 0)
        let listed = try #require(try home.run("secret list --json").json as? [Any])
        let checked = try home.run("doctor")
        #expect(
            checked.outputLines.contains("secrets          \(listed.count) checked, 1 other item"),
            "\(checked.outputText)")
        let json = try home.run("doctor --json").object
        #expect(json["secrets"] as? Int == listed.count)
        #expect(json["sound_items"] as? Int == 4)
    }

    /// `doctor` needs the passphrase, but neither changes the vault nor unlocks its agent.
    @Test func doctorLeavesTheVaultAsItFoundIt() throws {
        let home = try TestHome()
        try home.save("one", "a", "1")
        try home.unlock()
        for state in ["locked", "unlocked"] {
            if state == "locked" {
                expect(try home.ask("lock"), ends: 0)
            } else {
                try home.unlock()
            }
            let record = try Self.state(of: home)
            let isVerified = try home.status["verified"] as? Bool
            let checked = try home.runBare(
                ["doctor", "--passphrase-file", home.passphraseFile])
            expect(checked, ends: 0)
            #expect(try home.status["state"] as? String == state)
            #expect(try home.status["verified"] as? Bool == isVerified, "\(state)")
            #expect(try Self.state(of: home) == record, "\(state)")
        }
    }

    /// The vault's record of its last change.
    private static func state(of home: TestHome) throws -> [UInt8]? {
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readOnly)
        defer { storage.close() }
        return try storage.read { (reader) throws in try reader.state() }
    }

    /// A vault of two secrets, the first of which was changed behind the program's back.
    private func damagedHome() throws -> TestHome {
        let home = try TestHome()
        try home.save("one", "a", "1")
        try home.save("two", "a", "2")
        try home.run("backup backup.db")
        try VaultBytes.flipFirstValue(of: home.vault)
        return home
    }

    @Test func doctorNamesTheProblemTheSecretAndTheRemedy() throws {
        let home = try damagedHome()
        let found = try home.run("doctor")
        expect(
            found, ends: 7, "error: the vault is not sound: 2 problems",
            "hint: taskvault restore --replace BACKUP restores a backup; "
                + "taskvault doctor --repair keeps the items that can be decrypted")
        #expect(
            found.outputText.contains(
                "problem: value_seal: the value of an item cannot be decrypted (secret a 1)\n"))
        let json = try home.run("doctor --json")
        #expect(json.exitCode == 7)
        #expect(json.object["sound"] as? Bool == false)
        let problems = try #require(json.object["problems"] as? [[String: Any]])
        #expect(problems.contains { $0["code"] as? String == "value_seal" })
        #expect(problems.contains { $0["account"] as? String == "1" })
        #expect(json.failure["code"] as? String == "bucket_rows")
        #expect(json.failure["hint"] as? String != nil)
    }

    @Test func doctorFindsDamageThatNoReadNeedsAndTheWayOutWorks() throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup b"), ends: 0)
        // SQLite's map of the pages.
        var bytes = try Files.read(home.vault)
        for place in 4_096..<8_192 { bytes[place] = 0 }
        try Files.write(bytes, to: home.vault)
        #expect(try home.value() == "value")
        let found = try home.run("doctor")
        expect(
            found, ends: 7, "error: the vault is not sound: 1 problem",
            "hint: taskvault restore --replace BACKUP restores a backup; without one, "
                + "taskvault secret export still reads the secrets")
        #expect(found.outputLines.first == "file             1 problem")
        #expect(try home.run("doctor --json").failure["code"] as? String == "file_damaged")
        #expect(try home.run("backup c").exitCode == 7)
        #expect(!Files.exists(home.folder + "/c"))
        #expect(try home.run("secret export").exitCode == 0)
        #expect(try home.run("restore b --replace").exitCode == 0)
        #expect(try home.value() == "value")
        #expect(try home.run("doctor").exitCode == 0)
    }

    @Test func aVaultThatDoesNotVerifyIsNotBackedUpWhileAnAgentHasTheKeys() throws {
        let home = try damagedHome()
        #expect(try home.run("backup b --json").object["verified"] as? Bool == false)
        try home.unlock()
        expect(
            try home.ask("backup c"), ends: 7,
            "error: the vault is damaged or was tampered with: rows were changed, added, removed or replaced by old ones",
            "hint: taskvault doctor shows the remedies")
        #expect(!Files.exists(home.folder + "/c"))
        let sound = try TestHome()
        try sound.save("value")
        try sound.unlock()
        #expect(try sound.ask("backup c --json").object["verified"] as? Bool == true)
    }

    @Test func nothingFalseComesOutOfADamagedVault() throws {
        let home = try damagedHome()
        let refused = try home.run("secret get a 1")
        expect(
            refused, ends: 7,
            "error: the vault is damaged or was tampered with: rows were changed, added, removed or replaced by old ones",
            "hint: taskvault doctor shows the remedies")
        #expect(refused.output.isEmpty)
        #expect(try home.run("secret get a 1 --json").failure["code"] as? String == "bucket_rows")
        #expect(try home.run("secret list").exitCode == 7)
        let exported = try home.run("secret export")
        #expect(exported.exitCode == 7)
        #expect(exported.output.isEmpty)
    }

    @Test func repairKeepsSoundItemsAndACopyOfTheFile() throws {
        let home = try damagedHome()
        let before = try Files.read(home.vault)
        expect(
            try home.run("doctor --repair"), ends: 2,
            "error: cannot ask whether to repair the vault: standard input is not a terminal",
            "hint: give --yes to skip the question")
        #expect(try Files.read(home.vault) == before)
        let repaired = try home.run("doctor --repair --yes")
        expect(repaired, ends: 0)
        #expect(repaired.outputText.contains("repaired: kept 1 secret, removed 1\n"))
        #expect(repaired.outputText.contains("secrets          1 checked\n"))
        #expect(try home.value("a", "2") == "two")
        #expect(try home.run("secret get a 1").exitCode == 5)
        let copy = try #require(
            Files.names(in: home.home).first { $0.hasPrefix("vault.db.before-repair-") })
        #expect(Files.mode(home.home + "/" + copy) == 0o600)
        #expect(Files.names(in: home.home).count == 2)
    }

    @Test func repairOfASoundVaultChangesNothing() throws {
        let home = try TestHome()
        try home.save("value")
        let before = try Files.read(home.vault)
        expect(try home.run("doctor --repair --yes --json"), ends: 0)
        #expect(try Files.read(home.vault) == before)
    }

    @Test func aBrokenSealOverTheWhole() throws {
        let home = try TestHome()
        try home.save("value")
        try VaultBytes.flipState(of: home.vault)
        expect(
            try home.run("secret list"), ends: 7,
            "error: the vault is damaged or was tampered with: the sealed state cannot be decrypted: it or the header was changed",
            "hint: taskvault doctor shows the remedies")
        let found = try home.run("doctor")
        #expect(found.exitCode == 7)
        #expect(found.outputText.contains("problem: state_seal: "))
        let repaired = try home.run("doctor --repair --yes --json")
        expect(repaired, ends: 0)
        let repair = try #require(repaired.object["repair"] as? [String: Any])
        #expect(repair["kept"] as? Int == 1)
        #expect(repair["removed"] as? Int == 0)
        #expect(try home.value() == "value")
    }

    @Test func aBrokenHeaderNeedsABackup() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let header = try VaultBytes.header(in: try Files.read(home.vault))
        try Files.flip(home.vault, at: header + 29 + 60)
        for command in ["secret list", "doctor", "doctor --repair --yes", "backup other.db"] {
            expect(
                try home.run(command), ends: 7,
                "error: the vault is damaged or was tampered with: a key slot is damaged",
                "hint: taskvault restore BACKUP restores a backup")
        }
        #expect(try home.run("restore backup.db --replace").exitCode == 0)
        #expect(try home.value() == "value")
    }

    @Test func backupNeedsNoPassphraseAndNeverOverwrites() throws {
        let home = try TestHome()
        try home.save("value")
        let made = try home.runBare(["backup", "copy.db"])
        expect(made, ends: 0)
        #expect(
            made.outputLines == [
                "wrote the backup copy.db: the vault",
                "not verified, because the vault is locked: the secrets; SQLite finds the file well-formed",
            ])
        #expect(Files.mode(home.folder + "/copy.db") == 0o600)
        let before = try Files.read(home.folder + "/copy.db")
        expect(
            try home.runBare(["backup", "copy.db"]), ends: 6,
            "error: copy.db already exists",
            "hint: a backup never replaces a file: give another name")
        #expect(try Files.read(home.folder + "/copy.db") == before)
        expect(
            try home.runBare(["backup", "nowhere/copy.db"]), ends: 5,
            "error: there is no folder for nowhere/copy.db")
        #expect(try home.runBare(["backup", "--json", "c"]).object["path"] as? String == "c")
    }

    /// Restoring looks at kind and first bytes before it asks, and before it copies: a limit of 1 MiB for a file is never met.
    @Test(.enabled(if: Files.exists("/usr/bin/prlimit"), "prlimit is not installed"))
    func restoreLooksBeforeItCopies() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let path = home.folder + "/place"
        func expectRefused(
            _ code: Int32, _ error: String, sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            // No passphrase: it is not asked for.
            let refused = try home.runBare(
                ["restore", "place", "--replace"],
                beneath: ["/usr/bin/prlimit", "--fsize=1048576"])
            #expect(refused.exitCode == code, sourceLocation: sourceLocation)
            #expect(
                refused.errorLines.first == "taskvault: error: \(error)",
                sourceLocation: sourceLocation)
            #expect(Files.names(in: home.home) == ["vault.db"], sourceLocation: sourceLocation)
            try FileManager.default.removeItem(atPath: path)
        }
        try Files.write("", to: path)
        try expectRefused(7, "place is not a vault: the file is empty")
        try Files.write("", to: path)
        try #require(unsafe truncate(path, 3 << 30) == 0)
        try expectRefused(7, "place is not a vault: not an SQLite database")
        try #require(unsafe mkfifo(path, 0o600) == 0)
        try expectRefused(7, "place is not a vault: not a regular file")
        try #require(unsafe mkdir(path, 0o700) == 0)
        try expectRefused(7, "place is not a vault: not a regular file")
        try #require(unsafe symlink(home.folder + "/backup.db", path) == 0)
        try expectRefused(8, "place is not safe to use: a symbolic link")
        if geteuid() == 0, unsafe mknod(path, S_IFCHR | 0o600, 0x105) == 0 {
            try expectRefused(7, "place is not a vault: not a regular file")
        }
        // The file of another program, and as large.
        let tasks = try TestHome.forTasks()
        _ = try tasks.add("paint")
        try Files.copy(tasks.tasksFile, to: path)
        try #require(unsafe truncate(path, 3 << 30) == 0)
        try expectRefused(7, "place is not a vault: not a vault file")
        #expect(try home.value() == "value")
    }

    @Test func restoreKeepsACopyOfWhatWasThere() throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("backup backup.db")
        let time = try #require(try home.backupTime("backup.db"))
        try home.run("secret update mail.example ada", input: "new")
        expect(
            try home.run("restore backup.db"), ends: 6,
            "error: a vault already exists at \(home.vault)",
            "hint: --replace restores the backup and keeps the old file")
        #expect(try home.value() == "new")
        let restored = try home.run("restore backup.db --replace")
        expect(restored, ends: 0)
        let kept = home.vault + ".replaced-1"
        #expect(
            restored.outputText == """
                restored 1 secret to \(home.vault) from a backup of \(time)
                the old vault is now \(kept)

                """)
        #expect(try home.value() == "old")
        let back = try home.run("restore \(kept) --replace --json")
        #expect(back.exitCode == 0)
        #expect(back.failure["warning"] as? String == "backup_not_authenticated")
        #expect(back.object["secrets"] as? Int == 1)
        #expect(back.object["previous_vault"] as? String == home.vault + ".replaced-2")
        #expect(back.object["new_lineage"] as? Bool == false)
        for name in ["tasks", "kept_tasks"] { #expect(back.object[name] is NSNull) }
        #expect(back.object["settings"] as? Bool == false)
        #expect(try home.value() == "new")
    }

    @Test func restoreIntoAnEmptyPlace() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let time = try #require(try home.backupTime("backup.db"))
        let restored = try home.run("restore backup.db --home elsewhere")
        expect(
            restored, ends: 0,
            "warning: nothing proves date and age of the backup: it is not authenticated by a machine that the vault knows"
        )
        #expect(
            restored.outputText
                == "restored 1 secret to elsewhere/vault.db from a backup of \(time)\n")
        #expect(Files.mode(home.folder + "/elsewhere") == 0o700)
        #expect(
            try home.run("secret get mail.example ada --home elsewhere").outputText == "value")
    }

    @Test func restoreRefusesOtherFiles() throws {
        let home = try TestHome()
        try home.save("value")
        try home.run("backup backup.db")
        let before = try Files.read(home.vault)
        expect(
            try home.run("restore missing.db --replace"), ends: 5,
            "error: there is no file missing.db")
        try Files.write("no vault", to: home.folder + "/text")
        expect(
            try home.run("restore text --replace"), ends: 7,
            "error: text is not a vault: not an SQLite database", "hint: restore another backup")
        expect(
            try home.run("restore backup.db --replace", lines: ["wrong passphrase"]), ends: 4,
            "error: wrong passphrase",
            "hint: if you forgot it: taskvault restore --recovery backup.db")
        try Files.flip(home.folder + "/backup.db", at: -50)
        let damaged = try home.run("restore backup.db --replace")
        #expect(damaged.exitCode == 7)
        #expect(
            damaged.errorLines.first
                == "taskvault: error: the backup is damaged or was tampered with: "
                + "a part of it cannot be decrypted")
        #expect(damaged.errorLines.last == "taskvault: hint: restore another backup")
        #expect(try Files.read(home.vault) == before)
        #expect(Files.names(in: home.home) == ["vault.db"])
        // A folder that was made for nothing goes away again.
        #expect(try home.run("restore backup.db --home new").exitCode == 7)
        #expect(!Files.exists(home.folder + "/new"))
    }

    #if os(Linux)
        @Test(.enabled(if: OtherUser.isAvailable, "setpriv is not installed"))
        func filesThatCannotBeReadAreNamed() throws {
            let home = try OtherUser.home()
            try home.run("backup backup.db")
            Files.setMode(home.folder + "/backup.db", 0)
            let hint = "hint: check the permissions of the file and its folder"
            expect(
                try home.run("restore backup.db --replace"), ends: 1,
                "error: cannot read the backup backup.db: permission denied", hint)
            Files.setMode(home.vault, 0)
            expect(
                try home.run("secret list"), ends: 1,
                "error: cannot read the vault \(home.vault): permission denied", hint)
            #expect(try home.run("secret list --json").failure["code"] as? String == "cannot_read")
            expect(
                try home.run(["init", "--home", "/proc/none"] + TestHome.cheap), ends: 5,
                "error: there is no folder for /proc/none")
            expect(
                try home.run(["init", "--home", "/usr/none/vault"] + TestHome.cheap), ends: 1,
                "error: cannot create the folder /usr/none/vault: permission denied")
        }
    #endif

    @Test func destroyAsksForAFlagInAScript() throws {
        let home = try TestHome()
        expect(
            try home.run("destroy"), ends: 2,
            "error: cannot ask whether to remove the vault: standard input is not a terminal",
            "hint: give --yes to skip the question")
        #expect(Files.exists(home.vault))
        let destroyed = try home.runBare(["destroy", "--yes"])
        expect(destroyed, ends: 0)
        #expect(destroyed.outputText == "removed \(home.vault)\n")
        #expect(Files.names(in: home.home).isEmpty)
        #expect(try home.runBare(["destroy", "--yes"]).exitCode == 5)
    }

    @Test func destroyLeavesTheToDoListAndReportsItsLosses() throws {
        let home = try TestHome()
        let tasks = home.home + "/tasks.db"
        try home.run("task add buy milk")
        expect(
            try home.runBare(["destroy", "--yes"]), ends: 0, "the to-do list \(tasks) stays")
        try home.make()
        for name in ["see a doctor", "see a lawyer"] {
            let added = try home.run("task add --protected", input: name + "\n")
            #expect(added.exitCode == 0, "\(added.errorText)")
        }
        expect(
            try home.runBare(["destroy", "--yes"]), ends: 0,
            "warning: the text of 2 protected tasks was removed with it; the to-do list \(tasks) stays"
        )
        #expect(Files.names(in: home.home) == ["tasks.db"])
        let list = try home.runBare(["task", "list", "--json"]).json as? [[String: Any]]
        #expect(list?.count == 3)
        #expect(list?.compactMap { $0["name"] as? String } == ["buy milk"])
    }

    @Test func destroyDoesNotMindADamagedToDoList() throws {
        let home = try TestHome()
        try Files.write("no database", to: home.home + "/tasks.db")
        let removed = try home.runBare(["destroy", "--yes", "--json"])
        #expect(removed.exitCode == 0)
        #expect(removed.failure["warning"] as? String == "protected_text_removed")
        #expect(Files.names(in: home.home) == ["tasks.db"])
    }

    @Test func destroyTellsOfCopies() throws {
        let home = try TestHome()
        try home.run("backup backup.db")
        try home.run("restore backup.db --replace")
        expect(
            try home.runBare(["destroy", "--yes"]), ends: 0,
            "warning: earlier files of the vault are left in \(home.home): vault.db.replaced-1")
    }
}
