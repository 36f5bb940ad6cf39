import Foundation
import Testing
import TestSupport

/// Commands that change many tasks, tasks typed in one line, and the order of tasks.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct ManyTaskTests {
    /// Eight overdue calls, another overdue task and a later call.
    private func home() throws -> TestHome {
        let home = try TestHome.forTasks()
        try home.importTasks(
            (1...8).map {
                ImportedTask(
                    id: "00000\($0)", name: "call number \($0)", due: "2020-01-0\($0)T09:00:00.000Z"
                )
            } + [
                ImportedTask(id: "00000a", name: "pay", due: "2020-01-01T09:00:00.000Z"),
                ImportedTask(id: "00000b", name: "call later", due: "2099-01-01T09:00:00.000Z"),
            ])
        return home
    }

    @Test func eightOverdueCallsAreMovedWithFewKeys() throws {
        let home = try home()
        let line = "taskvault task edit call --overdue -d mon\n"
        let answer = "y\n"
        #expect(line.utf8.count + answer.utf8.count <= 45)
        let session = try TerminalSession(
            home, line.split(whereSeparator: \.isWhitespace).dropFirst().map(String.init))
        try session.waitFor("000008  call number 8  (due")
        try session.waitFor(" -> ")
        try session.waitFor("Change 8 tasks? [y/N]: ")
        try session.type(answer)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("changed 000001  call number 1  (due mon "))
        #expect(try home.tasks("--overdue").texts("name") == ["pay"])
        // All of it is one step.
        #expect(try home.doTask("undo").outputLines.count == 8)
        #expect(try home.tasks("--overdue").count == 9)
    }

    @Test func moreThanThreeAreAskedAbout() throws {
        let home = try home()
        for command in [
            ["edit", "number 1", "number 2", "000003", "--list", "phone"],
            ["done", "000001", "000002", "000003"], ["remind", "000004", "000005", "off"],
        ] {
            let done = try home.runBare(["task"] + command)
            #expect(done.exitCode == 0, "\(command): \(done.errorText)")
            try home.doTask("undo")
        }
        for command in [
            ["edit", "call", "--overdue", "--list", "phone"], ["edit", "--overdue", "+phone"],
            ["done", "call", "--overdue"], ["done", "000001", "000002", "000003", "000004"],
            ["remove", "--overdue"], ["remind", "--overdue", "10m"], ["protect", "--overdue"],
        ] {
            if command[0] == "protect" { try home.unlock() }
            let before = try home.tasks().texts("due")
            let refused = try home.runBare(["task"] + command)
            #expect(refused.exitCode == 2, "\(command): \(refused.errorText)")
            #expect(refused.errorText.contains("--yes"), "\(command)")
            #expect(try home.tasks().texts("due") == before)
            let done = try home.runBare(["task"] + command + ["--yes", "--json"])
            #expect(done.exitCode == 0, "\(command): \(done.errorText)")
            #expect((done.json as? [Any])?.count ?? 0 >= 4, "\(command)")
            try home.doTask("undo")
            #expect(try home.tasks().texts("due") == before, "\(command)")
        }
        #expect(try home.tasks("--protected").isEmpty)
    }

    @Test func openAndDoneChooseTasksToChange() throws {
        let home = try TestHome.forTasks(withVault: false)
        for name in ["one", "two", "three"] { _ = try home.add(name, "--list", "work") }
        try home.doTask("done", "one", "two")
        try home.doTask("edit", "--done", "list:old")
        #expect(Set(try home.tasks("--list", "old").texts("name")) == ["one", "two"])
        try home.doTask("edit", "--open", "+late")
        #expect(try home.tasks("--tag", "late").texts("name") == ["three"])
        try home.doTask("remove", "--done", "--list", "old", "--yes")
        #expect(try home.tasks().texts("name") == ["three"])
        for options in [["--done", "--open"], ["--done", "--overdue"], ["--done", "--ready"]] {
            #expect(try home.runBare(["task", "remove", "--yes"] + options).exitCode == 2)
        }
        try home.doTask("remind", "--open", "2099-01-01")
        #expect(try home.shown("three")["reminder"] is String)
    }

    @Test func whatIsTrueOfManyTasksIsSaidOnce() throws {
        let home = try home()
        let done = try home.doTask("remind", "--overdue", "--yes", "on")
        #expect(
            done.errorText
                == "taskvault: each of 9 tasks: the time of its reminder has passed\n")
        #expect(done.outputLines.count == 9)
    }

    /// The passphrase is asked where the text leaves the vault, and the tasks are plain again with their text and files.
    @Test func aProtectionOfManyIsUndone() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let ids = try (1...5).map { try home.add("call \($0)", "--notes", "number \($0)") }
        try Files.write("x", to: home.folder + "/plan.txt")
        try home.doFile("add", "--task", ids[0], "plan.txt")
        try home.doTask("protect", "--all", "--yes")
        #expect(try home.tasks("--protected").count == 5)
        #expect(try home.files().first?["protected"] as? Bool == true)
        #expect(try home.doTask("undo").outputLines.count == 5)
        #expect(try home.tasks("--protected").isEmpty)
        #expect(Set(try home.tasks().texts("notes")) == Set((1...5).map { "number \($0)" }))
        #expect(try home.files().first?["protected"] as? Bool == false)
        #expect(try home.ownItems().filter { $0["service"] as? String == "taskvault.task" }.isEmpty)
    }

    @Test func labelsChooseWithoutAnIDAndChangeWithOne() throws {
        let home = try TestHome.forTasks(withVault: false)
        for name in ["one", "two"] { _ = try home.add(name, "--list", "work", "--tag", "x") }
        _ = try home.add("three", "--list", "home")
        try home.doTask("edit", "--list", "work", "--tag", "X", "list:office", "+late", "pri:high")
        let office = try home.tasks("--list", "office")
        #expect(office.texts("name").sorted() == ["one", "two"])
        #expect(office.allSatisfy { $0["tags"] as? [String] == ["x", "late"] })
        #expect(office.texts("priority") == ["high", "high"])
        try home.doTask("edit", "one", "--list", "home", "--tag", "y")
        #expect(try home.tasks("--list", "home").texts("name").sorted() == ["one", "three"])
        for (command, error) in [
            (["edit", "--list", "home"], "nothing to change"),
            (["edit", "--due", "mon"], "missing ID"),
            (["done"], "missing ID"), (["remove", "--yes"], "missing ID"),
            (["remind", "off"], "missing ID"),
            (["edit", "--list", "home", "--name", "same"], "change one task, not 2"),
            (["edit", "one", "due:mon", "--due", "tue"], "given twice"),
            (["edit", "one", "due:soon"], "due:soon: "),
            (["edit", "one", "pri:urgent"], "pri:urgent: the priority is high"),
        ] {
            let refused = try home.runBare(["task"] + command)
            #expect(refused.exitCode == 2, "\(command): \(refused.errorText)")
            #expect(refused.errorText.contains(error), "\(command): \(refused.errorText)")
        }
        #expect(try home.task("edit", "nothing", "--today", "due:mon").exitCode == 5)
        #expect(try home.task("done", "none", "--today").exitCode == 5)
        expect(try home.task("done", "--blocked"), ends: 0, "no matching tasks")
        #expect(try home.tasks("--done").isEmpty)
    }

    @Test func aTaskIsTypedInOneLine() throws {
        let home = try TestHome.forTasks(withVault: false)
        let words = "buy milk due:2099-05-04 +home pri:high list:house every:mon"
        let added = try home.runBare(
            ["task", "add"] + words.split(separator: " ").map(String.init))
        #expect(added.exitCode == 0, "\(added.errorText)")
        for part in [
            "buy milk  (due mon 2099-05-04)", "(repeats every mon)", "(priority high)",
            "(list house)", "(tags home)",
        ] {
            #expect(added.outputText.contains(part), "\(added.outputText)")
        }
        let task = try home.shown("milk")
        #expect(task["repeat"] as? String == "FREQ=WEEKLY;BYDAY=MO")
        #expect(task["list"] as? String == "house" && task["tags"] as? [String] == ["home"])
        let literal = try home.doTask(
            "add", "--due", "2099-05-04", "--", "read", "list:of", "+books")
        #expect(literal.outputText.contains("read list:of +books  (due mon 2099-05-04)"))
        let short = try home.doTask("add", "rent", "due:2099-01-29", "every:29th")
        #expect(
            short.errorText.contains(
                "--repeat 'monthly on the 29th or last day' means its last day"),
            "\(short.errorText)")
        let first = try home.doTask("add", "water", "every:day", "--json").object
        #expect(first["due"] is String, "a repetition begins on its first day")
        for (line, error) in [
            (["x", "due:soon"], "due:soon: "), (["x", "every:so often"], "every:so: "),
            (["x", "due:mon", "--due", "tue"], "given twice"), (["+home"], "missing NAME"),
        ] {
            let refused = try home.runBare(["task", "add"] + line)
            #expect(refused.exitCode == 2, "\(line): \(refused.errorText)")
            #expect(refused.errorText.contains(error), "\(line): \(refused.errorText)")
        }
        #expect(try home.tasks().count == 4)
    }

    @Test func tasksHaveAnOrder() throws {
        let home = try TestHome.forTasks(withVault: false)
        let paint = try home.add("paint")
        let buy = try home.add("buy paint")
        let edited = try home.doTask("edit", paint, "--after", "buy")
        #expect(edited.outputText == "changed \(paint)  paint  (after \(buy))\n")
        let sell = try home.add("sell the house", "after:\(paint)")
        #expect(try home.tasks("--ready").texts("id") == [buy])
        #expect(Set(try home.tasks("--blocked").texts("id")) == [paint, sell])
        #expect(try home.tasks("--blocked").allSatisfy { ($0["after"] as? [String])?.count == 1 })
        let listed = try home.doTask("list").outputText
        #expect(listed.contains("paint (after \(buy))"))
        let sheet = try home.doTask("show", paint).outputText
        #expect(sheet.contains("after      \(buy)  buy paint\n"))
        #expect(sheet.contains("before     \(sell)  sell the house\n"))
        #expect(try home.task("edit", buy, "--after", sell).exitCode == 8)
        #expect(try home.task("list", "--ready", "--blocked").exitCode == 2)
        try home.doTask("done", buy)
        #expect(try home.tasks("--ready").texts("id") == [paint])
        #expect(try home.doTask("show", paint).outputText.contains("buy paint  (done)"))
        let early = try home.doTask("done", sell)
        #expect(early.errorText.contains("comes after \(paint), which is open"))
        try home.doTask("edit", paint, "--after", "never")
        #expect(try home.shown(paint)["after"] as? [String] == [])
        // The order survives an export and an import.
        let file = try home.doTask("export").output
        let other = try TestHome.forTasks(withVault: false)
        #expect(try other.runBare(["task", "import", "-"], input: file).exitCode == 0)
        #expect(try other.shown(sell)["after"] as? [String] == [paint])
    }
}
