import Foundation
import Platform
import Testing
import TestSupport

@Suite(.waitsForProcesses) struct LogCommandTests {
    private let home: TestHome

    init() throws {
        home = try TestHome()
        try home.save("sesame")
        try home.save("other", "post.example")
    }

    private var folder: String { home.folder + "/state/taskvault/log" }

    /// The file of the log.
    private var file: String {
        get throws {
            folder + "/" + (try #require(Files.names(in: folder).first))
        }
    }

    private func reads(_ options: String = "") throws -> [[String: Any]] {
        let log = try home.ask("log --json " + options)
        expect(log, ends: 0)
        return log.object["reads"] as? [[String: Any]] ?? []
    }

    @Test func readsThroughTheAgentAndWithoutItAreShown() throws {
        try home.unlock()
        try home.expectValue("sesame")
        #expect(try home.value("post.example") == "other")
        // A script that asks through a program of its own.
        home.launcher = ["/bin/sh", "-c", "\"$@\"; exit $?", "sh"]
        try home.expectValue("sesame")
        home.launcher = []
        let found = try reads()
        #expect(
            found.compactMap { $0["service"] as? String }.sorted() == [
                "mail.example", "mail.example", "post.example",
            ])
        for read in found {
            #expect(read["account"] as? String == "ada" && read["field"] as? String == "password")
            #expect(read["program"] as? String == "taskvault")
            #expect(read["process_id"] as? Int ?? 0 > 1)
        }
        #expect(found.contains { $0["parent"] as? String == "sh" })
        #expect(try reads("--program sh").count == 1)
        #expect(try reads("--program taskvault").count == 3)
        #expect(try reads("--program nobody").isEmpty)
        #expect(try reads("--since 1h").count == 3)
        #expect(try reads("--since 2999-01-01T00:00:00Z").isEmpty)
        #expect(try home.ask("log --since never").exitCode == 2)
        let shown = try home.ask("log --program sh")
        #expect(shown.outputLines.first?.hasPrefix("TIME") == true)
        let last = shown.outputLines.last ?? ""
        #expect(last.contains("  taskvault (sh)  ") && last.hasSuffix("mail.example ada"))
    }

    @Test func filesAreNotedThroughTheAgentAndWithoutIt() throws {
        try Files.write("words", to: home.folder + "/letter.txt")
        #expect(try home.run(["file", "add", home.folder + "/letter.txt"]).exitCode == 0)
        #expect(try home.run("file get letter.txt --output -").outputText == "words")
        try home.unlock()
        #expect(try reads().count == 1)
        #expect(try home.ask("file get letter.txt --output -").outputText == "words")
        let found = try reads()
        #expect(found.count == 2)
        for read in found {
            #expect(read["service"] as? String == "taskvault.file")
            #expect(read["account"] as? String == "letter.txt")
        }
    }

