import Foundation
import Platform
import Testing
import TestSupport
import VaultStorage

/// Refusals of a restore, and what it says about things that nothing proves.
@Suite(.waitsForProcesses) struct RestoreRefusalTests {
    private static let unauthenticated =
        "warning: nothing proves date and age of the backup: it is not authenticated by a machine that the vault knows"
    private static let vaultFile =
        "warning: a copy of a vault file is not authenticated: nothing proves how old it is, and the date is that of the file's last change"

    private func hint(_ option: String) -> String {
        "taskvault: hint: taskvault unlock \(option) accepts the vault that is there; taskvault restore --replace --new-lineage b "
            + "replaces it, and the passphrases of the backup's time open it again"
    }

    /// An older or another vault opens, so that the owner decides.
    @Test(arguments: ["rolled_back", "forked", "other_vault", "rollback_record_damaged"])
    func aVaultThatIsNotTheNewestIsNotReplacedInANewLineage(code: String) throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("backup b")
        try Files.copy(home.vault, to: home.folder + "/older.db")
        try home.run("secret update mail.example ada", input: "new")
        let records = home.folder + "/state/taskvault/rollback"
        switch code {
        case "other_vault":
            expect(try home.run("destroy --yes"), ends: 0)
            try Files.copy(home.folder + "/older.db", to: home.vault)
        case "rollback_record_damaged":
            for name in Files.names(in: records) { try Files.write("?", to: records + "/" + name) }
        default:
            try Files.copy(home.folder + "/older.db", to: home.vault)
            guard code == "forked" else { break }
            // As a machine that knew only the older one went on.
            let here = home.environment
            home.environment["XDG_STATE_HOME"] = home.folder + "/elsewhere"
            try home.run("secret update mail.example ada", input: "other")
            try home.run("secret update mail.example ada", input: "other still")
            home.environment = here
        }
        let before = try Files.read(home.vault)
        let refused = try home.run("restore b --replace")
        #expect(refused.exitCode == 7)
        #expect(
            refused.errorLines.last
                == hint(code == "other_vault" ? "--accept-other" : "--accept-older"))
        #expect(try home.run("restore b --replace --json").failure["code"] as? String == code)
        #expect(try Files.read(home.vault) == before)
        #expect(!Files.exists(home.vault + ".replaced-1"))
        // Each of the two ways works.
        let accept = code == "other_vault" ? "--accept-other" : "--accept-older"
        if code != "other_vault" {
            expect(try home.run("secret list \(accept)"), ends: 0)
            #expect(try home.run("restore b --replace").exitCode == 0)
        } else {
            #expect(try home.run("restore b --replace --new-lineage").exitCode == 0)
        }
        #expect(try home.value() == "old")
    }

    /// To accept it would be no way out: the restore would refuse it again, or the vault that it accepted.
    @Test(arguments: ["value", "row", "page"])
    func anOlderVaultThatIsDamagedIsReplaced(damage: String) throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("backup b")
        try Files.copy(home.vault, to: home.folder + "/older.db")
        try home.run("secret update mail.example ada", input: "new")
        try Files.copy(home.folder + "/older.db", to: home.vault)
        switch damage {
        case "value": try VaultBytes.flipFirstValue(of: home.vault)
        case "row":
            let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
            try storage.write { writer in
                var tags: [[UInt8]] = []
                try writer.forEachItem { tags.append($0.tag) }
                for tag in tags { try writer.removeItem(tag: tag) }
            }
            storage.close()
        default:
            // SQLite's map of the pages, which no read needs.
            var bytes = try Files.read(home.vault)
            for place in 4_096..<8_192 { bytes[place] = 0 }
            try Files.write(bytes, to: home.vault)
        }
        #expect(try home.run("secret list --json").failure["code"] as? String == "rolled_back")
        let restored = try home.run("restore b --replace")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(restored.errorText.contains("the vault did not open ("))
        #expect(try home.value() == "old")
        #expect(Files.exists(home.vault + ".replaced-1"))
        #expect(try home.run("doctor").exitCode == 0)
    }

    /// The things that can lie in the place of a vault.
    enum Ruin: CaseIterable {
        case empty, text, foreign, newer, earlier, linkToFile, looseLink, folder, pipe, secondName
        case openToOthers, folderForLog, logAlone

        func make(of vault: String, in folder: String) throws {
            var bytes = try Files.read(vault)
            switch self {
            case .empty: try Files.write([], to: vault)
            case .text: try Files.write("no database", to: vault)
            case .foreign: try Files.flip(vault, at: 71)
            case .newer, .earlier:
                bytes[63] = self == .newer ? 9 : 1
                try Files.write(bytes, to: vault)
            case .linkToFile, .looseLink:
                if self == .linkToFile { try Files.copy(vault, to: folder + "/real.db") }
                unsafe unlink(vault)
                try #require(unsafe symlink(folder + "/real.db", vault) == 0)
            case .folder, .pipe:
                unsafe unlink(vault)
                let made = unsafe self == .folder ? mkdir(vault, 0o700) : mkfifo(vault, 0o600)
                try #require(made == 0)
            case .secondName: try #require(unsafe link(vault, folder + "/second") == 0)
            case .openToOthers: Files.setMode(vault, 0o644)
            case .folderForLog: try #require(unsafe mkdir(vault + "-wal", 0o700) == 0)
            case .logAlone:
                unsafe unlink(vault)
                try Files.write("a log", to: vault + "-wal")
            }
        }
    }

    @Test(arguments: Ruin.allCases) func whateverLiesInThePlaceIsSetAside(ruin: Ruin) throws {
        let home = try TestHome()
        try home.save("old")
        try home.run("backup b")
        try ruin.make(of: home.vault, in: home.folder)
        #expect(try home.run("restore b").exitCode == 6)
        let restored = try home.run("restore b --replace")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(restored.errorText.contains("the vault did not open ("))
        #expect(try home.value() == "old")
        let kept = home.vault + ".replaced-1"
        #expect(Files.exists(ruin == .logAlone ? kept + "-wal" : kept))
        if ruin == .folderForLog { #expect(Files.exists(kept + "-wal")) }
    }

    /// Some pages are read only when the vault is copied or checked.
    @Test func anyZeroedPageIsNoObstacle() throws {
        let home = try TestHome()
        try home.save("old")
        let pageSize = 4_096
        for page in 0..<12 {
            try home.run("backup b\(page)")
            var bytes = try Files.read(home.vault)
            guard bytes.count >= (page + 1) * pageSize else { break }
            for place in page * pageSize..<(page + 1) * pageSize { bytes[place] = 0 }
            try Files.write(bytes, to: home.vault)
            let restored = try home.run("restore b\(page) --replace")
            #expect(restored.exitCode == 0, "page \(page + 1): \(restored.errorText)")
            #expect(try home.value() == "old")
        }
    }

    @Test func filesThatLackContentAreNamed() throws {
        let home = try TestHome()
        for name in ["letter.txt", "song.txt"] {
            try Files.write("words", to: home.folder + "/" + name)
            expect(try home.run(["file", "add", home.folder + "/" + name]), ends: 0)
        }
        expect(try home.run("backup whole"), ends: 0)
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        try storage.write { try $0.removeAllChunks() }
        storage.close()
        expect(try home.run("backup b"), ends: 0)
        let warning = "the backup lacks parts of the content of letter.txt, song.txt"
        let other = try TestHome(withVault: false)
        let restored = try other.run("restore \(home.folder)/b")
        #expect(restored.exitCode == 0 && restored.errorText.contains(warning))
        let over = try home.run("restore b --replace")
        #expect(over.exitCode == 0 && over.errorText.contains(warning))
        let whole = try home.run("restore whole --replace")
        #expect(whole.exitCode == 0 && !whole.errorText.contains("lacks"))
        // The vault keeps what the backup lacks.
        let again = try home.run("restore b --replace")
        #expect(again.exitCode == 0 && !again.errorText.contains("lacks"))
    }

    @Test func withoutAMarkNothingProvesTheDate() throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup first"), ends: 0)
        // The vault has no key for backups yet.
        expect(try home.run("restore first --replace"), ends: 0, Self.unauthenticated)
        // From now on it has.
        try home.save("other", "other")
        expect(try home.run("restore first --replace"), ends: 0)
        try home.save("other", "other")
        expect(try home.run("backup b"), ends: 0)
        let valid = try home.run("restore b --replace --json")
        expect(valid, ends: 0)
        #expect(valid.object["authenticated"] as? Bool == true)
        try Files.flip(home.folder + "/b", at: -1)
        expect(try home.run("restore b --replace"), ends: 0, Self.unauthenticated)
        let forged = try home.run("restore b --replace --json")
        #expect(forged.exitCode == 0 && forged.object["authenticated"] as? Bool == false)
        try Files.copy(home.vault, to: home.folder + "/copy.db")
        expect(try home.run("restore copy.db --replace"), ends: 0, Self.vaultFile)
    }

    @Test func tasksThatWereProtectedSinceAreCounted() throws {
        let home = try TestHome()
        try home.unlock()
        for name in ["buy milk", "see a doctor", "call home"] {
            #expect(try home.ask("task add \(name)").exitCode == 0)
        }
        try home.tell("value")
        expect(try home.ask("backup b"), ends: 0)
        let tasks = try home.tasks()
        for task in tasks.prefix(2) {
            let id = try #require(task["id"] as? String)
            #expect(try home.ask("task protect \(id)").exitCode == 0)
        }
        expect(
            try home.run("restore b --replace"), ends: 0,
            "warning: plain text again, as in the backup: 2 tasks that you protected since")
        let again = try home.run("restore b --replace --json")
        expect(again, ends: 0)
        #expect(again.object["unprotected_tasks"] as? Int == 0)
    }

    @Test func aCopyToLookAtSaysThatItHasNoRollbackRecord() throws {
        let home = try TestHome()
        try home.save("value")
        try home.save("other", "other")
        expect(try home.run("backup b"), ends: 0)
        home.environment["XDG_STATE_HOME"] = home.folder + "/file"
        try Files.write("", to: home.folder + "/file")
        let copied = try home.run("restore b --to look")
        #expect(copied.exitCode == 0)
        #expect(
            copied.errorLines.contains {
                $0.hasPrefix("taskvault: warning: cannot keep this machine's rollback record")
            }, "\(copied.errorText)")
    }

    @Test func messagesNameThePassphraseAndTheLink() throws {
        let home = try TestHome()
        try home.save("value")
        expect(try home.run("backup b"), ends: 0)
        let next = "another five words quite rare"
        #expect(
            try home.run("passphrase change", lines: [TestHome.passphrase, next]).exitCode == 0)
        expect(
            try home.run("restore b --replace", lines: [TestHome.passphrase]), ends: 2,
            "error: unexpected end of input: the passphrase of the vault is missing")
        try #require(unsafe symlink("b", home.folder + "/link") == 0)
        expect(
            try home.run("restore link --replace"), ends: 8,
            "error: link is not safe to use: a symbolic link",
            "hint: give the file to which it points")
    }

    @Test func doctorCountsChunksThatNoFileNames() throws {
        let home = try TestHome()
        let storage = try VaultDatabase.openFile(at: home.vault, mode: .readWrite)
        try storage.write { writer in
            try writer.putChunk(
                ChunkRecord(
                    version: [UInt8](repeating: 1, count: 16), number: 0, stored: 1, bytes: [1]))
        }
        storage.close()
        let checked = try home.run("doctor")
        expect(checked, ends: 0)
        #expect(
            checked.outputLines.contains(
                "warning: 1 chunk of content without a file: of a transfer that goes on or did not end, and removed after a day"
            )
        )
    }

    @Test func destroyNamesWhatIsLeft() throws {
        let home = try TestHome()
        for name in [".taskvault-abc", "tasks.db.replaced-1", "vault.db.replaced-1"] {
            try Files.write("", to: home.home + "/" + name)
        }
        expect(
            try home.run("destroy --yes"), ends: 0,
            "warning: earlier files of the vault are left in \(home.home): .taskvault-abc, vault.db.replaced-1",
            "warning: earlier to-do lists, not encrypted, are left in \(home.home): tasks.db.replaced-1"
        )
    }

    @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
    func aListIsNotCopiedBesideTheBackup() throws {
        let home = try TestHome()
        try home.save("value")
        let stick = home.folder + "/stick"
        try FileManager.default.createDirectory(
            atPath: stick, withIntermediateDirectories: false)
        /// Runs `backup` and lists where it made folders for temporary files; the call of `fault` is the first of these.
        func made(_ name: String, _ fault: String?) throws -> (code: Int32, scratch: [String]) {
            var number = 60_000
            if fault != nil {
                // The first one also makes folders that stay.
                for _ in 0..<2 {
                    _ = try made("trial", nil)
                    unsafe unlink(stick + "/trial")
                }
                let calls = try Self.folders(in: home.folder + "/trace")
                number = try 1 + #require(calls.firstIndex { $0.contains(".taskvault-scratch-") })
            }
            let run = try FaultTests.run(
                home, (fault ?? "error=EIO:when=%").replacing("%", with: "\(number)"),
                calls: "mkdir", ["backup", stick + "/" + name])
            let scratch = try Self.folders(in: home.folder + "/trace").compactMap {
                $0.firstMatch(of: /^(.*)\/\.taskvault-scratch-/).map { String($0.output.1) }
            }
            return (run.exitCode, scratch)
        }
        let state = home.folder + "/state/taskvault"
        // Without a list, all that is copied is sealed.
        var run = try made("1", "error=EROFS:when=%")
        #expect(run.code == 0 && run.scratch == [home.home, stick])
        #expect(try home.run("task add buy milk").exitCode == 0)
        run = try made("2", "error=EROFS:when=%")
        #expect(run.code == 0 && run.scratch == [home.home, state])
        run = try made("3", "error=ENOSPC:when=%")
        #expect(run.code == 0 && run.scratch == [home.home, state])
        run = try made("4", "error=EROFS:when=%+")
        #expect(run.code == 1 && run.scratch == [home.home])
        #expect(Files.names(in: stick) == ["1", "2", "3"])
    }

    /// The arguments of the calls of mkdir(2) in a trace.
    private static func folders(in trace: String) throws -> [String] {
        String(decoding: try Files.read(trace), as: UTF8.self)
            .matches(of: /mkdir\("([^"]*)"/).map { String($0.output.1) }
    }
}
