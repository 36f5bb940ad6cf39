import Foundation
import Testing
import TestSupport
import VaultAgent

/// The commands of the to-do list, as people and as programs see them.
@Suite(.waitsForProcesses) struct TaskCommandTests {
    /// The members in the first column of the table under "With --json" in `Docs/TaskExchange.md`.
    private static let members = Set(
        Checkout.text("Docs/TaskExchange.md")
            .split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0 != "## With `--json`" }.drop { !$0.hasPrefix("| `") }
            .prefix { $0.hasPrefix("| `") }
            .flatMap { line in
                line.split(separator: "|")[0].split(separator: "`").map(String.init)
                    .filter { $0.allSatisfy { $0.isLetter || $0 == "_" } }
            })

    @Test func aTaskFromItsBeginningToItsEnd() throws {
        let home = try TestHome.forTasks(withVault: false)
        let empty = try home.doTask("list")
        #expect(empty.output.isEmpty)
        #expect(!Files.exists(home.tasksFile), "who only reads makes no file")
        let added = try home.doTask("add", "buy", "milk", "--due", "2099-12-01 09:00")
        let line = try #require(
            added.outputText.wholeMatch(
                of: /added ([0-9a-z]{6})  buy milk  \(due tue 2099-12-01 09:00\)\n/)
        )
        let id = String(line.output.1)
        #expect(Files.mode(home.tasksFile) == 0o600)
        #expect(Files.mode(home.home) == 0o700)
        let listed = try home.doTask("list").outputLines
        #expect(listed.count == 2)
        #expect(listed[0].split(separator: " ") == ["ID", "DUE", "TASK"])
        #expect(
            listed[1].split(separator: " ")
                == [Substring(id), "☐", "2099-12-01", "09:00", "buy", "milk"])
        try home.doTask("edit", id, "--name", "buy cheese", "--due", "never", "--notes", "-")
        try home.doTask("edit", id, "--notes", "-", input: "hard\nor soft\n")
        let sheet = try home.doTask("show", id).outputText
        #expect(sheet.hasPrefix("buy cheese\n"))
        #expect(sheet.hasSuffix("\nhard\nor soft\n"))
        #expect(!sheet.contains("due"))
        #expect(try home.doTask("done", id).outputText == "done \(id)  buy cheese\n")
        #expect(try home.doTask("list").outputText.contains("☑"))
        #expect(try home.doTask("undone", id).outputText == "not done \(id)  buy cheese\n")
        #expect(try home.doTask("remove", "--yes", id).outputText == "removed \(id)  buy cheese\n")
        #expect(try home.tasks().isEmpty)
        #expect(try home.task("show", id).exitCode == 5)
        #expect(Files.names(in: home.home) == ["tasks.db"])
    }

    @Test func jsonHasEveryMemberAndHidesText() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let added = try home.doTask(
            "add", "--json", "buy milk", "--due", "2099-12-01T09:00+02:00", "--remind", "1h",
            "--notes", "-", input: "two\n")
        #expect(Set(added.object.keys) == Self.members)
        let id = try #require(added.object["id"] as? String)
        try home.doTask("subtask", "add", id, "find the shop")
        let shown = try home.shown(id)
        #expect(Set(shown.keys) == Self.members.union(["files"]))
        #expect(shown["name"] as? String == "buy milk")
        #expect(shown["notes"] as? String == "two")
        #expect(shown["due"] as? String == "2099-12-01T07:00:00Z")
        for (member, value) in [
            ("protected", false), ("done", false), ("overdue", false), ("waiting", false),
        ] {
            #expect(shown[member] as? Bool == value, "\(member)")
        }
        #expect(shown["reminder"] as? String == "2099-12-01T06:00:00Z")
        for member in ["completed", "cleared", "wait", "repeat", "list", "nickname"] {
            #expect(shown[member] is NSNull, "\(member)")
        }
        #expect(shown["revision"] as? Int == 2)
        let subtasks = try #require(shown["subtasks"] as? [[String: Any]])
        #expect(subtasks.count == 1)
        #expect(Set(subtasks[0].keys) == ["id", "name", "done", "due", "reminder"])
        let hidden = try home.doTask("protect", id, "--json").object
        #expect(Set(hidden.keys) == Self.members)
        for member in ["name", "notes", "subtasks"] {
            #expect(hidden[member] is NSNull, "\(member)")
        }
        #expect(hidden["protected"] as? Bool == true)
        #expect(hidden["due"] as? String == "2099-12-01T07:00:00Z")
        for command in [["list"], ["list", "--search", "milk"], ["done", id], ["undone", id]] {
            let result = try home.doTaskArguments(command + ["--json"])
            let tasks = try #require(result.json as? [[String: Any]])
            #expect(tasks.count == 1, "\(command)")
            let members = command[0] == "list" ? Self.members.union(["concurrent"]) : Self.members
            #expect(Set(tasks[0].keys) == members, "\(command)")
            #expect(tasks[0]["name"] is NSNull, "\(command)")
        }
        let revealed = try home.tasks("--reveal")
        #expect(revealed.texts("name") == ["buy milk"])
        #expect((revealed[0]["subtasks"] as? [[String: Any]])?.texts("name") == ["find the shop"])
        let plain = try home.doTask("unprotect", id, "--json").object
        #expect(plain["name"] as? String == "buy milk")
        #expect(
            try home.doTask("edit", id, "--json", "--remind=off").object["reminder"] is NSNull)
        let removed = try home.doTask("remove", "--yes", "--json", id).json as? [[String: Any]]
        #expect(removed?.texts("id") == [id])
    }

    @Test func subtasksHaveAnOrderAndAState() throws {
        let home = try TestHome.forTasks(withVault: false)
        let id = try home.add("paint")
        for name in ["one", "two", "three"] { try home.doTask("subtask", "add", id, name) }
        func subtasks() throws -> [[String: Any]] {
            try #require(try home.shown(id)["subtasks"] as? [[String: Any]])
        }
        let ids = try subtasks().texts("id")
        try home.doTask("subtask", "move", id, ids[2], "first")
        #expect(try subtasks().texts("name") == ["three", "one", "two"])
        try home.doTask("subtask", "move", id, ids[2], "2")
        #expect(try subtasks().texts("name") == ["one", "three", "two"])
        try home.doTask("subtask", "move", id, ids[0], "last")
        #expect(try subtasks().texts("name") == ["three", "two", "one"])
        try home.doTask("subtask", "done", id, ids[1])
        #expect(try subtasks().map { $0["done"] as? Bool } == [false, true, false])
        #expect(try home.doTask("list").outputText.contains("paint [1/3]"))
        #expect(try home.doTask("show", id).outputText.contains("2  ☑ two\n"))
        try home.doTask("subtask", "undone", id, ids[1])
        #expect(try home.doTask("list").outputText.contains("paint [0/3]"))
        try home.doTask("subtask", "edit", id, "2", "--name", "a new name")
        try home.doTask("subtask", "remove", id, ids[0])
        #expect(try subtasks().texts("name") == ["three", "a new name"])
        for position in ["0", "501", "x", ""] {
            #expect(try home.task("subtask", "move", id, ids[1], position).exitCode == 2)
        }
        #expect(try home.task("subtask", "done", id, ids[0]).exitCode == 5)
        try home.doTask("remove", "--yes", id)
        #expect(try home.task("subtask", "done", id, ids[1]).exitCode == 5)
    }

    @Test func idsAreUnderstoodByTheirBeginnings() throws {
        let home = try TestHome.forTasks(withVault: false)
        try home.importTasks(["k7m2qx", "k7m2qy", "k7z000", "10abcd"].map { ImportedTask(id: $0) })
        for typed in ["k7z", "K7Z", "k7zooo", "1O", "lo", "IOABCD", "k7m2qx"] {
            #expect(try home.task("show", typed).exitCode == 0, "\(typed)")
        }
        for command in [["show"], ["done"], ["remove", "--yes"], ["edit", "--due", "never"]] {
            for (typed, ids) in [
                ("k7m2", ["k7m2qx", "k7m2qy"]), ("k", ["k7m2qx", "k7m2qy", "k7z000"]),
            ] {
                let refused = try home.runBare(["task"] + command + [typed])
                expect(
                    refused, ends: 2, "error: the id is ambiguous: several tasks match",
                    "hint: such as " + ids.joined(separator: ", "))
            }
            for typed in ["x", "k7m2qz", "k7m2qx0", "", "-", "k7!", "ä", "%", "k7m2q_"] {
                let refused = try home.runBare(["task"] + command + ["--", typed])
                #expect(refused.exitCode == 5, "\(command) \(typed)")
            }
        }
        #expect(try home.tasks().count == 4)
        #expect(try home.tasks("--done").isEmpty)
        // All or none.
        #expect(try home.task("done", "k7m2qx", "xxx").exitCode == 5)
        #expect(try home.tasks("--done").isEmpty)
        #expect(try home.doTask("done", "k7m2qx", "k7m2qx", "k7z").outputLines.count == 2)
        #expect(try home.tasks("--done").count == 2)
    }

    @Test func doneAllAndStatistics() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        try home.importTasks([
            ImportedTask(id: "000001", due: "2000-01-01T00:00:00.000Z"),
            ImportedTask(id: "000002", completed: ImportedTask.hoursAgo(1)),
            ImportedTask(id: "000003", completed: ImportedTask.hoursAgo(23)),
        ])
        _ = try home.add("--protected", input: "hidden\n")
        func counts() throws -> [Int?] {
            let object = try home.doTask("stats", "--days", "3", "--json").object
            #expect(
                Set(object.keys) == [
                    "completed_past_24_hours", "open", "overdue", "protected", "days",
                ])
            #expect((object["days"] as? [[String: Any]])?.count == 3)
            return ["completed_past_24_hours", "open", "overdue", "protected"].map {
                object[$0] as? Int
            }
        }
        #expect(try counts() == [2, 2, 1, 1])
        #expect(try home.doTask("done", "--all", "--yes", "--json").object["count"] as? Int == 2)
        #expect(try counts() == [4, 0, 0, 1])
        #expect(try home.doTask("clear", "--json").object["count"] as? Int == 4)
        #expect(try counts() == [4, 0, 0, 0], "completions are counted apart")
        let text = try home.doTask("stats", "--days", "3").outputLines
        #expect(text.first?.split(separator: " ").last == "4")
        // The days without completions are left out; late in the evening all four are of one day.
        let days = Set([0.0, 1, 23].map { ImportedTask.hoursAgo($0).prefix(10) })
        #expect(text.count == 4 + days.count)
    }

    @Test func statisticsHaveTwoWeeksAndOnlyDaysWithCompletions() throws {
        let home = try TestHome.forTasks(withVault: false)
        let days = [0.0, 5, 5, 13, 14]
        try home.importTasks(
            days.enumerated().map { number, day in
                ImportedTask(id: "00000\(number)", completed: ImportedTask.hoursAgo(24 * day))
            })
        let shown = try #require(
            try home.doTask("stats", "--json").object["days"] as? [[String: Any]])
        #expect(shown.count == 14)
        let counts = shown.compactMap { $0["completed"] as? Int }
        #expect(counts == [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1])
        let dates = shown.texts("date")
        let bars = try home.doTask("stats").outputLines.dropFirst(4).map { line in
            line.split(separator: " ").map(String.init)
        }
        #expect(bars.compactMap(\.first) == [dates[0], dates[8], dates[13]])
        #expect(bars.compactMap(\.last) == ["1", "2", "1"])
        #expect(try home.doTask("stats", "--days", "15").outputLines.count == 8)
    }
}

