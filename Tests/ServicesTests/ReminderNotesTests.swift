#if os(Linux)
    import Foundation
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    @Suite("Notes of announced reminders")
    struct ReminderNotesTests {
        private func reminder(_ time: Int64, subtask: TaskID? = nil) throws -> DueReminder {
            DueReminder(
                task: try #require(TaskID("k7m2qx")), subtask: subtask,
                time: PointInTime(milliseconds: time), name: "call Ada")
        }

        @Test("survive the program, by task, subtask and time; the file is the owner's only")
        func kept() throws {
            try withTemporaryFolder { folder in
                let step = try #require(TaskID("3fx000"))
                try #require(try ReminderNotes.open(in: folder + "/a/b"))
                    .add([try reminder(-5), try reminder(7, subtask: step)])
                let notes = try #require(try ReminderNotes.open(in: folder + "/a/b"))
                #expect(notes.contains(try reminder(-5)))
                #expect(notes.contains(try reminder(7, subtask: step)))
                #expect(try !notes.contains(reminder(-6)))
                #expect(try !notes.contains(reminder(7)))
                #expect(try !notes.contains(reminder(-5, subtask: step)))
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder + "/a/b/reminders")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let text = try String(contentsOfFile: folder + "/a/b/reminders", encoding: .utf8)
                #expect(!text.contains("Ada"))
            }
        }

        @Test("are those of one program at a time")
        func locked() throws {
            try withTemporaryFolder { folder in
                let notes = try ReminderNotes.open(in: folder)
                #expect(notes != nil)
                #expect(try ReminderNotes.open(in: folder) == nil)
                withExtendedLifetime(notes) {}
            }
        }

        @Test("a damaged file is as good as none", arguments: ["", "x", "\u{0}\n\n", "a b c\n"])
        func damaged(_ text: String) throws {
            try withTemporaryFolder { folder in
                for first in ["", "taskvault reminders 1\n"] {
                    try Data((first + text).utf8).write(to: URL(filePath: folder + "/reminders"))
                    let notes = try #require(try ReminderNotes.open(in: folder))
                    try notes.add([try reminder(5)])
                    #expect(notes.contains(try reminder(5)))
                }
            }
        }

        @Test("old ones go, by the time of the newest; a thousand stay in any case")
        func pruned() throws {
            try withTemporaryFolder { folder in
                let day: Int64 = 86_400_000
                let notes = try #require(try ReminderNotes.open(in: folder))
                try notes.add(try (0..<3_000).map { try reminder($0) })
                #expect(notes.contains(try reminder(0)))
                try notes.add([try reminder(29 * day)])
                #expect(notes.contains(try reminder(0)))
                try notes.add([try reminder(31 * day)])
                #expect(try !notes.contains(reminder(2_000)))
                #expect(notes.contains(try reminder(2_999)))
                let text = try String(contentsOfFile: folder + "/reminders", encoding: .utf8)
                #expect(text.split(separator: "\n").count == 1_001)
            }
        }
    }

    @Suite("Texts of reminders")
    struct ReminderTextTests {
        @Test("a long name is cut, also one of a single character")
        func long() throws {
            for name in [
                String(repeating: "n", count: 65_536),
                "e" + String(repeating: "\u{301}", count: 32_768),
            ] {
                let reminder = DueReminder(
                    task: TaskID(), time: PointInTime(milliseconds: 0), name: name, taskName: name)
                let text = ReminderText.notification(
                    of: Announcement(reminders: [reminder], isMissed: false), in: SystemCalendar())
                #expect(text.title.utf8.count < 1_000)
                #expect(text.title.hasSuffix("…"))
                #expect(text.body.utf8.count < 1_000)
                let notes = ReminderText.show(reminder, TaskText(name: name, notes: name + name))
                #expect(notes.body.utf8.count < 65_536)
            }
        }

        @Test("control characters are visible, and noncharacters, which D-Bus refuses")
        func control() {
            let reminder = DueReminder(
                task: TaskID(), time: PointInTime(milliseconds: 0),
                name: "a\u{0}b\u{1B}[2J\u{FFFE}\u{202E}\nc")
            #expect(
                ReminderText.title(of: reminder)
                    == "a\\u{0}b\\u{1B}[2J\\u{FFFE}\\u{202E}\\u{A}c")
        }

        @Test("the text of a protected task is in no announcement, even if a list gives it")
        func protected() throws {
            let reminder = DueReminder(
                task: TaskID(), time: PointInTime(milliseconds: 0), name: nil, isProtected: true)
            #expect(
                ReminderText.show(reminder, TaskText(name: "leak")).title
                    == "protected task \(reminder.task.text)")
        }
    }

    @Suite("Which reminders are announced together")
    struct ReminderPlanTests {
        private func plan(_ ages: [Int64]) -> [[Int64]] {
            let reminders = ages.map {
                DueReminder(task: TaskID(), time: PointInTime(milliseconds: -$0 * 1_000), name: "n")
            }
            return ReminderPlan.announcements(of: reminders, at: PointInTime(milliseconds: 0))
                .map { [$0.isMissed ? 1 : 0, Int64($0.reminders.count)] }
        }

        @Test func missedOnesOnceAndAFewOneByOne() {
            #expect(plan([]).isEmpty)
            #expect(plan([0]) == [[0, 1]])
            #expect(plan([4, 3, 2, 1, 0]) == [[0, 1], [0, 1], [0, 1], [0, 1], [0, 1]])
            #expect(plan([5, 4, 3, 2, 1, 0]) == [[0, 6]])
            #expect(plan([121]) == [[1, 1]])
            #expect(plan([9_000, 121, 120]) == [[1, 2], [0, 1]])
        }
    }
#endif
