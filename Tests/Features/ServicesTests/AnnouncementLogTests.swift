#if os(Linux)
    import Database
    import Foundation
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    @Suite("Notes of announced reminders")
    struct AnnouncementLogTests {
        private static let day: Int64 = 86_400_000

        private func reminder(_ time: Int64, subtask: TaskID? = nil) throws -> ReminderPlace {
            ReminderPlace(
                .moment(PointInTime(milliseconds: time)), task: try #require(TaskID("k7m2qx")),
                subtask: subtask)
        }

        /// Opens notes of which nobody else makes use, but a process that another test starts may have a copy of the lock for a moment.
        private static func opened(_ folder: String) throws -> AnnouncementLog {
            var notes: AnnouncementLog?
            try eventually("the notes are free") {
                notes = try AnnouncementLog.open(in: folder)
                return notes != nil
            }
            return try #require(notes)
        }

        private func now(_ time: Int64 = 0) -> PointInTime { PointInTime(milliseconds: time) }

        @Test("survive the program, by task, subtask and time; the file is the owner's only")
        func kept() throws {
            try withTemporaryFolder { folder in
                let step = try #require(TaskID("3fx000"))
                try Self.opened(folder + "/a/b")
                    .add([try reminder(-5), try reminder(7, subtask: step)], at: now())
                let notes = try Self.opened(folder + "/a/b")
                #expect(notes.contains(try reminder(-5)))
                #expect(notes.contains(try reminder(7, subtask: step)))
                #expect(try !notes.contains(reminder(-6)))
                #expect(try !notes.contains(reminder(7)))
                #expect(try !notes.contains(reminder(-5, subtask: step)))
                let attributes = try FileManager.default.attributesOfItem(
                    atPath: folder + "/a/b/reminders")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let text = try String(contentsOfFile: folder + "/a/b/reminders", encoding: .utf8)
                #expect(
                    text.split(separator: "\n").sorted()
                        == ["k7m2qx - -5", "k7m2qx 3fx000 7", "taskvault reminders 1"])
            }
        }

        @Test("have a day as a date, which no time of day changes")
        func days() throws {
            try withTemporaryFolder { folder in
                let task = try #require(TaskID("k7m2qx"))
                let date = try #require(CalendarDate(year: 2_026, month: 12, day: 10))
                let place = ReminderPlace(.day(date), task: task)
                try Self.opened(folder).add([place], at: now())
                let text = try String(contentsOfFile: folder + "/reminders", encoding: .utf8)
                #expect(text.contains("k7m2qx - 2026-12-10\n"))
                #expect(try Self.opened(folder).contains(place))
            }
        }

        @Test("give a page each due reminder once, logged before it is shown")
        func taken() throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                let first = DueReminder(
                    task: try #require(TaskID("k7m2qx")), time: now(90 * Self.day), name: "a")
                let next = DueReminder(
                    task: try #require(TaskID("3fx000")), time: now(91 * Self.day), name: "b")
                source.state.withLock { $0.reminders = [first, next] }
                var notes: AnnouncementLog? = try Self.opened(folder)
                let found = try notes?.take(from: source, at: now(90 * Self.day + 1))
                #expect(found?.due == [first])
                #expect(found?.next == next.time)
                #expect(try notes?.take(from: source, at: now(90 * Self.day + 2)).due == [])
                // Another program knows it, too; and no check was logged that would say that this machine announces all.
                notes = nil
                notes = try Self.opened(folder)
                #expect(notes?.contains(first.place) == true)
                #expect(notes?.checked == nil)
                // Without the log nothing is shown.
                source.state.withLock { $0.failure = .busy }
                #expect(throws: DatabaseError.self) {
                    try notes?.take(from: source, at: now(92 * Self.day))
                }
            }
        }

        @Test("know the last check, from which on missed reminders are announced")
        func missed() throws {
            try withTemporaryFolder { folder in
                let day = Self.day
                var notes: AnnouncementLog? = try Self.opened(folder)
                // Without a check, the last day counts.
                #expect(notes?.start(at: now(90 * day)) == now(89 * day))
                try notes?.addCheck(at: now(90 * day))
                #expect(notes?.start(at: now(90 * day + 1)) == now(89 * day + 1))
                // Only one an hour is written.
                try notes?.addCheck(at: now(90 * day + 5))
                notes = nil
                notes = try Self.opened(folder)
                #expect(notes?.checked == now(90 * day))
                #expect(notes?.start(at: now(94 * day)) == now(90 * day))
                #expect(notes?.start(at: now(200 * day)) == now(170 * day))
                // A clock that was wrong makes no difference.
                #expect(notes?.start(at: now(10 * day)) == now(9 * day))
                try notes?.addCheck(at: now(10 * day))
                #expect(notes?.checked == now(10 * day))
            }
        }

        @Test("tell whether a program announces reminders")
        func used() throws {
            try withTemporaryFolder { folder in
                let day = Self.day
                #expect(!AnnouncementLog.isUsed(in: folder, at: now(day)))
                // A timer's call.
                try Self.opened(folder).addCheck(at: now(day))
                #expect(AnnouncementLog.isUsed(in: folder, at: now(day + 3_600_000)))
                #expect(!AnnouncementLog.isUsed(in: folder, at: now(2 * day)))
                // A service, until it ends.
                let service = try AnnouncementLog.open(in: folder, asService: true)
                #expect(service != nil)
                #expect(AnnouncementLog.isUsed(in: folder, at: now(2 * day)))
                withExtendedLifetime(service) {}
            }
        }

        @Test("are those of one program at a time")
        func locked() throws {
            try withTemporaryFolder { folder in
                let notes = try AnnouncementLog.open(in: folder)
                #expect(notes != nil)
                #expect(try AnnouncementLog.open(in: folder) == nil)
                withExtendedLifetime(notes) {}
            }
        }

        @Test("a service waits for another program, and not for another service")
        func service() throws {
            try withTemporaryFolder { folder in
                var once = try AnnouncementLog.open(in: folder)
                #expect(once != nil)
                var pauses = 0
                let service = try AnnouncementLog.open(in: folder, asService: true) {
                    pauses += 1
                    once = nil
                }
                #expect(service != nil)
                // More than one if a process that another test starts has a copy of the lock.
                #expect(pauses > 0)
                let before = pauses
                let other = try AnnouncementLog.open(in: folder, asService: true) { pauses += 1 }
                #expect(other == nil)
                #expect(pauses == before)
                withExtendedLifetime(service) {}
            }
        }

        @Test("what was tried once counts as announced the second time, also by the next program")
        func tried() throws {
            try withTemporaryFolder { folder in
                for (isKnown, lines) in [(false, 2), (true, 2)] {
                    let notes = try Self.opened(folder)
                    #expect(try !notes.contains(reminder(5)))
                    try notes.addAttempt([try reminder(5)], at: now())
                    #expect(try notes.contains(reminder(5)) == isKnown)
                    let text = try String(contentsOfFile: folder + "/reminders", encoding: .utf8)
                    #expect(text.split(separator: "\n").count == lines)
                }
                let notes = try Self.opened(folder)
                #expect(try notes.contains(reminder(5)))
                // One that failed for certain is as good as none.
                try notes.addAttempt([try reminder(6)], at: now())
                try notes.remove([try reminder(6)], at: now())
                try notes.addAttempt([try reminder(6)], at: now())
                #expect(try !notes.contains(reminder(6)))
            }
        }

        @Test("a damaged file is as good as none", arguments: ["", "x", "\u{0}\n\n", "a b c\n"])
        func damaged(_ text: String) throws {
            try withTemporaryFolder { folder in
                for first in ["", "taskvault reminders 1\n"] {
                    try Data((first + text).utf8).write(to: URL(filePath: folder + "/reminders"))
                    let notes = try Self.opened(folder)
                    try notes.add([try reminder(5)], at: now())
                    #expect(notes.contains(try reminder(5)))
                }
            }
        }

        @Test("old ones go, by the time of the newest; a thousand stay in any case")
        func pruned() throws {
            try withTemporaryFolder { folder in
                let notes = try Self.opened(folder)
                try notes.add(try (0..<3_000).map { try reminder($0) }, at: now())
                #expect(notes.contains(try reminder(0)))
                try notes.add([try reminder(29 * Self.day)], at: now(29 * Self.day))
                #expect(notes.contains(try reminder(0)))
                try notes.add([try reminder(31 * Self.day)], at: now(31 * Self.day))
                #expect(try !notes.contains(reminder(2_000)))
                #expect(notes.contains(try reminder(2_999)))
                let text = try String(contentsOfFile: folder + "/reminders", encoding: .utf8)
                #expect(text.split(separator: "\n").count == 1_001)
            }
        }

        @Test("those of the last day stay, however many they are and whatever else is noted")
        func lastDay() throws {
            try withTemporaryFolder { folder in
                let many = try (1...60_000).map { try reminder($0) }
                let far = try reminder(100_000 * Self.day)
                let old = try reminder(60_000 - Self.day - 1)
                try Self.opened(folder)
                    .add(many + [far, old], at: now(60_000))
                let notes = try Self.opened(folder)
                #expect(many.allSatisfy { notes.contains($0) })
                #expect(notes.contains(far) && !notes.contains(old))
            }
        }
    }

    @Suite("Texts of reminders")
    struct ReminderTextTests {
        @Test("a long name is cut, also one of a single character")
        func long() throws {
            let now = PointInTime(milliseconds: 0)
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
                let notes = ReminderText.show(
                    TodoTask(
                        content: .plain(TaskText(name: name, notes: name + name)), created: now))
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

        @Test("a protected task is shown by its nickname or id, and a missing one by its id")
        func protected() throws {
            let id = try #require(TaskID("k7m2qx"))
            var task = TodoTask(
                id: id, content: .protected(ProtectedTextID(of: id)),
                created: PointInTime(milliseconds: 0))
            #expect(ReminderText.show(task).title == "protected task k7m2qx")
            task.nickname = "the one"
            #expect(ReminderText.show(task).title == "the one")
            #expect(ReminderText.show(task).body == "taskvault task show k7m2qx")
            #expect(ReminderText.title(of: id, nil) == "task k7m2qx")
        }

        @Test("the command that replaces Done unlocks for a subtask of a protected task alone")
        func command() throws {
            let (task, step) = (try #require(TaskID("k7m2qx")), try #require(TaskID("3fx000")))
            let now = PointInTime(milliseconds: 0)
            func command(_ subtask: TaskID?, _ isProtected: Bool) -> String {
                ReminderText.commandToFinish(
                    ReminderPlace(.moment(now), task: task, subtask: subtask),
                    isProtected: isProtected)
            }
            #expect(command(nil, true) == "taskvault task done k7m2qx")
            #expect(command(step, false) == "taskvault task subtask done k7m2qx 3fx000")
            #expect(
                command(step, true)
                    == "taskvault unlock; taskvault task subtask done k7m2qx 3fx000")
        }
    }

    @Suite("Which reminders are announced total")
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
