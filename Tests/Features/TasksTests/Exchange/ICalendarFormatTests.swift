import Foundation
@testable import Tasks
import Testing
import TestSupport

@Suite("iCalendar")
struct ICalendarFormatTests {
    private static func file(_ todos: String...) -> String {
        "BEGIN:VCALENDAR\nVERSION:2.0\n"
            + todos.map { "BEGIN:VTODO\n\($0)\nEND:VTODO\n" }.joined() + "END:VCALENDAR\n"
    }

    private func one(_ lines: String, in calendar: RuleCalendar = .utc) throws -> ExchangedTask {
        try read(Self.file("SUMMARY:a\n" + lines), in: calendar).tasks[0]
    }

    private func text(_ tasks: [ExchangedTask]) throws -> String {
        String(decoding: try written(tasks, as: .iCalendar), as: UTF8.self)
    }

    /// The sorted unfolded lines of the tasks in a file.
    private func lines(_ text: String) -> [String] {
        text.replacing("\r\n ", with: "").replacing("\r\n", with: "\n").split(separator: "\n")
            .map { String($0) }
    }

    @Test("folds lines after 75 octets, and reads them folded anywhere (RFC 5545, 3.1)")
    func folding() throws {
        let name =
            "This is a long description that exists on a long line. "
            + String(repeating: "é日😀", count: 40)
        let written = try text([task("k7m2qx", name)])
        let raw = written.split(separator: "\r\n", omittingEmptySubsequences: false)
        #expect(raw.allSatisfy { $0.utf8.count <= 75 } && raw.contains { $0.utf8.count > 70 })
        #expect(try read(written).tasks[0].text?.name == name)
        // The example of the standard, with CR LF, LF and a tab.
        for end in ["\r\n ", "\n ", "\n\t"] {
            let folded = Self.file(
                "SUMMARY:This is a lo\(end)ng description\(end) that exists on a long line.")
            #expect(
                try read(folded).tasks[0].text?.name
                    == "This is a long description that exists on a long line.")
        }
        // Other programs split characters.
        let bytes = Array(Self.file("SUMMARY:é!").utf8)
        let place = try #require(bytes.firstIndex(of: 0xC3)) + 1
        let split = bytes[..<place] + Array("\r\n ".utf8) + bytes[place...]
        #expect(try read(Array(split)).tasks[0].text?.name == "é!")
    }

    @Test("escapes text (RFC 5545, 3.3.11)")
    func escaping() throws {
        let example =
            #"DESCRIPTION:Project XYZ Final Review\nConference Room - 3B\nCome Prepared. a\, b\; c\\n \N \x"#
        let notes =
            "Project XYZ Final Review\nConference Room - 3B\nCome Prepared. a, b; c\\n \n \\x"
        #expect(try one(example).text?.notes == notes)
        let back = try text([task("k7m2qx", "a, b; c\\", notes: notes)])
        #expect(back.contains("SUMMARY:a\\, b\\; c\\\\\r\n"))
        #expect(try read(back).tasks[0].text?.notes == notes)
        #expect(try one(#"CATEGORIES:APPOINTMENT,a\,b"#).tags == ["APPOINTMENT", "a,b"])
    }

    @Test(
        "has times in UTC, of a zone, of the owner and of days",
        arguments: [
            ("DUE:20261201T090000Z", "2026-12-01T09:00:00.000Z"),
            ("DUE;TZID=America/New_York:20261201T090000", "2026-12-01T14:00:00.000Z"),
            ("DUE;TZID=\"/vendor.org/x/Asia/Kolkata\":20260701T090000", "2026-07-01T03:30:00.000Z"),
            ("DUE;TZID=Europe/Berlin:20990701T090000", "2099-07-01T07:00:00.000Z"),
            ("DUE;TZID=Australia/Sydney:20990101T090000", "2098-12-31T22:00:00.000Z"),
            ("DUE;TZID=Europe/Berlin:20991025T033000", "2099-10-25T02:30:00.000Z"),
            ("DUE;TZID=Europe/Berlin:20990329T033000", "2099-03-29T01:30:00.000Z"),
            ("DUE:20261201T090000", "2026-12-01T08:00:00.000Z"),
            ("DUE;TZID=Moon/Crater:20261201T090000", "2026-12-01T08:00:00.000Z"),
            ("DUE;TZID=../../etc/passwd:20261201T090000", "2026-12-01T08:00:00.000Z"),
            ("DUE;VALUE=DATE:20261201", "2026-12-01"), ("due;value=date:20261201", "2026-12-01"),
            ("DTSTART;VALUE=DATE:20261201\nDURATION:P2D", "2026-12-03"),
            ("DTSTART;VALUE=DATE:20261201\nDURATION:PT9H", "2026-12-01T08:00:00.000Z"),
            ("DTSTART:20261201T090000Z\nDURATION:P1DT2H", "2026-12-02T11:00:00.000Z"),
            ("DUE:19010101T000000Z", "1901-01-01T00:00:00.000Z"),
            ("DUE:99991231T235960Z", "9999-12-31T23:59:59.000Z"),
            // Clocks skip the first time, and show the second one twice.
            ("DUE:20260329T023000", "2026-03-29T01:30:00.000Z"),
            ("DUE:20261025T023000", "2026-10-25T00:30:00.000Z"),
        ])
    func times(line: String, expected: String) throws {
        let task = try one(line, in: .centralEurope)
        #expect(task.due == when(expected))
        // In a file of ours nobody needs to know the zone.
        let back = try text([task])
        #expect(!back.contains("TZID"))
        #expect(try read(back, in: .centralEurope).tasks[0].due == when(expected))
    }

    @Test("of one whole day is not hidden until that day")
    func wholeDay() throws {
        let day = "DTSTART;VALUE=DATE:20261201\nDUE;VALUE=DATE:20261201"
        let task = try one(day, in: .centralEurope)
        #expect(task.due == when("2026-12-01") && task.wait == nil)
        let longer = try one("DTSTART;VALUE=DATE:20261130\nDUE;VALUE=DATE:20261201")
        #expect(longer.wait == when("2026-11-30"))
        var moved = task
        moved.due = when("2026-12-02")
        for task in [task, moved] {
            let back = try read(
                written([task], as: .iCalendar, in: .centralEurope), in: .centralEurope
            ).tasks[0]
            #expect(back.due == task.due && back.wait == nil)
        }
    }

    @Test(
        "has times of the years 1 to 9999 only",
        arguments: [
            ("DUE:00000101T000000Z", .invalidTime(line: 3)),
            ("DUE:00000101", .invalidMember("DUE", line: 5)),
            ("CREATED:00000101T000000Z", .invalidTime(line: 3)),
            ("STATUS:COMPLETED\nCOMPLETED:00000101T000000Z", .invalidTime(line: 3)),
            (
                "DTSTART:20261201T000000Z\nDURATION:P999999999W",
                .invalidMember("DURATION", line: 6)
            ),
            (
                "DTSTART:20261201T000000Z\nDURATION:P"
                    + String(repeating: "999999999W", count: 16_000),
                .invalidMember("DURATION", line: 6)
            ),
            ("DUE:00010101T000000Z", nil), ("DUE:99991231T235959Z", nil),
        ] as [(String, TaskExchangeError?)])
    func years(lines: String, expected: TaskExchangeError?) {
        #expect(error(Array(Self.file("SUMMARY:a\n" + lines).utf8)) == expected)
    }

    @Test(
        "has no reminder outside of those years",
        arguments: [
            "P999999999W", "-P" + String(repeating: "999999999W", count: 16_000), "-P999999W",
            "P" + String(repeating: "999999999W", count: 16_000),
        ])
    func yearsOfReminders(trigger: String) throws {
        let result = try read(
            Self.file(
                "SUMMARY:a\nDUE:20261201T000000Z\nBEGIN:VALARM\nTRIGGER:\(trigger)\nEND:VALARM"))
        #expect(result.tasks[0].reminder == nil && result.leftOut == [.reminders: 1])
    }

    @Test("has the zones of repetitions in an export, and other times in UTC (RFC 5545, 3.2.19)")
    func keptZones() throws {
        let file = Self.file(
            """
            SUMMARY:a
            UID:x
            RECURRENCE-ID;X-A="b;TZID=c";TZID=Europe/Berlin:20261201T090000
            DTSTART;TZID=Europe/Berlin:20261201T090000
            DUE;TZID=Europe/Berlin:20261201T090000
            RRULE:FREQ=MONTHLY;BYSETPOS=1;BYDAY=TU
            EXDATE;TZID=Europe/Berlin:20270701T090000,20270801T090000
            RDATE;TZID=Moon/Crater:20270701T090000
            BEGIN:VALARM
            ACTION:AUDIO
            TRIGGER;VALUE=DATE-TIME;TZID=Europe/Berlin:20261201T080000
            END:VALARM
            """)
        let tasks = try read(file).tasks
        let back = try text(tasks)
        let lines = self.lines(back)
        for line in [
            #"RECURRENCE-ID;X-A="b;TZID=c";TZID=Europe/Berlin:20261201T090000"#,
            "DTSTART;TZID=Europe/Berlin:20261201T090000",
            "DUE;TZID=Europe/Berlin:20261201T090000",
            "EXDATE;TZID=Europe/Berlin:20270701T090000,20270801T090000",
            "RDATE:20270701T090000", "TRIGGER;VALUE=DATE-TIME:20261201T070000Z",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.filter { $0.hasPrefix("TZID") } == ["TZID:Europe/Berlin"])
        // The same task, by the same id.
        let again = try read(back).tasks
        #expect(again.map(\.id) == tasks.map(\.id) && again.map(\.due) == tasks.map(\.due))
    }

    @Test("has no UID twice in an export")
    func distinctUIDs() throws {
        func file(_ stamp: String, _ name: String) -> String {
            Self.file(
                "UID:abc\nDTSTAMP:\(stamp)\nSUMMARY:\(name)",
                "UID:child\nSUMMARY:c\nRELATED-TO;RELTYPE=PARENT:abc\nDTSTAMP:\(stamp)")
        }
        var tasks = try read(file("20261101T000000Z", "a")).tasks
        var second = try read(file("20261102T000000Z", "b")).tasks[0]
        // It is the same task.
        #expect(try second.isSame(as: #require(tasks[0].plainTask)))
        #expect(
            try !second.isSame(
                as: #require(read(Self.file("UID:abd\nSUMMARY:a2")).tasks[0].plainTask)))
        second.task = second.task.renamed(id("zzzzzz"))
        tasks.append(second)
        let lines = self.lines(try text(tasks))
        let uids = lines.filter { $0.hasPrefix("UID:") }
        #expect(uids.count == 4 && Set(uids).count == 4)
        #expect(uids.prefix(2) == ["UID:abc", "UID:child"])
        let parents = lines.filter { $0.hasPrefix("RELATED-TO") }
        #expect(parents.count == 2 && parents.last.map { "UID" + $0.dropFirst(10) } == uids[2])
        let back = try read(text(tasks)).tasks
        #expect(back.map { $0.text?.name } == ["a", "b"])
        #expect(back.map { $0.text?.subtasks.count } == [1, 1])
        // Exceptions of a repetition share the UID.
        let exceptions = try read(
            Self.file("UID:1\nSUMMARY:a", "UID:1\nRECURRENCE-ID:20261201\nSUMMARY:b")
        ).tasks
        #expect(
            try self.lines(text(exceptions)).filter { $0.hasPrefix("UID:") } == ["UID:1", "UID:1"])
    }

    @Test("has the children for which a task has no room as tasks")
    func surplusChildren() throws {
        func children(_ count: Int, _ further: String = "") -> [ExchangedTask]? {
            let todos = (1...count).map {
                "BEGIN:VTODO\nUID:\($0)\nSUMMARY:c\nRELATED-TO:p\n\(further)END:VTODO\n"
            }
            return try? read(
                "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:p\nSUMMARY:p\nEND:VTODO\n"
                    + todos.joined() + "END:VCALENDAR\n"
            ).tasks
        }
        #expect(children(500)?.map { $0.text?.subtasks.count } == [500])
        #expect(children(502)?.map { $0.text?.subtasks.count } == [500, 0, 0])
        // Of those with many attributes there is less room.
        let large = try #require(
            children(400, "X-A:" + String(repeating: "\"", count: 1_000) + "\n"))
        #expect(large.count > 1 && large[0].text?.subtasks.count ?? 0 > 100)
        let subtasks = large.compactMap { $0.text?.subtasks.count }.reduce(0, +)
        #expect(large.count - 1 + subtasks == 400)
    }

    @Test(
        "has a rule with times of day of the zone of the start",
        arguments: [
            ("FREQ=DAILY;BYHOUR=8;BYMINUTE=0", "2026-12-02T17:00:00.000Z"),
            ("FREQ=DAILY;BYHOUR=8", "2026-12-02T17:00:00.000Z"),
            ("FREQ=DAILY;BYHOUR=9", "2026-12-01T18:00:00.000Z"),
            ("FREQ=DAILY;BYMINUTE=1", "2026-12-01T17:01:00.000Z"),
        ])
    func timeOfDay(rule: String, next: String) throws {
        let source = "DTSTART:20261201T080000Z\nDUE:20261201T170000Z\nRRULE:\(rule)"
        let task = try one(source, in: .centralEurope)
        #expect(task.repetition?.text == rule)
        let berlin = RuleCalendar.centralEurope
        #expect(task.task.nextOccurrence(in: berlin)?.due == when(next))
        #expect(Set(lines(source)).isSubset(of: lines(try text([task]))))
        // The hours of a rule that the owner gives are those of the owner's zone.
        var changed = task
        changed.task.setRepetition(
            try RepeatRule(rule: "FREQ=DAILY;BYHOUR=2;BYMINUTE=30"), in: berlin)
        let exported = String(
            decoding: try written([changed], as: .iCalendar, in: berlin), as: UTF8.self)
        #expect(lines(exported).contains("DTSTART;TZID=Europe/Berlin:20261201T180000"))
        #expect(lines(exported).contains("RRULE:FREQ=DAILY;BYHOUR=2;BYMINUTE=30"))
        let back = try read(exported, in: berlin).tasks[0]
        #expect(back.task.nextOccurrence(in: berlin)?.due == when("2026-12-02T01:30:00.000Z"))
        #expect(TaskExport.leftOut(of: [changed], as: .iCalendar, in: berlin).isEmpty)
    }

    @Test("knows the zones of the machine as Foundation does")
    func zones() throws {
        var random = SeededGenerator()
        for name in [
            "Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Tehran",
            "Africa/Casablanca", "UTC", "Europe/Dublin",
        ] {
            guard let zone = TimeZone(identifier: name) else { continue }
            for _ in 0..<100 {
                // Without the years whose rules versions of the database differ about.
                let time = Date(
                    timeIntervalSince1970: Double(
                        Int64.random(in: 0..<1_900_000_000, using: &random)))
                let format = DateFormatter()
                format.locale = Locale(identifier: "en_US_POSIX")
                format.calendar = Calendar(identifier: .gregorian)
                format.timeZone = zone
                format.dateFormat = "yyyyMMdd'T'HHmmss"
                let task = try one("DUE;TZID=\(name):\(format.string(from: time))")
                let found = try #require(task.due?.moment).seconds
                let difference = abs(found - Int64(time.timeIntervalSince1970))
                // Hours that clocks show twice.
                #expect(
                    [0, 1_800, 3_600].contains(difference), "\(name) \(time), seed \(random.seed)")
                let isTwice =
                    zone.secondsFromGMT(for: time.addingTimeInterval(-3_600))
                    != zone.secondsFromGMT(for: time)
                #expect(difference == 0 || isTwice, "\(name) \(time), seed \(random.seed)")
            }
        }
    }

    @Test("becomes tasks with all that the model has")
    func model() throws {
        let task = try one(
            """
            UID:x@y
            DTSTAMP:20261101T000000Z
            CREATED:20261030T000000Z
            DTSTART:20261201T080000Z
            DUE:20261201T090000Z
            RRULE:FREQ=WEEKLY;BYDAY=TU
            PRIORITY:3
            CATEGORIES:money,next
            STATUS:IN-PROCESS
            PERCENT-COMPLETE:40
            BEGIN:VALARM
            TRIGGER;RELATED=END:-PT1H30M
            ACTION:DISPLAY
            DESCRIPTION:a
            END:VALARM
            """)
        #expect(task.created == point("2026-10-30T00:00:00.000Z") && !task.isDone)
        #expect(task.wait == when("2026-12-01T08:00:00.000Z"))
        #expect(task.repetition?.text == "FREQ=WEEKLY;BYDAY=TU")
        #expect(task.priority == .high && task.tags == ["money", "next"])
        #expect(task.reminder == when("2026-12-01T07:30:00.000Z"))
        for (lines, reminder) in [
            ("DTSTART:20261130T080000Z\nDUE:20261201T090000Z|-PT15M", "2026-11-30T07:45:00.000Z"),
            ("DUE:20261201T090000Z|-P1W", "2026-11-24T09:00:00.000Z"),
            ("DUE:20261201T090000Z|PT0S", "2026-12-01T09:00:00.000Z"), ("X-A:b|-PT15M", nil),
        ] {
            let parts = lines.split(separator: "|")
            let task = try one(parts[0] + "\nBEGIN:VALARM\nTRIGGER:\(parts[1])\nEND:VALARM")
            #expect(task.reminder == reminder.map(when), "\(lines)")
        }
        for (lines, priority) in [
            ("PRIORITY:0", TaskPriority.none), ("PRIORITY:1", .high), ("PRIORITY:4", .high),
            ("PRIORITY:5", .medium), ("PRIORITY:6", .low), ("PRIORITY:9", .low),
            ("PRIORITY:10", .none), ("PRIORITY:high", .none),
        ] { #expect(try one(lines).priority == priority) }
        for (lines, isDone) in [
            ("STATUS:COMPLETED", true), ("COMPLETED:20261101T000000Z", true),
            ("PERCENT-COMPLETE:100", true), ("PERCENT-COMPLETE:99", false),
            ("STATUS:NEEDS-ACTION\nCOMPLETED:20261101T000000Z", false),
        ] { #expect(try one(lines).isDone == isDone, "\(lines)") }
    }

    @Test("of another program returns with each property, until the task changes")
    func foreign() throws {
        let lines = [
            "UID:x@y", "DTSTAMP:20261101T000000Z", "CREATED:20261030T000000Z",
            "LAST-MODIFIED:20261102T000000Z", "SUMMARY;LANGUAGE=en:a\\, b", "SEQUENCE:3",
            "DESCRIPTION;ALTREP=\"http://a.b/c:d\":n", "DTSTART;VALUE=DATE:20261130",
            "DUE;VALUE=DATE:20261201", "RRULE:FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO", "PRIORITY:3",
            "CATEGORIES:a,two words", "CATEGORIES:b", "STATUS:IN-PROCESS", "X-FOO;BAR=1:2",
            "PERCENT-COMPLETE:40", "COMMENT:one", "COMMENT:two", "GEO:1.0;2.0",
            "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:a", "TRIGGER:-PT15M", "END:VALARM",
            "BEGIN:VALARM", "ACTION:AUDIO", "TRIGGER:-PT5M", "END:VALARM",
        ]
        let result = try read(Self.file(lines.joined(separator: "\n")))
        #expect(result.leftOut == [.reminders: 1])
        let task = result.tasks[0]
        func differences(_ task: ExchangedTask) throws -> Set<String> {
            let back = Set(self.lines(try text([task])))
            return Set(lines).subtracting(back).union(
                back.subtracting(lines).filter {
                    !$0.contains("CALENDAR") && !$0.hasPrefix("X-TASKVAULT-ID")
                }
            )
            .subtracting([
                "VERSION:2.0", "PRODID:-//TaskVault//TaskVault//EN", "BEGIN:VTODO", "END:VTODO",
            ])
        }
        #expect(try differences(task).isEmpty)
        #expect(TaskExport.leftOut(of: [task], as: .iCalendar).isEmpty)
        #expect(TaskExport.leftOut(of: [task], as: .todoTxt)[.further] == 1)
        // Ids, stamps and spellings are no attributes that another format lacks.
        for (text, format) in [
            (Self.file("UID:1\nSUMMARY:a\nSEQUENCE:2\nCATEGORIES:two words"), TaskFormat.iCalendar),
            ("buy milk\n", .todoTxt),
            (
                #"{"description":"a","uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11","modified":"20261121T100834Z"}"#,
                .taskwarrior
            ),
        ] {
            let tasks = try read(text, as: format).tasks
            for other in TaskFormat.allCases {
                #expect(TaskExport.leftOut(of: tasks, as: other).isEmpty, "\(format) \(other)")
            }
        }
        // Again, by the same ids.
        let again = try read(text([task]))
        #expect(again.tasks.map(\.id) == [task.id] && again.tasks[0].text == task.text)
        var changed = task
        changed.tags.append("c")
        #expect(
            try differences(changed) == [
                "CATEGORIES:a,two words", "CATEGORIES:b", "CATEGORIES:a,two words,b,c",
            ])
        changed = task
        changed.reminder = when("2026-11-29T00:00:00.000Z")
        changed.priority = .low
        (changed.due, changed.repetition) = (nil, nil)
        #expect(
            try differences(changed) == [
                "TRIGGER:-PT15M", "TRIGGER;VALUE=DATE-TIME:20261129T000000Z", "PRIORITY:3",
                "PRIORITY:9", "DUE;VALUE=DATE:20261201", "RRULE:FREQ=MONTHLY;BYSETPOS=1;BYDAY=MO",
                "DESCRIPTION:a\\, b", "DESCRIPTION:a",
            ])
        changed = task
        changed.completion = TaskCompletion(time: exportTime)
        changed.task.revision = 2
        #expect(
            try differences(changed) == [
                "STATUS:IN-PROCESS", "PERCENT-COMPLETE:40", "STATUS:COMPLETED",
                "PERCENT-COMPLETE:100", "COMPLETED:20261121T140000Z",
                "LAST-MODIFIED:20261102T000000Z", "DTSTAMP:20261101T000000Z",
                "DTSTAMP:20261030T000000Z",
            ])
    }

    @Test("names an item that cannot be read, and has the others")
    func badItems() throws {
        let result = try read(
            Self.file(
                "UID:1\nSUMMARY:good", "UID:2\nSUMMARY:bad\nDUE:soon", "UID:1\nSUMMARY:twice",
                "UID:3\nSUMMARY:torn\nno line\nRELATED-TO:1", "UID:4\nDTSTAMP:20261101T000000Z",
                "UID:5\nSUMMARY:child\nRELATED-TO:2"))
        #expect(result.tasks.map { $0.text?.name } == ["good", "child"])
        func remark(
            _ title: String, _ line: Int, _ error: TaskExchangeError
        ) -> TaskImport.Remark {
            TaskImport.Remark(title: title, line: line, subject: .skipped(error))
        }
        #expect(
            Set(result.remarks) == [
                remark("bad", 7, .invalidMember("DUE", line: 10)),
                remark("twice", 12, .repeatedTask(line: 12)),
                remark("torn", 16, .invalidCalendar(line: 19)),
                remark("4", 22, .missingMember("SUMMARY", line: 22)),
            ])
    }

    @Test("has its name from the description if the summary is blank, and gives both back")
    func blankSummary() throws {
        let text = Self.file(
            "UID:1\nDTSTAMP:20261101T000000Z\nSUMMARY:\nDESCRIPTION:\\n buy stamps\\nat the post office"
        )
        let task = try read(text).tasks[0]
        #expect(task.text?.name == " buy stamps")
        #expect(lines(try self.text([task])).contains("SUMMARY:"))
    }

    @Test("has categories of several words as one word each, as an import of secrets has them")
    func categories() throws {
        let line =
            "CATEGORIES:two words,one,Errands\\, urgent,\(String(repeating: "t", count: 300))"
        let file = try read(Self.file("UID:1\nSUMMARY:a\n" + line))
        var task = file.tasks[0]
        #expect(task.tags == ["two-words", "one", "Errands,-urgent"])
        #expect(file.leftOut == [.tags: 1])
        #expect(lines(try text([task])).contains(line))
        task.tags = ["two-words", "new"]
        #expect(
            lines(try text([task])).contains(
                "CATEGORIES:two words,new,\(String(repeating: "t", count: 300))"))
    }

    @Test(
        "has no reminder of an alarm for a place, which returns",
        arguments: [
            "X-APPLE-PROXIMITY:DEPART", "PROXIMITY:ARRIVE",
            "X-APPLE-STRUCTURED-LOCATION;VALUE=URI:geo:1,2",
        ])
    func places(property: String) throws {
        let alarm = [
            "BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER;VALUE=DATE-TIME:20300401T005545Z", property,
            "END:VALARM",
        ]
        let timed = ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT15M", "END:VALARM"]
        let due = ["UID:1", "SUMMARY:a", "DUE:20261201T090000Z"]
        let place = try read(Self.file((due + alarm).joined(separator: "\n")))
        #expect(place.tasks[0].reminder == nil && place.leftOut == [.reminders: 1])
        let both = try read(Self.file((due + alarm + timed).joined(separator: "\n")))
        var task = both.tasks[0]
        #expect(task.reminder == when("2026-12-01T08:45:00.000Z"))
        let back = lines(try text([task]))
        #expect(back.contains(property) && back.contains("TRIGGER:-PT15M"))
        task.reminder = nil
        let without = lines(try text([task]))
        #expect(without.contains(property) && !without.contains("TRIGGER:-PT15M"))
    }

    @Test("has no reminder of Apple's sign for no alarm")
    func noAlarm() throws {
        let task = try one(
            "DUE:20261201T090000Z\nBEGIN:VALARM\nACTION:NONE\nTRIGGER;VALUE=DATE-TIME:19760401T005545Z\nEND:VALARM"
        )
        #expect(task.reminder == nil)
    }

    @Test("names a subtask that repeats, and is a task of its own")
    func repeatingChild() throws {
        let result = try read(
            Self.file(
                "UID:1\nSUMMARY:parent",
                "UID:2\nSUMMARY:child\nRELATED-TO:1\nDTSTART:20261201T090000Z\nRRULE:FREQ=DAILY"))
        #expect(result.tasks.map { $0.repetition?.text } == [nil, "FREQ=DAILY"])
        #expect(
            result.remarks == [
                TaskImport.Remark(title: "child", line: 7, subject: .leftOut(.childTasks))
            ])
    }

    @Test("has a child under the first parent that the file has, and keeps the others")
    func twoParents() throws {
        let related = ["RELATED-TO:0", "RELATED-TO:1", "RELATED-TO;RELTYPE=PARENT:2"]
        let text = Self.file(
            "UID:1\nSUMMARY:one", "UID:2\nSUMMARY:two",
            "UID:3\nSUMMARY:child\n" + related.joined(separator: "\n"))
        let tasks = try read(text).tasks
        #expect(tasks.map { $0.text?.subtasks.map(\.name) } == [["child"], []])
        let back = lines(try self.text(tasks)).filter { $0.hasPrefix("RELATED") }
        #expect(back.sorted() == related.sorted())
        #expect(try read(self.text(tasks)).tasks.map { $0.text?.subtasks.count } == [1, 0])
    }

    @Test("has children as subtasks, with a word about what a subtask lacks")
    func children() throws {
        let file = Self.file(
            "UID:1\nSUMMARY:parent\nDTSTAMP:20261101T000000Z",
            "UID:2\nSUMMARY:child\nRELATED-TO:1\nSTATUS:COMPLETED\nCOMPLETED:20261101T000000Z\nX-A:b",
            "UID:3\nSUMMARY:child with notes\nDESCRIPTION:n\nRELATED-TO;RELTYPE=PARENT:1",
            "UID:4\nSUMMARY:sibling\nRELATED-TO;RELTYPE=SIBLING:1",
            "UID:5\nSUMMARY:grandchild\nRELATED-TO:2b\nDUE:20261201T000000Z",
            "UID:2b\nSUMMARY:child that is a parent\nRELATED-TO:1",
            "UID:6\nSUMMARY:orphan\nRELATED-TO:nothing", "UID:7\nSUMMARY:itself\nRELATED-TO:7")
        let result = try read(file)
        #expect(
            result.tasks.map { $0.text?.name } == [
                "parent", "sibling", "child that is a parent", "orphan", "itself",
            ])
        #expect(result.tasks[0].text?.subtasks.map(\.name) == ["child", "child with notes"])
        #expect(result.tasks[0].text?.subtasks.map(\.isDone) == [true, false])
        #expect(
            result.remarks.map { [$0.title] } == [["child with notes"], ["child that is a parent"]])
        #expect(result.leftOut == [.subtaskFields: 1, .childTasks: 1])
        #expect(
            result.tasks.last { $0.text?.subtasks.isEmpty == false }?.text?.subtasks.last?.due
                == when("2026-12-01T00:00:00.000Z"))
        let back = try text(result.tasks)
        for line in lines(file) where !line.contains("CALENDAR") {
            #expect(lines(back).contains(line), "\(line)")
        }
        let again = try read(back).tasks
        #expect(again.map(\.id) == result.tasks.map(\.id))
        #expect(again.map { $0.text?.subtasks } == result.tasks.map { $0.text?.subtasks })
    }

    @Test("counts what it leaves out")
    func leftOut() throws {
        let todo = "BEGIN:VTODO\nSUMMARY:a\n"
        let file =
            "BEGIN:VCALENDAR\nX-WR-CALNAME:Home list\nBEGIN:VEVENT\nSUMMARY:e\nBEGIN:VALARM\nEND:VALARM\nEND:VEVENT\n"
            + "BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\nBEGIN:VJOURNAL\nEND:VJOURNAL\n"
            + todo + "STATUS:CANCELLED\nEND:VTODO\n" + todo
            + "DUE;TZID=x:20261201T000000\nEND:VTODO\n"
            + todo
            + "DUE:20260201T000000Z\nRRULE:FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31\nEND:VTODO\n"
            + todo + "RRULE:FREQ=DAILY\nEND:VTODO\n"
            + todo + "DUE:20260201T000000Z\nRRULE:FREQ=DAILY\nRDATE:20260202T120000Z\nEND:VTODO\n"
            + "END:VCALENDAR\n"
        let result = try read(file)
        #expect(result.leftOut == [.events: 2, .deletedTasks: 1, .zones: 1, .repetitions: 3])
        #expect(result.tasks.count == 4 && result.tasks.allSatisfy { $0.list == "Home list" })
        #expect(Set(result.tasks.map(\.id)).count == 4)
        #expect(try read(file).tasks == result.tasks)
    }

    @Test(
        "is refused with the line",
        arguments: [
            ("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:a", .invalidCalendar(line: 3)),
            ("BEGIN:VCALENDAR\nBEGIN:VTODO\nEND:VCALENDAR", .invalidCalendar(line: 3)),
            ("BEGIN:VCALENDAR\nno line\nEND:VCALENDAR", .invalidCalendar(line: 2)),
            ("BEGIN:VCALENDAR\nA;B:c\nEND:VCALENDAR", .invalidCalendar(line: 2)),
            ("BEGIN:VCALENDAR\nA:b\rC:d\nEND:VCALENDAR", .invalidCalendar(line: 2)),
            ("BEGIN:VCALENDAR\nEND:VCALENDAR\nBEGIN:VCARD\nEND:VCARD", .invalidCalendar(line: 3)),
            ("BEGIN:VCALENDAR\nEND:VCALENDAR\nA:b", .invalidCalendar(line: 3)),
            (String(repeating: "BEGIN:VCALENDAR\n", count: 100_000), .invalidCalendar(line: 9)),
            (file("X:y"), .missingMember("SUMMARY", line: 3)),
            (file("SUMMARY: "), .missingMember("SUMMARY", line: 3)),
            (file("SUMMARY:a\nno line"), .invalidCalendar(line: 5)),
            (file("SUMMARY:a\nBEGIN:VALARM\nno line\nEND:VALARM"), .invalidCalendar(line: 6)),
            (file("SUMMARY:a\u{0}b"), .invalidText(.nullCharacter(.name), line: 3)),
            (
                file("SUMMARY:" + String(repeating: "a", count: 65_536)),
                .invalidText(.tooLong(.name, maximum: 4_096), line: 3)
            ),
            (file("SUMMARY:a\n\nDUE:2026-12-01"), .invalidMember("DUE", line: 6)),
            (file("SUMMARY:a\nDUE:20260230"), .invalidMember("DUE", line: 5)),
            (file("SUMMARY:a\nDUE:20261201T250000Z"), .invalidMember("DUE", line: 5)),
            (file("SUMMARY:a\nDTSTART:x"), .invalidMember("DTSTART", line: 5)),
            (file("SUMMARY:a\nCOMPLETED:"), .invalidMember("COMPLETED", line: 5)),
            (file("SUMMARY:a\nDTSTART:20261201\nDURATION:P"), .invalidMember("DURATION", line: 6)),
            (file("SUMMARY:a\nUID:1", "SUMMARY:b\nUID:1"), .repeatedTask(line: 7)),
            (file("SUMMARY:a\nUID:1", "SUMMARY:b\nUID:1\nRECURRENCE-ID:20261201"), nil),
            (file("SUMMARY:a", "SUMMARY:a"), nil), (file("DESCRIPTION:a\\nb"), nil),
            ("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", nil), ("", nil),
        ] as [(String, TaskExchangeError?)])
    func refused(text: String, expected: TaskExchangeError?) {
        #expect(error(Array(text.utf8), as: .iCalendar) == expected)
        if let expected { #expect(!"\(expected)".isEmpty) }
    }

    @Test("gives back what it can hold, and counts the rest", arguments: RuleCalendar.all)
    func roundTrip(calendar: RuleCalendar) throws {
        var random = SeededGenerator()
        let tasks = randomTasks(200, &random)
        let result = try read(written(tasks, as: .iCalendar, in: calendar), in: calendar)
        #expect(result.tasks.count == tasks.count)
        // Of tasks whose due time has no place.
        #expect(result.leftOut.keys.allSatisfy { $0 == .repetitions })
        var lost: [LeftOut: Int] = [:]
        for (before, after) in zip(tasks, result.tasks) {
            func seconds(_ task: ExchangedTask) -> [TaskTime?] {
                let moments = [task.created, task.completion?.time].map { time in
                    time.map { TaskTime.moment($0) }
                }
                let steps = (task.text?.subtasks ?? []).flatMap { [$0.due, $0.reminder] }
                return ([task.due, task.wait, task.reminder] + moments + steps).map {
                    $0?.inSeconds
                }
            }
            func texts(_ task: ExchangedTask) -> [String?] {
                [task.text?.name, task.text?.notes, task.list]
                    + (task.text?.subtasks.map(\.name) ?? [])
            }
            #expect(after.id == before.id && after.tags == before.tags)
            #expect(after.priority == before.priority && after.isDone == before.isDone)
            #expect(after.text?.subtasks.map(\.id) == before.text?.subtasks.map(\.id))
            #expect(after.text?.subtasks.map(\.isDone) == before.text?.subtasks.map(\.isDone))
            if seconds(after) != seconds(before) {
                lost[.times, default: 0] += 1
            } else {
                #expect(after.text?.further == "")
            }
            if before.repetition != nil, after.repetition == nil {
                lost[.repetitions, default: 0] += 1
            } else {
                // The end is a day or a time, as the due time is.
                #expect(
                    after.repetition?.text.split(separator: ";UNTIL").first
                        == before.repetition?.text.split(separator: ";UNTIL").first,
                    "seed \(random.seed)")
            }
            if texts(after) != texts(before) { lost[.controls, default: 0] += 1 }
            if before.snooze != nil { lost[.reminders, default: 0] += 1 }
            if before.nickname != nil { lost[.nicknames, default: 0] += 1 }
            if before.text?.further != "" { lost[.further, default: 0] += 1 }
        }
        #expect(
            TaskExport.leftOut(of: tasks, as: .iCalendar, in: calendar) == lost,
            "seed \(random.seed)")
    }

    @Test(
        "has no lines of attributes that are not one line each",
        arguments: [
            #"{"icalendar":["X-A:b\nEND:VTODO\nBEGIN:VTODO\nSUMMARY:c"]}"#,
            #"{"icalendar":["END:VTODO","BEGIN:VTODO","SUMMARY:c"]}"#,
            #"{"icalendar":["BEGIN:VALARM"]}"#, #"{"icalendar":[7]}"#,
            #"{"icalendar":"SUMMARY:c"}"#,
            "{", #"{"todo.txt":"a\nc","taskwarrior":7,"taskwarrior_pattern":[]}"#,
            #"{"taskwarrior":{"uuid":7,"description":8,"annotations":9}}"#,
        ])
    func hostileAttributes(further: String) throws {
        var task = task("k7m2qx", "a")
        var text = try #require(task.text)
        text.further = further
        task.setText(text)
        for format in TaskFormat.allCases where format != .taskVault {
            let back = try read(written([task], as: format), as: format).tasks
            #expect(back.map { $0.text?.name } == ["a"], "\(format)")
        }
    }

    @Test("is read without a crash at any cut or change")
    func damage() throws {
        var random = SeededGenerator()
        let bytes = try written(Array(randomTasks(3, &random)), as: .iCalendar)
        for end in bytes.indices.dropLast(2) where end > 20 {
            #expect(error(Array(bytes[..<end]), as: .iCalendar) != nil, "seed \(random.seed)")
        }
        for _ in 0..<700 {
            var changed = bytes
            for _ in 0...Int.random(in: 0...2, using: &random) {
                changed[Int.random(in: changed.indices, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            if let tasks = try? read(changed, as: .iCalendar).tasks {
                _ = try written(tasks, as: .iCalendar)
            }
        }
    }
}
