import Foundation
import Testing
import TestSupport
import VaultStorage

/// Tasks and vault in a database of a real PostgreSQL server, by the real executable.
@Suite(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"), .waitsForProcesses)
struct ServerTests {
    private let words = "Vertrag mit Bedacht lesen"

    @Test func theListMovesToAServerAndBack() throws {
        try withPostgreSQLDatabase { address in
            let home = try TestHome()
            try home.unlock()
            expect(try home.ask("task add plain task --due 2099-01-01"), ends: 0)
            expect(try home.ask("task add --protected", input: words), ends: 0)
            let before = try home.ask("task list --reveal --json").outputText
            let moved = try home.runBare(["task", "move-database", address])
            #expect(moved.exitCode == 0, "\(moved.errorText)")
            #expect(try home.ask("settings get database").outputText == address + "\n")
            // The old file is no longer the list, and it is not lost.
            let names = Files.names(in: home.home)
            #expect(!names.contains("tasks.db"))
            #expect(names.contains { $0.hasPrefix("tasks.db.moved-") })
            #expect(try home.ask("task list --reveal --json").outputText == before)
            #expect(try home.runBare(["task", "move-database", address]).exitCode == 2)
            expect(try home.ask("task add on the server"), ends: 0)
            let back = try home.ask("task move-database sqlite")
            #expect(back.exitCode == 0)
            // The list on the server stays, and who may go on with it is told.
            #expect(back.errorText.contains("continue to use the old list"), "\(back.errorText)")
            #expect(try home.ask("task list").outputLines.count == 4)
            #expect(try home.runBare(["task", "move-database", address]).exitCode == 6)
        }
    }

    @Test func twoMachinesShareAVaultAndAList() throws {
        try withPostgreSQLDatabase { address in
            let here = try TestHome()
            let there = try TestHome(withVault: false)
            let backup = here.folder + "/backup.db"
            expect(
                try here.runBare([
                    "secret", "list", "--no-agent", "--passphrase-file", here.passphraseFile,
                ]), ends: 0)
            expect(try here.runBare(["backup", backup]), ends: 0)
            for home in [here, there] {
                for name in ["vault", "database"] {
                    expect(try home.runBare(["settings", "set", name, address]), ends: 0)
                }
            }
            let restored = try here.runBare([
                "restore", backup, "--passphrase-file", here.passphraseFile,
            ])
            #expect(restored.exitCode == 0, "\(restored.errorText)")
            for home in [here, there] {
                let unlocked = try home.runBare([
                    "unlock", "--passphrase-file", here.passphraseFile,
                ])
                #expect(unlocked.exitCode == 0, "\(unlocked.errorText)")
            }
            expect(try here.ask("task add --protected", input: words), ends: 0)
            expect(try there.ask("secret set shared ada", input: "token"), ends: 0)
            #expect(try there.ask("task list --reveal").outputText.contains(words))
            #expect(try here.ask("secret get shared ada").outputText == "token")
            let replaced = try here.runBare([
                "restore", backup, "--replace", "--passphrase-file", here.passphraseFile,
            ])
            #expect(replaced.exitCode == 0, "\(replaced.errorText)")
            #expect(Files.names(in: here.home).contains { $0.hasPrefix("vault.db.replaced-") })
            #expect(try there.ask("secret get shared ada").exitCode == 5)
            let list = try there.ask("task list --reveal")
            // The list is not in the backup: its tasks keep their text.
            #expect(list.outputText.contains(words))
            #expect(
                list.errorText.contains("warning: the vault was restored from a backup of "))
            #expect(!(try there.ask("task list").errorText.contains("restored")))
        }
    }

    /// `init` makes the tables, and goes on for a second; a killed one leaves them so.
    @Test func anOlderStateUnderAnotherNameOfTheServerIsRefused() throws {
        try withPostgreSQLDatabase { address in
            try withPostgreSQLDatabase { other in
                let home = try TestHome(withVault: false)
                expect(try home.runBare(["settings", "set", "vault", address]), ends: 0)
                expect(try home.run(["init"] + TestHome.cheap), ends: 0)
                expect(try home.run("secret set first ada", input: "1"), ends: 0)
                let storage = try VaultDatabase.openServer(at: address, mode: .readOnly)
                let copy = try VaultDatabase.createServer(at: other)
                try storage.read { reader in try copy.write { try $0.replaceAll(with: reader) } }
                storage.close()
                copy.close()
                expect(try home.run("secret set second ada", input: "2"), ends: 0)
                expect(try home.runBare(["settings", "set", "vault", other]), ends: 0)
                let refused = try home.run("secret get first ada")
                #expect(refused.exitCode == 7, "\(refused.errorText)")
                #expect(refused.errorText.contains("older than the state last seen"))
                expect(try home.runBare(["settings", "set", "vault", address]), ends: 0)
                #expect(try home.run("secret get second ada").outputText == "2")
            }
        }
    }

    @Test func aVaultThatIsOnlyBeingMadeIsNoneYet() throws {
        try withPostgreSQLDatabase { address in
            let home = try TestHome()
            let backup = home.folder + "/backup.db"
            expect(try home.run("secret list"), ends: 0)
            expect(try home.runBare(["backup", backup]), ends: 0)
            expect(try home.runBare(["settings", "set", "vault", address]), ends: 0)
            try VaultDatabase.createServer(at: address).close()
            for words in ["unlock", "secret list --no-agent", "doctor --no-agent"] {
                let refused = try home.runBare(
                    words.split(separator: " ").map(String.init) + [
                        "--json", "--passphrase-file", home.passphraseFile,
                    ])
                #expect(refused.exitCode == 5, "\(words): \(refused.errorText)")
                #expect(refused.failure["code"] as? String == "no_vault", "\(words)")
            }
            // Nothing would be replaced: no question.
            let restored = try home.runBare([
                "restore", backup, "--passphrase-file", home.passphraseFile,
            ])
            #expect(restored.exitCode == 0, "\(restored.errorText)")
            expect(try home.run("secret list"), ends: 0)
        }
    }

    @Test func anUnreachableServerIsReportedAndLosesNothing() throws {
        let server = try PostgreSQLServer()
        let address = server.address(of: "postgres")
        let home = try TestHome(withVault: false)
        for name in ["vault", "database"] {
            expect(try home.runBare(["settings", "set", name, address]), ends: 0)
        }
        let made = try home.runBare(
            ["init", "--passphrase-file", home.passphraseFile] + TestHome.cheap)
        #expect(made.exitCode == 0, "\(made.errorText)")
        let again = try home.runBare(
            ["init", "--passphrase-file", home.passphraseFile] + TestHome.cheap)
        #expect(again.exitCode == 6, "\(again.errorText)")
        try home.unlock()
        expect(try home.ask("task add on the server"), ends: 0)
        server.stop()
        for words in ["task list", "task add another", "secret list"] {
            let refused = try home.ask(words)
            #expect(refused.exitCode == 9, "\(words): \(refused.errorText)")
        }
        expect(try home.ask("lock"), ends: 0)
        #expect(
            try home.runBare(["unlock", "--passphrase-file", home.passphraseFile]).exitCode == 9)
        #expect(try home.runBare(["destroy", "--yes"]).exitCode == 8)
    }
}
