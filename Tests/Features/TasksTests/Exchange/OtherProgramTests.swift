import Foundation
@testable import Tasks
import Testing
import TestSupport

@Suite("Other programs")
struct OtherProgramTests {
    private static func isInstalled(_ name: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + name)
    }

    private struct Failed: Error {
        let output: String
    }

    /// Runs a program in a folder of its own and gives what it printed.
    private func run(_ program: String, _ arguments: [String], in folder: String) throws -> [UInt8]
    {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/" + program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder)
        process.environment = [
            "HOME": folder, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TZ": "UTC0",
            "TASKRC": folder + "/taskrc", "TASKDATA": folder + "/tasks",
        ]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failed(output: String(decoding: data, as: UTF8.self))
        }
        return Array(data)
    }

    private func write(_ bytes: [UInt8], _ path: String) throws {
        try Data(bytes).write(to: URL(filePath: path))
    }

    private func taskwarrior(_ arguments: String..., in folder: String) throws -> [UInt8] {
        if !FileManager.default.fileExists(atPath: folder + "/tasks") {
            try FileManager.default.createDirectory(
                atPath: folder + "/tasks", withIntermediateDirectories: true)
            try write(
                Array("confirmation=off\nhooks=off\nverbose=nothing\n".utf8), folder + "/taskrc")
        }
        return try run("task", arguments, in: folder)
    }

    @Test(
        "Taskwarrior's export is imported",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorExport() throws {
        try withTemporaryFolder { folder in
            _ = try taskwarrior(
                "add", "pay rent", "due:2026-12-01T09:00:30Z", "project:home", "+money",
                "priority:H",
                in: folder)
            _ = try taskwarrior("add", "buy \"milk\" 日本 [x]", in: folder)
            _ = try taskwarrior("add", "mistake", in: folder)
            _ = try taskwarrior("add", "feed cat", "due:2037-01-01", "recur:yearly", in: folder)
            _ = try taskwarrior("1", "annotate", "by bank", in: folder)
            _ = try taskwarrior("2", "done", in: folder)
            _ = try taskwarrior("3", "delete", in: folder)
            let result = try read(taskwarrior("export", in: folder))
            #expect(result.format == .taskwarrior)
            let names = Set(result.tasks.compactMap { $0.text?.name })
            #expect(names.isSuperset(of: ["pay rent", "buy \"milk\" 日本 [x]"]))
            #expect(!names.contains("mistake"))
            #expect(result.leftOut == [.deletedTasks: 1])
            #expect(result.tasks.count { $0.repetition != nil } == 1)
            let rent = try #require(result.tasks.first { $0.text?.name == "pay rent" })
            #expect(rent.due == when("2026-12-01T09:00:30.000Z"))
            #expect(rent.text?.notes == "by bank" && rent.list == "home")
            #expect(rent.priority == .high && rent.tags == ["money"])
            let milk = try #require(result.tasks.first { $0.text?.name.hasPrefix("buy") == true })
            #expect(milk.completion != nil && rent.completion == nil)
            #expect(
                try read(taskwarrior("export", in: folder)).tasks.map(\.id)
                    == result.tasks.map(\.id))
        }
    }

    @Test(
        "Taskwarrior imports an export once, and returns it unchanged",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorImport() throws {
        try withTemporaryFolder { folder in
            let step = TodoSubtask(id: id("000001"), name: "a step", isDone: true)
            var tasks = [
                task(
                    "k7m2qx", "buy \"milk\" \\ é😀日本 \u{1B}[31m\tx",
                    notes: "two\n\nlines, 'quoted' \"so\"",
                    due: "2026-12-01T09:00:30.000Z", subtasks: [step]),
                task(
                    "03fz81", "done", created: "1980-01-01T00:00:00.000Z",
                    completed: "2026-11-21T10:00:00.000Z"),
                task("zzzzzz", "far", due: "9999-12-30T23:59:59.000Z"),
                task("000000", "+tag due:tomorrow project:x uuid:y  two blanks"),
            ]
            (tasks[0].priority, tasks[0].list, tasks[0].tags) = (.low, "two words", ["a", "b"])
            tasks[0].wait = when("2026-11-30T00:00:00.000Z")
            tasks[0].reminder = when("2026-12-01T08:00:00.000Z")
            tasks[0].task.setRepetition(
                try RepeatRule(rule: "FREQ=MONTHLY;BYDAY=-1FR;COUNT=7"), in: RuleCalendar.utc)
            try write(written(tasks, as: .taskwarrior), folder + "/tasks.json")
            for _ in 0..<2 { _ = try taskwarrior("import", folder + "/tasks.json", in: folder) }
            let back = try read(taskwarrior("export", in: folder)).tasks
            #expect(back.count == tasks.count)
            for before in tasks {
                var after = try #require(back.first { $0.id == before.id })
                // The ids of steps have no place there.
                #expect(after.text?.subtasks.map(\.name) == before.text?.subtasks.map(\.name))
                #expect(after.text?.subtasks.map(\.isDone) == before.text?.subtasks.map(\.isDone))
                // Taskwarrior adds the time of the change.
                if let text = before.text, var changed = after.text {
                    (changed.subtasks, changed.further) = (text.subtasks, "")
                    after.setText(changed)
                }
                #expect(after == before)
            }
        }
    }

    @Test(
        "Taskwarrior has the order of tasks, and gives it back",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorOrder() throws {
        try withTemporaryFolder { folder in
            var tasks = [
                task("00000a", "buy paint"), task("00000b", "buy a brush"), task("00000c", "paint"),
            ]
            tasks[2].dependencies = [tasks[0].id, tasks[1].id]
            try write(written(tasks, as: .taskwarrior), folder + "/tasks.json")
            _ = try taskwarrior("import", folder + "/tasks.json", in: folder)
            // It finds the blocked task and the two that block it by itself.
            for (filter, names) in [
                ("+BLOCKED", ["paint"]), ("+BLOCKING", ["buy a brush", "buy paint"]),
            ] {
                let found = try read(taskwarrior(filter, "export", in: folder)).tasks
                #expect(found.compactMap { $0.text?.name }.sorted() == names, "\(filter)")
            }
            let back = try read(taskwarrior("export", in: folder)).tasks
            #expect(
                Set(back.first { $0.id == tasks[2].id }?.dependencies ?? []) == [
                    tasks[0].id, tasks[1].id,
                ])
            // An order that was made there arrives, too.
            _ = try taskwarrior("add", "sell the house", in: folder)
            _ = try taskwarrior("description.is:paint", "modify", "depends:", in: folder)
            let painted = try #require(
                String(
                    bytes: taskwarrior("description.is:paint", "uuids", in: folder), encoding: .utf8
                )
            ).trimmingCharacters(in: .whitespacesAndNewlines)
            _ = try taskwarrior("/sell/", "modify", "depends:" + painted, in: folder)
            let changed = try read(taskwarrior("export", in: folder)).tasks
            let sale = try #require(changed.first { $0.text?.name == "sell the house" })
            #expect(sale.dependencies == [tasks[2].id])
            #expect(changed.first { $0.id == tasks[2].id }?.dependencies == [])
        }
    }

    @Test(
        "todo.txt's own program reads an export, and its file is imported",
        .enabled(if: isInstalled("todo-txt"), "needs todotxt-cli"))
    func todoTxt() throws {
        try withTemporaryFolder { folder in
            let settings = ["todo.txt", "done.txt", "report.txt"].map { name in
                "export \(name.prefix(while: { $0 != "." }).uppercased())_FILE=\"\(folder)/\(name)\"\n"
            }
            try write(
                Array(("export TODO_DIR=\"\(folder)\"\n" + settings.joined()).utf8),
                folder + "/config")
            let midnight = "2026-11-20T00:00:00.000Z"
            var tasks = [
                task(
                    "k7m2qx", "call mum", due: "2026-12-05T18:00:00.000Z", created: midnight),
                task(
                    "03fz81", "buy 日本 \"milk\"", due: "2026-12-05T23:59:00.000Z", created: midnight),
                task("000001", "x marks", created: midnight),
                task("000002", "over", created: midnight, completed: "2026-11-21T00:00:00.000Z"),
            ]
            for index in tasks.indices { tasks[index].isDayOnly = true }
            (tasks[0].priority, tasks[0].tags) = (.high, ["phone"])
            try write(written(tasks, as: .todoTxt), folder + "/todo.txt")
            func todo(_ arguments: String...) throws -> String {
                let all = ["-d", folder + "/config", "-p", "-a", "-f"] + arguments
                return String(decoding: try run("todo-txt", all, in: folder), as: UTF8.self)
            }
            func file() throws -> [ExchangedTask] {
                try read(
                    Array(Data(contentsOf: URL(filePath: folder + "/todo.txt"))), as: .todoTxt
                ).tasks
            }
            // It sees the four lines, the context, and that one is done.
            #expect(try todo("list").contains("4 of 4 tasks shown"))
            #expect(try todo("list", "@phone").contains("1 of 4 tasks shown"))
            #expect(try todo("listpri", "A").contains("1 of 4 tasks shown"))
            #expect(try file() == tasks)
            _ = try todo("-t", "add", "new one +p due:2026-12-06")
            _ = try todo("do", "1")
            _ = try todo("pri", "2", "B")
            let after = try file()
            #expect(
                after.map { $0.text?.name } == [
                    "call mum", "buy 日本 \"milk\"", "x marks", "over", "new one",
                ])
            #expect(after[0].tags == ["phone"] && after[1].priority == .medium)
            #expect(after[4].list == "p")
            #expect(after.map { $0.completion != nil } == [true, false, false, true, false])
            #expect(after.map(\.id).dropLast() == tasks.map(\.id)[...])
            #expect(after[0].due == tasks[0].due && after[0].created == tasks[0].created)
            #expect(after[4].due == when("2026-12-06"))
        }
    }

    /// The tasks of an export by their UUIDs, without attributes that Taskwarrior computes.
    private func attributes(_ json: [UInt8]) throws -> [String: String] {
        let tasks = try JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]]
        var found: [String: String] = [:]
        for var task in try #require(tasks) where task["status"] as? String != "deleted" {
            for key in ["id", "urgency", "modified"] { task[key] = nil }
            let data = try JSONSerialization.data(withJSONObject: task, options: .sortedKeys)
            found[task["uuid"] as? String ?? ""] = String(decoding: data, as: UTF8.self)
        }
        return found
    }

    @Test(
        "Taskwarrior's attributes return, also after another import",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func taskwarriorRoundTrip() throws {
        let settings = """
            uda.estimate.type=numeric
            uda.reviewed.type=date
            uda.note.type=string
            uda.priority.values=H,M,L,X,

            """
        try withTemporaryFolder { folder in
            let (first, second) = (folder + "/first", folder + "/second")
            for place in [first, second] {
                _ = try taskwarrior("rc.confirmation=off", "list", in: place, settings: settings)
            }
            let commands: [[String]] = [
                ["pay rent", "due:2026-12-01T09:00:30Z", "project:home.flat", "+money", "+next"],
                [
                    "wait", "wait:2099-01-01", "scheduled:2098-01-01", "until:2100-01-01",
                    "priority:X",
                ],
                ["weekly", "due:2026-12-01", "recur:weekly", "until:2027-01-01", "priority:L"],
                [
                    "after", "depends:1", "estimate:2.5", "reviewed:2026-11-01",
                    "note:it's \"so\" é",
                ],
                ["over", "priority:M", "unknown:value"], ["mistake"],
                ["odd", "recur:13h", "due:now"],
            ]
            for command in commands { _ = try taskwarrior(["add"] + command, in: first) }
            _ = try taskwarrior(["1", "annotate", "by bank"], in: first)
            _ = try taskwarrior(["1", "annotate", "[ ] find the number"], in: first)
            _ = try taskwarrior(["1", "annotate", "again"], in: first)
            _ = try taskwarrior(["1", "start"], in: first)
            _ = try taskwarrior(["5", "done"], in: first)
            _ = try taskwarrior(["6", "delete"], in: first)
            try write(
                Array(
                    #"""
                    [{"uuid":"11111111-1111-4111-8111-111111111111","description":"tags","entry":"20261121T100400Z",
                    "status":"pending","tags":["a","two words","b"],"project":"\#(String(repeating: "p", count: 300))"}]
                    """#.utf8), folder + "/odd.json")
            _ = try taskwarrior(["import", folder + "/odd.json"], in: first)
            let before = try taskwarrior(["export"], in: first)
            let file = try read(before)
            #expect(file.tasks.count { $0.repetition != nil } == 1)
            #expect(Set(file.leftOut.keys) == [.deletedTasks, .recurringPatterns])
            let exported = try written(file.tasks, as: .taskwarrior)
            #expect(try attributes(exported) == attributes(before))
            try write(exported, folder + "/back.json")
            _ = try taskwarrior(["import", folder + "/back.json"], in: second)
            let after = try taskwarrior(["export"], in: second)
            #expect(try attributes(after) == attributes(before))
            // The same tasks under the same ids.
            #expect(try read(after).tasks.map(\.id).sorted() == file.tasks.map(\.id).sorted())
        }
    }

    @Test(
        "Taskwarrior makes no instance twice after an old export",
        .enabled(if: isInstalled("task"), "needs taskwarrior"))
    func oldPattern() throws {
        try withTemporaryFolder { folder in
            /// Those up to so many of the future, which Taskwarrior then makes.
            func instances(_ count: Int) throws -> [String] {
                _ = try taskwarrior("rc.recurrence.limit=\(count)", "list", in: folder)
                return try attributes(taskwarrior("export", in: folder)).values
                    .filter { $0.contains(#""parent""#) }.sorted()
            }
            _ = try taskwarrior("add", "trash", "due:now+1h", "recur:1d", in: folder)
            #expect(try instances(1).count == 1)
            let tasks = try read(taskwarrior("export", in: folder)).tasks
            let after = try instances(2)
            #expect(after.count == 2)
            // When the first one is due.
            let later = PointInTime(milliseconds: PointInTime.now.milliseconds + 7_200_000)
            try write(written(tasks, as: .taskwarrior, now: later), folder + "/old.json")
            _ = try taskwarrior("import", folder + "/old.json", in: folder)
            #expect(try instances(2) == after)
            #expect(
                TaskExport.leftOut(of: tasks, as: .taskwarrior, now: later)
                    == [.recurringPatterns: 1])
        }
    }

    /// Prints the first times of the rule of each VTODO, with the zones that the file defines.
    private static let ruleReader = """
        import datetime, dateutil.rrule, dateutil.tz, icalendar, json, sys
        text = open(sys.argv[1], "rb").read()
        zones = dateutil.tz.tzical(sys.argv[1]) if b"BEGIN:VTIMEZONE" in text else None
        result = {}
        for todo in icalendar.Calendar.from_ical(text).walk("VTODO"):
            start, rule = todo["DTSTART"], dict(todo["RRULE"])
            assert type(start.dt) == type(todo["DUE"].dt), todo
            assert all(type(until) == type(start.dt) for until in rule.get("UNTIL", [])), rule
            zone = datetime.timezone.utc if isinstance(start.dt, datetime.datetime) else None
            if "TZID" in start.params: zone = zones.get(start.params["TZID"])
            moment = start.dt if isinstance(start.dt, datetime.datetime) else datetime.datetime(
                start.dt.year, start.dt.month, start.dt.day, 23, 59)
            begin = moment.replace(tzinfo=zone)
            until = rule.pop("UNTIL", [None])[0]
            text = ";".join(k + "=" + ",".join(str(v) for v in vs) for k, vs in rule.items())
            found = []
            for time in dateutil.rrule.rrulestr(text, dtstart=begin.replace(tzinfo=None)):
                if zone: time = time.replace(tzinfo=zone)
                if until and (time if zone else time.date()) > until: break
                if zone: time = time.astimezone(datetime.timezone.utc)
                found.append(time.strftime("%Y%m%dT%H%M%SZ" if zone else "%Y%m%dT%H%M%S"))
                if len(found) == 9: break
            result[str(todo["SUMMARY"])] = found
        print(json.dumps(result))
        """

    @Test(
        "others find the same days of repeated tasks, in zones with all kinds of changes",
        .enabled(if: hasCalendarReader, "needs python3-icalendar"),
        arguments: [
            "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo",
            "America/Santiago", "Asia/Kolkata", "Africa/Casablanca", "Etc/UTC", "Europe/Dublin",
        ])
    func repeatedTasks(zone: String) throws {
        let calendar = try #require(ZoneCalendar(zone))
        let rules = [
            "FREQ=WEEKLY;BYDAY=TU", "FREQ=MONTHLY;BYMONTHDAY=1,-1", "FREQ=DAILY;UNTIL=20261206",
            "FREQ=DAILY;UNTIL=20261206T120000Z", "FREQ=MONTHLY;INTERVAL=2", "FREQ=YEARLY",
            "FREQ=DAILY;INTERVAL=40;COUNT=7",
        ]
        var tasks: [ExchangedTask] = []
        for rule in rules {
            for clock in ["09:00", "23:30", "23:59", "00:10", ""] {
                var task = task(TaskID(number: UInt64(tasks.count)).text, rule + clock)
                task.due = try DueTimeParser.read(
                    "2026-12-01 " + clock, now: exportTime, in: calendar)
                task.task.setRepetition(try RepeatRule(rule: rule), in: calendar)
                task.wait = .moment(exportTime)
                tasks.append(task)
            }
        }
        let bytes = try TaskExport.write(
            tasks, as: .iCalendar, in: calendar, to: CollectedBytes()
        ).bytes
        try withTemporaryFolder { folder in
            try write(bytes, folder + "/tasks.ics")
            try write(Array(Self.ruleReader.utf8), folder + "/read.py")
            let json = try run("python3", [folder + "/read.py", folder + "/tasks.ics"], in: folder)
            let found = try #require(
                JSONSerialization.jsonObject(with: Data(json)) as? [String: [String]])
            for task in tasks {
                var next = task.task
                var expected: [String] = []
                while let time = next.due, expected.count < 9 {
                    expected.append(
                        time.day.map { $0.basic + "T235900" } ?? time.moment?.basic ?? "")
                    let found = next.nextOccurrence(in: calendar)
                    next.due = found?.due
                    if let found { next.setSeries(found.rule, found.occurrence) }
                }
                #expect(found[task.text?.name ?? ""] == expected, "\(task.text?.name ?? "")")
            }
        }
    }

    private func taskwarrior(
        _ arguments: [String], in folder: String
    ) throws -> [UInt8] {
        try run("task", arguments, in: folder)
    }

    private func taskwarrior(
        _ arguments: String..., in folder: String, settings: String
    ) throws -> [UInt8] {
        try FileManager.default.createDirectory(
            atPath: folder + "/tasks", withIntermediateDirectories: true)
        let always = "confirmation=off\nhooks=off\nverbose=nothing\n"
        try write(Array((always + settings).utf8), folder + "/taskrc")
        return (try? run("task", arguments, in: folder)) ?? []
    }

    /// Prints each VTODO as an array of name, value and parameters, as another reader sees it.
    private static let calendarReader = """
        import icalendar, json, sys
        calendar = icalendar.Calendar.from_ical(open(sys.argv[1], "rb").read())
        print(json.dumps([{
            "uid": str(todo["UID"]), "summary": str(todo["SUMMARY"]),
            "description": str(todo.get("DESCRIPTION", "")),
            "due": todo["DUE"].dt.isoformat() if "DUE" in todo else None,
            "start": todo["DTSTART"].dt.isoformat() if "DTSTART" in todo else None,
            "rule": todo["RRULE"].to_ical().decode() if "RRULE" in todo else None,
            "priority": int(todo.get("PRIORITY", 0)), "status": str(todo["STATUS"]),
            "tags": [str(t) for t in todo["CATEGORIES"].cats] if "CATEGORIES" in todo else [],
            "parent": str(todo["RELATED-TO"]) if "RELATED-TO" in todo else None,
            "alarms": [str(a["TRIGGER"].dt) for a in todo.walk("VALARM")],
            "errors": todo.errors,
        } for todo in calendar.walk("VTODO")]))
        """

    private static let hasCalendarReader =
        isInstalled("python3")
        && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/icalendar")

    @Test(
        "an iCalendar library of others reads an export",
        .enabled(if: hasCalendarReader, "needs python3-icalendar"))
    func iCalendar() throws {
        try withTemporaryFolder { folder in
            let long = String(repeating: "日本 é😀, ", count: 40)
            var rent = task(
                "k7m2qx", "pay; the, rent \\ " + long, notes: "two\n\nlines: \"a\"",
                due: "2026-12-01T09:00:30.000Z",
                subtasks: [TodoSubtask(id: id("000001"), name: "a, step", isDone: true)])
            (rent.priority, rent.tags, rent.list) = (.medium, ["b", "c"], "home")
            rent.reminder = when("2026-12-01T08:00:00.000Z")
            rent.wait = when("2026-11-30T00:00:00.000Z")
            rent.repetition = try RepeatRule(rule: "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR")
            let done = task("03fz81", "over", completed: "2026-11-21T10:00:00.000Z")
            let file = folder + "/tasks.ics"
            try write(written([rent, done], as: .iCalendar), file)
            try write(Array(Self.calendarReader.utf8), folder + "/read.py")
            let json = try run("python3", [folder + "/read.py", file], in: folder)
            let found = try #require(
                JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]])
            #expect(found.count == 3)
            #expect(found[0]["summary"] as? String == rent.text?.name)
            #expect(found[0]["description"] as? String == "two\n\nlines: \"a\"")
            #expect(found[0]["due"] as? String == "2026-12-01T09:00:30+00:00")
            #expect(found[0]["start"] as? String == "2026-12-01T09:00:30+00:00")
            #expect(found[0]["rule"] as? String == "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR")
            #expect(
                found[0]["priority"] as? Int == 5 && found[0]["status"] as? String == "NEEDS-ACTION"
            )
            #expect(found[0]["tags"] as? [String] == ["b", "c"])
            #expect(found[0]["alarms"] as? [String] == ["-1 day, 22:59:30"])
            #expect(
                found[1]["parent"] as? String == found[0]["uid"] as? String
                    && found[1]["summary"] as? String == "a, step")
            #expect(
                found[1]["status"] as? String == "COMPLETED"
                    && found[2]["status"] as? String == "COMPLETED")
            #expect(found.allSatisfy { ($0["errors"] as? [Any])?.isEmpty == true })
        }
    }

    @Test(
        "todoman lists an export, and what it marked as done is imported",
        .enabled(if: isInstalled("todoman"), "needs todoman"))
    func todoman() throws {
        try withTemporaryFolder { folder in
            let list = folder + "/lists/home"
            for name in [list, folder + "/.config/todoman"] {
                try FileManager.default.createDirectory(
                    atPath: name, withIntermediateDirectories: true)
            }
            let settings = """
                path = "\(folder)/lists/*"
                date_format = "%Y-%m-%d"
                time_format = "%H:%M"
                default_list = "home"

                """
            try write(Array(settings.utf8), folder + "/.config/todoman/config.py")
            var rent = task(
                "k7m2qx", "pay; the, rent \\ 日本", notes: "two\nlines",
                due: "2026-12-01T09:00:30.000Z")
            rent.priority = .high
            let done = task("03fz81", "over", completed: "2026-11-21T10:00:00.000Z")
            // todoman changes only files of one task.
            for task in [rent, done] {
                try write(written([task], as: .iCalendar), list + "/\(task.id.text).ics")
            }
            let json = try run("todoman", ["--porcelain", "list", "--status", "ANY"], in: folder)
            let found = try #require(
                JSONSerialization.jsonObject(with: Data(json)) as? [[String: Any]])
            let open = try #require(found.first { $0["completed"] as? Bool == false })
            #expect(found.count == 2)
            #expect(open["summary"] as? String == rent.text?.name)
            #expect(open["description"] as? String == "two\nlines")
            #expect(open["due"] as? Int == 1_796_115_630 && open["priority"] as? Int == 1)
            let number = try #require(open["id"] as? Int)
            _ = try run("todoman", ["done", "\(number)"], in: folder)
            let file = try Data(contentsOf: URL(filePath: list + "/k7m2qx.ics"))
            let back = try #require(read(Array(file)).tasks.first)
            #expect(back.id == rent.id && back.isDone && back.text?.name == rent.text?.name)
            #expect(back.due == rent.due && back.priority == .high)
        }
    }

    /// Prints name, due time and the first two occurrences of each VTODO, and what vobject writes again.
    private static let vobjectReader = """
        import json, sys, vobject
        calendar = vobject.readOne(open(sys.argv[1], encoding="utf-8").read())
        print(json.dumps({"tasks": [{
            "summary": todo.summary.value, "due": todo.due.value.isoformat(),
            "days": [each.isoformat() for each in list(todo.getrruleset())[:2]],
        } for todo in calendar.vtodo_list], "text": calendar.serialize()}))
        """

    @Test(
        "vobject reads an export, and what it writes again is imported",
        .enabled(
            if: isInstalled("python3")
                && FileManager.default.fileExists(
                    atPath: "/usr/lib/python3/dist-packages/vobject"),
            "needs python3-vobject"))
    func vobject() throws {
        try withTemporaryFolder { folder in
            let long = String(repeating: "日本 é😀, ", count: 20)
            var rent = task("k7m2qx", "pay; the, rent \\ " + long, due: "2026-12-01")
            rent.repetition = try RepeatRule(rule: "FREQ=WEEKLY;BYDAY=TU;COUNT=3")
            rent.tags = ["b", "c"]
            try write(written([rent], as: .iCalendar), folder + "/tasks.ics")
            try write(Array(Self.vobjectReader.utf8), folder + "/read.py")
            let json = try run("python3", ["read.py", "tasks.ics"], in: folder)
            let found = try #require(
                JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
            let todo = try #require((found["tasks"] as? [[String: Any]])?.first)
            #expect(todo["summary"] as? String == rent.text?.name)
            #expect(todo["due"] as? String == "2026-12-01")
            #expect(
                todo["days"] as? [String] == ["2026-12-01T00:00:00", "2026-12-08T00:00:00"])
            let text = try #require(found["text"] as? String)
            let back = try #require(try read(text).tasks.first)
            #expect(back.id == rent.id && back.text?.name == rent.text?.name)
            #expect(back.due == rent.due && back.tags == rent.tags)
            #expect(back.repetition == rent.repetition)
        }
    }
}
