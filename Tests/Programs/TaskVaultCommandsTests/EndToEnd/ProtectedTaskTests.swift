import Foundation
import Platform
import Testing
import TestSupport

/// Not one byte of a protected task outside of the vault, by any command.
@Suite(.waitsForProcesses) struct ProtectedTaskTests {
    /// Enough other tasks that the database has pages that are split and joined.
    private static let others = (0..<120).map { number in
        ImportedTask(
            id: "zz" + String(10_000 + number).suffix(4), name: "Geschenk für \(number)",
            due: "2099-01-01T00:00:00.000Z")
    }

    private func home() throws -> TestHome {
        let home = try TestHome.forTasks()
        try home.importTasks(Self.others)
        try home.unlock()
        return home
    }

    @Test func noFileHasAWordAfterAnyOperation() throws {
        let home = try home()
        let secret = SecretText()
        func expectHidden(_ step: String) throws {
            try expectNowhere(secret, below: home, step)
        }
        let id = try home.add(
            "--protected", "--due", "tomorrow", "--notes", "-",
            input: secret.name + "\n" + secret.notes + "\n")
        try expectHidden("add")
        try home.doTask("subtask", "add", id, input: secret.subtask + "\n")
        try expectHidden("subtask add")
        let shown = try home.shown(id)
        #expect(shown["name"] as? String == secret.name)
        #expect(shown["notes"] as? String == secret.notes)
        let subtasks = try #require(shown["subtasks"] as? [[String: Any]])
        #expect(subtasks.texts("name") == [secret.subtask])
        let subtask = try #require(subtasks[0]["id"] as? String)
        let steps = [
            ["show", id], ["list"], ["list", "--reveal"], ["list", "--search", secret.name],
            ["list", "--order", "name"], ["subtask", "done", id, subtask],
            ["subtask", "undone", id, subtask], ["subtask", "move", id, subtask, "1"],
            ["edit", id, "--due", "in 2h", "--remind"], ["done", id], ["undone", id],
            ["done", "--all", "--yes"], ["clear"], ["clear", "--undo"], ["undone", id], ["stats"],
            ["export"], ["export", "--format", "taskwarrior"], ["export", "--format", "todo.txt"],
            ["export", "--format", "icalendar"],
        ]
        for step in steps {
            #expect(try home.runBare(["task"] + step).exitCode == 0, "\(step)")
            try expectHidden(step.joined(separator: " "))
        }
        let second = SecretText()
        try home.doTask("edit", id, "--name", "-", input: second.name + "\n")
        try home.doTask("edit", id, "--notes", "-", input: second.notes)
        try home.doTask(
            "subtask", "edit", id, subtask, "--name", "-", input: second.subtask + "\n")
        try expectHidden("edit")
        try expectNowhere(second, below: home, "edit")
        #expect(try home.shown(id)["name"] as? String == second.name)
        try home.ask("lock")
        try expectNowhere(second, below: home, "lock")
        try home.unlock()
        try home.doTask("remove", "--yes", id)
        try expectHidden("remove")
        try expectNowhere(second, below: home, "remove")
        #expect(try home.tasks("--protected").isEmpty)
        #expect(try home.ownItems().isEmpty)
    }

