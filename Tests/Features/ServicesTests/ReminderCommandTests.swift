#if os(Linux)
    import Database
    import Foundation
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    @Suite("The command of reminders", .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ReminderCommandTests {
        @Test(
            "is split at blanks, without a shell",
            arguments: [
                ("/bin/a", ["/bin/a"]),
                ("  /bin/a  b ", ["/bin/a", "b"]),
                ("/bin/a 'b  c' \"d 'e\"", ["/bin/a", "b  c", "d 'e"]),
                ("/bin/a '' x\"y z\"", ["/bin/a", "", "xy z"]),
                (
                    "'/a b/c' $HOME *.txt ; | \\n ~",
                    ["/a b/c", "$HOME", "*.txt", ";", "|", "\\n", "~"]
                ),
            ])
        func words(_ text: String, _ words: [String]) throws {
            #expect(try ReminderCommand(text).arguments == words)
        }

        @Test("is the path of a program", arguments: ["", " ", "mail", "'/a", "\"", "/a\nb", "''"])
        func faults(_ text: String) {
            #expect(throws: ReminderCommand.Fault.self) { try ReminderCommand(text) }
        }

        @Test("gets each member, null where it is unknown")
        func input() throws {
            let task = try #require(TaskID("k7m2qx"))
            let time = PointInTime(milliseconds: 1_800_000_000_000)
            let single = Announcement(
                reminders: [DueReminder(task: task, time: time, name: nil, isProtected: true)],
                isMissed: false)
            let text = Notification(title: "t", body: "b")
            let first = try ReminderCommand.input(single, text)
            #expect(
                first == """
                    {"id":"k7m2qx","subtask":null,"name":null,"task":null,"list":null,"due":null,\
                    "reminder":"2027-01-15T08:00:00Z","protected":true,"missed":false,"count":1,\
                    "title":"t","body":"b"}

                    """)
            let both = Announcement(
                reminders: [
                    DueReminder(task: task, time: time, name: "a\"b"),
                    DueReminder(task: task, time: time, name: "c"),
                ], isMissed: true)
            #expect(
                try ReminderCommand.input(both, text) == """
                    {"id":null,"subtask":null,"name":null,"task":null,"list":null,"due":null,\
                    "reminder":null,"protected":null,"missed":true,"count":2,"title":"t","body":"b"}

                    """)
        }

        @Test("is run once for each announcement, without a desktop")
        func run() throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                source.add("call Ada")
                try Self.set("/usr/bin/tee '\(folder)/got it'", source)
                let service = try RunningService(source, folder)
                let path = folder + "/got it"
                try eventually("it ran") { FileManager.default.contents(atPath: path)?.last == 10 }
                let text = try String(contentsOfFile: path, encoding: .utf8)
                #expect(text.contains("\"name\":\"call Ada\""))
                try FileManager.default.removeItem(atPath: path)
                source.advance(1)
                try service.end()
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }

        @Test(
            "one that fails, or is not there, is reported once",
            arguments: [
                "/bin/false", "/nowhere/program",
            ])
        func fails(_ command: String) throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                try Self.set(command, source)
                let service = try RunningService(source, folder)
                for _ in 0..<3 {
                    source.add("call Ada")
                    let looks = source.looks
                    service.advance(1)
                    try eventually("it looked") { source.looks > looks }
                }
                try eventually("it is reported") { !source.reports.isEmpty }
                try service.end()
                #expect(source.reports.count == 1)
                #expect(source.reports[0].hasPrefix("reminder-command "))
            }
        }

        @Test("one that hangs is ended after 30 seconds, with all that it started")
        func hangs() throws {
            try withTemporaryFolder { folder in
                let commands = CommandProcesses()
                let start = MonotonicTime.now
                let script = "sleep 1000 & echo $! > '\(folder)/child'; trap '' TERM; wait"
                try commands.start(["/bin/sh", "-c", script], input: "", at: start)
                var child: pid_t = 0
                try eventually("it runs") {
                    let text = try? String(contentsOfFile: folder + "/child", encoding: .utf8)
                    child = pid_t(text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "") ?? 0
                    return child > 0
                }
                #expect(commands.deadline == start + .seconds(30))
                #expect(commands.reap(at: start + .seconds(29)).isEmpty)
                #expect(!commands.isEmpty)
                #expect(
                    commands.reap(at: start + .seconds(30)) == ["did not end within 30 seconds"])
                #expect(commands.isEmpty)
                try eventually("its child is gone") {
                    let state = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
                    return state == nil || state?.contains(") Z ") == true
                }
            }
        }

        @Test(
            "one that left its process group is ended, and nothing waits for it",
            .enabled(if: FileSystem.exists("/usr/bin/python3"), "needs python3"))
        func leavesGroup() throws {
            let commands = CommandProcesses()
            let start = MonotonicTime.now
            try withTemporaryFolder { folder in
                let script = """
                    import os, time
                    os.setpgid(0, os.getpgid(os.getppid()))
                    open('\(folder)/ready', 'w')
                    time.sleep(1000)
                    """
                try commands.start(["/usr/bin/python3", "-c", script], input: "", at: start)
                try eventually("it runs") { FileSystem.exists(folder + "/ready") }
            }
            #expect(
                commands.reap(at: start + .seconds(30)) == ["did not end within 30 seconds"])
            #expect(commands.isEmpty)
            try eventually("it has ended") {
                #expect(commands.reap(at: start + .seconds(31)).isEmpty)
                return commands.requests.isEmpty
            }
        }

        @Test("what cannot be noted is not announced by remind --once")
        func unnoted() throws {
            for command in [nil, "/bin/touch"] {
                try withTemporaryFolder { folder in
                    let source = TestSource()
                    source.add("call Ada")
                    if let command { try Self.set("\(command) '\(folder)/ran'", source) }
                    let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                    try FileManager.default.removeItem(atPath: folder + "/state")
                    #expect(throws: SystemFailure.self) {
                        try ReminderService.announceOnce(
                            source, notes, on: nil, clock: source.clock
                        ) { _ in Issue.record("printed") }
                    }
                    #expect(!FileSystem.exists(folder + "/ran"))
                }
            }
        }

        @Test("a large input fills no pipe")
        func large() throws {
            let commands = CommandProcesses()
            let input = String(repeating: "x", count: 1_000_000)
            try commands.start(["/bin/sleep", "0"], input: input, at: .now)
            try commands.start(
                ["/bin/sh", "-c", "[ $(wc -c) = 1000000 ]"], input: input, at: .now)
            var failures: [String] = []
            try eventually("they end") {
                failures += commands.reap(at: .now)
                return commands.isEmpty
            }
            #expect(failures.isEmpty)
        }

        @Test("what it started runs on if it ended itself")
        func childOutlives() throws {
            try withTemporaryFolder { folder in
                let commands = CommandProcesses()
                let script = "sleep 1000 & echo $! > '\(folder)/child'"
                try commands.start(["/bin/sh", "-c", script], input: "", at: .now)
                try eventually("it ends") {
                    _ = commands.reap(at: .now)
                    return commands.isEmpty
                }
                let text = try String(contentsOfFile: folder + "/child", encoding: .utf8)
                let child = try #require(
                    pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
                #expect(kill(child, SIGKILL) == 0)
            }
        }

        @Test("one that hangs does not hold up remind --once for more than 30 seconds")
        func hangsOnce() throws {
            try withTemporaryFolder { folder in
                let source = TestSource()
                source.add("call Ada")
                try Self.set("/bin/sleep 1000", source)
                // Half a minute passes from look to look.
                let looks = Mutex(Int64(0))
                let start = MonotonicTime.now
                let clock = ReminderClock(
                    now: source.clock.now,
                    monotonic: {
                        looks.withLock { count in
                            count += 1
                            return start + .seconds(30 * count)
                        }
                    })
                let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                try ReminderService.announceOnce(source, notes, on: nil, clock: clock) { _ in }
                #expect(
                    source.reports == [
                        "reminder-command did not end within 30 seconds; further failures are not reported"
                    ])
            }
        }

        static func set(_ command: String, _ source: TestSource) throws {
            let command = try ReminderCommand(command)
            source.state.withLock { state in
                state.settings = ReminderSettings(
                    snooze: .seconds(600), command: command, tasks: .memory)
            }
        }
    }
#endif
