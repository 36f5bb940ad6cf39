import Foundation
import Platform
import Testing
import TestSupport

/// Two programs, one task: the second is told, and nothing is lost silently.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskConflictTests {
    /// Commands that wait for a person, having read the task, as they begin.
    private static let question = "Name"

    private func expectConflict(
        _ session: TerminalSession, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try session.answer(Self.question, "the second text")
        #expect(try session.finish() == 8, sourceLocation: sourceLocation)
        #expect(
            session.screen.contains("another program changed"), "\(session.screen)",
            sourceLocation: sourceLocation)
        #expect(session.screen.contains("nothing was changed"), sourceLocation: sourceLocation)
    }

    @Test func theSecondOfTwoEditsIsRefused() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        for isProtected in [false, true] {
            let id = try home.add("--due", "in 3 days", "paint")
            if isProtected { try home.doTask("protect", id) }
            let (first, second) = try (
                TerminalSession(home, ["task", "edit", id, "--name", "-"]),
                TerminalSession(home, ["task", "edit", id, "--name", "-"])
            )
            try first.waitFor("Name: ")
            try second.waitFor("Name: ")
            try first.type("the first text\n")
            #expect(try first.finish() == 0)
            try second.type("the second text\n")
            #expect(try second.finish() == 8)
            #expect(second.screen.contains("another program changed"), "\(second.screen)")
            #expect(try home.shown(id)["name"] as? String == "the first text")
            // Run again, it works.
            try home.doTask("edit", id, "--name", "-", input: "the second text\n")
            #expect(try home.shown(id)["name"] as? String == "the second text")
        }
    }

    @Test(
        arguments: [
            ["done"], ["edit", "--due", "in 2h"], ["edit", "--priority", "high"],
            ["edit", "--name", "other"], ["subtask", "add", "step"], ["protect"],
        ])
    func aConcurrentChangeStays(change: [String]) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "subtask", "add", id])
        try session.waitFor("Name: ")
        // The id comes after the last word of the command's name.
        let path = change.prefix { !$0.hasPrefix("-") && $0 != "step" }
        let changed = try home.runBare(
            ["task"] + path + [id] + change.dropFirst(path.count) + ["--json"])
        #expect(changed.exitCode == 0, "\(changed.errorText)")
        var before = try home.shown(id)
        try session.type("the second text\n")
        let isMoved = change == ["protect"]
        #expect(try session.finish() == (isMoved ? 8 : 0))
        #expect(session.screen.contains("another program changed") == isMoved, "\(session.screen)")
        // Both changes are there.
        var after = try home.shown(id)
        let names = { (task: [String: Any]) in
            (task["subtasks"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
        }
        let added = isMoved ? [] : ["the second text"]
        #expect(try names(after) == #require(names(before)) + added)
        for member in ["subtasks", "revision"] {
            before[member] = nil
            after[member] = nil
        }
        #expect(NSDictionary(dictionary: before) == NSDictionary(dictionary: after))
    }

    @Test func aRemovedTaskIsReportedToo() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        for isProtected in [false, true] {
            let id = try home.add("paint")
            if isProtected { try home.doTask("protect", id) }
            let session = try TerminalSession(home, ["task", "edit", id, "--name", "-"])
            try session.waitFor("Name: ")
            try home.doTask("remove", "--yes", id)
            try session.type("the second text\n")
            let code = try session.finish()
            #expect(code == 5 || code == 8, "\(session.screen)")
            #expect(session.screen.contains("error"))
            #expect(try home.tasks().isEmpty)
            #expect(try home.ownItems().isEmpty)
        }
    }

    @Test func textThatLeavesTheVaultMeanwhile() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", input: "paint\n")
        let session = try TerminalSession(home, ["task", "edit", id, "--name", "-"])
        try session.waitFor("Name: ")
        try home.doTask("unprotect", id)
        try session.type("the second text\n")
        let code = try session.finish()
        #expect(code == 5 || code == 8, "\(session.screen)")
        #expect(try home.shown(id)["name"] as? String == "paint")
        #expect(try home.shown(id)["protected"] as? Bool == false)
    }

    @Test func textThatLeavesTheVaultBeforeItIsShown() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", input: "paint\n")
        try home.closeWindow()
        home.environment["TERM"] = "dumb"
        let session = try TerminalSession(home, ["task", "show", id])
        try session.waitFor("Passphrase: ")
        let verified = try home.ask("verify --passphrase-file \(home.passphraseFile)")
        #expect(verified.exitCode == 0)
        try home.doTask("unprotect", id)
        try session.type(TestHome.passphrase + "\n")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.screen.contains("paint"), "\(session.screen)")
        #expect(try home.shown(id)["protected"] as? Bool == false)
    }

    @Test func aQuestionDoesNotBlockOtherCommands() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint")
        let session = try TerminalSession(home, ["task", "edit", id, "--name", "-"])
        try session.waitFor("Name: ")
        let other = try home.add("another")
        try home.doTask("protect", other)
        try home.doTask("done", other)
        try session.type("the second text\n")
        #expect(try session.finish() == 0)
        #expect(try home.shown(id)["name"] as? String == "the second text")
    }

    @Test func ofTwoImportsOfOneFileTheSecondFindsAllThere() throws {
        let source = try TestHome.forTasks()
        try source.unlock()
        _ = try (source.add("paint"), source.add("--protected", input: "glue\n"))
        let file = source.folder + "/tasks.json"
        try Files.write(source.doTask("export", "--reveal").output, to: file)
        let home = try TestHome.forTasks()
        // It waits for the passphrase, having looked at the list.
        let second = try TerminalSession(home, ["task", "import", file, "--no-agent"])
        try second.waitFor("Passphrase: ")
        #expect(try home.run("task import \(file)").outputText == "imported 2 tasks\n")
        try second.type(TestHome.passphrase + "\n")
        #expect(try second.finish() == 0, "\(second.screen)")
        #expect(
            second.screen.contains("imported 0 tasks; 2 tasks already exist"), "\(second.screen)")
        try home.unlock()
        #expect(try home.tasks("--reveal").texts("name").sorted() == ["glue", "paint"])
        #expect(try home.ownItems().count == 1)
    }

    @Test func manyProgramsAddAndMarkAtOnce() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let shared = try home.add("shared")
        let sink = try Files.open("/dev/null", O_RDWR)
        defer { close(sink) }
        let names = (0..<8).map { "task \($0)" }
        let adding = try names.map {
            try Executable.start(
                ["task", "add", $0], environment: home.environment, in: home.folder,
                .init(input: sink, output: sink, errors: sink))
        }
        let marking = try names.map { _ in
            try Executable.start(
                ["task", "edit", shared, "--priority", "high"], environment: home.environment,
                in: home.folder, .init(input: sink, output: sink, errors: sink))
        }
        #expect(adding.map { Executable.wait(for: $0) } == names.map { _ in 0 })
        let codes = marking.map { Executable.wait(for: $0) }
        #expect(codes.allSatisfy { $0 == 0 || $0 == 8 }, "\(codes)")
        let revision = try home.shown(shared)["revision"] as? Int
        #expect(revision == 1 + codes.count { $0 == 0 }, "each that was acknowledged counts once")
        #expect(Set(try home.tasks().texts("name")) == Set(names + ["shared"]))
        #expect(Files.names(in: home.home).filter { $0.hasPrefix("tasks") } == ["tasks.db"])
    }
}
