import Foundation
import Testing
import TestSupport

/// Bad and unusual input of the to-do list.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct TaskInputTests {
    @Test(arguments: [
        ("tomorow", "tomorrow"), ("tommorrow 9:00", "tomorrow 9:00"),
        ("frday 18:00", "friday 18:00"),
        ("1 decembr", "1 december"), ("next mont", "next month"),
    ])
    func aMistypedWordOfATimeIsCorrected(typed: String, meant: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        let refused = try home.task("add", "milk", "--due", typed)
        #expect(refused.exitCode == 2)
        #expect(refused.errorLines.last == "taskvault: hint: did you mean '\(meant)'?")
        #expect(try home.task("add", "milk", "--due", meant).exitCode == 0)
        // What is nothing like a time gets examples.
        let other = try home.task("add", "milk", "--due", "someday soon")
        #expect(other.errorLines.last?.contains("such as '") == true)
    }

    @Test(arguments: [
        ("montly", "monthly"), ("evry day", "every day"),
        ("every 2 weks on mon", "every 2 weeks on mon"),
        ("last day of the mnth", "last day of the month"), ("wekdays at 9:00", "weekdays at 9:00"),
    ])
    func aMistypedWordOfARepetitionIsCorrected(typed: String, meant: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        for arguments in [
            ["--due", "mon", "--repeat", typed], ["--due=mon", "--repeat=" + typed],
        ] {
            let refused = try home.runBare(["task", "add", "milk"] + arguments)
            #expect(refused.exitCode == 2)
            #expect(refused.errorLines.last == "taskvault: hint: did you mean '\(meant)'?")
        }
        #expect(try home.task("add", "milk", "--due", "mon", "--repeat", meant).exitCode == 0)
        let other = try home.task("add", "milk", "--due", "mon", "--repeat", "so often")
        #expect(other.errorLines.last?.contains("such as '") == true)
    }

    @Test func aMistypedValueOfASettingIsCorrected() throws {
        let home = try TestHome.forTasks(withVault: false)
        expect(
            try home.runBare(["settings", "set", "task-order", "nmae"]), ends: 2,
            "error: task-order is name, name-reversed, due, priority or created",
            "hint: did you mean 'name'?")
        expect(
            try home.task("add", "x", "pri:hihg"), ends: 2,
            "error: pri:hihg: the priority is high or medium or low or none",
            "hint: did you mean 'high'?")
    }

    @Test func namesThatCannotBe() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let long = String(repeating: "x", count: 100_000)
        let cases: [(String, String)] = [
            ("", "the name is empty"), (" \u{A0}\t\u{3000}", "the name is empty"),
            (long, "the name is longer than 4096 bytes"),
            (String(repeating: "👩‍🚀", count: 400), "the name is longer than 4096 bytes"),
        ]
        for (name, reason) in cases {
            expect(try home.task("add", name), ends: 8, "error: \(reason)")
            let protected = try home.task("add", "--protected", input: name + "\n")
            #expect(
                protected.exitCode == 8, "\(protected.errorText)")
            #expect(protected.errors.count < 300)
        }
        #expect(try home.tasks().isEmpty)
        expect(
            try home.task("add"), ends: 2, "error: missing NAME",
            "hint: taskvault task add buy milk")
        #expect(try home.task("add", "--protected").exitCode == 2)
        expect(
            try home.task("add", "--protected", "hidden"), ends: 2,
            "error: the name of a protected task cannot be given on the command line",
            "hint: omit it: it is asked for, or read from standard input")
        expect(
            try home.task("add", "milk", "--due", "soonish"), ends: 2,
            "error: --due: the time was not understood",
            "hint: such as 'tomorrow 9:00', 'fri 18:00', '2026-12-01'")
        let id = try home.add("x")
        for (name, reason) in cases {
            expect(try home.task("edit", id, "--name", name), ends: 8, "error: \(reason)")
            expect(
                try home.task("subtask", "add", id, name), ends: 8,
                "error: \(reason.replacing("the name", with: "the name of a subtask"))")
        }
        expect(
            try home.task(
                "edit", id, "--notes", "-", input: String(repeating: "x", count: 262_145)),
            ends: 8, "error: the notes are longer than 262144 bytes")
        let notUTF8 = try home.runBare(
            ["task", "add", "--protected"], input: [0x61, 0xFF, 0xFE, 0x0A])
        #expect(notUTF8.exitCode == 2)
        #expect(try home.tasks().count == 1)
        #expect(try home.shown(id)["revision"] as? Int == 1)
    }

    @Test func labelsThatCannotBe() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let plain = try home.add("x", "--list", "home", "--tag", "a")
        let hidden = try home.add("--protected", "--nickname", "n", input: "name\n")
        let long = String(repeating: "x", count: 65_536)
        let before = try home.doTask("export", "--reveal").output
        let isWord = "a tag is one word, without blanks and control characters"
        for (options, reason) in [
            (["--name", long], "the name is longer than 4096 bytes"),
            (["--tag", long], "a tag is longer than 256 bytes"),
            (["--list", long], "the name of the list is longer than 256 bytes"),
            (["--nickname", long], "the nickname is longer than 4096 bytes"),
            (["--tag", "two words"], isWord), (["--tag", "tab\there"], isWord),
            (["--tag", "ok", "--tag", "no\u{A0}break"], isWord), (["--tag", ""], "a tag is empty"),
            (["--tag", " "], "a tag is empty"), (["--list", " "], "the name of the list is empty"),
        ] {
            let id = options[0] == "--nickname" ? hidden : plain
            expect(try home.runBare(["task", "edit", id] + options), ends: 8, "error: \(reason)")
            let added =
                options[0] == "--name"
                ? try home.task("add", options[1])
                : try home.runBare(
                    ["task", "add", "--protected"] + options, input: Array("new\n".utf8))
            expect(added, ends: 8, "error: \(reason)")
            #expect(try home.doTask("export", "--reveal").output == before, "\(reason)")
        }
        #expect(try home.shown(plain)["revision"] as? Int == 1)
        #expect(try home.ownItems().count == 1)
    }

    @Test(arguments: [
        String(repeating: "x", count: 4_096), "👩‍👩‍👧‍👦 family 🏳️‍🌈", "שלום עולם", "\u{202E}evil\u{202C}",
        "漢字テスト", "e\u{301}\u{327}", "'; DROP TABLE tasks; --", "%s%n$HOME`id`", "-", "--due",
        "🔒", "null", "\u{FEFF}bom", "\u{301}x", "a\u{200B}b", "\u{10FFFF}", "name\nof\rlines\t",
    ])
    func namesAreKeptAsTheyAre(name: String) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("--", name)
        #expect(try home.shown(id)["name"] as? String == name)
        #expect(try home.tasks("--search=\(name)").count == 1)
        try home.doTask("protect", id)
        #expect(try home.shown(id)["name"] as? String == name)
        try home.doTask("unprotect", id)
        #expect(try home.tasks().texts("name") == [name])
        let file = try home.doTask("export").output
        let other = try TestHome.forTasks(withVault: false)
        #expect(try other.runBare(["task", "import", "-"], input: file).exitCode == 0)
        #expect(try other.tasks().texts("name") == [name])
        for text in [try home.doTask("list"), try home.doTask("show", id)] {
            let controls = text.outputText.unicodeScalars.filter {
                $0.properties.generalCategory == .control && $0 != "\n"
                    || ("\u{202A}"..."\u{202E}").contains($0)
                    || ("\u{2066}"..."\u{2069}").contains($0)
            }
            #expect(controls.isEmpty)
        }
    }

    @Test func escapeSequencesAreShownAndNeverExecuted() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let evil = "\u{1B}]0;title\u{7}\u{1B}[2J\u{1B}[31mred\u{9B}32m\r\u{8}\u{7F}"
        let visible = "\\u{1B}]0;title"
        let id = try home.add(evil, "--notes", "-", input: evil + "\nline\n" + evil)
        try home.doTask("subtask", "add", id, evil)
        for isProtected in [false, true] {
            if isProtected { #expect(try home.task("protect", id).exitCode == 0) }
            let commands = [
                ["list", "--reveal"], ["show", id], ["done", id], ["undone", id], ["stats"],
                ["export", "--reveal"],
                ["export", "--format", "taskwarrior", "--reveal"], ["list", "--search", evil],
                ["show", evil], ["list", "--due-before", evil], ["list", "--order", evil],
                ["list", "--limit", evil], ["add", "x", "--due", evil], [evil], ["edit", evil],
            ]
            for command in commands {
                for options in [[], ["--json"]] {
                    let result = try home.runBare(["task"] + command + options)
                    for bytes in [result.output, result.errors] {
                        #expect(
                            !bytes.contains { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F },
                            "\(command)")
                        let text = String(decoding: bytes, as: UTF8.self)
                        #expect(!text.unicodeScalars.contains("\u{9B}"), "\(command)")
                    }
                }
            }
            #expect(try home.doTask("list", "--reveal").outputText.contains(visible))
            // A file has them as they are, a terminal has not.
            let file = try TerminalSession(
                home, ["task", "export", "--format", "todo.txt", "--reveal"])
            #expect(try file.finish() == 0)
            #expect(file.screen.contains(visible))
            #expect(!file.screen.contains("\u{1B}]0"))
            for command in [["show", id], ["list", "--reveal"]] {
                let session = try TerminalSession(home, ["task"] + command)
                try session.waitFor(visible)
                if isProtected || command.last == "--reveal" {
                    try session.waitFor("q closes")
                    try session.type("q")
                }
                #expect(try session.finish() == 0)
                #expect(!session.screen.contains("\u{1B}]0"))
                #expect(!session.screen.contains("\u{7}"))
                #expect(!session.screen.contains("\u{1B}[31mred"))
            }
            let asked = try TerminalSession(home, ["task", "remove", id])
            try asked.answer("Remove 1 task? [y/N]", "n")
            #expect(try asked.finish() == 8)
            #expect(isProtected != asked.screen.contains(visible))
            #expect(!asked.screen.contains("\u{1B}]0"))
        }
        #expect(try home.shown(id)["name"] as? String == evil)
    }

    @Test(arguments: [
        ("0001-01-01", "0001-01-01"),
        ("0001-01-01 00:00", "0001-01-01T00:00:00Z"),
        ("9999-12-31", "9999-12-31"),
        ("9999-12-31 23:59:59", "9999-12-31T23:59:59Z"),
        ("2096-02-29 9am", "2096-02-29T09:00:00Z"),
        ("2099-12-01T09:00+02:00", "2099-12-01T07:00:00Z"),
        ("2099-12-01 09:00Z", "2099-12-01T09:00:00Z"),
    ])
    func timesAtTheEdge(text: String, due: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("x", "--due", text)
        #expect(try home.shown(id)["due"] as? String == due)
        for command in [
            ["list"], ["show", id], ["list", "--order", "due"], ["list", "--overdue"],
        ] {
            #expect(try home.runBare(["task"] + command).exitCode == 0)
        }
        #expect(try home.doTask("list").outputLines.count == 2)
        for format in ["taskvault", "taskwarrior", "todo.txt", "icalendar"] {
            #expect(try home.doTask("export", "--format", format).outputText.contains("x"))
        }
    }

    @Test(arguments: [
        (["--wait", "1969-12-31"], ["wait": "1969-12-31"]),
        (["--wait", "0001-01-01"], ["wait": "0001-01-01"]),
        (["--remind=1969-12-31"], ["reminder": "1969-12-31"]),
        (
            ["--due", "1970-01-01", "--remind=2d"],
            ["due": "1970-01-01", "reminder": "1969-12-30"]
        ),
        (
            ["--due", "9998-12-31", "--repeat", "yearly"],
            ["due": "9998-12-31", "repeat": "FREQ=YEARLY"]
        ),
        (
            ["--due", "1969-12-30", "--repeat", "FREQ=DAILY;UNTIL=19691231"],
            ["due": "1969-12-30", "repeat": "FREQ=DAILY;UNTIL=19691231"]
        ),
        (["--wait", "10000-01-01"], [:]), (["--wait", "0000-01-01"], [:]),
        (["--wait", "-0001-12-31"], [:]),
        (["--remind=10000-01-01"], [:]), (["--remind=-0001-12-31"], [:]),
        (["--due", "9999-12-31", "--repeat", "daily"], [:]),
        (["--due", "today", "--repeat", "FREQ=DAILY;UNTIL=19691231"], [:]),
        (["--due", "today", "--repeat", "FREQ=DAILY;UNTIL=100000101"], [:]),
        (["--due", "today", "--repeat", "FREQ=DAILY;UNTIL=-00011231"], [:]),
    ])
    func timesFarAway(options: [String], members: [String: String]) throws {
        let home = try TestHome.forTasks(withVault: false)
        let added = try home.runBare(["task", "add", "x", "--json"] + options)
        #expect(added.exitCode == (members.isEmpty ? 2 : 0), "\(added.errorText)")
        #expect(try home.tasks().count == (members.isEmpty ? 0 : 1))
        for (member, text) in members { #expect(added.object[member] as? String == text) }
        guard let id = added.object["id"] as? String else {
            #expect(added.failure["hint"] != nil, "\(added.errorText)")
            return
        }
        for command in [["list"], ["list", "--overdue"], ["show", id], ["done", id], ["undo"]] {
            #expect(try home.runBare(["task"] + command).exitCode == 0, "\(command)")
        }
        #expect(try home.shown(id)["due"] as? String == members["due"])
    }

    @Test(arguments: [
        "10000-01-01", "-0001-12-31", "2099-02-29", "2099-13-01", "2099-04-31", "12/01/2099",
        "1.12.2099", "24:00", "9:60", "2099-01-01 25:00", "2099-01-01T09:00+25:00", "in 3",
        "in 999999 years", "in -2h", "someday", "", " ", "midnight", "now now", "1e9",
        "next weekend", "9", "\u{1B}[2J", String(repeating: "9", count: 100_000),
    ])
    func timesThatCannotBeAreRefusedWithExamples(text: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        let refused = try home.task("add", "x", "--due", text)
        #expect(refused.exitCode == 2, "\(text.prefix(40)): \(refused.outputText)")
        #expect(refused.errors.count < 500)
        let hint = try #require(refused.errorLines.last)
        #expect(hint.hasPrefix("taskvault: hint: such as '"))
        let examples = hint.split(separator: "'").enumerated().filter { $0.offset % 2 == 1 }
        #expect(!examples.isEmpty)
        for example in examples {
            #expect(
                try home.task("add", "x", "--due", String(example.element)).exitCode == 0,
                "\(example.element)")
        }
        #expect(try home.tasks().count == examples.count)
    }

    @Test(
        .enabled(
            if: Files.exists("/usr/share/zoneinfo/Europe/Berlin"), "there are no time zones"))
    func theHourThatIsMissingAndTheOneThatComesTwice() throws {
        let home = try TestHome.forTasks(withVault: false)
        home.environment["TZ"] = "Europe/Berlin"
        func due(_ text: String) throws -> String? {
            try home.shown(try home.add("x", "--due", text))["due"] as? String
        }
        #expect(try due("2027-03-28 01:59") == "2027-03-28T00:59:00Z")
        #expect(try due("2027-03-28 03:00") == "2027-03-28T01:00:00Z")
        #expect(try due("2027-07-01") == "2027-07-01")
        for text in ["2027-03-28 02:00", "2027-03-28T02:30", "2027-03-28 02:59"] {
            let gap = try home.task("add", "x", "--due", text)
            #expect(gap.exitCode == 2)
            #expect(gap.errorText.contains("does not exist: clocks are set forward"))
        }
        let twice = try home.task("add", "x", "--due", "2027-10-31 02:30")
        #expect(twice.exitCode == 2)
        #expect(twice.errorText.contains("occurs twice"))
        #expect(
            twice.errorLines.last
                == "taskvault: hint: such as '2027-10-31 02:30+02:00', '2027-10-31 02:30+01:00'")
        #expect(try due("2027-10-31 02:30+02:00") == "2027-10-31T00:30:00Z")
        #expect(try due("2027-10-31 02:30+01:00") == "2027-10-31T01:30:00Z")
        #expect(try due("2027-10-31 03:00") == "2027-10-31T02:00:00Z")
        home.environment["TZ"] = "America/New_York"
        #expect(try due("2027-10-31 02:30") == "2027-10-31T06:30:00Z")
        #expect(try home.task("add", "x", "--due", "2027-03-14 02:30").exitCode == 2)
        // What was said in one zone is the same moment in another.
        #expect(try home.doTask("list").outputText.contains("2027-10-30 20:30"))
    }
}
