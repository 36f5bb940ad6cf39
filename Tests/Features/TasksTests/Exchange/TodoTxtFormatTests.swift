@testable import Tasks
import Testing
import TestSupport

@Suite("todo.txt")
struct TodoTxtFormatTests {
    @Test(
        "is read line by line",
        arguments: [
            ("buy milk", "buy milk", nil, nil, nil),
            (
                "(A) 2026-11-20 call mum @phone +family", "call mum",
                "2026-11-20", nil, nil
            ),
            (
                "2026-11-20 buy milk due:2026-12-05", "buy milk", "2026-11-20", nil,
                "2026-12-05"
            ),
            ("buy due:2026-12-05 milk at:18:00", "buy milk", nil, nil, "2026-12-05T18:00"),
            ("x 2026-11-21 2026-11-20 buy milk", "buy milk", "2026-11-20", "2026-11-21", nil),
            ("x 2026-11-21 buy milk", "buy milk", "2026-11-21", "2026-11-21", nil),
            ("x (B) 2026-11-21 2026-11-20 buy", "buy", "2026-11-20", "2026-11-21", nil),
            ("  x   2026-11-21   buy \t", "buy", "2026-11-21", "2026-11-21", nil),
            ("2026-11-20 x marks the spot", "x marks the spot", "2026-11-20", nil, nil),
            ("2026-11-20 2026-01-01 party", "2026-01-01 party", "2026-11-20", nil, nil),
            ("xylophone", "xylophone", nil, nil, nil), ("X big", "X big", nil, nil, nil),
            ("(a) small", "(a) small", nil, nil, nil), ("(A)close", "(A)close", nil, nil, nil),
            ("2026-02-30 no day", "2026-02-30 no day", nil, nil, nil),
            ("ask due:tomorrow", "ask due:tomorrow", nil, nil, nil),
            ("ask due:2026-02-30", "ask due:2026-02-30", nil, nil, nil),
            ("ask due:2026-12-05 at:noonish", "ask at:noonish", nil, nil, "2026-12-05"),
            ("meet at:18:00", "meet at:18:00", nil, nil, nil),
            ("two  blanks", "two  blanks", nil, nil, nil),
            ("taskvault:nothing x", "taskvault:nothing x", nil, nil, nil),
            ("(D) buy", "(D) buy", nil, nil, nil),
            ("send @home to +list by mail", "send to by mail", nil, nil, nil),
            ("@home +list", "@home +list", nil, nil, nil),
            ("buy rec:1w", "buy", nil, nil, nil), ("buy rec:+1w", "buy", nil, nil, nil),
            ("buy rec:often", "buy rec:often", nil, nil, nil),
            ("buy t:soon", "buy t:soon", nil, nil, nil),
            // As earlier versions wrote it.
            (
                "(D) 2026-11-20 a @c due:2026-12-05 at:18:00 taskvault:k7m2qx", "(D) a @c",
                "2026-11-20", nil, "2026-12-05T18:00"
            ),
            ("a taskvault:k7m2qx and b", "a and b", nil, nil, nil),
        ] as [(String, String, String?, String?, String?)])
    func lines(text: String, name: String, created: String?, completed: String?, due: String?)
        throws
    {
        let result = try read("\n" + text + "\r\n\n", as: .todoTxt)
        let task = try #require(result.tasks.first)
        #expect(result.tasks.count == 1)
        #expect(task.text?.name == name)
        #expect(task.created == created.map { point($0 + "T00:00:00.000Z") } ?? exportTime)
        #expect(task.completion?.time == completed.map { point($0 + "T00:00:00.000Z") })
        #expect(task.due == due.map { when($0.contains("T") ? $0 + ":00.000Z" : $0) })
    }

    @Test("takes the present time for a done task without a date")
    func doneWithoutDate() throws {
        let task = try read("x buy milk", as: .todoTxt).tasks.first
        #expect(task?.completion == TaskCompletion(time: exportTime))
    }

