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
                "2  Shopping", "3  work", "1  #bath", "2  #Dairy",
            ])
        try home.doTask("done", "--list", "work", "--overdue")
        #expect(try names("--done") == ["old bill"])
        try home.doTask("done", "--list", "work")
        #expect(try names("--done") == ["old bill", "report"])
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
            done.errorText
                == "taskvault: warning: task \(id): times of the repetition that have passed were skipped\n"
        )
        #expect(try home.shown(id)["done"] as? Bool == false)
        for (arguments, hint) in [
            (["--remind"], "--due tomorrow --remind"), (["--repeat", "daily"], "--due"),
            (["--due", "today", "--repeat", "FREQ=SECONDLY"], "'every 2 weeks on mon'"),
            (["--due", "today", "--repeat", "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2"], "COUNT=10"),
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
        let undated = try home.add("undated")
        let refused = try home.task("remind", undated, "10m")
        #expect(refused.errorText.contains("task edit \(undated) --due 'tomorrow 9:00'"))
        try home.doTask("edit", undated, "--due", "tomorrow 9:00", "--remind", "off")
        try home.doTask("remind", undated, "10m")
        try home.doTask("subtask", "add", id, "transfer", "--due", "2099-01-01 9:00", "--remind")
        try home.doTask("subtask", "remind", id, "1", "10m")
        let subtask = try #require(try home.shown(id)["subtasks"] as? [[String: Any]])[0]
        #expect(subtask["reminder"] as? String == "2099-01-01T08:50:00Z")
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
        #expect(subtasks.texts("due") == ["2099-01-01T08:00:00Z"])
        #expect(try home.doTask("unprotect", id, "--json").object["nickname"] is NSNull)
    }

    @Test func thePublicPartOfAProtectedTaskIsListedWhileTheVaultIsLocked() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let secret = SecretText()
        let id = try home.add(
            "--protected", "--nickname", "surgery", "--list", "health", "--tag", "call", "--tag",
            "soon", "--due", "2099-01-01 9:00", input: secret.name + "\n")
        try home.ask("lock")
        for isDone in [false, true] {
            if isDone { try home.doTask("done", id) }
            let listed = try #require(try home.tasks("--protected", "--tag", "soon").first)
            #expect(listed["done"] as? Bool == isDone)
            #expect(listed["list"] as? String == "health")
            #expect(listed["tags"] as? [String] == ["call", "soon"])
            #expect(listed["due"] as? String == "2099-01-01T09:00:00Z")
            #expect(listed["nickname"] as? String == "surgery")
            #expect(listed["name"] is NSNull)
            let row = try home.doTask("list", "--list", "health").outputLines[1]
            for part in [isDone ? "☑" : "☐", "health", "🔒 surgery #call #soon", "2099-01-01"] {
                #expect(row.contains(part), "\(part)")
            }
            expectNone(of: secret, in: row)
        }
        #expect(try home.task("show", id).exitCode == 3)
        #expect(try home.state == "locked")
    }

    @Test func listsAndTagsAreTakenAway() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("x", "--list", "home", "--tag", "a", "--tag", "b", "--tag", "c")
        try home.doTask("edit", id, "--untag", "b", "--untag", "unknown")
        #expect(try home.shown(id)["tags"] as? [String] == ["a", "c"])
        try home.doTask("edit", id, "--untag", "a", "--untag", "c", "--tag", "c", "--tag", "d")
        #expect(try home.shown(id)["tags"] as? [String] == ["c", "d"])
        #expect(try home.shown(id)["list"] as? String == "home")
        try home.doTask("edit", id, "--list", "")
        #expect(try home.shown(id)["list"] is NSNull)
        #expect(try home.tasks("--list", "home").isEmpty)
        #expect(try home.doTask("lists").outputLines.dropFirst().count == 2)
    }

    @Test(arguments: [
        ("2096-01-31", "monthly", "2096-02-29 2096-03-31 2096-04-30 2096-05-31"),
        ("2099-12-31", "monthly", "2100-01-31 2100-02-28 2100-03-31"),
        ("2096-12-31", "every 2 months", "2097-02-28 2097-04-30 2097-06-30"),
        ("2096-01-31", "FREQ=MONTHLY", "2096-03-31 2096-05-31"),
        ("2096-12-29", "monthly", "2097-01-29 2097-02-28 2097-03-29"),
        ("2096-12-29", "FREQ=MONTHLY", "2097-01-29 2097-03-29"),
        ("2094-02-28", "yearly", "2095-02-28 2096-02-28"),
        ("2092-02-29", "yearly", "2093-02-28 2094-02-28 2095-02-28 2096-02-29"),
        ("2096-02-29", "FREQ=YEARLY", "2104-02-29"),
    ])
    func monthsHaveDifferentLengths(due: String, rule: String, days: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("x", "--due", due + " 9:00", "--repeat", rule)
        for day in days.split(separator: " ") {
            let done = try home.doTask("done", id, "--json")
            #expect(done.errors.isEmpty, "nothing was skipped")
            let task = try #require((done.json as? [[String: Any]])?.first)
            #expect(task["due"] as? String == "\(day)T09:00:00Z")
            #expect(task["done"] as? Bool == false)
        }
    }

    @Test func aLockedVaultLetsAProtectedTaskRepeat() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add(
            "--protected", "--due", "2096-01-31 9:00", "--repeat",
            "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-1", "--remind=1h", input: "secret\n")
        try home.doTask("subtask", "add", id, input: "step\n")
        try home.doTask("subtask", "done", id, "1")
        try home.ask("lock")
        for (due, reminder, isDone) in [
            ("2096-02-29T09:00:00Z", "2096-02-29T08:00:00Z", false),
            ("2096-03-31T09:00:00Z", "2096-03-31T08:00:00Z", false),
            ("2096-03-31T09:00:00Z", "2096-03-31T08:00:00Z", true),
        ] {
            try home.doTask("done", id)
            let task = try #require(try home.tasks().first)
            #expect(task["due"] as? String == due)
            #expect(task["reminder"] as? String == reminder)
            #expect(task["done"] as? Bool == isDone)
        }
        try home.unlock()
        let shown = try home.shown(id)
        #expect(shown["name"] as? String == "secret")
        let subtasks = try #require(shown["subtasks"] as? [[String: Any]])
        #expect(subtasks.map { $0["done"] as? Bool } == [false])
    }

    @Test func rulesAndRemindersFollowTheDueTime() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("rent", "--due", "2099-01-31 9:00", "--repeat", "monthly")
        for (distance, reminder) in [
            ("10 min", "2099-01-31T08:50:00Z"), ("2 hours", "2099-01-31T07:00:00Z"),
            ("1d", "2099-01-30T09:00:00Z"), ("1w", "2099-01-24T09:00:00Z"),
            ("1 month", "2098-12-31T09:00:00Z"),
        ] {
            let changed = try home.doTask("remind", id, distance, "--json").object
            #expect(changed["reminder"] as? String == reminder, "\(distance)")
        }
        #expect(try home.doTask("show", id).outputText.contains("monthly on the last day"))
        for (due, next) in [
            ("2099-01-31 9:00", "2099-02-28"), ("2099-03-15 9:00", "2099-03-31"),
            ("2099-05-31 9:00", "2099-04-30"),
        ] {
            // That moves one occurrence; the rule counts from the time that it scheduled.
            try home.doTask("edit", id, "--due", due)
            let done = try home.doTask("done", id, "--json").json as? [[String: Any]]
            #expect((done?.first?["due"] as? String)?.hasPrefix(next) == true, "\(due)")
        }
        let rule = "FREQ=DAILY;INTERVAL=7;BYDAY=MO"
        try home.doTask("edit", id, "--due", "2099-06-01", "--repeat", rule)
        // Every seventh day from a Tuesday is no Monday, but one Monday may move.
        let refused = try home.task("edit", id, "--due", "2099-06-02", "--repeat", rule)
        #expect(refused.exitCode == 2 && refused.errorText.contains("no such time"))
        try home.doTask("edit", id, "--due", "2099-06-02")
        let done = try home.doTask("done", id, "--json").json as? [[String: Any]]
        #expect((done?.first?["due"] as? String)?.hasPrefix("2099-06-08") == true)
    }

    @Test(arguments: [
        ["--remind"], ["--remind=on"], ["--remind=10m"], ["--remind=soon"], ["--remind=24:00"],
        ["--remind=9"], ["--remind=12/01/2099"], ["--remind=2099-02-30"], ["--remind=in 3"],
        ["--remind=10:00+02:00"], ["--remind=1d 2h"], ["--remind=-5m"], ["--remind=next moon"],
        ["--remind=10000-01-01"], ["--due=tomorrow", "--remind=1.5h"],
        ["--due=never", "--remind=1h"],
    ])
    func theHintOfARefusedReminderWorks(options: [String]) throws {
        let home = try TestHome.forTasks(withVault: false)
        let refused = try home.runBare(["task", "add", "x"] + options)
        #expect(refused.exitCode == 2, "\(refused.outputText)")
        #expect(try home.tasks().isEmpty)
        let hint = try #require(refused.errorLines.last).trimmingPrefix("taskvault: hint: ")
        var examples = hint.split(separator: ", or ").map(String.init)
        if hint.hasPrefix("such as ") {
            examples = hint.dropFirst(8).split(separator: ", ").map { "--remind=\($0)" }
        }
        if hint.hasPrefix("did you mean ") {
            examples = ["--remind=\(hint.dropFirst("did you mean ".count).dropLast())"]
        } else {
            #expect(examples.count > 1, "\(hint)")
        }
        for example in examples {
            // As a person types it.
            let typed = #"exec "$0" task add x --json \#(example)"#
            let added = try home.runBare([], beneath: ["/bin/sh", "-c", typed])
            #expect(added.exitCode == 0, "\(example): \(added.errorText)")
            #expect(added.object["reminder"] is String, "\(example)")
        }
    }

    @Test(arguments: [false, true])
    func subtasksAreMarked(isProtected: Bool) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint")
        for name in ["one", "two"] { try home.doTask("subtask", "add", id, name) }
        if isProtected { try home.doTask("protect", id) }
        func states() throws -> [Bool] {
            let shown = try home.shown(id)
            let subtasks = try #require(shown["subtasks"] as? [[String: Any]])
            #expect(subtasks.texts("name") == ["one", "two"])
            return ([shown] + subtasks).compactMap { $0["done"] as? Bool }
        }
        try home.doTask("subtask", "done", id, "1")
        #expect(try states() == [false, true, false])
        for position in ["3", "0", "-1", "999999999999999999999", "1.0", "+1", ""] {
            for command in ["done", "undone"] {
                let refused = try home.runBare(["task", "subtask", command, "--", id, position])
                #expect(refused.exitCode == 5, "\(position)")
                #expect(refused.errorLines.count == 2, "\(position)")
            }
        }
        #expect(try states() == [false, true, false])
        try home.doTask("subtask", "done", id, "2")
        try home.doTask("subtask", "undone", id, "1")
        #expect(try states() == [false, false, true])
        try home.doTask("done", id)
        #expect(try states() == [true, false, true])
        try home.doTask("undone", id)
        try home.doTask("done", id, "--with-subtasks")
        #expect(try states() == [true, true, true])
        try home.doTask("undone", id)
        #expect(try states() == [false, true, true])
        try home.doTask("done", id)
        if isProtected { try home.ask("lock") }
        // The vault need not know it.
        try home.doTask("undone", id, "--with-subtasks")
        if isProtected {
            #expect(try home.task("done", id, "--with-subtasks").exitCode == 3)
            try home.unlock()
        }
        #expect(try states() == [false, false, false])
    }

    @Test func notesAreArgumentsOfPublicTasksOnly() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("x", "--notes", "first", "--due", "tomorrow")
        func notes(_ id: String) throws -> String? { try home.shown(id)["notes"] as? String }
        #expect(try notes(id) == "first")
        try home.doTask("edit", id, "--notes", "second", "--append")
        try home.doTask("edit", id, "--append", "--notes", "-", input: "third\n")
        #expect(try notes(id) == "first\nsecond\nthird")
        try home.doTask("edit", id, "--notes", "")
        try home.doTask("edit", id, "--notes", "alone", "--append")
        #expect(try notes(id) == "alone")
        let secret = SecretText()
        let hidden = try home.add("--protected", input: "name\n")
        for arguments in [
            ["add", "--protected", "--notes", secret.notes],
            ["edit", hidden, "--notes", secret.notes],
            ["edit", hidden, "--append", "--notes", secret.notes],
        ] {
            let refused = try home.runBare(["task"] + arguments, input: Array("new\n".utf8))
            expect(
                refused, ends: 2, "error: protected notes cannot be given on the command line",
                "hint: --notes - reads them from standard input")
            expectNone(of: secret, in: refused.errorText)
        }
        #expect(try home.tasks().count == 2)
        #expect(try notes(hidden) == "")
        try home.doTask("edit", hidden, "--notes", "-", input: "one")
        try home.doTask("edit", hidden, "--notes", "-", "--append", input: "two\n")
        #expect(try notes(hidden) == "one\ntwo")
        try expectNowhere(secret, below: home, "refused notes")
    }
}
