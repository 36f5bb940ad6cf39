import Foundation
import Testing
import TestSupport

/// Backups by the commands, from one machine to another.
@Suite(.waitsForProcesses) struct BackupCommandTests {
    private static let unauthenticated =
        "warning: tasks and settings of the backup were left out, and nothing proves its date: it is not authenticated by a machine that the vault knows"

    /// A vault with a secret, a plain task with a subtask, a protected one, and settings of its own; the agent holds it unlocked.
    private func filledHome() throws -> TestHome {
        let home = try TestHome()
        try home.unlock()
        try fill(home)
        return home
    }

    private func fill(_ home: TestHome) throws {
        #expect(try home.ask("secret set mail.example ada", input: "old").exitCode == 0)
        #expect(try home.ask("task add buy milk").exitCode == 0)
        let id = try #require(try home.tasks().first?["id"] as? String)
        #expect(try home.ask("task subtask add \(id) two bottles").exitCode == 0)
        #expect(try home.ask("task add --protected", input: "see a doctor\n").exitCode == 0)
        #expect(try home.ask("settings set task-order name").exitCode == 0)
    }

    /// Changes all of it.
    private func change(_ home: TestHome) throws {
        #expect(try home.ask("secret update mail.example ada", input: "new").exitCode == 0)
        for task in try home.tasks() {
            #expect(
                try home.ask("task remove --yes \(task["id"] as? String ?? "")").exitCode == 0)
        }
        #expect(try home.ask("task add --protected", input: "later\n").exitCode == 0)
        #expect(try home.ask("settings set task-order due").exitCode == 0)
    }

    /// The view of a person of all parts.
    private func content(_ home: TestHome, _ more: String = "") throws -> [String] {
        let shown = try home.run("task list --reveal --json" + more).json as? [[String: Any]]
        let tasks = try #require(shown).map { task -> String in
            let parts = task["subtasks"] as? [[String: Any]] ?? []
            return ([task["name"]] + parts.map { $0["name"] }).map { $0 as? String ?? "?" }
                .joined(separator: "/")
        }
        let secret = try home.run("secret get mail.example ada" + more).outputText
        return [secret, try home.run("settings get task-order" + more).outputText] + tasks.sorted()
    }

    private static let old = ["old", "name\n", "buy milk/two bottles", "see a doctor"]
    private static let new = ["new", "due\n", "later"]

    @Test func allPartsComeBack() throws {
        let home = try filledHome()
        let made = try home.ask("backup --json all")
        #expect(made.exitCode == 0 && made.errors.isEmpty)
        #expect(made.object["tasks"] as? Int == 2)
        #expect(made.object["settings"] as? Bool == true)
        #expect(made.object["authenticated"] as? Bool == true)
        #expect(try content(home) == Self.old)
        try change(home)
        #expect(try content(home) == Self.new)
        let restored = try home.run("restore all --replace")
        expect(restored, ends: 0)
        #expect(
            restored.outputLines.dropFirst() == [
                "the old vault is now \(home.vault).replaced-1", "restored 2 tasks",
                "the old to-do list is now \(home.home)/tasks.db.replaced-1, not encrypted: remove it when you no longer need it",
                "restored the settings",
            ])
        #expect(try content(home) == Self.old)
        #expect(try home.run("doctor").exitCode == 0)
        // What is kept beside holds what was there.
        let kept = try TestHome(withVault: false)
        try FileManager.default.createDirectory(
            atPath: kept.home, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        for name in ["vault.db", "tasks.db"] {
            try Files.copy(home.home + "/\(name).replaced-1", to: kept.home + "/" + name)
        }
        #expect(try content(kept) == ["new", "due\n", "later"])
        #expect(Files.names(in: home.home).allSatisfy { !$0.hasPrefix(".") })
    }

    @Test func anotherMachineGetsAllOfIt() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        let other = try TestHome(withVault: false)
        let restored = try other.run("restore \(home.folder)/all")
        expect(restored, ends: 0)
        #expect(try content(other) == Self.old)
        // Restored again, by one more change.
        let again = try other.run("restore \(home.folder)/all --replace --json")
        expect(again, ends: 0)
        #expect(again.object["new_lineage"] as? Bool == false)
        #expect(again.object["tasks"] as? Int == 2)
        #expect(try content(other) == Self.old)
        // The first machine's vault is another branch now, and goes on undisturbed.
        #expect(try home.run("secret get mail.example ada").outputText == "old")
    }

    @Test func aCopyToLookAtDisturbsNothing() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        try change(home)
        let look = home.folder + "/look"
        expect(try home.run("restore all --to look"), ends: 0)
        #expect(try content(home, " --home \(look)") == Self.old)
        #expect(try content(home) == Self.new)
        #expect(try home.ask("secret set more ada", input: "x").exitCode == 0)
        #expect(try home.run("secret set more ada --home \(look)", input: "y").exitCode == 0)
        #expect(try home.run("secret get more ada").outputText == "x")
        expect(
            try home.run("restore all --to look"), ends: 6,
            "error: the folder look is not empty", "hint: give a folder that does not exist")
        expect(
            try home.run("restore all --to other --replace"), ends: 2,
            "error: --to never replaces anything: omit --replace")
        #expect(!Files.exists(home.folder + "/other"))
    }

    /// The vault gets the key that authenticates tasks and settings: a backup brings back everything, or there is none.
    @Test func theFirstBackupOfALockedVaultTakesEverythingOrFails() throws {
        let home = try filledHome()
        #expect(try home.ask("lock").exitCode == 0)
        expect(
            try home.ask("backup first"), ends: 3,
            "error: the vault does not have this machine's key for backups yet: a restore would leave out tasks and settings",
            "hint: taskvault unlock, once, or give --passphrase-file")
        #expect(!Files.exists(home.folder + "/first"))
        let session = try TerminalSession(home, ["backup", "first"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        let other = try TestHome(withVault: false)
        expect(try other.run("restore \(home.folder)/first"), ends: 0)
        #expect(try content(other) == Self.old)

        try home.unlock()
        try change(home)
        expect(try home.run("restore first --replace"), ends: 0)
        #expect(try content(home) == Self.old)
        #expect(try home.ask("lock").exitCode == 0)
        expect(try home.ask("backup second"), ends: 0)
        let third = try TestHome(withVault: false)
        expect(try third.run("restore \(home.folder)/second"), ends: 0)
        #expect(try content(third) == Self.old)
    }

    @Test func anUnlockAfterARefusedBackupSuffices() throws {
        let home = try filledHome()
        #expect(try home.ask("lock").exitCode == 0)
        #expect(try home.ask("backup first").exitCode == 3)
        try home.unlock()
        #expect(try home.ask("lock").exitCode == 0)
        #expect(try home.ask("backup first").exitCode == 0)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalEndsABackupThatSaysWhatItLeft(signal: Int32) throws {
        let home = try TestHome.forFiles()
        try home.make("big", FileContent.bytes(2_000_000))
        try home.doFile("add", "big")
        let pipe = home.folder + "/pipe"
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        let reader = try Files.open(pipe, O_RDWR)
        defer { close(reader) }
        let session = try TerminalSession(home, ["backup", pipe])
        // More does not fit into the pipe, which is never read to its end.
        var byte: UInt8 = 0
        #expect(unsafe read(reader, &byte, 1) == 1)
        kill(session.process, signal)
        #expect(try session.finish() == 128 + signal)
        #expect(session.screen.contains("interrupted; no backup was written"))
        #expect(!Files.names(in: home.home).contains { $0.hasPrefix(".taskvault-") })
    }

    @Test func aBackupWithAnotherMarkBringsTheVaultOnly() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        try change(home)
        let size = try Files.read(home.folder + "/all").count
        try Files.flip(home.folder + "/all", at: size - 1)
        let restored = try home.run("restore all --replace")
        expect(restored, ends: 0, Self.unauthenticated)
        // The list that is there keeps the text of its tasks.
        #expect(try content(home) == ["old", "due\n", "later"])
        #expect(!restored.outputText.contains("tasks"))
    }

    @Test func theVaultKeepsItsOwnKeys() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        let next = "another five words quite rare"
        #expect(
            try home.run("passphrase change", lines: [TestHome.passphrase, next]).exitCode == 0)
        #expect(try home.run("rekey", lines: [next]).exitCode == 0)
        expect(
            try home.run("restore all --replace", lines: [TestHome.passphrase, "wrong words"]),
            ends: 4, "error: wrong passphrase of the vault",
            "hint: if you forgot it: restore --new-lineage needs only that of the backup")
        expect(
            try home.run("restore all --replace", lines: [next]), ends: 4,
            "error: wrong passphrase",
            "hint: if you forgot it: taskvault restore --recovery all")
        expect(try home.run("restore all --replace", lines: [TestHome.passphrase, next]), ends: 0)
        #expect(
            try home.run("secret get mail.example ada", lines: [next]).outputText == "old")
        #expect(try home.run("secret list").exitCode == 4)
        // Without the vault's passphrase, the slots of the backup return.
        let returned = try home.run("restore all --replace --new-lineage")
        #expect(returned.exitCode == 0)
        #expect(
            returned.errorText.contains(
                "warning: valid again, even if changed since: the passphrase of slot "))
        #expect(try content(home) == Self.old)
        #expect(try home.run("secret list", lines: [next]).exitCode == 4)
    }

    @Test func otherMachinesAndSessionsHearOfItOnce() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        let time = try #require(try home.backupTime("all"))
        let notice = "taskvault: warning: the vault was restored from a backup of \(time)"
        let here = home.environment
        var there = here
        there["XDG_STATE_HOME"] = home.folder + "/elsewhere"
        home.environment = there
        #expect(try home.run("secret list").exitCode == 0)
        home.environment = here
        expect(try home.run("restore all --replace"), ends: 0)
        #expect(try home.run("secret list").errors.isEmpty)
        home.environment = there
        #expect(try home.run("secret list").errorLines == [notice])
        #expect(try home.run("secret list").errors.isEmpty)
        home.environment = here
        // The agent's session went on, and finds it.
        #expect(try home.ask("secret list").errorLines == [notice])
        #expect(try home.ask("secret list").errors.isEmpty)
    }

    @Test func anotherVaultOrADamagedOneIsReplacedInANewLineage() throws {
        let home = try filledHome()
        #expect(try home.ask("backup all").exitCode == 0)
        #expect(try home.ask("lock").exitCode == 0)
        let other = try TestHome(withVault: false)
        try other.make()
        try other.save("other")
        let replaced = try other.run("restore \(home.folder)/all --replace")
        #expect(replaced.exitCode == 0)
        #expect(replaced.errorText.contains("(it is another vault)"))
        #expect(try content(other) == Self.old)

        try VaultBytes.flipState(of: home.vault)
        let repaired = try home.run("restore all --replace")
        #expect(repaired.exitCode == 0)
        #expect(repaired.errorText.contains("the vault did not open (the sealed state"))
        #expect(try content(home) == Self.old)
        // An old list that is damaged is put aside.
        try Files.write("no database", to: home.home + "/tasks.db")
        #expect(try home.run("restore all --replace").exitCode == 0)
        #expect(try content(home) == Self.old)
        #expect(
            try Files.read(home.home + "/tasks.db.replaced-2") == Array("no database".utf8))
    }

    @Test func aBackupOfANewerVersionIsNamed() throws {
        let home = try TestHome()
        try home.run("backup all")
        var bytes = try Files.read(home.folder + "/all")
        bytes[4] = 3
        try Files.write(bytes, to: home.folder + "/all")
        expect(
            try home.run("restore all --replace"), ends: 7,
            "error: all was written by a newer version of TaskVault (storage 3)",
            "hint: install that version")
        try Files.write(Array(bytes.prefix(3_000)), to: home.folder + "/all")
        bytes[4] = 2
        try Files.write(Array(bytes.dropLast(100)), to: home.folder + "/all")
        #expect(try home.run("restore all --replace").exitCode == 7)
        #expect(Files.names(in: home.home) == ["vault.db"])
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func vaultAndTasksOnAServerAreInItAndComeBack() throws {
        let server = try PostgreSQLServer()
        let address = server.address(of: "postgres")
        let home = try TestHome(withVault: false)
        for name in ["vault", "database"] {
            expect(try home.runBare(["settings", "set", name, address]), ends: 0)
        }
        try home.make()
        try home.unlock()
        try fill(home)
        #expect(try home.ask("backup all").exitCode == 0)
        try change(home)
        #expect(try home.run("restore all --replace").exitCode == 0)
        #expect(try content(home) == Self.old)
        // Neither addresses nor this machine's place are in it.
        let other = try TestHome(withVault: false)
        expect(try other.run("restore \(home.folder)/all"), ends: 0)
        #expect(try content(other) == Self.old)
        #expect(Files.names(in: other.home) == ["settings", "tasks.db", "vault.db"])
        #expect(try home.run("restore all --replace --new-lineage").exitCode == 0)
        #expect(try content(home) == Self.old)
    }
}

extension TestHome {
    fileprivate func tasks() throws -> [[String: Any]] {
        try ask("task list --json").json as? [[String: Any]] ?? []
    }
}