    @Test(
        "keeps a day before the year 1 in the name",
        arguments: ["0000-01-01 a", "a due:0000-01-01", "x 0000-01-01 a", "a t:0000-12-31"])
    func yearZero(line: String) throws {
        let task = try read(line, as: .todoTxt).tasks[0]
        #expect(task.text?.name.contains("0000-") == true && task.due == nil && task.wait == nil)
        #expect(task.created == exportTime)
    }

    @Test("is written as other programs expect it")
    func write() throws {
        var tasks = [
            task("k7m2qx", "call mum @phone", due: "2026-12-05T17:00:00.000Z"),
            task("03fz81", "(A) buy milk", due: "2026-12-05"),
            task("000001", "x marks", completed: "2026-11-21T23:30:00.000Z"),
            task("000002", "(B) two\nlines\r\nhere", completed: "2026-11-21T10:00:00.000Z"),
            task("000003", "(D) late", due: "2026-10-25T01:30:00.000Z"),
        ]
        (tasks[0].priority, tasks[0].list, tasks[0].tags) = (.high, "family", ["a", "b"])
        tasks[0].wait = when("2026-12-04")
        tasks[0].repetition = try RepeatRule(rule: "FREQ=WEEKLY;INTERVAL=2")
        tasks[1].wait = when("2026-12-04T08:00:00.000Z")
        tasks[1].repetition = try RepeatRule(rule: "FREQ=WEEKLY;BYDAY=MO,FR")
        tasks[3].priority = .low
        tasks[4].list = "two words"
        let text = String(
            decoding: try written(tasks, as: .todoTxt, in: .centralEurope), as: UTF8.self)
        #expect(
            text == """
                (A) 2026-11-20 call mum \\@phone taskvault:k7m2qx @a @b +family due:2026-12-05 at:18:00 \
                t:2026-12-04 rec:+2w
                2026-11-20 (A) buy milk taskvault:03fz81 due:2026-12-05 \
                t:2026-12-04 from:09:00 rrule:FREQ=WEEKLY;BYDAY=MO,FR
                x 2026-11-22 2026-11-20 x marks taskvault:000001
                x 2026-11-21 2026-11-20 (B) two lines here taskvault:000002 pri:C
                2026-11-20 (D) late taskvault:000003 due:2026-10-25 at:02:30+01:00

                """)
        #expect(TaskExport.leftOut(of: tasks, as: .todoTxt) == [.lists: 1])
    }

    @Test("of another program returns with every word in its place, until the task changes")
    func foreignLines() throws {
        let lines = [
            "buy milk", "(A) 2026-11-20 call mum @phone +family", "(D) letters", "x buy",
            "x 2026-11-21 2026-11-20 buy pri:A", "x (B) 2026-11-21 2026-11-20 buy",
            "(B) @home send +list to mum due:2026-12-05 @a +p @b +q", "  two  blanks  ",
            "a t:2026-12-01 b rec:+1w due:2026-12-05 c", "a rec:1w due:2026-12-05",
            "a due:2026-12-05 at:18:00 rrule:FREQ=DAILY", "@only +labels", "due:2026-12-05 t:x y",
            "a @" + String(repeating: "t", count: 300), "a @b @B @b", "日本 @é +\u{1F600}",
            "buy milk",
            "2026-11-20 2026-01-01 party due:tomorrow", "a due:2026-12-05 due:2026-12-06",
        ]
        let file = lines.joined(separator: "\n") + "\n"
        let read = try read(file, as: .todoTxt, in: .centralEurope)
        let back = try written(read.tasks, as: .todoTxt, in: .centralEurope)
        #expect(String(decoding: back, as: UTF8.self) == file)
        #expect(read.leftOut == [.repetitions: 1])
        var task = read.tasks[6]
        #expect(task.text?.name == "send to mum +p +q")
        #expect(task.priority == .medium && task.list == "list" && task.tags == ["home", "a", "b"])
        #expect(read.tasks[8].repetition == RepeatRule(.weekly) && read.tasks[8].wait != nil)
        #expect(read.tasks[14].tags == ["b"] && read.tasks[14].text?.name == "a @B @b")
        task.due = when("2026-12-06")
        #expect(
            String(decoding: try written([task], as: .todoTxt, in: .centralEurope), as: UTF8.self)
                == "(B) 2026-11-21 send to mum +p +q taskvault:\(task.id.text) @home @a @b +list due:2026-12-06\n"
        )
    }

    @Test("has labels anywhere, and repetitions in each usual form")
    func labelsAndRepetitions() throws {
        let lines = "call mum @phone +family rec:1w due:2026-12-05\n@shop buy milk +home soon\n"
        let file = try read(lines, as: .todoTxt)
        #expect(file.tasks.map { $0.text?.name } == ["call mum", "buy milk soon"])
        #expect(file.tasks.map(\.list) == ["family", "home"])
        #expect(file.tasks.map(\.tags) == [["phone"], ["shop"]])
        #expect(file.tasks.map(\.task.hasForeignRepetition) == [true, false])
        #expect(
            file.remarks == [
                TaskImport.Remark(title: "call mum", line: 1, subject: .leftOut(.repetitions))
            ])
        #expect(String(decoding: try written(file.tasks, as: .todoTxt), as: UTF8.self) == lines)
        // The other program's word is kept until the task is done.
        var changed = file.tasks[0]
        changed.list = "work"
        let text = String(decoding: try written([changed], as: .todoTxt), as: UTF8.self)
        #expect(text.hasSuffix(" @phone +work due:2026-12-05 rec:1w\n"))
        #expect(try read(text, as: .todoTxt).leftOut == [.repetitions: 1])
        for (word, rule) in [
            ("rec:+1d", "FREQ=DAILY"), ("rec:+2w", "FREQ=WEEKLY;INTERVAL=2"),
            ("rec:+m", "FREQ=MONTHLY"), ("rec:+3m", "FREQ=MONTHLY;INTERVAL=3"),
            ("rec:+1y", "FREQ=YEARLY"), ("rec:+weekly", "FREQ=WEEKLY"),
            ("rec:+2Weeks", "FREQ=WEEKLY;INTERVAL=2"),
            ("rec:+1b", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), ("rec:+3b", nil), ("rec:5b", nil),
            ("rec:1d", nil), ("rec:w", nil), ("rec:monthly", nil),
        ] as [(String, String?)] {
            let line = "2026-11-20 a \(word) due:2026-12-04\n"
            let read = try read(line, as: .todoTxt)
            #expect(read.tasks[0].repetition?.text == rule, "\(word)")
            #expect(read.tasks[0].text?.name == "a")
            #expect(read.leftOut == (rule == nil ? [.repetitions: 1] : [:]), "\(word)")
            let back = try written(read.tasks, as: .todoTxt)
            #expect(String(decoding: back, as: UTF8.self) == line)
        }
    }

    @Test("of another program returns in every zone", arguments: RuleCalendar.all)
    func otherZones(calendar: RuleCalendar) throws {
        let lines =
            "2026-11-01 buy milk +home due:2026-12-10 t:2026-12-09\nx 2026-11-21 2026-11-20 buy\n"
        let tasks = try read(lines, as: .todoTxt, in: .centralEurope).tasks
        let back = try written(tasks, as: .todoTxt, in: calendar)
        #expect(String(decoding: back, as: UTF8.self) == lines)
        // It was done again on another day.
        var again = tasks[1]
        again.completion?.time = point("2026-11-27T23:00:00.000Z")
        let changed = String(
            decoding: try written([again], as: .todoTxt, in: calendar), as: UTF8.self)
        #expect(!changed.hasPrefix("x 2026-11-21"))
    }

    @Test("has the values of 500 generated files")
    func generated() throws {
        var random = SeededGenerator()
        let words = ["buy", "milk", "日本", "é", "(x)", "1+1", "a@b", "at 9", "\u{1F600}"]
        func some(_ texts: [String], _ count: ClosedRange<Int>) -> [String] {
            Array(texts.shuffled(using: &random).prefix(.random(in: count, using: &random)))
        }
        for _ in 0..<500 {
            var (lines, names, labels): ([String], [String], [[String]]) = ([], [], [])
            var days: [TaskTime?] = []
            for _ in 0...Int.random(in: 0...5, using: &random) {
                let (name, tags) = (some(words, 1...4), some(["home", "a.b", "ü", "x-1"], 0...3))
                let due =
                    Bool.random(using: &random)
                    ? "2027-01-1\(Int.random(in: 0...9, using: &random))" : nil
                var parts = name
                for other in tags.map({ "@" + $0 }) + (due.map { ["due:" + $0] } ?? []) {
                    parts.insert(other, at: .random(in: 0...parts.count, using: &random))
                }
                let start = some(["(A) 2026-11-20 ", "2026-11-20 ", "(B) "], 0...1).first ?? ""
                lines.append(start + parts.joined(separator: " "))
                names.append(name.joined(separator: " "))
                labels.append(parts.filter { $0.hasPrefix("@") }.map { String($0.dropFirst()) })
                days.append(due.map(when))
            }
            let file = lines.joined(separator: "\n") + "\n"
            let tasks = try read(file, as: .todoTxt).tasks
            #expect(tasks.map { $0.text?.name } == names, "seed \(random.seed)")
            #expect(tasks.map(\.tags) == labels && tasks.map(\.due) == days, "seed \(random.seed)")
            #expect(String(decoding: try written(tasks, as: .todoTxt), as: UTF8.self) == file)
        }
    }

    @Test(
        "has no field from the words of a name, which come back",
        arguments: [
            ("pay due:2020-01-01 rec:+1d", #"pay due\:2020-01-01 rec\:+1d"#),
            ("pay taskvault:03fz81 t:2020-01-01", #"pay taskvault\:03fz81 t\:2020-01-01"#),
            ("(D) pay +work @home", #"(D) pay \+work \@home"#),
            ("x 2026-01-01 pri:A (due:2020-01-01)", #"x 2026-01-01 pri\:A (due\:2020-01-01)"#),
            ("a:b:due:2020-01-01\trec:1w", #"a\:b\:due\:2020-01-01"# + "\t" + #"rec\:1w"#),
            ("meet at 18:00, see https://example.org: a + b @ c", nil),
            (#"due\:2020-01-01 \@a \\+b \: \"#, #"due\\:2020-01-01 \\@a \\\+b \: \"#),
            ("due:", nil), ("+", nil), (":due", nil), ("1+1 a@b", nil),
        ] as [(String, String?)])
    func names(name: String, text: String?) throws {
        let task = task("k7m2qx", name)
        let file = try written([task], as: .todoTxt)
        #expect(
            String(decoding: file, as: UTF8.self)
                == "2026-11-20 \(text ?? name) taskvault:k7m2qx\n")
        let back = try read(file, as: .todoTxt).tasks[0]
        #expect(back.text?.name == name)
        #expect(back.id == task.id && back.due == nil && back.wait == nil)
        #expect(back.repetition == nil && back.list == nil && back.tags.isEmpty)
    }

    @Test("gives back what it can hold, and counts the rest", arguments: RuleCalendar.all)
    func roundTrip(calendar: RuleCalendar) throws {
        var random = SeededGenerator()
        // Years that a date of four digits can tell, with a day to spare for the zone.
        let tasks = randomTasks(300, &random).map { task in
            var task = task
            let limit = Int64(200_000_000_000_000)
            if task.created.milliseconds.magnitude > limit { task.created = exportTime }
            if task.completion.map({ $0.time.milliseconds.magnitude > limit }) == true {
                task.completion?.time = exportTime
            }
            if task.created.milliseconds < 0 { task.created = exportTime }
            if let due = task.due?.moment, !(0..<limit).contains(due.milliseconds) {
                task.due = .moment(exportTime)
            }
            if let wait = task.wait?.moment, !(0..<limit).contains(wait.milliseconds) {
                task.wait = .moment(exportTime)
            }
            if let time = task.completion?.time, time.milliseconds < 0 {
                task.completion?.time = exportTime
            }
            return task
        }
        let result = try read(
            written(tasks, as: .todoTxt, in: calendar), as: .todoTxt, in: calendar
        ).tasks
        #expect(result.map(\.id) == tasks.map(\.id))
        for (before, after) in zip(tasks, result) {
            #expect(after.text?.name == before.text?.name, "seed \(random.seed)")
            #expect(after.due?.inSeconds == before.due?.inSeconds, "\(before), seed \(random.seed)")
            #expect(
                after.wait?.inSeconds == before.wait?.inSeconds, "\(before), seed \(random.seed)")
            #expect(after.priority == before.priority && after.tags == before.tags)
            #expect(after.list == (before.list == "two words" ? nil : before.list))
            #expect(after.repetition == before.repetition)
            for (old, new) in [
                (before.created, after.created), (before.completion?.time, after.completion?.time),
            ] {
                #expect(
                    old.map { calendar.local(at: $0).date }
                        == new.map { calendar.local(at: $0).date })
            }
        }
        let lost = TaskExport.leftOut(of: tasks, as: .todoTxt)
        #expect(lost[.notes] == tasks.count { $0.text?.notes != "" })
        #expect(lost[.subtasks] == tasks.count { $0.text?.subtasks.isEmpty == false })
        #expect(lost[.reminders] == tasks.count { $0.reminder != nil || $0.snooze != nil })
        #expect(lost[.lists] == tasks.count { $0.list == "two words" })
        #expect(lost[.further] == tasks.count { $0.text?.further != "" })
        #expect(lost[.nicknames] == tasks.count { $0.nickname != nil })
    }

    @Test("has one line for a task, also if its name has several")
    func namesWithLineEnds() throws {
        var task = task("k7m2qx", "a\nb")
        var text = try #require(task.text)
        text.further = #"{"todo.txt":"2026-11-20 a\nb"}"#
        task.setText(text)
        task.created = point("2026-11-20T00:00:00.000Z")
        #expect(try written([task], as: .todoTxt).count { $0 == 0x0A } == 1)
    }

    @Test("gives the same ids at every import, also to equal lines")
    func stableIDs() throws {
        // Of very many that are equal, too.
        let many = try read(String(repeating: "a\n", count: 20_000), as: .todoTxt).tasks
        #expect(Set(many.map(\.id)).count == 20_000)
        let file = "buy milk\nbuy milk\n2026-11-20 buy milk taskvault:k7m2qx\n"
        let ids = try read(file, as: .todoTxt).tasks.map(\.id)
        #expect(Set(ids).count == 3 && ids[2] == id("k7m2qx"))
        #expect(try read(file, as: .todoTxt).tasks.map(\.id) == ids)
    }

    @Test(
        "is refused with the line",
        arguments: [
            (
                "a\nx 2026-11-21 2026-11-20 taskvault:k7m2qx",
                .invalidText(.emptyName(.name), line: 2)
            ),
            ("a taskvault:k7m2qx\nb taskvault:k7m2qx", .repeatedTask(line: 2)),
            ("a\nb\u{0}c", .invalidText(.nullCharacter(.name), line: 2)),
            ("\u{FEFF}a", nil), ("", nil), ("\n \n", nil), ("[ ] milk", nil), ("{milk", nil),
        ] as [(String, TaskExchangeError?)])
    func refused(text: String, expected: TaskExchangeError?) {
        #expect(error(Array(text.utf8), as: .todoTxt) == expected)
    }

    @Test("writes the time if a word of the name could be read as the time")
    func wordsLikeTimes() throws {
        let task = task("k7m2qx", "meet at:18:00 there", due: "2026-12-05T23:59:00.000Z")
        let back = try read(written([task], as: .todoTxt), as: .todoTxt).tasks[0]
        #expect(back.text?.name == "meet at:18:00 there")
        #expect(back.due == task.due)
    }

    @Test("identifies a task by its day, because a line has no time")
    func sameDay() throws {
        let task = task("k7m2qx", "words", created: "2026-11-20T21:30:15.000Z")
        var row = try #require(task.plainTask)
        row.content = .protected(ProtectedTextID(of: row.id))
        let back = try read(written([task], as: .todoTxt), as: .todoTxt).tasks[0]
        #expect(back.isSame(as: row))
        row.created = point("2026-11-22T21:30:15.000Z")
        #expect(!back.isSame(as: row))
        let undated = try read("words taskvault:k7m2qx", as: .todoTxt).tasks[0]
        #expect(undated.isSame(as: row))
    }

    @Test(
        "keeps the words of a line that has no others as its name",
        arguments: [
            ("due:2026-12-01", "due:2026-12-01"), ("t:2026-11-01", "t:2026-11-01"),
            ("(A) due:2026-12-31", "due:2026-12-31"),
            ("x 2026-11-21 2026-11-20 pri:A", "pri:A"),
            ("due:2026-12-01 t:2026-11-01", "due:2026-12-01 t:2026-11-01"),
            ("2026-11-20 taskvault:k7m2qx @a", "@a"),
            ("2026-11-20 due:2026-12-01 taskvault:k7m2qx", "due:2026-12-01"),
        ])
    func onlyWords(line: String, name: String) throws {
        let task = try read(line, as: .todoTxt).tasks[0]
        #expect(task.text?.name == name && task.due == nil && task.wait == nil)
        let back = try read(written([task], as: .todoTxt), as: .todoTxt).tasks[0]
        #expect(back.text?.name == name && back.id == task.id)
    }

    @Test("ends lines at LF only: other line ends of Unicode return as they were")
    func otherLineEnds() throws {
        let file = "a\u{2028}b\nc\u{85}d @e\n\u{B}f\u{C}g\n"
        let back = try written(read(file, as: .todoTxt).tasks, as: .todoTxt)
        #expect(String(decoding: back, as: UTF8.self) == file)
    }

    @Test("repeats monthly from the 31st on the last days")
    func lastDays() throws {
        let line = "2026-11-20 a due:2026-12-31 rec:+1m"
        let task = try read(line, as: .todoTxt).tasks[0]
        #expect(task.repetition?.text == "FREQ=MONTHLY;BYMONTHDAY=-1")
        #expect(String(decoding: try written([task], as: .todoTxt), as: UTF8.self) == line + "\n")
    }

    @Test("must be named, unlike other formats")
    func detection() throws {
        for text in [
            "buy milk", "", "[ ] milk", "7", "name,password\na,b\n", "{\"form", "BEGIN:VCARD",
        ] {
            #expect(error(Array(text.utf8)) == .notRecognised, "\(text)")
        }
        for (text, format) in [
            ("[]", TaskFormat.taskwarrior), ("[{\"description\":\"a\"}]", .taskwarrior),
            ("{\"description\":\"a\"}", .taskwarrior),
            (" {\"format\":\"taskvault-tasks\",\"version\":2,\"tasks\":[]}", .taskVault),
            ("\u{FEFF}\r\nbegin:vcalendar\nEND:VCALENDAR", .iCalendar),
        ] {
            #expect(try read(text).format == format, "\(text)")
        }
    }
}