    @Test func anExportNotesWhatItWritesAndNoFile() throws {
        try Files.write("words", to: home.folder + "/letter.txt")
        expect(try home.run(["file", "add", home.folder + "/letter.txt"]), ends: 0)
        #expect(try home.run("secret export").exitCode == 0)
        #expect(try home.run("secret export --all").exitCode == 0)
        try home.unlock()
        #expect(
            try reads().compactMap { $0["service"] as? String }.sorted() == [
                "mail.example", "mail.example", "post.example", "post.example",
            ])
    }

    @Test func theLabelOfASecretIsShownWhileItIsThere() throws {
        try home.unlock()
        expect(try home.ask("secret edit mail.example ada --label Work"), ends: 0)
        try home.expectValue("sesame")
        #expect(try home.value("post.example") == "other")
        func label(_ service: String) throws -> Any? {
            try reads().first { $0["service"] as? String == service }?["label"]
        }
        #expect(try label("mail.example") as? String == "Work")
        #expect(try label("post.example") is NSNull)
        let lines = try home.ask("log").outputLines
        #expect(lines.contains { $0.hasSuffix("  mail.example ada (Work)") })
        #expect(lines.contains { $0.hasSuffix("  post.example ada") })
        expect(try home.ask("secret remove --yes mail.example ada"), ends: 0)
        #expect(try label("mail.example") is NSNull)
        #expect(try home.ask("log").outputLines.contains { $0.hasSuffix("  mail.example ada") })
    }

    @Test func aLogThatWasCutSaysSo() throws {
        try home.unlock()
        try home.expectValue("sesame")
        try home.tell("x", "new.example")
        unsafe unlink(try file)
        try home.expectValue("sesame")
        try home.tell("x", "newer.example")
        let log = try home.ask("log")
        expect(
            log, ends: 0,
            "warning: reads are missing: the log was cut off or removed, and went on")
        #expect(log.outputLines.count == 2)
        #expect(try home.ask("log --json").object["cut"] as? Bool == true)
    }

    @Test func nothingIsReadableInTheFile() throws {
        #expect(try home.value() == "sesame")
        let bytes = String(decoding: try Files.read(file), as: UTF8.self)
        #expect(!bytes.contains("mail") && !bytes.contains("sesame"))
        #expect(Files.mode(try file) == 0o600)
        #expect(try home.run("log --json").object["lost"] as? Int == 0)
    }

    @Test func aChangedOrShortenedLogIsRefused() throws {
        try home.unlock()
        try home.expectValue("sesame")
        #expect(try reads().count == 1)
        let good = try Files.read(file)
        try Files.flip(file, at: -1)
        let changed = try home.ask("log")
        expect(
            changed, ends: 7, "error: the log of reads was changed: record 1",
            "hint: to begin a new log: rm \(try file)")
        // A former file alone was renamed by someone.
        let former = try file + ".1"
        try Files.write(good, to: file)
        let renamed = unsafe rename(try file, former)
        #expect(renamed == 0)
        expect(
            try home.ask("log"), ends: 7,
            "error: the log of reads was cut off: reads that the vault knows are missing",
            "hint: to begin a new log: rm \(former)")
        unsafe unlink(former)
        try Files.write(good, to: file)
        // The next commit takes the head along.
        try home.tell("x", "new.example")
        #expect(try reads().count == 1)
        try Files.write(Array(good.prefix(24)), to: file)
        let cut = try home.ask("log --json")
        #expect(cut.exitCode == 7)
        #expect(cut.failure["code"] as? String == "log_changed")
        unsafe unlink(try file)
        #expect(try home.ask("log").exitCode == 7)
    }

    @Test func theKeyIsReadOnlyAfterVerification() throws {
        try home.unlock()
        try home.expectValue("sesame")
        try home.tell("x", "new.example")
        #expect(try home.ask("settings set verification-window 1s").exitCode == 0)
        try home.waitFor("unlocked")
        #expect(try home.ask("log").exitCode == 8)
        let verified = try home.runBare(["log", "--passphrase-file", home.passphraseFile])
        expect(verified, ends: 0)
        #expect(verified.outputLines.count == 2)
        // Locking and another session keep it.
        #expect(try home.ask("lock").exitCode == 0)
        try home.unlock()
        let later = try home.runBare(["log", "--passphrase-file", home.passphraseFile])
        #expect(later.outputLines.count == 2)
        let exported = try home.run("secret export --all")
        #expect(exported.outputText.contains("mail.example"))
        #expect(!exported.outputText.contains("taskvault.log"))
    }

    @Test func readsGoOnWithoutALog() throws {
        try FileManager.default.createDirectory(
            atPath: home.folder + "/state/taskvault", withIntermediateDirectories: true)
        try Files.write("", to: folder)
        let found = try home.run("secret get mail.example ada")
        #expect(found.exitCode == 0 && found.outputText == "sesame")
        expect(
            found, ends: 0,
            "warning: reads are not logged (\(folder): permission denied)")
        try home.unlock()
        let asked = try home.ask("secret get mail.example ada")
        #expect(asked.outputText == "sesame")
        // The lock writes what waits.
        #expect(try home.ask("lock").exitCode == 0)
        let told = try home.ask("status").errorText
        #expect(told.contains("warning: reads are not logged"))
    }

    @Test func destroyRemovesIt() throws {
        #expect(try home.value() == "sesame")
        #expect(Files.names(in: folder).count == 1)
        // Another place may have the same vault.
        let copy = home.folder + "/copy"
        #expect(try home.run("backup \(home.folder)/backup").exitCode == 0)
        #expect(try home.run("restore \(home.folder)/backup --home \(copy)").exitCode == 0)
        #expect(try home.runBare(["destroy", "--yes", "--home", copy]).exitCode == 0)
        #expect(!Files.names(in: folder).isEmpty)
        #expect(try home.value() == "sesame")
        try Files.write("", to: file + ".1")
        #expect(try home.runBare(["destroy", "--yes"]).exitCode == 0)
        #expect(Files.names(in: folder).isEmpty)
    }

    @Test func lookingAtACopyLeavesTheLogOfTheVaultAlone() throws {
        try home.unlock()
        try home.expectValue("sesame")
        expect(try home.ask("backup \(home.folder)/backup"), ends: 0)
        try home.tell("x", "new.example")
        try home.expectValue("sesame")
        #expect(try reads().count == 2)
        let before = try Files.read(file)
        let copy = home.folder + "/copy"
        #expect(try home.run("restore --to \(copy) \(home.folder)/backup").exitCode == 0)
        let found = try home.run("secret get mail.example ada --home \(copy)")
        #expect(found.outputText == "sesame" && found.errorText.isEmpty)
        let log = try home.run("log --json --home \(copy)")
        #expect((log.object["reads"] as? [Any])?.count == 1)
        #expect(try reads().count == 2)
        let logs = try Files.names(in: folder).map { try Files.read(folder + "/" + $0) }
        #expect(logs.count == 2 && logs.contains(before))
    }

    @Test func aFirstCommandThatOnlyReadsLeavesNoKeyInTheClear() throws {
        let home = try TestHome()
        let listed = try home.run("secret list")
        #expect(listed.exitCode == 0 && !listed.errorText.contains("not logged"))
        #expect(Files.names(in: home.folder + "/state/taskvault/log").isEmpty)
    }

    @Test func aVaultWithoutReadsHasAnEmptyLog() throws {
        let log = try home.run("log")
        #expect(log.exitCode == 0 && log.output.isEmpty)
        #expect(log.errorText == "taskvault: no reads\n")
    }
}
