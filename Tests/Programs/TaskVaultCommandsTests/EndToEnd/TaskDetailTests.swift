import Foundation
import Testing
import TestSupport

/// Behaviour that a person would not expect otherwise.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskDetailTests {
    @Test(
        arguments: [
            (["call", "--remind", "fri 9:00"], "call", "T09:00:00Z"),
            (["call", "--remind", "tomorrow at 9"], "call", "T09:00:00Z"),
            (["call", "--remind", "+2h"], "call", "Z"),
            (["call", "--remind", "2099-01-01"], "call", "2099-01-01"),
            (
                ["call", "--due", "2099-01-01 9:00", "--remind", "on"], "call",
                "2099-01-01T09:00:00Z"
            ),
            (
                ["--due", "2099-01-01 9:00", "call", "--remind", "10m"], "call",
                "2099-01-01T08:50:00Z"
            ),
            (
                ["--due", "2099-01-01 9:00", "--remind", "call", "Ada"], "call Ada",
                "2099-01-01T09:00:00Z"
            ),
            (
                ["--due", "2099-01-01 9:00", "--remind", "off", "the", "lights"], "off the lights",
                "2099-01-01T09:00:00Z"
            ),
        ])
    func aTimeAfterRemindIsItsValue(words: [String], name: String, reminder: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        let added = try home.runBare(["task", "add", "--json"] + words)
        #expect(added.exitCode == 0, "\(added.errorText)")
        #expect(added.object["name"] as? String == name)
        #expect((added.object["reminder"] as? String)?.hasSuffix(reminder) == true)
    }

    @Test func timesThatWereUnderstoodAreRepeated() throws {
        let home = try TestHome.forTasks(withVault: false)
        let task = try home.add("paint", "--due", "2099-01-01 9:00")
        let waiting = try home.doTask("edit", task, "--wait", "2099-02-01")
        #expect(waiting.outputText.contains("(starts sun 2099-02-01)"))
        #expect(waiting.errorText == "taskvault: task \(task): it starts after it is due\n")
        let added = try home.doTask(
            "subtask", "add", task, "buy", "--due", "2098-12-31 8:00", "--remind", "1h")
        #expect(
            added.outputText
                == "added subtask 1 of \(task)  buy  (due wed 2098-12-31 08:00)  (reminder wed 2098-12-31 07:00)\n"
        )
        #expect(
            try home.doTask("subtask", "done", task, "1").outputText
                == "done subtask 1 of \(task)  buy\n")
        #expect(
            try home.doTask("subtask", "remove", task, "1").outputText
                == "removed subtask of \(task)  buy\n")
        let refused = try home.task("subtask", "done", task, "1")
        #expect(refused.errorLines.last == "taskvault: hint: taskvault task show \(task)")
    }

    @Test func whatGoesWithTheDueTimeIsSaid() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("rent", "--due", "2099-01-01 9:00", "--repeat", "monthly", "--remind")
        let changed = try home.doTask("edit", id, "--due", "never")
        #expect(
            changed.errorText
                == "taskvault: task \(id): it no longer repeats; it has no reminder any more\n")
        let alone = try home.add("call", "--remind=2099-01-01 9:00")
        #expect(try home.doTask("edit", alone, "--due", "never").errorText.isEmpty)
        #expect(try home.shown(alone)["reminder"] as? String == "2099-01-01T09:00:00Z")
        let past = try home.doTask("remind", alone, "2001-01-01")
        #expect(past.errorText == "taskvault: task \(alone): the time of its reminder has passed\n")
    }

    @Test func parallelChangesOfOneTaskAreAllKept() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("paint")
        let changes =
            (0..<4).map { ["subtask", "add", id, "step \($0)"] } + [
                ["edit", id, "--list", "home"], ["edit", id, "--priority", "high"],
                ["edit", id, "--due", "2099-01-01"], ["edit", id, "--wait", "2098-01-01"],
            ]
        let running = try changes.map { try TerminalSession(home, ["task"] + $0) }
        for session in running { #expect(try session.finish() == 0, "\(session.screen)") }
        let task = try home.shown(id)
        #expect((task["subtasks"] as? [[String: Any]])?.count == 4)
        #expect(task["list"] as? String == "home" && task["priority"] as? String == "high")
        #expect(task["due"] as? String == "2099-01-01")
        #expect(task["wait"] as? String == "2098-01-01")
    }

    @Test func protectedTextIsSearchedAndMarked() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", "--nickname", "gift", input: "a bicycle")
        _ = try home.add("other")
        for words in [["--search", "gift"], ["--search", "bicycle"]] {
            let found = try home.runBare(["task", "list", "--reveal", "--json"] + words)
            #expect((found.json as? [[String: Any]])?.map { $0["id"] as? String } == [id])
        }
        let none = try home.task("list", "--reveal", "--search", "nowhere")
        #expect(none.outputText.isEmpty && none.errorText == "taskvault: no matching tasks\n")
        let done = try home.doTask("done", "--all", "--search", "bicycle", "--yes")
        #expect(done.outputText == "1 task marked as done\n")
        try home.doTask("undone", id)
        try home.ask("lock")
        let locked = try home.task("list", "--search", "bicycle")
        #expect(locked.errorText.contains("1 protected task not searched: taskvault unlock"))
    }

    @Test func aRestoredSubtaskHasItsTimes() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint")
        try home.doTask("subtask", "add", id, "buy", "--due", "2099-01-01 8:00", "--remind", "1h")
        try home.doTask("subtask", "add", id, "stir")
        try home.doTask("protect", id)
        let before = try home.shown(id)["subtasks"] as? [[String: Any]]
        try home.doTask("subtask", "remove", id, "1")
        try home.doTask("restore", id)
        let after = try home.shown(id)["subtasks"] as? [[String: Any]]
        #expect(after?.count == 2 && after?.first?["due"] as? String == "2099-01-01T08:00:00Z")
        #expect(try NSArray(array: #require(before)) == NSArray(array: #require(after)))
    }

    @Test func lateFinishingIsSaidForAllAndAtTheEnd() throws {
        let home = try TestHome.forTasks(withVault: false)
        let rent = try home.add("rent", "--due", "2020-01-01 9:00", "--repeat", "monthly")
        let all = try home.doTask("done", "--all", "--yes")
        #expect(all.errorText.contains("warning: task \(rent): times of the repetition"))
        let short = try home.add(
            "short", "--due", "2020-01-01 9:00", "--repeat", "FREQ=DAILY;COUNT=3")
        let done = try home.doTask("done", short, "--json")
        #expect(done.errorText.contains("times_skipped"))
        #expect(try home.shown(short)["done"] as? Bool == true)
    }

    @Test(arguments: [60, 40, 30, 20])
    func rowsFitTheScreen(columns: Int) throws {
        let home = try TestHome.forTasks(withVault: false)
        home.environment["TERM"] = "dumb"
        _ = try home.add(
            "buy milk and bread and butter", "--due", "2098-12-10 18:00", "--list", "shopping",
            "--priority", "high", "--tag", "dairy")
        let session = try TerminalSession(
            home, ["task", "list"], rows: 24, columns: UInt16(columns))
        #expect(try session.finish() == 0)
        let lines = session.screen.split(whereSeparator: \.isNewline)
        #expect(
            lines.count == 2 && lines.allSatisfy { $0.unicodeScalars.count <= columns }, "\(lines)")
        #expect(lines[1].contains("2098-12-10") == (columns >= 28))
        #expect(lines[1].contains("18:00") == (columns >= 40))
        // Where less than four columns would be left for the name, there are no signs.
        #expect(
            lines[1].hasSuffix("!!!") == (columns != 30) && lines[1].contains("buy"), "\(lines)")
    }
}
