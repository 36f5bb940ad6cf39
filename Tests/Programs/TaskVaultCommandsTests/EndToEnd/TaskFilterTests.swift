import Foundation
import Testing
import TestSupport

/// The content of a list: the tasks that filters choose, their ids, and a pager where the screen is too small.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskFilterTests {
    @Test func allFiltersMustHold() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.doTask("add", "bill", "--list", "work", "--tag", "x", "--due", "2020-01-01")
        try home.doTask("add", "paid", "--list", "work", "--tag", "x", "--due", "2020-01-02")
        try home.doTask("done", "paid")
        try home.doTask("add", "lunch", "--list", "home", "--tag", "x", "--due", "today")
        try home.doTask("add", "start", "--list", "home", "--due", "tomorrow 0:00")
        try home.doTask("add", "end", "--list", "work", "--due", "tomorrow")
        try home.doTask("add", "far", "--list", "work", "--tag", "x", "--due", "in 400 days")
        try home.doTask("add", "free", "--list", "home", "--tag", "y", "--notes", "no bill")
        for (options, names) in [
            ("--today --week", "bill lunch"), ("--week --tag x", "bill lunch"),
            ("--today --overdue", "bill"), ("--overdue --search BILL", "bill"),
            ("--overdue --search lunch", ""), ("--list work --search ill", "bill"),
            ("--search bill", "bill free"), ("--search bill --open --list home", "free"),
            ("--tag x --list work", "bill far paid"), ("--tag x --list work --open", "bill far"),
            ("--tag x --list work --done", "paid"), ("--tag y --list work", ""),
            ("--due-before tomorrow", "bill lunch paid"), ("--due-before tomorrow --done", "paid"),
            ("--due-before tomorrow --list home", "lunch"), ("--due-before 2020-01-01", ""),
            ("--due-before 2020-01-02 --list work", "bill"), ("--today --tag y", ""),
            ("--today --due-before 2020-01-02", "bill"), ("--protected --list work", ""),
        ] {
            let arguments = ["task", "list"] + options.split(separator: " ").map(String.init)
            let json = try home.runBare(arguments + ["--json"])
            let found = try #require(json.json as? [[String: Any]], "\(json.errorText)")
            #expect(found.texts("name").sorted().joined(separator: " ") == names, "\(options)")
            let text = try home.runBare(arguments)
            #expect(text.exitCode == 0)
            #expect(text.outputLines.count == (found.isEmpty ? 0 : found.count + 1), "\(options)")
            #expect(text.errorText == (found.isEmpty ? "taskvault: no matching tasks\n" : ""))
        }
        let next = try home.tasks("--due-before", "tomorrow 0:01", "--open").texts("name")
        #expect(next.sorted() == ["bill", "lunch", "start"])
    }

    @Test func aListLongerThanTheScreenOpensInAPager() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.importTasks((10..<50).map { ImportedTask(id: "0000\($0)", name: "number \($0)") })
        // The heading is a line, and the prompt of the shell afterwards.
        let session = try TerminalSession(home, ["task", "list"], rows: 41)
        try session.waitFor("number 48")
        try session.waitFor("q closes")
        #expect(ScreenModel(session.screen, rows: 41).isAlternate)
        try session.type("q")
        #expect(try session.finish() == 0)
        #expect(session.echoes)
        let after = ScreenModel(session.screen, rows: 41)
        #expect(!after.isAlternate && after.unknown == [])
        // What was seen last stays.
        #expect(after.rows.contains { $0.contains("number 48") })
        #expect(!after.rows.contains { $0.contains("number 49") || $0.contains("q closes") })
        for (options, rows) in [([], 42), (["--json"], 5), (["--search", "19"], 5)] {
            let whole = try TerminalSession(home, ["task", "list"] + options, rows: UInt16(rows))
            #expect(try whole.finish() == 0, "\(options)")
            #expect(whole.screen.contains("number 19"), "\(options)")
            #expect(!whole.screen.contains("q closes"), "\(options)")
            #expect(!whole.screen.contains("\u{1B}[?1049h"), "\(options)")
        }
        #expect(try home.doTask("list").outputLines.count == 41)
    }

    @Test func whatSufficesOfAnIDIsEmphasised() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.importTasks(
            ["k7m2qx", "k7m2qy", "k7z000", "10abcd", "hz0000", "h00000"].map {
                ImportedTask(id: $0)
            })
        // It counts though no list shows it.
        try home.doTask("edit", "hz", "--wait", "in 30 days")
        let session = try TerminalSession(home, ["task", "list"])
        #expect(try session.finish() == 0)
        for (prefix, rest) in [
            ("k7m2qx", ""), ("k7m2qy", ""), ("k7z", "000"), ("1", "0abcd"), ("h0", "0000"),
        ] {
            let faint = rest.isEmpty ? "" : "\u{1B}[2m\(rest)\u{1B}[0m"
            #expect(session.screen.contains("\u{1B}[1m\(prefix)\u{1B}[0m" + faint), "\(prefix)")
            let shown = try home.shown(prefix)
            #expect(shown["id"] as? String == prefix + rest)
            if prefix.count > 1 {
                #expect(try home.task("show", String(prefix.dropLast())).exitCode == 2)
            }
        }
        #expect(!(try home.doTask("list").outputText.contains("\u{1B}")))
        home.environment["NO_COLOR"] = "1"
        let plain = try TerminalSession(home, ["task", "list"])
        #expect(try plain.finish() == 0)
        #expect(plain.screen.contains("k7z000") && !plain.screen.contains("\u{1B}"))
    }
}
