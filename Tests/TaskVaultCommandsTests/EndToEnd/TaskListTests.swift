import Foundation
import Testing
import TestSupport

/// Filters, orders, searches and clearing, with the real executable.
@Suite(.waitsForProcesses) struct TaskListTests {
    private func home() throws -> TestHome {
        let home = try TestHome.forTasks(withVault: false)
        try home.importTasks([
            ImportedTask(
                id: "00000a", name: "Émile", due: "2000-01-01T00:00:00.000Z",
                created: "2026-01-01T00:00:00.000Z"),
            ImportedTask(
                id: "00000b", name: "alpha", due: "2099-01-01T00:00:00.000Z",
                created: "2026-01-03T00:00:00.000Z"),
            ImportedTask(id: "00000c", name: "Zeta", created: "2026-01-02T00:00:00.000Z"),
            ImportedTask(
                id: "00000d", name: "beta", due: "2001-01-01T00:00:00.000Z",
                created: "2026-01-04T00:00:00.000Z", completed: ImportedTask.hoursAgo(2)),
        ])
        return home
    }

    @Test(
        arguments: [
            ([], "adbc"), (["--open"], "abc"), (["--done"], "d"), (["--overdue"], "a"),
            (["--due-before", "2050-01-01"], "ad"),
            (["--due-before", "2000-06-01", "--open"], "a"),
            // The start of the day: "d" is due then.
            (["--due-before", "2001-01-01"], "a"), (["--due-before", "2001-01-01 0:01"], "ad"),
            (["--overdue", "--due-before", "1999-01-01"], ""), (["--protected"], ""),
            (["--order", "due"], "adbc"), (["--order", "created"], "dbca"),
            (["--order", "name"], "bdca"), (["--order", "name-reversed"], "acdb"),
            (["--limit", "2"], "ad"), (["--limit", "1", "--order", "name-reversed"], "a"),
            (["--search", "ALPHA"], "b"), (["--search", "émi"], "a"),
            (["--search", "E\u{301}M"], "a"),
            (["--search", "eta"], "dc"), (["--search", "eta", "--limit", "1"], "d"),
            (["--search", "eta", "--open"], "c"), (["--search", "nothing"], ""),
        ] as [([String], String)])
    func filtersAndOrders(options: [String], ids: String) throws {
        let home = try home()
        let listed = try home.runBare(["task", "list", "--json"] + options)
        #expect(listed.exitCode == 0)
        let found = try #require(listed.json as? [[String: Any]])
        #expect(found.texts("id").map { $0.suffix(1) }.joined() == ids)
        let text = try home.runBare(["task", "list"] + options)
        #expect(
            text.outputLines.dropFirst().map { $0.prefix(6).suffix(1) }.joined() == ids,
            "the same for people")
        #expect(text.errors.isEmpty)
        #expect(try home.runBare(["task"] + options).output == text.output || !options.isEmpty)
    }

    @Test func invalidCombinationsAreRefused() throws {
        let home = try home()
        for options in [
            ["--open", "--done"], ["--done", "--overdue"], ["--order", "size"], ["--order", ""],
            ["--limit", "0"], ["--limit", "-1"], ["--limit", "1000001"], ["--limit", "x"],
            ["--due-before", "someday"], ["--search"], ["k7m"],
        ] {
            let refused = try home.runBare(["task", "list"] + options)
            #expect(refused.exitCode == 2, "\(options)")
            #expect(refused.output.isEmpty)
        }
    }

    @Test func aSearchLooksIntoProtectedWordsOnlyWhileVerified() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let words = SecretWords()
        let id = try home.add("--protected", "--notes", "-", input: "present\n\(words.notes)\n")
        try home.doTask("subtask", "add", id, input: words.subtask + "\n")
        _ = try home.add("another present")
        func search(_ text: String, _ options: String...) throws -> ([String], RunResult) {
            let found = try home.runBare(["task", "list", "--json", "--search", text] + options)
            #expect(found.exitCode == 0)
            return ((found.json as? [[String: Any]] ?? []).texts("name"), found)
        }
        // Found, and still hidden.
        for text in ["PRESENT", words.notes.uppercased(), words.subtask] {
            let (names, result) = try search(text)
            #expect(names.contains(""), "\(text)")
            #expect(result.errors.isEmpty)
            expectNone(of: words, in: result.outputText)
        }
        #expect(try search("elsewhere").0.isEmpty)
        #expect(try search(words.notes, "--reveal").0 == ["present"])
        try expectNowhere(words, below: home, "search")
        let close = [{ try home.closeWindow() }, { _ = try home.ask("lock") }]
        for step in close {
            try step()
            let (names, result) = try search("present")
            #expect(names == ["another present"])
            #expect(result.failure["warning"] as? String == "not_searched")
            let text = try home.doTask("list", "--search", words.notes)
            #expect(text.output.isEmpty)
            #expect(
                text.errorText
                    == "taskvault: warning: 1 protected task not searched: taskvault verify\n")
        }
        let without = try home.run(["task", "list", "--search", "present"])
        #expect(without.exitCode == 0)
        #expect(without.errorText.contains("not searched"))
    }

    @Test func hiddenNamesAreOrderedOnlyForThoseWhoSeeThem() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("bravo")
        _ = try home.add("--protected", input: "alpha\n")
        _ = try home.add("--protected", input: "charlie\n")
        #expect(try home.tasks("--order", "name").texts("name") == ["bravo", "", ""])
        #expect(try home.tasks("--order", "name-reversed").texts("name") == ["bravo", "", ""])
        let names = ["alpha", "bravo", "charlie"]
        #expect(try home.tasks("--order", "name", "--reveal").texts("name") == names)
        #expect(
            try home.tasks("--order", "name-reversed", "--reveal").texts("name")
                == names.reversed())
        #expect(
            try home.tasks("--order", "name", "--reveal", "--limit", "1").texts("name") == ["alpha"]
        )
    }

    #if os(Linux)
        @Test(
            .enabled(if: WallClock.isAvailable, "libfaketime is missing"),
            .disabled(if: Sanitizer.isActive, "a sanitizer has to be the first library"))
        func completedTasksAreClearedAndRestored() throws {
            let home = try TestHome.forTasks(withVault: false)
            try home.importTasks(["a", "b", "c", "d"].map { ImportedTask(id: "00000" + $0) })
            func ids() throws -> String {
                try home.tasks("--order", "name").texts("id").map { $0.suffix(1) }.joined()
            }
            try home.doTask("done", "00000a")
            try home.later("+2h") { _ = try home.doTask("done", "00000b") }
            try home.later("+22h") { _ = try home.doTask("done", "00000c") }
            #expect(try home.later("+23h") { try ids() } == "abcd")
            try home.later("+25h") {
                #expect(try ids() == "bcd")
                try home.doTask("undone", "00000b")
                expect(try home.ask("settings set clear-after 2h"), ends: 0)
                #expect(try ids() == "bd")
                #expect(try home.task("show", "00000c").exitCode == 5)
                let statistics = try home.doTask("stats", "--json").object
                #expect(statistics["completed_past_24_hours"] as? Int == 1)
                let back = try home.doTask("clear", "--undo")
                #expect(back.outputText == "2 tasks restored\n")
            }
            #expect(try home.later("+26h") { try ids() } == "abcd", "kept from then on")
            #expect(try home.later("+28h") { try ids() } == "bd", "and not for ever")
        }

        @Test(
            .enabled(if: WallClock.isAvailable, "libfaketime is missing"),
            .disabled(if: Sanitizer.isActive, "a sanitizer has to be the first library"))
        func neverMeansNever() throws {
            let home = try TestHome.forTasks(withVault: false)
            let id = try home.add("x")
            try home.doTask("done", id)
            expect(try home.ask("settings set clear-after never"), ends: 0)
            #expect(try home.later("+400d") { try home.tasks().count } == 1)
            expect(try home.ask("settings set clear-after 24h"), ends: 0)
            #expect(try home.later("+400d") { try home.tasks().isEmpty })
        }
    #endif

    @Test func oldClearedTasksAreRemoved() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.importTasks([
            ImportedTask(
                id: "00000a", name: "Kehraus-4711", completed: ImportedTask.hoursAgo(60),
                cleared: ImportedTask.hoursAgo(25)),
            ImportedTask(
                id: "00000b", completed: ImportedTask.hoursAgo(60),
                cleared: ImportedTask.hoursAgo(23)),
        ])
        #expect(try home.tasks().isEmpty)
        #expect(try home.doTask("clear", "--undo", "--json").object["count"] as? Int == 1)
        #expect(try home.tasks().texts("id") == ["00000b"])
    }
}
