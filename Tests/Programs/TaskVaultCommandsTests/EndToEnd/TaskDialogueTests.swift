import Foundation
import Platform
import Testing
import TestSupport

/// Questions of the to-do list on a terminal.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskDialogueTests {
    /// The text that is left on a terminal.
    private func remains(of session: TerminalSession, hasAlternate: Bool = true) -> String {
        let screen = ScreenModel(session.screen, kind: .init(hasAlternate: hasAlternate))
        #expect(!screen.isAlternate)
        #expect(screen.unknown == [])
        return (screen.scrollback + screen.rows).joined(separator: "\n")
    }

    private func expectNothingLeft(
        of secret: SecretText, on session: TerminalSession,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for hasAlternate in [true, false] {
            expectNone(
                of: secret, in: remains(of: session, hasAlternate: hasAlternate),
                sourceLocation: sourceLocation)
        }
    }

    @Test func aProtectedNameIsSeenOnlyWhileItIsTyped() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let secret = SecretText()
        let session = try TerminalSession(home, ["task", "add", "--protected"])
        try session.waitFor("Name: ")
        try session.type(secret.name)
        try session.waitFor(secret.name)
        let during = ScreenModel(session.screen)
        #expect(during.isAlternate)
        #expect(during.rows.joined().contains(secret.name))
        try session.type("\n")
        #expect(try session.finish() == 0)
        #expect(session.echoes)
        expectNothingLeft(of: secret, on: session)
        #expect(remains(of: session).contains("🔒"))
        let id = try #require(try home.tasks().first?["id"] as? String)
        #expect(try home.shown(id)["name"] as? String == secret.name)
        let second = SecretText()
        for (arguments, text) in [
            (["task", "edit", id, "--name", "-"], second.name),
            (["task", "subtask", "add", id], second.subtask),
        ] {
            let session = try TerminalSession(home, arguments)
            try session.answer("Name", text)
            #expect(try session.finish() == 0)
            expectNothingLeft(of: second, on: session)
        }
        try expectNowhere(secret, below: home, "typed")
        try expectNowhere(second, below: home, "typed")
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func aSignalAtTheQuestionLeavesNothing(signal: Int32) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let secret = SecretText()
        let session = try TerminalSession(home, ["task", "add", "--protected"])
        try session.waitFor("Name: ")
        try session.type(secret.name)
        try session.waitFor(secret.name)
        if signal == SIGINT { try session.type("\u{3}") } else { kill(session.process, signal) }
        #expect(try session.finish() == 130)
        #expect(session.echoes)
        expectNothingLeft(of: secret, on: session)
        #expect(try home.tasks().isEmpty)
        try expectNowhere(secret, below: home, "given up")
    }

    @Test func aFailureComesBeforeTheQuestion() throws {
        let home = try TestHome.forTasks()
        let locked = try TerminalSession(home, ["task", "add", "--protected"])
        try locked.waitFor("Passphrase: ")
        try locked.type("\u{4}")
        #expect(try locked.finish() == 2)
        try home.unlock()
        try home.closeWindow()
        let closed = try TerminalSession(home, ["task", "add", "--protected"])
        try closed.waitFor("Passphrase: ")
        try closed.type("\u{4}")
        #expect(try closed.finish() == 2)
        #expect(!(locked.screen + closed.screen).contains("Name"))
    }

    @Test func aChangeOfProtectedTextAsksForTheVerification() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let secret = SecretText()
        let id = try home.add("--protected", input: secret.name + "\n")
        let plain = try home.add("buy milk")
        for (words, name) in [
            ("task edit \(id) --name -", secret.subtask), ("task subtask add \(id)", "step"),
            ("task restore \(id)", nil), ("task protect \(plain)", nil),
            ("task add --protected", "another"),
        ] as [(String, String?)] {
            try home.closeWindow()
            let session = try TerminalSession(home, words.split(separator: " ").map(String.init))
            try session.answer("Passphrase", TestHome.passphrase)
            if let name { try session.answer("Name", name) }
            #expect(try session.finish() == 0, "\(words): \(session.screen)")
            expectNothingLeft(of: secret, on: session)
        }
        // The text before the new subtask.
        #expect(try home.shown(id)["name"] as? String == secret.subtask)
        #expect(try home.shown(plain)["protected"] as? Bool == true)
        #expect(try home.tasks().count == 3)
    }

    @Test func protectedNotesAreNotTypedOntoTheScreen() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", input: "name\n")
        for arguments in [
            ["task", "add", "--protected", "--notes", "-"], ["task", "edit", id, "--notes", "-"],
        ] {
            let session = try TerminalSession(home, arguments)
            #expect(try session.finish() == 2)
            #expect(session.screen.contains("standard input"))
        }
        #expect(try home.tasks().count == 1)
        // Of a task that is not protected they are.
        let plain = try TerminalSession(home, ["task", "add", "paint", "--notes", "-"])
        try plain.type("two colours\n\u{4}")
        #expect(try plain.finish() == 0)
        #expect(try home.tasks("--search", "two colours").count == 1)
    }

    @Test func removeAsksAndNamesTheTasks() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let secret = SecretText()
        let plain = try home.add("buy milk")
        let protected = try home.add("--protected", input: secret.name + "\n")
        let question = "Remove 2 tasks? [y/N]"
        let refused = try TerminalSession(home, ["task", "remove", plain, protected])
        try refused.answer(question, "n")
        #expect(try refused.finish() == 8)
        #expect(refused.screen.contains("\(plain)  buy milk"))
        #expect(refused.screen.contains("\(protected)  🔒"))
        #expect(try home.tasks().count == 2)
        let unheard = try home.task("remove", plain)
        #expect(unheard.exitCode == 2)
        #expect(unheard.errorText.contains("--yes"))
        #expect(try home.tasks().count == 2)
        let session = try TerminalSession(home, ["task", "remove", plain, protected])
        try session.answer(question, "y")
        #expect(try session.finish() == 0)
        #expect(try home.tasks().isEmpty)
        expectNothingLeft(of: secret, on: session)
    }

    @Test func doneAllAsks() throws {
        let home = try TestHome.forTasks()
        _ = try (home.add("one"), home.add("two"))
        let refused = try TerminalSession(home, ["task", "done", "--all"])
        try refused.answer("Mark 2 open tasks as done? [y/N]", "")
        #expect(try refused.finish() == 8)
        #expect(try home.tasks("--open").count == 2)
        #expect(try home.task("done", "--all").exitCode == 2)
        let session = try TerminalSession(home, ["task", "done", "--all"])
        try session.answer("Mark 2 open tasks as done? [y/N]", "y")
        #expect(try session.finish() == 0)
        #expect(try home.tasks("--open").isEmpty)
        let nothing = try TerminalSession(home, ["task", "done", "--all"])
        #expect(try nothing.finish() == 0)
    }

    @Test func anOrderIsThatOfOneListing() throws {
        let home = try TestHome.forTasks()
        for name in ["banana", "apple", "cherry"] { _ = try home.add(name) }
        func order() throws -> String { try home.ask("settings get task-order").outputText }
        #expect(try home.tasks("--order", "name").texts("name") == ["apple", "banana", "cherry"])
        #expect(try order() == "due\n")
        #expect(!Files.exists(home.settingsFile))
        let session = try TerminalSession(home, ["task", "list", "--order", "name-reversed"])
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("cherry"))
        #expect(try order() == "due\n")
        #expect(!Files.exists(home.settingsFile))
        try home.ask("settings set task-order name-reversed")
        #expect(try home.tasks().texts("name") == ["cherry", "banana", "apple"])
        #expect(try home.tasks("--order", "name").texts("name") == ["apple", "banana", "cherry"])
        #expect(try order() == "name-reversed\n")
        #expect(Files.mode(home.settingsFile) == 0o600)
    }

    @Test func aTerminalShowsTheFirstTasksAndHowManyMoreThereAre() throws {
        let home = try TestHome.forTasks()
        try home.importTasks(
            (0..<203).map { ImportedTask(id: "zz" + String(10_000 + $0).suffix(4)) })
        let session = try TerminalSession(home, ["task", "list"])
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("there are more: --limit 2000 shows more"))
        let rows = session.screen.split(separator: "\r\n").filter { $0.contains("a task") }
        #expect(rows.count == 200)
        #expect(try home.tasks().count == 203, "a program gets all")
    }
}