    @Test func protectingLeavesNoPlaintext() throws {
        let home = try home()
        let (before, secret) = (SecretText(), SecretText())
        let id = try home.add(before.name, "--notes", "-", input: before.notes)
        try home.doTask("subtask", "add", id, before.subtask)
        let search = ByteSearch(for: secret.needles + before.needles)
        // More tasks between the others: pages are split, and rows move and leave copies where they were.
        try home.importTasks(
            (0..<400).map { number in
                ImportedTask(
                    id: ["0y", "hz", "pq", "xw"][number % 4] + String(10_000 + number).suffix(4),
                    name: "Geschenk für Ä\(number)")
            })
        // The counterproof: what is not protected is found, also in the form in which lists are searched.
        #expect(try search.findings(below: home.folder)["home/tasks.db"]?.contains("UTF-8") == true)
        let subtasks = try #require(try home.shown(id)["subtasks"] as? [[String: Any]])
        let subtask = try #require(subtasks[0]["id"] as? String)
        try home.doTask("edit", id, "--name", secret.name, "--notes", "-", input: secret.notes)
        try home.doTask("subtask", "edit", id, subtask, "--name", secret.subtask)
        try home.doTask("done", id)
        for round in 1...2 {
            #expect(!(try search.findings(below: home.folder)).isEmpty)
            let done = try home.task("protect", id)
            #expect(done.exitCode == 0)
            expectNone(of: secret, in: done.outputText + done.errorText)
            try expectNowhere(secret, below: home, "protect \(round)")
            try expectNowhere(before, below: home, "protect \(round): what it was before")
            let shown = try home.shown(id)
            #expect(shown["name"] as? String == secret.name)
            #expect(shown["notes"] as? String == secret.notes)
            #expect(shown["done"] as? Bool == true)
            #expect((shown["subtasks"] as? [[String: Any]])?.texts("name") == [secret.subtask])
            #expect(try home.task("protect", id).exitCode == 6)
            if round == 1 { try home.doTask("unprotect", id) }
        }
        #expect(try home.tasks().count == Self.others.count + 401)
    }

    @Test func aLogThatAnotherProgramKeepsHasNothingEither() throws {
        let home = try home()
        let secret = SecretText()
        // With the database open, while it waits for a person: the log stays as long as it does.
        let other = try TerminalSession(home, ["task", "edit", "zz0001", "--name", "-"])
        try other.waitFor("Name: ")
        let id = try home.add(secret.name, "--notes", "-", input: secret.notes)
        try home.doTask("subtask", "add", id, secret.subtask)
        let search = ByteSearch(for: secret.needles)
        #expect(try search.findings(below: home.folder)["home/tasks.db-wal"] != nil)
        try home.doTask("protect", id)
        try expectNowhere(secret, below: home, "protect")
        try other.type("another name\n")
        #expect(try other.finish() == 0)
        #expect(try home.shown(id)["notes"] as? String == secret.notes)
    }

