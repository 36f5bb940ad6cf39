#if os(Linux)
    import Database
    import Foundation
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    @Suite(
        "Reminders on a desktop", .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ReminderServiceTests {
        private static let far = PointInTime(milliseconds: 4_102_444_800_000)
        private static let epoch = PointInTime(milliseconds: 0)

        @Test("one fires at its time, once")
        func once() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let reminder = source.add("call Ada", in: 3_600)
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it waits") { service.timer.wanted.withLock { $0 } == reminder.time }
                service.advance(3_600)
                let shown = try session.shown(1)
                #expect(shown.map(\.title) == ["call Ada"])
                #expect(shown.first?.actions.prefix(4) == ["done", "Done", "later", "Later"])
                service.advance(1)
                try service.end()
                // Also by the next program.
                let next = try RunningService(source, folder, on: session.address)
                try next.end()
                #expect(try session.shown(1).count == 1)
            }
        }

        @Test("a protected task is announced without its text, also by Show")
        func protected() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let task = try #require(TaskID("k7m2qx"))
                source.add("leak", task: task)
                source.protect()
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                try eventually("it is known") { try Self.isNoted(1, folder) }
                try session.tell("act 1 show")
                let shown = try session.shown(2)
                #expect(shown.map(\.title) == ["protected task k7m2qx", "protected task k7m2qx"])
                #expect(shown[1].body == "taskvault task show k7m2qx")
                #expect(!shown.contains { ($0.title + $0.body).contains("leak") })
                try service.end()
            }
        }

        @Test("Done, Later and Show")
        func actions() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let ada = source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                source.state.withLock {
                    $0.texts[ada.task] = TaskText(
                        name: "call Ada", notes: "home: 1\nwork: 2",
                        subtasks: [TodoSubtask(id: TaskID(), name: "find number", isDone: true)])
                }
                try eventually("it is known") { try Self.isNoted(1, folder) }
                try session.tell("act 1 show")
                #expect(try session.shown(2)[1].body == "home: 1\nwork: 2\n[x] find number")
                try session.tell("act 1 later")
                let later = source.clock.now().advanced(by: .seconds(600))
                try eventually("it is later") { source.state.withLock { $0.snoozed } == [later] }
                service.advance(600)
                #expect(try session.shown(3).map(\.title).last == "call Ada")
                try eventually("it is known") { try Self.isNoted(2, folder) }
                // The first one was for an earlier time, and is gone.
                #expect(try session.tell("closed") == "1")
                // Changed by another program, and not yet looked at.
                source.state.withLock { $0.reminders = [] }
                try session.tell("act 3 done")
                let answer = try session.shown(4)[3]
                #expect(answer.title == "call Ada")
                #expect(answer.body == "it was changed meanwhile; nothing was done")
                #expect(source.state.withLock { $0.finished }.isEmpty)
                source.add("call Eve")
                service.advance(1)
                _ = try session.shown(5)
                try eventually("it is known") { try Self.isNoted(3, folder) }
                try session.tell("act 5 done")
                try eventually("it is done") { source.state.withLock { $0.finished.count } == 1 }
                try service.end()
            }
        }

        @Test("a task that is protected after its announcement is no longer named")
        func protectedLater() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                try eventually("it is known") { try Self.isNoted(1, folder) }
                source.protect()
                try session.tell("act 1 show")
                let answers = try session.shown(2).dropFirst()
                #expect(answers.allSatisfy { $0.title.hasPrefix("protected task ") })
                #expect(try session.tell("closed") == "1")
                try service.end()
            }
        }

        @Test("the text of Show and the names of a summary go when a task is protected")
        func protectedTexts() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let ada = source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                try eventually("it is known") { try Self.isNoted(1, folder) }
                source.state.withLock {
                    $0.texts[ada.task] = TaskText(name: "call Ada", notes: "home: 1")
                }
                try session.tell("act 1 show")
                #expect(try session.shown(2)[1].body == "home: 1")
                for number in 0..<6 { source.add("task \(number)") }
                service.advance(1)
                #expect(try session.shown(3)[2].title == "6 reminders")
                try eventually("they are known") { try Self.isNoted(7, folder) }
                source.protect()
                try service.check()
                let closed = try (0..<3).map { _ in try session.tell("closed") }
                #expect(Set(closed) == ["1", "2", "3"])
                try service.end()
            }
        }

        @Test("a changed zone is that of the next notification, and repeats none")
        func zone() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                #expect(try session.shown(1).map(\.body) == ["due fri 2027-01-15 08:00"])
                try eventually("it is known") { try Self.isNoted(1, folder) }
                source.state.withLock { $0.calendar = .centralEurope }
                try service.check()
                source.add("call Eve", in: 60)
                service.advance(60)
                #expect(try session.shown(2).last?.body == "due fri 2027-01-15 09:01")
                try service.end()
                #expect(try session.shown(2).count == 2)
            }
        }

        @Test("a task that is protected before the daemon's first answer is not named")
        func protectedMeanwhile() throws {
            try withDesktop { session, folder in
                try session.tell("hold")
                let source = TestSource()
                let task = try #require(TaskID("k7m2qx"))
                source.add("leak", task: task)
                let off = source.add("off")
                let service = try RunningService(source, folder, on: session.address)
                #expect(try session.tell("asked") == "1")
                source.protect()
                source.state.withLock { state in state.reminders.removeAll { $0.task == off.task } }
                try session.tell("answer")
                #expect(try session.shown(1).map(\.title) == ["protected task k7m2qx"])
                try eventually("it is known") { try Self.isNoted(1, folder) }
                try service.end()
                #expect(try session.shown(1).count == 1)
            }
        }

        @Test("a notification that a slow daemon shows of a task that was protected is closed")
        func protectedBeforeAnswer() throws {
            try withDesktop { session, folder in
                try session.tell("delay 2")
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                source.protect()
                try service.check()
                #expect(try session.tell("closed") == "1")
                try service.end()
            }
        }

        @Test("the command does not wait for the daemon's first answer, and each announces once")
        func commandBeforeDaemon() throws {
            try withDesktop { session, folder in
                try session.tell("hold")
                let source = TestSource()
                source.add("call Ada")
                let got = folder + "/got"
                try ReminderCommandTests.set("/usr/bin/tee -a \(got)", source)
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it ran") { FileManager.default.contents(atPath: got)?.last == 10 }
                try session.tell("asked")
                try service.check()
                try session.tell("answer")
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                try service.end()
                #expect(try session.shown(1).count == 1)
                let text = try String(contentsOfFile: got, encoding: .utf8)
                #expect(text.split(separator: "\n").count == 1)
            }
        }

        @Test("what is done or off elsewhere is closed, the rest stays")
        func closed() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                for name in ["call Ada", "call Eve", "call Bob"] { source.add(name) }
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(3)
                try eventually("they are known") { try Self.isNoted(3, folder) }
                let titles = try session.shown(3).map(\.title)
                let number = try #require(titles.firstIndex(of: "call Eve")) + 1
                source.state.withLock { state in state.reminders.removeAll { $0.name == "call Eve" }
                }
                try service.check()
                #expect(try session.tell("closed") == "\(number)")
                try service.end()
                #expect(try session.tell("client") != "none")
            }
        }

        @Test("an action counts only if the daemon sends it")
        func impostor() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                try eventually("it is known") { try Self.isNoted(1, folder) }
                try session.tell("impostor 1 done \(try session.tell("client"))")
                try session.tell("act 1 show")
                _ = try session.shown(2)
                #expect(source.state.withLock { $0.finished }.isEmpty)
                try service.end()
            }
        }

        @Test(
            "a clock that is set back, forward and back again changes nothing",
            arguments: [far, epoch])
        func clock(_ wrong: PointInTime) throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let start = source.clock.now()
                source.add("past")
                let future = source.add("future", in: 7_200)
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                try eventually("it is known") { try Self.isNoted(1, folder) }
                service.setClock(wrong)
                let next = wrong < start ? start : nil
                try eventually("it looked") { service.timer.wanted.withLock { $0 } == next }
                service.setClock(start.advanced(by: .seconds(-3_600)))
                try eventually("it waits") { service.timer.wanted.withLock { $0 } == start }
                service.setClock(start.advanced(by: .seconds(60)))
                try eventually("it waits") { service.timer.wanted.withLock { $0 } == future.time }
                service.setClock(future.time)
                #expect(try session.shown(2).map(\.title) == ["past", "future"])
                service.setClock(start)
                service.setClock(future.time)
                try service.end()
                #expect(try session.shown(2).count == 2)
            }
        }

        @Test("missed ones of a day are summed up once; older ones are not announced")
        func missed() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("too old", in: -86_401)
                source.add("first", in: -86_000)
                source.add(nil, in: -500, task: try #require(TaskID("k7m2qx")))
                let service = try RunningService(source, folder, on: session.address)
                let shown = try session.shown(1)
                #expect(shown.map(\.title) == ["2 missed reminders"])
                #expect(shown.map(\.actions) == [[]])
                #expect(
                    shown.map(\.body) == ["• first\n• protected task k7m2qx\ntaskvault task list"])
                try eventually("they are known") { try Self.isNoted(2, folder) }
                service.advance(1)
                try service.end()
                #expect(try session.shown(1).count == 1)
            }
        }

        @Test("one missed for days is announced at the next start, since the last check")
        func missedForDays() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let now = source.state.withLock { $0.now }
                try AnnouncementLog.open(in: folder + "/state")?
                    .addCheck(at: now.advanced(by: .seconds(-5 * 86_400)))
                source.add("before the check", in: -6 * 86_400)
                source.add("days ago", in: -3 * 86_400)
                let service = try RunningService(source, folder, on: session.address)
                let shown = try session.shown(1)
                #expect(shown.map(\.title) == ["days ago"])
                #expect(shown[0].body.hasPrefix("missed "))
                try eventually("it is known") { try Self.isNoted(1, folder) }
                try service.end()
            }
        }

        @Test("10,000 of one minute are summed up in one notification")
        func flood() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                for number in 0..<10_000 {
                    source.add("task \(number)", in: -Double(number) / 200)
                }
                let service = try RunningService(source, folder, on: session.address)
                let shown = try session.shown(1)
                #expect(shown.map(\.title) == ["10000 reminders"])
                #expect(shown.first?.body.contains("and 9995 more") == true)
                try eventually("they are known") { try Self.isNoted(10_000, folder) }
                service.advance(1)
                try service.end()
                #expect(try session.shown(1).count == 1)
            }
        }

        @Test("10,000 that are due all over a minute are a handful of summaries")
        func longFlood() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let service = try RunningService(source, folder, on: session.address)
                for second in 1...50 {
                    for number in 0..<200 { source.add("task \(number)") }
                    service.advance(1)
                    if second <= 4 {
                        try eventually("they are known") {
                            try Self.isNoted(second * 200, folder)
                        }
                    } else {
                        try service.check()
                    }
                }
                source.state.withLock { $0.ahead = .seconds(60) }
                service.advance(10)
                #expect(try session.shown(5).last?.title == "9200 reminders")
                try service.end()
                #expect(try session.shown(5).count == 5)
            }
        }

        @Test("a few of one moment are announced one by one, and only so many of a minute")
        func few() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let service = try RunningService(source, folder, on: session.address)
                for round in 1...4 {
                    for _ in 0..<5 { source.add("task") }
                    service.advance(1)
                    _ = try session.shown(round * 5)
                }
                for _ in 0..<6 { source.add("task") }
                try service.check()
                #expect(try session.shown(20).count == 20)
                source.state.withLock { $0.ahead = .seconds(60) }
                service.advance(60)
                #expect(try session.shown(21).last?.title == "6 reminders")
                try service.end()
                #expect(try session.shown(21).count == 21)
            }
        }

        @Test("a daemon that is missing gets them when it appears")
        func daemonMissing() throws {
            try withTemporaryFolder { folder in
                let session = try DesktopSession(in: folder)
                let source = TestSource()
                source.add("call Ada")
                source.add("call Eve")
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it looked") { source.looks > 0 }
                service.advance(300)
                try eventually("it looked") { source.looks > 1 }
                try session.startDaemon()
                try session.tell("own")
                #expect(try session.shown(1).map(\.title) == ["2 missed reminders"])
                try service.end()
                session.end()
            }
        }

        @Test("a daemon that ends before its answer gets them again")
        func daemonRestarts() throws {
            try withDesktop { session, folder in
                try session.tell("delay never")
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                session.killDaemon()
                try session.startDaemon()
                try session.tell("own")
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                try eventually("it is known") { try Self.isNoted(1, folder) }
                // What the first daemon's notification meant is forgotten, and the second one's counts.
                try session.tell("act 1 done")
                try eventually("it is done") { source.state.withLock { $0.finished.count } == 1 }
                try service.end()
            }
        }

        @Test("a daemon that ends after it showed one, without an answer, is told twice at most")
        func daemonEndsAgain() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada")
                try session.tell("delay never")
                let service = try RunningService(source, folder, on: session.address)
                for _ in 0..<2 {
                    #expect(try session.shown(1).map(\.title) == ["call Ada"])
                    session.killDaemon()
                    try session.startDaemon()
                    try session.tell("delay never")
                    try session.tell("own")
                }
                source.add("call Eve", in: 1)
                service.advance(1)
                #expect(try session.shown(1).map(\.title) == ["call Eve"])
                try service.end()
            }
        }

        @Test("a daemon that does not tell its capabilities is asked again, and that is reported")
        func daemonFails() throws {
            try withDesktop { session, folder in
                try session.tell("fail")
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                try service.end()
                #expect(source.reports == ["the notification daemon refuses notifications"])
            }
        }

        @Test("one that replaces a daemon that was asked and did not answer gets them")
        func daemonReplaced() throws {
            for command in ["hold", "delay never"] {
                try withDesktop { session, folder in
                    try session.tell(command)
                    let source = TestSource()
                    source.add("call Ada")
                    let service = try RunningService(source, folder, on: session.address)
                    if command == "hold" {
                        try session.tell("asked")
                    } else {
                        _ = try session.shown(1)
                    }
                    // The first one runs on, without the name.
                    try session.startDaemon()
                    try session.tell("own")
                    #expect(try session.shown(1).map(\.title) == ["call Ada"])
                    try eventually("it is known") { try Self.isNoted(1, folder) }
                    try service.end()
                }
            }
        }

        @Test("a slow daemon holds nothing up")
        func daemonSlow() throws {
            try withDesktop { session, folder in
                try session.tell("delay 2")
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                _ = try session.shown(1)
                // Another name makes no other reminder.
                source.state.withLock { state in
                    let old = state.reminders[0]
                    state.reminders[0] = DueReminder(
                        task: old.task, time: old.time, due: old.due, name: "call Ann")
                }
                source.add("call Eve", in: 1)
                service.advance(1)
                #expect(try session.shown(2).map(\.title) == ["call Ada", "call Eve"])
                #expect(try !Self.isNoted(1, folder))
                try eventually("both are known") { try Self.isNoted(2, folder) }
                try service.end()
                #expect(try session.shown(2).count == 2)
            }
        }

        @Test("a daemon that refuses is asked again later, and not at once")
        func daemonRefuses() throws {
            try withDesktop { session, folder in
                try session.tell("refuse true")
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it asked") { try session.tell("client") != "none" }
                let looks = source.looks
                try session.idle()
                #expect(source.looks <= looks + 1)
                try session.tell("refuse false")
                service.advance(1)
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                try service.end()
            }
        }

        @Test("without actions the body names a command; with markup it is escaped")
        func capabilities() throws {
            try withDesktop { session, folder in
                try session.tell("capabilities body body-markup")
                let source = TestSource()
                let (task, step) = (try #require(TaskID("k7m2qx")), try #require(TaskID("3fx000")))
                source.state.withLock { state in
                    state.reminders = [
                        DueReminder(
                            task: task, subtask: step, time: state.now, name: "a <b> & \u{1B}c",
                            taskName: "<i> & \u{202E}")
                    ]
                }
                let service = try RunningService(source, folder, on: session.address)
                let shown = try #require(try session.shown(1).first)
                #expect(shown.title == "a ‹b› & \\u{1B}c")
                // Swift takes the first two scalars for one character, a daemon does not.
                #expect(Notification.withoutMarkup("<\u{338}b>") == "‹\u{338}b›")
                #expect(
                    shown.body
                        == "step of &lt;i&gt; &amp; \\u{202E}\ntaskvault task subtask done k7m2qx 3fx000"
                )
                #expect(shown.actions.isEmpty)
                try service.end()
            }
        }

        @Test("at rest it does nothing")
        func rest() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada", in: 86_000)
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it looked") { source.looks > 0 }
                try session.idle()
                #expect(source.looks == 1)
                try service.end()
            }
        }

        @Test("without the bus it ends, unless there is a command")
        func busEnds() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it looked") { source.looks > 0 }
                session.end()
                #expect(service.failure() != nil)
            }
        }

        @Test("a database that fails at a reminder's time is tried again, and not at once")
        func failureAtItsTime() throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                let reminder = source.add("call Ada", in: 1)
                let start = MonotonicTime.now
                let timer = try TestTimer()
                let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                let service = try ReminderService(
                    source, notes, on: nil,
                    clock: ReminderClock(now: source.clock.now, monotonic: { start }), timer: timer)
                // One look for each run.
                let stop = try SystemPipe()
                stop.signal()
                try service.run(until: stop.reader)
                #expect(timer.wanted.withLock { $0 } == reminder.time)
                source.advance(1)
                source.state.withLock { $0.failure = .busy }
                try service.run(until: stop.reader)
                #expect(source.looks == 2)
                // The system's timer would fire at once at a time that has passed.
                #expect(timer.wanted.withLock { $0 } == nil)
                #expect(service.deadline == start + .seconds(1))
            }
        }

        @Test("a clock that was set while the timer was set is a reason to look")
        func clockSetMeanwhile() throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                let service = try RunningService(source, folder)
                try eventually("it set the timer") { service.timer.sets.withLock { $0 } == 1 }
                service.timer.isClockSet.withLock { $0 = true }
                service.timer.fire()
                try eventually("it looked twice") { source.looks == 3 }
                try service.end()
            }
        }

        @Test("a database that fails is reported once, and tried again")
        func failure() throws {
            try withDesktop { session, folder in
                let source = TestSource()
                source.add("call Ada")
                source.state.withLock { $0.failure = .busy }
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it tried twice") { source.looks > 1 }
                #expect(source.reports.count == 1)
                source.state.withLock { $0.failure = nil }
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                try service.end()
            }
        }

        /// Whether so many reminders are noted.
        static func isNoted(_ count: Int, _ folder: String) throws -> Bool {
            let text = try? String(contentsOfFile: folder + "/state/reminders", encoding: .utf8)
            let lines = (text ?? "").split(separator: "\n").dropFirst()
            return lines.count { !$0.hasSuffix(" tried") && !$0.hasPrefix("checked") } == count
        }
    }
#endif