extension TestHome {
    /// Runs a command that must work.
    fileprivate func doTaskArguments(
        _ arguments: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> RunResult {
        let result = try runBare(["task"] + arguments)
        #expect(
            result.exitCode == 0, "\(arguments): \(result.errorText)",
            sourceLocation: sourceLocation)
        return result
    }

    @Test func theFormatOfAFileIsFoundOutUnlessItIsLines() throws {
        let home = try TestHome.forTasks(withVault: false)
        let lines = Array("buy milk taskvault:00000a\n".utf8)
        #expect(
            try home.runBare(["task", "import", "--format", "taskvault", "-"], input: lines)
                .exitCode == 2)
        expect(
            try home.runBare(["task", "import", "-"], input: lines), ends: 2,
            "error: nothing was imported: neither the JSON of TaskVault or Taskwarrior nor iCalendar",
            "hint: for a todo.txt give --format todo.txt")
        #expect(try home.tasks().isEmpty)
        let named = try home.runBare(
            ["task", "import", "--format", "todo.txt", "-"], input: lines)
        #expect(named.exitCode == 0)
        for format in ["taskvault", "taskwarrior", "icalendar"] {
            let file = try home.doTask("export", "--format", format).output
            let other = try TestHome.forTasks(withVault: false)
            #expect(try other.runBare(["task", "import", "-"], input: file).exitCode == 0)
            #expect(try other.tasks().texts("id") == ["00000a"], "\(format)")
        }
    }

    @Test func tasksOfOtherProgramsReturnAsTheyCame() throws {
        let taskwarrior = """
            [{"uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11","description":"pay","entry":"20261121T100400Z","status":"pending",\
            "scheduled":"20261126T000000Z","estimate":2.5,"tags":["a","two words"],"priority":"X","project":"home"}]
            """
        let calendar = """
            BEGIN:VCALENDAR
            BEGIN:VTODO
            UID:1@x
            DTSTAMP:20261121T100400Z
            SUMMARY:pay
            RRULE:FREQ=HOURLY
            LOCATION:bank
            END:VTODO
            END:VCALENDAR

            """
        for (format, file, kept) in [
            (
                "taskwarrior", taskwarrior,
                [
                    #""scheduled":"20261126T000000Z""#, #""priority":"X""#, #"["a","two words"]"#,
                    #""uuid":"5b2f2ec7"#,
                ]
            ),
            ("todo.txt", "(A) call @mum by +phone @home\n", ["(A) call @mum by +phone @home\n"]),
            ("icalendar", calendar, ["LOCATION:bank\r\n", "UID:1@x\r\n", "RRULE:FREQ=HOURLY\r\n"]),
        ] {
            let home = try TestHome.forTasks(withVault: false)
            let named = format == "todo.txt" ? ["--format", format] : []
            func take() throws -> RunResult {
                try home.runBare(["task", "import"] + named + ["-"], input: Array(file.utf8))
            }
            let taken = try take()
            #expect(taken.outputLines.first == "imported 1 task", "\(format)")
            #expect(
                taken.outputLines.dropFirst()
                    == (format == "icalendar"
                        ? [
                            "pay (line 2): left out, its repetition, which is not supported: it repeats in the other program only"
                        ]
                        : []))
            #expect(taken.errorText.isEmpty)
            let before = try home.doTask("export", "--format", format).output
            #expect(try take().outputLines.first == "imported 0 tasks; 1 task already exists")
            #expect(try home.doTask("export", "--format", format).output == before)
            let text = String(decoding: before, as: UTF8.self)
            for part in kept { #expect(text.contains(part), "\(format) \(part)") }
            // The owner's change counts, and the rest is kept.
            let id = try home.tasks().texts("id")[0]
            try home.doTask("edit", id, "--name", "renamed")
            let changed = try home.doTask("export", "--format", format).outputText
            #expect(changed.contains("renamed") && !changed.contains("call @mum"))
            if format != "todo.txt" {
                for part in kept { #expect(changed.contains(part), "\(format) \(part)") }
            }
        }
    }

    @Test(arguments: [
        (
            "BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:b\nDUE:soon\nEND:VTODO\nEND:VCALENDAR",
            "line 4: invalid value of 'DUE'"
        ),
        ("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a\nEND:VTODO\n", "line 4: not iCalendar"),
        (
            "[\n{\"description\":\"b\",\"wait\":\"soon\"}]",
            "line 2: invalid value of 'wait'"
        ),
    ])
    func nothingOfABadFileIsImported(file: String, error: String) throws {
        let home = try TestHome.forTasks(withVault: false)
        expect(
            try home.runBare(["task", "import", "-"], input: Array(file.utf8)), ends: 2,
            "error: nothing was imported: " + error, "hint: taskvault task import --help")
        #expect(try home.tasks().isEmpty)
    }

    @Test func anImportNamesWhatItSkips() throws {
        let home = try TestHome.forTasks(withVault: false)
        let bad = (1...25).map {
            "BEGIN:VTODO\nUID:\($0)\nSUMMARY:bad \($0)\nDUE:soon\nEND:VTODO\n"
        }
        let file = Array(
            ("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:0\nSUMMARY:good\nEND:VTODO\n" + bad.joined()
                + "END:VCALENDAR\n").utf8)
        let trial = try home.runBare(["task", "import", "--dry-run", "-"], input: file)
        expect(
            trial, ends: 1, "error: some items cannot be imported",
            "hint: the report names each with its reason")
        #expect(trial.outputLines.contains("would import 1 task"))
        #expect(try home.tasks().isEmpty)
        let report = home.folder + "/report.txt"
        let taken = try home.runBare(["task", "import", "--report", report, "-"], input: file)
        #expect(taken.exitCode == 1 && taken.outputLines.count == 22)
        #expect(
            taken.outputLines.prefix(2) == [
                "imported 1 task", "bad 1 (line 6): skipped, invalid value of 'DUE'",
            ])
        #expect(taken.outputLines.last == "and 5 more, in \(report)")
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(
            lines.count == 25 && lines.last == "bad 25 (line 126): skipped, invalid value of 'DUE'")
        #expect(try home.tasks().texts("name") == ["good"])
        let json = try home.runBare(["--json", "task", "import", "-"], input: file).outputText
        #expect(json.contains(#""imported":0,"would_import":null,"already_there":1,"tasks":null"#))
        #expect(json.contains(#"{"line":6,"title":"bad 1","reason":"unreadable"}"#))
    }

    @Test func anImportNamesWhatExists() throws {
        let home = try TestHome.forTasks(withVault: false)
        func file(_ entries: String...) -> [UInt8] {
            let todos = entries.map { "BEGIN:VTODO\n\($0)\nEND:VTODO\n" }
            return Array(("BEGIN:VCALENDAR\n" + todos.joined() + "END:VCALENDAR\n").utf8)
        }
        let series = "UID:3\nSUMMARY:water\nDTSTART:20991201T090000Z\nRRULE:FREQ=WEEKLY"
        let first = file("UID:1\nSUMMARY:tea", "UID:2\nSUMMARY:milk", series)
        #expect(try home.runBare(["task", "import", "-"], input: first).exitCode == 0)
        try home.doTask("edit", "milk", "--priority", "high")
        let second = file(
            "UID:1\nSUMMARY:tea", "UID:2\nSUMMARY:milk", series,
            "UID:3\nSUMMARY:water\nRECURRENCE-ID:20991201T090000Z\nDUE:20991202T090000Z")
        let lines = [
            "milk (line 6): skipped, it already exists with other content, which it keeps",
            "water (line 10): changed, it continues without the occurrences that the file has apart",
            "tea (line 2): skipped, it already exists",
        ]
        let report = home.folder + "/report.txt"
        for words in [["--dry-run"], ["--report", report]] {
            let taken = try home.runBare(["task", "import", "-"] + words, input: second)
            #expect(taken.exitCode == 0 && Array(taken.outputLines.suffix(3)) == lines)
        }
        #expect(
            try String(contentsOfFile: report, encoding: .utf8)
                == lines.map { $0 + "\n" }.joined())
        let due = try home.tasks().filter { $0["name"] as? String == "water" }.texts("due").sorted()
        #expect(due == ["2099-12-02T09:00:00Z", "2099-12-08T09:00:00Z"])
        let json = try home.runBare(["--json", "task", "import", "-"], input: second).outputText
        #expect(json.contains(#"{"line":2,"title":"tea","reason":"exists_same"}"#))
    }

    @Test func anExportNamesWhatItLeavesOut() throws {
        let home = try TestHome.forTasks(withVault: false)
        for number in 10..<35 { _ = try home.add("call \(number)", "--notes", "-", input: "x") }
        let report = home.folder + "/report.txt"
        let exported = try home.doTask("export", "--format", "todo.txt", "--report", report)
        let reason = "left out: notes, which the format has no place for (25): call "
        #expect(exported.errorText.contains(reason), "\(exported.errorText)")
        #expect(exported.errorText.contains("; and 5 more: --report FILE writes all"))
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 25)
        #expect(
            lines.contains("call 34: left out, notes, which the format has no place for"))
        // A report is a new file.
        #expect(try home.task("export", "--report", report).exitCode == 6)
    }

    @Test func clearedTasksAreRestoredUnchanged() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.add("paint", "--notes", "-", input: "two coats")
        try home.doTask("subtask", "add", id, "buy a brush")
        let hidden = try home.add("--protected", input: "hidden words\n")
        let lines = try home.doTask("export", "--format", "todo.txt").output
        let revealed = try home.doTask("export", "--reveal").output
        try home.doTask("unprotect", hidden)
        try home.doTask("edit", hidden, "--name", "harmless")
        try home.doTask("done", id, hidden)
        try home.doTask("clear")
        #expect(try home.tasks().isEmpty)
        let format = ["--format", "todo.txt"]
        #expect(try home.runBare(["task", "import"] + format + ["-"], input: lines).exitCode == 0)
        let back = try home.shown(id)
        #expect(back["notes"] as? String == "two coats")
        #expect((back["subtasks"] as? [Any])?.count == 1)
        #expect(back["done"] as? Bool == false)
        // Text that was protected in the file does not come into the clear.
        #expect(try home.runBare(["task", "import", "-"], input: revealed).exitCode == 0)
        #expect(try home.shown(hidden)["name"] as? String == "harmless")
    }

    @Test func anExportTellsOfMissingText() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.add("--protected", input: "gone\n")
        let agent = try AgentClient(
            AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test")
        let text = try #require(
            agent.list().first { $0.name.service == "taskvault.task" })
        try agent.remove(text.name)
        let exported = try home.doTask("export", "--reveal")
        #expect(exported.errorText.contains("text is not in the file (1)"))
    }
}
