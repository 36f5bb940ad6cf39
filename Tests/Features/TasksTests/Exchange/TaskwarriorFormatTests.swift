@testable import Tasks
import Testing
import TestSupport

@Suite("Taskwarrior's JSON")
struct TaskwarriorFormatTests {
    /// As `task export` of version 2.6.2 wrote it, with a control character that it does not escape.
    private static let exported = #"""
        [
        {"id":1,"description":"pay \"rent\"","due":"20261201T080030Z","entry":"20261121T100400Z","modified":"20261121T100834Z","priority":"H","project":"home.flat","status":"pending","uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11","annotations":[{"entry":"20261121T100401Z","description":"by bank"},{"entry":"20261121T100402Z","description":"[x] find the number"},{"entry":"20261121T100403Z","description":"[ ] transfer"}],"tags":["money","next"],"urgency":19.9},
        {"id":0,"description":"buy milk","end":"20261122T100400Z","entry":"20261120T100400Z","modified":"20261121T100834Z","status":"completed","uuid":"0d0b4ad5-1c0f-4e6c-8a3d-6f9f3f2a1b10","urgency":0},
        {"id":2,"description":"feed \#u{1} cat","due":"20261123T000000Z","entry":"20261120T100400Z","mask":"-","modified":"20261121T100834Z","recur":"daily","status":"recurring","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10","urgency":3.5},
        {"id":3,"description":"feed \#u{1} cat","due":"20261123T000000Z","entry":"20261120T100400Z","imask":0,"modified":"20261121T100834Z","parent":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10","recur":"daily","rtype":"periodic","status":"pending","uuid":"bbbbbbbb-1c0f-4e6c-8a3d-6f9f3f2a1b10","urgency":3.5},
        {"id":0,"description":"mistake","end":"20261122T100400Z","entry":"20261120T100400Z","status":"deleted","uuid":"cccccccc-1c0f-4e6c-8a3d-6f9f3f2a1b10","urgency":0},
        {"id":4,"description":"later","entry":"20261120T100400Z","status":"waiting","wait":"20990101T000000Z","depends":["5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"],"estimate":2.5,"uuid":"DDDDDDDD-1c0f-4e6c-8a3d-6f9f3f2a1b10","urgency":-3}
        ]

        """#

    @Test("becomes tasks, with other attributes kept and skipped contents counted")
    func import_() throws {
        let result = try read(Self.exported)
        #expect(result.format == .taskwarrior)
        #expect(result.leftOut == [.deletedTasks: 1])
        #expect(
            result.tasks.map { $0.text?.name }
                == ["pay \"rent\"", "buy milk", "feed \u{1} cat", "later"])
        let rent = try #require(result.tasks.first)
        #expect(rent.text?.notes == "by bank")
        #expect(rent.priority == .high && rent.list == "home.flat")
        #expect(rent.tags == ["money", "next"])
        #expect(
            rent.text?.further
                == #"{"taskwarrior":{"annotations":[{"entry":"20261121T100401Z","description":"by bank"},"#
                + #"{"entry":"20261121T100402Z","description":"[x] find the number"},"#
                + #"{"entry":"20261121T100403Z","description":"[ ] transfer"}],"modified":"20261121T100834Z","#
                + #""uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"}}"#)
        #expect(rent.text?.subtasks.map(\.name) == ["find the number", "transfer"])
        #expect(rent.text?.subtasks.map(\.isDone) == [true, false])
        #expect(rent.due == when("2026-12-01T08:00:30.000Z"))
        #expect(rent.created == point("2026-11-21T10:04:00.000Z"))
        #expect(rent.completion == nil && !rent.isProtected && rent.reminder == nil)
        #expect(
            result.tasks[1].completion == TaskCompletion(time: point("2026-11-22T10:04:00.000Z")))
        #expect(result.tasks[2].text?.further.contains(#""imask":0"#) == true)
        #expect(result.tasks[2].text?.further.contains(#""status":"recurring""#) == true)
        #expect(result.tasks[2].repetition?.text == "FREQ=DAILY")
        #expect(result.tasks[3].wait == when("2099-01-01"))
        #expect(result.tasks[3].text?.notes == "")
        #expect(result.tasks[3].text?.further.contains(#""estimate":2.5"#) == true)
        #expect(result.tasks[3].dependencies == [rent.id])
    }

    private func line(of task: ExchangedTask) throws -> String {
        let text = String(decoding: try written([task], as: .taskwarrior), as: UTF8.self)
        return String(text.split(separator: "\n")[1])
    }

    @Test("exchanges the order of tasks")
    func order() throws {
        var tasks = try read(Self.exported).tasks
        func depends(_ tasks: [ExchangedTask], _ index: Int) throws -> String? {
            let lines = String(decoding: try written(tasks, as: .taskwarrior), as: UTF8.self)
                .split(separator: "\n")
            let part = lines[index + 1].firstRange(of: #/"depends":\[[^\]]*\]/#)
            return part.map { String(lines[index + 1][$0]) }
        }
        let rent = "5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"
        let milk = "0d0b4ad5-1c0f-4e6c-8a3d-6f9f3f2a1b10"
        #expect(try depends(tasks, 3) == #""depends":["\#(rent)"]"#)
        // An export without the other task has its UUID all the same.
        #expect(try depends([tasks[3]], 0) == #""depends":["\#(rent)"]"#)
        tasks[3].dependencies.append(tasks[1].id)
        #expect(try depends(tasks, 3) == #""depends":["\#(rent)","\#(milk)"]"#)
        tasks[3].dependencies = []
        #expect(try depends(tasks, 3) == nil)
        // Tasks of TaskVault come back, and the text of Taskwarrior 2.5 is read.
        var own = [task("00000a", "first"), task("00000b", "second")]
        own[1].dependencies = [own[0].id]
        let back = try read(try written(own, as: .taskwarrior)).tasks
        #expect(back.map(\.dependencies) == [[], [own[0].id]])
        let old =
            #"[{"uuid":"\#(rent)","description":"a"},{"uuid":"\#(milk)","description":"b"},"#
            + #"{"description":"c","depends":"\#(rent),\#(milk)"}]"#
        let three = try read(old).tasks
        #expect(three[2].dependencies == [three[0].id, three[1].id])
        for format in [TaskFormat.todoTxt, .iCalendar] {
            #expect(TaskExport.leftOut(of: own, as: format)[.dependencies] == 1)
        }
    }

    @Test("keeps what the owner changed, and the rest as it was")
    func changed() throws {
        let tasks = try read(Self.exported).tasks
        var rent = tasks[0]
        var text = try #require(rent.text)
        text.notes += "\nand mail"
        text.subtasks[1].isDone = true
        text.subtasks.append(TodoSubtask(id: id("000009"), name: "call"))
        rent.setText(text)
        (rent.priority, rent.list, rent.tags, rent.due) = (.none, nil, ["new"], nil)
        rent.completion = TaskCompletion(time: exportTime)
        rent.task.revision = 2
        #expect(
            try line(of: rent)
                == #"{"annotations":[{"description":"by bank","entry":"20261121T100401Z"},"#
                + #"{"description":"[x] find the number","entry":"20261121T100402Z"},"#
                + #"{"description":"[x] transfer","entry":"20261121T100403Z"},"#
                + #"{"description":"and mail","entry":"20261121T100404Z"},"#
                + #"{"description":"[ ] call","entry":"20261121T100405Z"}],"#
                + #""description":"pay \"rent\"","end":"20261121T140000Z","entry":"20261121T100400Z","#
                + #""status":"completed","tags":["new"],"uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"}"#
        )
    }

    @Test("has no UUID twice")
    func distinctUUIDs() throws {
        var tasks = ["k7m2qx", "03fz81"].map { task($0, "a") }
        for index in tasks.indices {
            var text = try #require(tasks[index].text)
            text.further = #"{"taskwarrior":{"uuid":"5b2f2ec7-7c53-4a4e-9f25-0f9d3f1a9c11"}}"#
            tasks[index].setText(text)
        }
        #expect(try read(written(tasks, as: .taskwarrior)).tasks.count == 2)
    }

    @Test("is a repeating task if it is a pattern without instances")
    func pattern() throws {
        func pattern(_ recur: String) -> String {
            #"{"description":"a","due":"20261201T000000Z","entry":"20261120T100400Z","mask":"-","recur":"\#(recur)","status":"recurring","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        }
        for (recur, rule) in [
            ("daily", "FREQ=DAILY"), ("weekly", "FREQ=WEEKLY"), ("3d", "FREQ=DAILY;INTERVAL=3"),
            ("P2M", "FREQ=MONTHLY;INTERVAL=2"), ("quarterly", "FREQ=MONTHLY;INTERVAL=3"),
            ("2 weeks", "FREQ=WEEKLY;INTERVAL=2"), ("PT3H", nil), ("0d", nil),
            ("weekdays", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
            ("yearly", "FREQ=YEARLY"),
        ] {
            let result = try read(pattern(recur))
            let task = try #require(result.tasks.first)
            #expect(task.repetition?.text == rule, "\(recur)")
            #expect(result.leftOut == (rule == nil ? [.recurringPatterns: 1] : [:]))
            #expect(try line(of: task) == pattern(recur))
        }
        // The owner's rule is no pattern of Taskwarrior.
        var task = try #require(read(pattern("daily")).tasks.first)
        task.repetition = RepeatRule(.weekly)
        let text = try line(of: task)
        #expect(text.contains(#""status":"pending","taskvaultrepeat":"FREQ=WEEKLY""#))
        #expect(!text.contains("recur") && !text.contains("mask"))
        #expect(try read(text).tasks[0].repetition == RepeatRule(.weekly))
    }

    @Test("repeats monthly from the 31st on the last days")
    func lastDays() throws {
        let text =
            #"{"description":"a","due":"20261231T120000Z","entry":"20261120T100400Z","recur":"monthly","status":"recurring","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        let task = try #require(read(text).tasks.first)
        #expect(task.repetition?.text == "FREQ=MONTHLY;BYMONTHDAY=-1")
        #expect(try line(of: task) == text)
        // The owner moves one occurrence, but there the series.
        var moved = task
        moved.task.setDue(when("2027-01-02T12:00:00.000Z"), in: RuleCalendar.utc)
        let back = try read(line(of: moved)).tasks[0]
        #expect(back.due == moved.due && back.repetition == task.repetition)
        #expect(back.occurrence == task.occurrence && task.occurrence != nil)
    }

    private static func series(_ statuses: String..., recur: String = "weekly") -> String {
        let parent = "aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"
        let mask = statuses.map { $0 == "pending" ? "-" : $0 == "completed" ? "+" : "X" }.joined()
        var lines = [
            #"{"description":"a","due":"20261201T090000Z","entry":"20261120T100400Z","mask":"\#(mask)","recur":"\#(recur)","rtype":"periodic","status":"recurring","uuid":"\#(parent)"}"#
        ]
        for (index, status) in statuses.enumerated() {
            let day = TimeText.padded(UInt(index * 7 + 1))
            let end = status == "pending" ? "" : #""end":"20261120T110000Z","#
            lines.append(
                #"{"description":"a","due":"202612\#(day)T090000Z",\#(end)"entry":"20261120T100400Z","imask":\#(index),"parent":"\#(parent)","recur":"\#(recur)","rtype":"periodic","status":"\#(status)","uuid":"bbbbbbb\#(index)-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
            )
        }
        return "[\n" + lines.joined(separator: ",\n") + "\n]\n"
    }

    private static func lines(_ text: some StringProtocol) -> Set<String> {
        Set(text.split(separator: "\n").map { $0.last == "," ? String($0.dropLast()) : String($0) })
    }

    @Test("is one repeating task: the last instance of a pattern, or the pattern after it")
    func recurring() throws {
        let text = Self.series("completed", "pending", "pending")
        let result = try read(text)
        #expect(result.remarks.isEmpty)
        #expect(result.tasks.map { $0.repetition?.text } == [nil, nil, "FREQ=WEEKLY"])
        let last = result.tasks[2]
        #expect(last.due == when("2026-12-15T09:00:00.000Z"))
        #expect(
            last.task.nextOccurrence(in: RuleCalendar.utc)?.due == when("2026-12-22T09:00:00.000Z"))
        // Unchanged, everything goes back as it came.
        let back = String(
            decoding: try written(result.tasks, as: .taskwarrior, now: exportTime), as: UTF8.self)
        #expect(Self.lines(back) == Self.lines(text))
        // A later file has the same repeating task.
        let later = try read(Self.series("completed", "completed", "completed", "pending"))
        #expect(later.tasks.last?.id == last.id && later.tasks.last?.repetition != nil)
        #expect(later.tasks.count { $0.repetition != nil } == 1)
        // The next occurrence of this list is no instance there.
        var done = last
        let next = try #require(done.task.nextOccurrence(in: RuleCalendar.utc))
        done.due = next.due
        done.task.setSeries(next.rule, next.occurrence)
        done.task.revision = 2
        let changed = try line(of: done)
        #expect(["parent", "recur", "imask"].allSatisfy { !changed.contains($0) })
        let again = try read(changed).tasks[0]
        #expect(again.due == next.due && again.repetition?.text == "FREQ=WEEKLY")
        // After the last one, the pattern is the task.
        let closed = try read(Self.series("completed", "deleted"))
        #expect(closed.tasks.map { $0.repetition?.text } == ["FREQ=WEEKLY", nil])
        #expect(closed.tasks[0].due == when("2026-12-15T09:00:00.000Z"))
        let kept = try line(of: closed.tasks[0])
        #expect(Self.lines(Self.series("completed", "deleted")).contains(kept))
        // A repetition without an equal rule is of Taskwarrior alone.
        let odd = try read(Self.series("pending", recur: "13h"))
        #expect(odd.tasks.count == 1 && odd.tasks[0].repetition == nil)
        #expect(odd.leftOut == [.recurringPatterns: 1])
        // It has the mark of a repetition, which its end does not end.
        #expect(odd.tasks[0].task.hasForeignRepetition && !odd.tasks[0].task.endsForeignRepetition)
        #expect(
            Self.lines(
                String(
                    decoding: try written(odd.tasks, as: .taskwarrior, now: exportTime),
                    as: UTF8.self))
                == Self.lines(Self.series("pending", recur: "13h")))
    }

    @Test("keeps the day of a month from which a pattern began")
    func monthlyPattern() throws {
        let text = #"""
            [{"description":"a","due":"20270131T090000Z","entry":"20261120T100400Z","mask":"--","recur":"monthly","status":"recurring","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"},
            {"description":"a","due":"20270228T090000Z","entry":"20261120T100400Z","imask":1,"parent":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10","recur":"monthly","status":"pending","uuid":"bbbbbbbb-1c0f-4e6c-8a3d-6f9f3f2a1b10"}]
            """#
        let task = try read(text).tasks[0]
        #expect(
            task.task.nextOccurrence(in: RuleCalendar.utc)?.due == when("2027-03-31T09:00:00.000Z"))
    }

    @Test("names an item that cannot be read, and has the others")
    func badItems() throws {
        let text = #"""
            [{"description":"a","entry":"20261120T100400Z"},
            {"description":"b","due":"soon"},
            {"entry":"20261120T100400Z","uuid":"bbbbbbbb-1c0f-4e6c-8a3d-6f9f3f2a1b10"}]
            """#
        let result = try read(text)
        #expect(result.tasks.map { $0.text?.name } == ["a"])
        #expect(
            result.remarks == [
                TaskImport.Remark(
                    title: "b", line: 2, subject: .skipped(.invalidMember("due", line: 2))),
                TaskImport.Remark(
                    title: nil, line: 3, subject: .skipped(.missingMember("description", line: 3))),
            ])
    }

    @Test("has tags of several words as one word each, and gives them back")
    func tagsOfWords() throws {
        let text =
            #"{"description":"a","entry":"20261120T100400Z","status":"pending","tags":["two words","b"],"uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        var task = try read(text).tasks[0]
        #expect(task.tags == ["two-words", "b"])
        #expect(try line(of: task) == text)
        task.tags.append("c")
        #expect(try line(of: task).contains(#""tags":["two words","b","c"]"#))
    }

    @Test("is the pattern if the only instances are deleted")
    func deletedInstances() throws {
        let instance =
            #"{"description":"a","parent":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10","status":"deleted","uuid":"bbbbbbbb-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        let pattern =
            #"{"description":"a","due":"20261201T000000Z","recur":"daily","status":"recurring","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        let result = try read(pattern + "\n" + instance)
        #expect(result.tasks.map { $0.repetition?.text } == ["FREQ=DAILY"])
        #expect(result.leftOut == [.deletedTasks: 1])
    }

    @Test("has the same rule of both programs once in an export, and keeps both")
    func sameRules() throws {
        let text =
            #"{"description":"a","due":"20261201T000000Z","entry":"20261120T100400Z","recur":"weekly","status":"recurring","taskvaultrepeat":"FREQ=WEEKLY","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        #expect(try line(of: #require(read(text).tasks.first)) == text)
    }

    @Test("has tags as one text of version 2.5, too")
    func tagsAsText() throws {
        let text =
            #"{"description":"a","entry":"20261120T100400Z","status":"pending","tags":"foo,bar","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        var task = try #require(read(text).tasks.first)
        #expect(task.tags == ["foo", "bar"])
        #expect(try line(of: task) == text)
        task.tags = ["bar"]
        #expect(try line(of: task).contains(#""tags":["bar"]"#))
    }

    @Test("has subtasks of one line, and counts those that had more")
    func namesWithLineEnds() throws {
        var task = task("k7m2qx", "a")
        task.setText(
            TaskText(
                name: "a",
                subtasks: [TodoSubtask(id: id("000001"), name: "two\nlines\r\nhere")]))
        #expect(TaskExport.leftOut(of: [task], as: .taskwarrior) == [.controls: 1])
        let back = try read(written([task], as: .taskwarrior)).tasks[0].text
        #expect(back?.subtasks.map(\.name) == ["two lines here"] && back?.notes == "")
    }

    @Test("does not get an end that it did not have")
    func doneWithoutEnd() throws {
        let text =
            #"{"description":"a","entry":"20261120T100400Z","status":"completed","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        var task = try #require(read(text).tasks.first)
        #expect(task.isDone)
        #expect(try line(of: task) == text)
        task.completion = TaskCompletion(time: exportTime)
        #expect(try line(of: task).contains(#""end":"20261121T140000Z""#))
    }

    @Test("repeats as Taskwarrior does, if a rule of TaskVault is there, too")
    func twoRules() throws {
        func record(_ further: String) -> String {
            #"{"description":"a","due":"20261201T000000Z","entry":"20261120T100400Z",\#(further),"taskvaultrepeat":"FREQ=DAILY","uuid":"aaaaaaaa-1c0f-4e6c-8a3d-6f9f3f2a1b10"}"#
        }
        let pattern = record(#""recur":"weekly","status":"recurring""#)
        let instance = record(#""parent":"bbbbbbbb","recur":"weekly","status":"pending""#)
        for (text, rule) in [(pattern, RepeatRule(.weekly)), (instance, nil)] {
            let task = try #require(read(text).tasks.first)
            #expect(task.repetition == rule)
            #expect(try line(of: task) == text)
        }
        // A rule that the owner gives an instance is no pattern's.
        var task = try #require(read(instance).tasks.first)
        task.repetition = RepeatRule(.monthly)
        let back = try line(of: task)
        #expect(back.contains(#""taskvaultrepeat":"FREQ=MONTHLY""#) && !back.contains("parent"))
        #expect(try read(back).tasks[0].repetition == RepeatRule(.monthly))
    }

    @Test("of a UUID is one task, also if it was renamed and moved")
    func sameUUID() throws {
        func task(_ rest: String) throws -> ExchangedTask {
            try read(#"{"uuid":"AAAAAAAA-1c0f-4e6c-8a3d-6f9f3f2a1b10",\#(rest)}"#).tasks[0]
        }
        let first = try task(#""description":"a","entry":"20261120T100400Z""#)
        let second = try task(#""description":"b","entry":"20261121T100400Z""#)
        #expect(try second.isSame(as: #require(first.plainTask)))
    }

    @Test("gives the same ids at every import, in every version")
    func stableIDs() throws {
        let tasks = try read(Self.exported).tasks
        #expect(try read(Self.exported).tasks == tasks)
        #expect(tasks.map(\.id.text) == ["rngmt2", "vhcs5c", "w6mttz", "w0t584"])
        // Upper and lower case are one UUID.
        let lower = Self.exported.replacing("DDDDDDDD", with: "dddddddd")
        #expect(try read(lower).tasks.map(\.id) == tasks.map(\.id))
        // Who imports twice can tell: the task is the same one, until both its name and its time are others.
        var kept = try #require(tasks[0].plainTask)
        #expect(tasks[0].isSame(as: kept))
        kept.content = .plain(TaskText(name: "renamed"))
        #expect(tasks[0].isSame(as: kept))
        kept.created = point("2026-11-21T10:04:01.000Z")
        #expect(!tasks[0].isSame(as: kept))
        kept.content = .plain(TaskText(name: "pay \"rent\""))
        #expect(tasks[0].isSame(as: kept))
        #expect(!tasks[1].isSame(as: kept))
    }

    @Test(
        "keeps notes that look like a subtask",
        arguments: ["[ ] no step", "[x] no step", "\n[ ] no step", "[ ] a\nb", "\n"])
    func notesLikeSteps(notes: String) throws {
        var task = task("k7m2qx", "a")
        task.setText(
            TaskText(
                name: "a", notes: notes,
                subtasks: [TodoSubtask(id: id("000001"), name: "a step", isDone: true)]))
        let back = try read(written([task], as: .taskwarrior), as: .taskwarrior).tasks[0].text
        #expect(back?.notes == notes)
        #expect(back?.subtasks.map(\.name) == ["a step"])
    }

    @Test("gives distinct ids to very many tasks, and their own to tasks of TaskVault")
    func manyIDs() throws {
        // Of 60,000 texts, some have ids that collide at first.
        var random = SeededGenerator(seed: 7)
        var tasks = (0..<60_000).map { number in
            #"{"description":"t","uuid":"\#(number)-\#(random.next())"}"#
        }
        let own = task("zzzzzz", "ours")
        let ours = String(decoding: try written([own], as: .taskwarrior), as: UTF8.self)
        tasks += ours.split(separator: "\n").map { String($0) }.filter { $0.utf8.count > 1 }
        let result = try read(tasks.joined(separator: "\n"))
        #expect(Set(result.tasks.map(\.id)).count == 60_001)
        #expect(result.tasks.last == own)
    }

    @Test("gives back what it can hold, and counts the rest")
    func roundTrip() throws {
        var random = SeededGenerator()
        let tasks = randomTasks(300, &random)
        let result = try read(written(tasks, as: .taskwarrior)).tasks
        #expect(result.count == tasks.count)
        var lost: [LeftOut: Int] = [:]
        for (before, after) in zip(tasks, result) {
            #expect(after.id == before.id)
            #expect(after.text?.name == before.text?.name)
            #expect(after.text?.notes == before.text?.notes, "seed \(random.seed)")
            #expect(
                after.text?.subtasks.map { [$0.name, "\($0.isDone)"] }
                    == before.text?.subtasks.map { [$0.name, "\($0.isDone)"] })
            #expect((after.completion == nil) == (before.completion == nil))
            #expect(after.priority == before.priority && after.list == before.list)
            #expect(after.tags == before.tags)
            if before.snooze != nil { lost[.reminders, default: 0] += 1 }
            if before.nickname != nil { lost[.nicknames, default: 0] += 1 }
            if before.text?.further != "" { lost[.further, default: 0] += 1 }
            if before.text?.subtasks.contains(where: { $0.due != nil }) == true {
                lost[.subtaskTimes, default: 0] += 1
            }
            let isDueTold = after.due?.inSeconds == before.due?.inSeconds
            if isDueTold { #expect(after.repetition == before.repetition) }
            let isRestTold =
                after.wait?.inSeconds == before.wait?.inSeconds
                && after.reminder?.inSeconds == before.reminder?.inSeconds
                && after.created.seconds == before.created.seconds
                && after.completion?.time.seconds == before.completion?.time.seconds
            if !isDueTold || !isRestTold { lost[.times, default: 0] += 1 }
        }
        #expect(TaskExport.leftOut(of: tasks, as: .taskwarrior) == lost, "seed \(random.seed)")
    }

    @Test(
        "is refused with the line",
        arguments: [
            ("[\n{\"uuid\":\"a\"}]", .missingMember("description", line: 2)),
            ("[\n{\"description\":7}]", .invalidMember("description", line: 2)),
            ("[\n{\"description\":\"\"}]", .invalidText(.emptyName(.name), line: 2)),
            (
                "[\n{\"description\":\"a\",\"entry\":\"2026-01-01\"}]",
                .invalidMember("entry", line: 2)
            ),
            (
                "[\n{\"description\":\"a\",\"due\":\"20260230T000000Z\"}]",
                .invalidMember("due", line: 2)
            ),
            (
                "[\n{\"description\":\"a\",\"due\":\"00001231T000000Z\"}]", nil
            ),
            ("[\n{\"description\":\"a\",\"due\":\"00000101T000000Z\"}]", .invalidTime(line: 2)),
            (
                "[\n{\"description\":\"a\",\"taskvaultreminder\":\"00000101T000000Z\"}]",
                .invalidTime(line: 2)
            ),
            ("[\n{\"description\":\"a\",\"status\":\"odd\"}]", .invalidMember("status", line: 2)),
            (
                "[\n{\"description\":\"a\",\"annotations\":[\"b\"]}]",
                .invalidMember("annotations", line: 2)
            ),
            ("[{\"uuid\":\"1\"},\n{\"uuid\":\"1\"}]", .missingMember("description", line: 1)),
            (
                "[{\"description\":\"a\",\"uuid\":\"1\"},\n{\"description\":\"b\",\"uuid\":\"1\"}]",
                .repeatedTask(line: 2)
            ),
            // Nobody says that these are one task.
            ("[{\"description\":\"a\"},\n{\"description\":\"a\"}]", nil),
            ("[{\"description\":\"a\"}\n{\"description\":\"b\"}]", .invalidJSON(line: 2)),
            ("{\"description\":\"a\"}\n7", .invalidJSON(line: 2)),
            ("[{\"description\":\"a\",\"u\":01}]", .invalidJSON(line: 1)),
            ("[{\"description\":\"a\",\"u\":1.}]", .invalidJSON(line: 1)),
            ("[{\"description\":\"a\",\"u\":1e}]", .invalidJSON(line: 1)),
            ("[{\"description\":\"a\",\"u\":nil}]", .invalidJSON(line: 1)),
            ("[{\"description\":\"a\",\"u\":{\"v\":[1,-2.5e+3,null,true,{}]}}]", nil),
            ("{\"description\":\"a\"}\n{\"description\":\"b\"}\n", nil), ("[]", nil),
            ("[\n]\n", nil),
        ] as [(String, TaskExchangeError?)])
    func refused(text: String, expected: TaskExchangeError?) {
        #expect(error(Array(text.utf8), as: .taskwarrior) == expected)
    }
}
