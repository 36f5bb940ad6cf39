import Foundation
import Testing
import TestSupport

/// The owner's requirements of the to-do list, by their numbers: what a person does, in commands.
@Suite("The owner's requirements", .timeLimit(.minutes(60)), .waitsForProcesses)
struct RequirementTests {
    @Test(
        "S1: a task has a name, a due date, a done flag and subtasks; all can be changed and removed"
    )
    func tasks() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("paint", "--due", "2099-01-01 9:00")
        for name in ["buy paint", "stir"] { try home.doTask("subtask", "add", id, name) }
        try home.doTask("subtask", "done", id, "1")
        try home.doTask("subtask", "edit", id, "2", "--name", "stir well")
        try home.doTask("edit", id, "--name", "paint the door", "--due", "2099-01-02 9:00")
        let task = try home.shown(id)
        #expect(task["name"] as? String == "paint the door" && task["done"] as? Bool == false)
        #expect(task["due"] as? String == "2099-01-02T09:00:00Z")
        let subtasks = try #require(task["subtasks"] as? [[String: Any]])
        #expect(subtasks.map { $0["name"] as? String } == ["buy paint", "stir well"])
        #expect(subtasks.map { $0["done"] as? Bool } == [true, false])
        try home.doTask("remove", "--yes", id)
        #expect(try home.tasks().isEmpty)
    }

    @Test("S3: tasks and subtasks are added, marked, unmarked and deleted; cancel adds nothing")
    func list() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint")
        try home.doTask("subtask", "add", id, "stir")
        for (mark, isDone) in [("done", true), ("undone", false)] {
            try home.doTask(mark, id)
            try home.doTask("subtask", mark, id, "1")
            let task = try home.shown(id)
            #expect(task["done"] as? Bool == isDone)
            let subtasks = task["subtasks"] as? [[String: Any]]
            #expect(subtasks?.map { $0["done"] as? Bool } == [isDone])
        }
        let session = try TerminalSession(home, ["task", "add", "--protected"])
        try session.waitFor("Name: ")
        try session.type("\u{3}")
        #expect(try session.finish() == 130)
        #expect(try home.tasks().count == 1)
        try home.doTask("subtask", "remove", id, "1")
        #expect((try home.shown(id)["subtasks"] as? [[String: Any]])?.isEmpty == true)
        try home.doTask("remove", "--yes", id)
        #expect(try home.tasks().isEmpty)
    }

    @Test("S4: each task and each subtask has a switch for its notification at the due time")
    func notifications() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("paint", "--due", "2099-01-01 9:00")
        try home.doTask("subtask", "add", id, "stir", "--due", "2099-01-01 8:00")
        for (position, reminder) in [("on", true), ("off", false)] {
            try home.doTask("remind", id, position)
            try home.doTask("subtask", "remind", id, "1", position)
            let task = try home.shown(id)
            let subtask = try #require((task["subtasks"] as? [[String: Any]])?.first)
            #expect(task["reminder"] as? String == (reminder ? "2099-01-01T09:00:00Z" : nil))
            #expect(subtask["reminder"] as? String == (reminder ? "2099-01-01T08:00:00Z" : nil))
        }
    }

    @Test(
        "S18: done tasks are visibly marked in the list; S20: the statistics count the past 24 hours"
    )
    func marks() throws {
        let home = try TestHome.forTasks(withVault: false)
        let ids = try ["milk", "bread", "tea"].map { try home.add($0) }
        try home.doTask("done", ids[0], ids[1])
        try home.doTask("undone", ids[1])
        let lines = try home.doTask("list").outputLines
        #expect(lines.first { $0.contains("milk") }?.contains("☑") == true)
        #expect(lines.filter { $0.contains("☐") }.count == 2)
        #expect(
            try home.doTask("stats", "--json").object["completed_past_24_hours"] as? Int == 1)
    }

    @Test("S21: tasks are kept across restarts, and all can be marked at once")
    func all() throws {
        let home = try TestHome.forTasks(withVault: false)
        for name in ["milk", "bread", "tea"] { _ = try home.add(name) }
        #expect(try home.tasks("--open").count == 3)
        try home.doTask("done", "--all", "--yes")
        #expect(try home.tasks("--open").isEmpty && home.tasks("--done").count == 3)
    }

    @Test("S8: a protected task shows a label; its text appears for a verified owner only")
    func protection() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--protected", input: "see a doctor\n")
        try home.closeWindow()
        let file = try Files.read(home.tasksFile)
        #expect(!String(decoding: file, as: UTF8.self).contains("doctor"))
        let hidden = try home.task("list")
        #expect(hidden.exitCode == 0 && !hidden.outputText.contains("doctor"))
        #expect(hidden.outputText.contains("🔒"))
        try home.unlock()
        #expect(try home.tasks("--reveal").texts("name") == ["see a doctor"])
        #expect(try home.shown(id)["protected"] as? Bool == true)
        expect(try home.ask("lock"), ends: 0)
        #expect(try !home.task("list", "--json").outputText.contains("doctor"))
    }

    #if os(Linux)
        @Test("S19: a done task clears itself 24 hours after it was marked")
        func clearing() throws {
            let home = try TestHome.forTasks(withVault: false)
            let id = try home.add("milk")
            try home.doTask("done", id)
            #expect(try home.later("+23h") { try home.tasks().count } == 1)
            #expect(try home.later("+25h") { try home.tasks().count } == 0)
        }
    #endif
}
