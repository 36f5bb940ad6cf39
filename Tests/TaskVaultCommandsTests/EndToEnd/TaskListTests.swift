import Foundation
import Testing
import TestSupport

/// Lists, tags, start dates, repeats, reminders, names and undo on the command line.
@Suite(.waitsForProcesses) struct TaskListCommandTests {
    @Test func filtersCombine() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.doTask("add", "milk", "--list", "Shopping", "--tag", "dairy", "--due", "today")
        try home.doTask("add", "soap", "--list", "shopping", "--tag", "bath", "--tag", "Dairy")
        try home.doTask("add", "report", "--list", "work", "--due", "in 400 days")
        try home.doTask("add", "old bill", "--list", "work", "--due", "2020-01-01")
        try home.doTask("add", "later", "--list", "work", "--wait", "in 3 days")
        func names(_ arguments: String...) throws -> Set<String> {
            let result = try home.runBare(["task", "list", "--json"] + arguments)
            let tasks = try #require(result.json as? [[String: Any]])
            return Set(tasks.texts("name"))
        }
        #expect(try names() == ["milk", "soap", "report", "old bill"])
        #expect(try names("--list", "SHOPPING") == ["milk", "soap"])
        #expect(try names("--list", "shopping", "--tag", "dairy") == ["milk", "soap"])
        #expect(try names("--tag", "dairy", "--tag", "bath") == ["soap"])
        #expect(try names("--today") == ["milk", "old bill"])
        #expect(try names("--week", "--list", "work") == ["old bill"])
        #expect(try names("--overdue") == ["old bill"])
        #expect(try names("--waiting") == ["later"])
        #expect(try names("--tag", "dairy", "--search", "SOA") == ["soap"])
        let none = try home.doTask("list", "--tag", "dairy", "--list", "work")
        #expect(none.output.isEmpty)
        #expect(none.errorText == "taskvault: no matching tasks\n")
        let lists = try home.doTask("lists").outputLines
        #expect(
            lists.dropFirst().map { $0.trimmingCharacters(in: .whitespaces) } == [
                "1  Shopping", "1  shopping", "3  work", "1  #bath", "1  #Dairy", "1  #dairy",
            ])
        #expect(try home.task("done", "--list", "work").exitCode == 2)
        let done = try home.doTask("done", "--all", "--list", "work", "--overdue", "--yes")
        #expect(done.outputText == "1 task marked as done\n")
        #expect(try names("--done") == ["old bill"])
    }

    @Test func aTaskIsFoundByItsName() throws {
        let home = try TestHome.forTasks(withVault: false)
        let ids = try ["Call Ada", "call the bank", "Übung"].map { try home.add($0) }
        #expect(try home.shown("ada")["id"] as? String == ids[0])
        #expect(try home.shown("call a")["id"] as? String == ids[0])
        #expect(try home.shown("übung")["id"] as? String == ids[2])
        let several = try home.task("done", "call")
        #expect(several.exitCode == 2)
        #expect(
            several.errorLines[0] == "taskvault: error: the name is ambiguous: several tasks match")
        #expect(try home.task("show", "nothing like it").exitCode == 5)
    }

    @Test func theLastCommandIsUndone() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        #expect(try home.task("undo").exitCode == 5)
        let id = try home.add("milk")
        try home.doTask("edit", id, "--name", "cheese", "--tag", "dairy")
        try home.doTask("remove", "--yes", id)
        #expect(try home.doTask("undo").outputText == "as before: \(id)  cheese\n")
        try home.doTask("undo")
        #expect(try home.shown(id)["name"] as? String == "milk")
        #expect(try home.shown(id)["tags"] as? [String] == [])
        #expect(try home.doTask("undo", "--json").object["removed"] as? [String] == [id])
        #expect(try home.task("undo").exitCode == 5)
        let hidden = try home.add("--protected", input: "secret\n")
        try home.doTask("done", hidden)
        try home.doTask("remove", "--yes", hidden)
        try home.ask("lock")
        #expect(try home.task("undo").exitCode == 3)
        try home.unlock()
        try home.doTask("undo")
        #expect(try home.shown(hidden)["name"] as? String == "secret")
        try home.doTask("edit", hidden, "--name", "-", input: "another\n")
        let refused = try home.task("undo")
        #expect(refused.exitCode == 8)
        #expect(refused.errorText.contains("task history \(hidden)"))
    }

    @Test func repeatsAndReminders() throws {
        let home = try TestHome.forTasks(withVault: false)
        let added = try home.doTask(
            "add", "pay rent", "--due", "2026-01-31 9:00", "--repeat", "monthly", "--remind", "1d",
            "--json"
        ).object
        #expect(added["repeat"] as? String == "FREQ=MONTHLY;BYMONTHDAY=-1")
        #expect(added["reminder"] as? String == "2026-01-30T09:00:00Z")
        let id = try #require(added["id"] as? String)
        let done = try home.doTask("done", id)
        #expect(
            done.errorText == "taskvault: task \(id) repeats: times that have passed were skipped\n"
        )
        #expect(try home.shown(id)["done"] as? Bool == false)
        for (arguments, hint) in [
            (["--remind"], "--due tomorrow --remind"), (["--repeat", "daily"], "--due"),
            (["--due", "today", "--repeat", "FREQ=SECONDLY"], "'every 3 days'"),
            (["--due", "today", "--repeat", "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2"], "'weekdays'"),
            (["--due", "2026-01-30", "--repeat", "FREQ=DAILY;UNTIL=20260130"], "COUNT=10"),
            (["--tag", "two words"], "one word"),
            (["--list", String(repeating: "l", count: 65_536)], "256 bytes"),
            (["--due", "10000-01-01"], "such as"), (["--nickname", "n"], "task protect"),
        ] {
            let refused = try home.runBare(["task", "add", "x"] + arguments)
            #expect([2, 8].contains(refused.exitCode), "\(arguments)")
            #expect(refused.errorText.contains(hint), "\(refused.errorText)")
        }
        #expect(try home.tasks().count == 1)
        #expect(try home.doTask("remind", id, "off", "--json").object["reminder"] is NSNull)
        try home.doTask("subtask", "add", id, "transfer", "--due", "2099-01-01 9:00", "--remind")
        try home.doTask("subtask", "remind", id, "1", "10m")
        let subtask = try #require(try home.shown(id)["subtasks"] as? [[String: Any]])[0]
        #expect(subtask["reminder"] as? String == "2099-01-01T08:50:00.000Z")
        let unknown = try home.task("add", "x", "--project", "home")
        #expect(unknown.exitCode == 2)
        #expect(!unknown.errorText.contains("protected"))
        try home.run("settings set remind-by-default yes")
        let reminded = try home.doTask("add", "y", "--due", "2099-01-01 9:00", "--json").object
        #expect(reminded["reminder"] as? String == "2099-01-01T09:00:00Z")
    }

    @Test func theNicknameOfALockedTaskIsPublic() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add(
            "--protected", "--nickname", "the doctor", "--list", "health", "--due",
            "2099-01-01 9:00",
            input: "ask for the results\n")
        try home.doTask("subtask", "add", id, "--due", "2099-01-01 8:00", "--remind", input: "go\n")
        try home.ask("lock")
        let row = try home.doTask("list").outputLines[1]
        for part in [id, "health", "🔒 the doctor", "2099-01-01"] {
            #expect(row.contains(part), "\(part)")
        }
        try home.doTask("edit", id, "--priority", "high")
        try home.doTask("done", id)
        try home.unlock()
        let subtasks = try #require(try home.shown(id)["subtasks"] as? [[String: Any]])
        #expect(subtasks.texts("name") == ["go"])
        #expect(subtasks.texts("due") == ["2099-01-01T08:00:00.000Z"])
        #expect(try home.doTask("unprotect", id, "--json").object["nickname"] is NSNull)
    }
}