    @Test func theFoldersOfAPersonHaveNothingEither() throws {
        let home = try TestHome.forTasks(withVault: false)
        home.environment["TASKVAULT_HOME"] = nil
        try home.make()
        let secret = SecretText()
        #expect(
            try home.ask("unlock --passphrase-file \(home.passphraseFile)").exitCode == 0)
        let id = try home.add(secret.name, "--notes", "-", input: secret.notes)
        try home.doTask("subtask", "add", id, secret.subtask)
        let found = try ByteSearch(for: secret.needles).findings(below: home.folder)
        #expect(found.keys.sorted() == ["data/taskvault/tasks.db"])
        try home.doTask("protect", id)
        try expectNowhere(secret, below: home, "protect")
        #expect(Files.mode(home.folder + "/data/taskvault/tasks.db") == 0o600)
    }

    @Test func commandsThatFailLeaveNoWord() throws {
        let home = try home()
        let secret = SecretText()
        let input = secret.name + "\n" + secret.notes
        let long = secret.name + String(repeating: secret.name, count: 200)
        func expectRefused(
            _ code: Int32, _ arguments: [String], _ input: String,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            for json in [[], ["--json"]] {
                let refused = try home.runBare(
                    ["task"] + arguments + json, input: Array(input.utf8))
                #expect(
                    refused.exitCode == code, "\(refused.errorText)",
                    sourceLocation: sourceLocation)
                #expect(refused.output.isEmpty, sourceLocation: sourceLocation)
                expectNone(
                    of: secret, in: refused.errorText, "\(arguments)",
                    sourceLocation: sourceLocation)
            }
            try expectNowhere(
                secret, below: home, "\(arguments)", sourceLocation: sourceLocation)
        }
        try expectRefused(8, ["add", "--protected"], long)
        try expectRefused(8, ["add", "--protected"], secret.name + "\0x")
        try expectRefused(2, ["add", "--protected", "--due", "someday"], input)
        let id = try home.add("--protected", input: "other\n")
        try expectRefused(2, ["add", "--protected", secret.name], input)
        try expectRefused(2, ["edit", id, "--name", secret.name], input)
        try expectRefused(2, ["subtask", "add", id, secret.name], input)
        try expectRefused(8, ["edit", id, "--name", "-"], long)
        try expectRefused(5, ["edit", "uuuuu", "--name", "-"], input)
        try home.closeWindow()
        try expectRefused(8, ["add", "--protected", "--notes", "-"], input)
        try expectRefused(8, ["edit", id, "--name", "-"], input)
        try expectRefused(8, ["show", id], input)
        try expectRefused(8, ["list", "--reveal"], input)
        try expectRefused(8, ["unprotect", id], input)
        try home.ask("lock")
        try expectRefused(3, ["add", "--protected", "--notes", "-"], input)
        try expectRefused(3, ["edit", id, "--name", "-"], input)
        let shown = try home.task("show", id)
        #expect(shown.exitCode == 3 && shown.outputText.hasPrefix("🔒"))
        #expect(shown.outputText.contains(id) && !shown.outputText.contains("other"))
        try expectRefused(3, ["remove", "--yes", id], input)
        try expectRefused(3, ["protect", "zz0001"], input)
        #expect(try home.tasks("--protected").count == 1)
        #expect(try home.task("show", "zz0001").exitCode == 0)
    }

    @Test func anExportHasTheTextOnlyWithReveal() throws {
        let home = try home()
        let secret = SecretText()
        let id = try home.add(
            "--protected", "--notes", "-", input: secret.name + "\n" + secret.notes)
        try home.doTask("subtask", "add", id, input: secret.subtask + "\n")
        for format in ["taskvault", "taskwarrior", "todo.txt", "icalendar"] {
            let hidden = try home.doTask("export", "--format", format)
            expectNone(of: secret, in: hidden.outputText + hidden.errorText, format)
            let shown = try home.doTask("export", "--format", format, "--reveal")
            #expect(shown.outputText.contains(secret.name))
            #expect(shown.errorText.contains("in plaintext"))
            expectNone(of: secret, in: shown.errorText, format)
        }
        let hidden = try home.doTask("export").outputText
        #expect(
            hidden.contains(
                #""id":"\#(id)","name":null,"nickname":null,"notes":null,"protected":true"#))
        try expectNowhere(secret, below: home, "exports that went to the test")
        // It comes in again as what it was: protected.
        let other = try TestHome.forTasks(withVault: false)
        try other.make()
        let file = try home.doTask("export", "--reveal").output
        #expect(try other.runBare(["task", "import", "-"], input: file).exitCode == 3)
        #expect(try other.tasks().isEmpty, "all or nothing")
        try other.unlock()
        #expect(try other.runBare(["task", "import", "-"], input: file).exitCode == 0)
        try expectNowhere(secret, below: other, "import")
        #expect(try other.tasks().count == Self.others.count + 1)
        #expect(try other.shown(id)["name"] as? String == secret.name)
    }

    #if os(Linux)
        @Test(.enabled(if: Tracer.isUsable, Tracer.reason))
        func noFileElsewhereIsWritten() throws {
            let home = try home()
            let trace = home.folder + "/trace"
            let id = try home.add("--protected", input: "first\n")
            for step in [["add", "--protected"], ["edit", id, "--name", "-"], ["show", id]] {
                let result = try home.runBare(
                    ["task"] + step, input: Array("text\n".utf8),
                    beneath: [
                        Tracer.path, "-f", "-qq", "-e",
                        "trace=openat,open,creat,mkdir,rename,renameat2,link,symlink", "-o", trace,
                    ])
                #expect(result.exitCode == 0)
                let lines = String(decoding: try Files.read(trace), as: UTF8.self)
                    .split(separator: "\n").filter { !$0.contains("O_RDONLY") }
                #expect(!lines.isEmpty)
                for line in lines where line.contains("\"") {
                    #expect(
                        line.contains("\"" + home.folder) || line.contains("\"/dev/"), "\(line)")
                }
            }
        }
    #endif
}
