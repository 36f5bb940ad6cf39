#if os(Linux)
    import Database
    import Foundation
    import Platform
    import SecureStorage
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    /// The programs, in a home and on a bus of their own.
    @Suite(
        "Programs that remind", .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ProgramTests {
        private struct Output {
            let status: Int32
            let output: String
            let errors: String
        }

        private static func process(
            _ name: String, _ arguments: [String], _ folder: String, on bus: String?
        ) -> Process {
            let process = Process()
            process.executableURL = URL(filePath: BuiltExecutable.path(of: name))
            process.arguments = arguments
            process.environment = [
                "HOME": folder + "/home", "TZ": "UTC", "DBUS_SESSION_BUS_ADDRESS": bus ?? "",
                "LD_LIBRARY_PATH": ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"] ?? "",
            ]
            process.standardInput = FileHandle.nullDevice
            return process
        }

        private static func run(
            _ name: String, _ arguments: [String], _ folder: String, on bus: String? = nil
        ) throws -> Output {
            let process = process(name, arguments, folder, on: bus)
            let (output, errors) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = errors
            try process.run()
            let written = try output.fileHandleForReading.readToEnd() ?? Data()
            let failed = try errors.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return Output(
                status: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
                errors: String(decoding: failed, as: UTF8.self))
        }

        /// Runs `body` while the service runs, and ends it by a signal.
        private static func withService(
            _ folder: String, _ session: DesktopSession, endedBy signal: Int32 = SIGTERM,
            _ body: () throws -> Void
        ) throws {
            let process = process("taskvault", ["services"], folder, on: session.address)
            try process.run()
            do {
                try body()
            } catch {
                kill(process.processIdentifier, SIGKILL)
                throw error
            }
            kill(process.processIdentifier, signal)
            process.waitUntilExit()
            if signal == SIGTERM { #expect(process.terminationStatus == 0) }
        }

        /// Adds a task whose reminder is due some seconds from now.
        @discardableResult
        private static func add(
            _ name: String, in seconds: Int64, _ folder: String
        ) throws -> TodoTask {
            let home = folder + "/home/.local/share/taskvault"
            try SafeFolder.create(home)
            let repository = try TaskRepository.openOrCreate(.file(home + "/tasks.db"))
            defer { repository.close() }
            return try TaskList(repository, now: { .now }).add(
                TaskText(name: name), due: PointInTime.now.advanced(by: .seconds(seconds)),
                hasReminder: true)
        }

        /// How many reminders are noted as announced, for all home folders.
        private static func noted(_ folder: String) throws -> Int {
            let all = URL(filePath: folder + "/home/.local/state/taskvault/announced")
            let homes =
                (try? FileManager.default.contentsOfDirectory(
                    at: all, includingPropertiesForKeys: nil)) ?? []
            return homes.map { home in
                let text = try? String(
                    contentsOf: home.appending(path: "reminders"), encoding: .utf8)
                return (text ?? "").split(separator: "\n").dropFirst()
                    .count { !$0.hasSuffix(" tried") && !$0.hasPrefix("checked") }
            }.reduce(0, +)
        }

        private static func isDone(_ task: TodoTask, _ folder: String) throws -> Bool {
            let path = folder + "/home/.local/share/taskvault/tasks.db"
            let repository = try #require(try TaskRepository.open(.file(path)))
            defer { repository.close() }
            return try #require(try repository.task(task.id)).isDone
        }

        @Test("a new task fires at its time, and Done marks it")
        func service() throws {
            try withDesktop { session, folder in
                try Self.withService(folder, session) {
                    let task = try Self.add("call Ada", in: 1, folder)
                    let due = try #require(task.due?.moment)
                    #expect(try session.shown(1).map(\.title) == ["call Ada"])
                    #expect(PointInTime.now >= due)
                    try eventually("it is known") { try Self.noted(folder) == 1 }
                    try session.tell("act 1 done")
                    try eventually("it is done") { try Self.isDone(task, folder) }
                    let second = try Self.run(
                        "taskvault", ["services"], folder, on: session.address)
                    #expect(second.status == 6)
                    #expect(
                        second.errors.contains("error: taskvault services is already running\n"))
                    #expect(
                        try Self.run("taskvault", ["remind", "--once"], folder).output.isEmpty)
                }
            }
        }

        @Test("Later and Done of a subtask, and of a protected task, whose vault stays locked")
        func laterAndDone() throws {
            try withDesktop { session, folder in
                let home = folder + "/home/.local/share/taskvault"
                try SafeFolder.create(home)
                let repository = try TaskRepository.openOrCreate(.file(home + "/tasks.db"))
                defer { repository.close() }
                let list = TaskList(repository, now: { .now })
                let start = PointInTime.now.advanced(by: .seconds(-10))
                let tasks = try (0..<4).map { number in
                    let time = start.advanced(by: .seconds(number))
                    let step = TodoSubtask(
                        id: TaskID(), name: "find number", reminder: .moment(time))
                    if number < 2 {
                        return try list.add(TaskText(name: "call Ada", subtasks: [step])).id
                    }
                    var task = try list.addProtected(
                        TaskText(name: "leak"), in: MemorySecureStore { 0 })
                    task.reminder = .moment(time)
                    return try list.replace(task).id
                }
                func task(_ number: Int) throws -> TodoTask {
                    try #require(try repository.task(tasks[number]))
                }
                func step(_ number: Int) throws -> TodoSubtask? {
                    try task(number).plainText?.subtasks.first
                }
                try Self.withService(folder, session) {
                    let shown = try session.shown(4)
                    #expect(
                        shown.map(\.title)
                            == ["find number", "find number"]
                            + tasks[2...].map { "protected task \($0.text)" })
                    #expect(shown.map(\.body)[..<2] == ["step of call Ada", "step of call Ada"])
                    try eventually("they are known") { try Self.noted(folder) == 4 }
                    for (id, action) in [(1, "later"), (2, "done"), (3, "later"), (4, "done")] {
                        try session.tell("act \(id) \(action)")
                    }
                    try eventually("the last one is done") { try task(3).isDone }
                    let later = start.advanced(by: .seconds(600))
                    #expect(try #require(try step(0)?.snooze) > later)
                    #expect(try step(1)?.isDone == true && !task(1).isDone)
                    #expect(try #require(try task(2).snooze) > later)
                    #expect(try step(0)?.isDone == false && !task(2).isDone)
                }
            }
        }

        @Test("killed between notification and note, it announces at most twice")
        func killed() throws {
            try withDesktop { session, folder in
                try session.tell("delay never")
                try Self.add("call Ada", in: -1, folder)
                try Self.withService(folder, session, endedBy: SIGKILL) {
                    _ = try session.shown(1)
                }
                // The daemon does not answer the second time either.
                try Self.withService(folder, session, endedBy: SIGKILL) {
                    _ = try session.shown(2)
                    #expect(try Self.noted(folder) == 1)
                }
                try session.tell("delay 0")
                try Self.withService(folder, session) {
                    try Self.add("call Eve", in: 0, folder)
                    let titles = try session.shown(3).map(\.title)
                    #expect(titles == ["call Ada", "call Ada", "call Eve"])
                }
                #expect(try session.shown(3).count == 3)
            }
        }

        @Test("what is switched off does not fire, and what is off is no longer shown")
        func switchedOff() throws {
            try withDesktop { session, folder in
                let home = folder + "/home/.local/share/taskvault"
                try SafeFolder.create(home)
                let repository = try TaskRepository.openOrCreate(.file(home + "/tasks.db"))
                defer { repository.close() }
                let list = TaskList(repository, now: { .now })
                try Self.withService(folder, session) {
                    let time = PointInTime.now.advanced(by: .seconds(4))
                    let step = TodoSubtask(
                        id: TaskID(), name: "find number", reminder: .moment(time))
                    let steps = try list.add(TaskText(name: "call Ada", subtasks: [step]))
                    let task = try list.add(
                        TaskText(name: "call Eve"), due: time, hasReminder: true)
                    for words in [
                        ["task", "remind", task.id.text, "off"],
                        ["task", "subtask", "remind", steps.id.text, "1", "off"],
                    ] {
                        #expect(try Self.run("taskvault", words, folder).status == 0)
                    }
                    #expect(PointInTime.now < time, "too slow to say anything")
                    try Self.add("call Bob", in: 5, folder)
                    #expect(try session.shown(1).map(\.title) == ["call Bob"])
                    #expect(PointInTime.now > time)
                    try eventually("it is known") { try Self.noted(folder) == 1 }
                    let bob = try #require(
                        try list.reminders(
                            after: PointInTime(milliseconds: 0), through: PointInTime.now
                        ).first)
                    #expect(
                        try Self.run("taskvault", ["task", "remind", bob.task.text, "off"], folder)
                            .status == 0)
                    #expect(try session.tell("closed") == "1")
                }
            }
        }

        @Test(
            "a set clock (ECANCELED) is a reason to look",
            .enabled(if: Tracer.isUsable, Tracer.reason), arguments: [false, true])
        func clockSet(_ isWhenArming: Bool) throws {
            try withDesktop { session, folder in
                let process = Self.process(
                    "taskvault", ["services"], folder, on: session.address)
                process.arguments =
                    [
                        "-D", "-f", "-o", "/dev/null", "-P", "anon_inode:[timerfd]", "-e",
                        // The two calls of the start do not arm it.
                        isWhenArming
                            ? "inject=timerfd_settime:error=ECANCELED:when=1..2"
                            : "inject=read:error=ECANCELED", process.executableURL?.path ?? "",
                        "services",
                    ]
                process.executableURL = URL(filePath: Tracer.path)
                if isWhenArming { try Self.add("call Ada", in: 5, folder) }
                try process.run()
                if !isWhenArming { try Self.add("call Ada", in: 1, folder) }
                #expect(try session.shown(1).map(\.title) == ["call Ada"])
                kill(process.processIdentifier, SIGTERM)
                process.waitUntilExit()
            }
        }

        @Test("without a bus and a command it says so")
        func nothing() throws {
            try withTemporaryFolder { folder in
                let result = try Self.run("taskvault", ["services"], folder)
                #expect(result.status == 1)
                #expect(
                    result.errors == """
                        taskvault: error: no session bus, and no reminder-command is set
                        taskvault: hint: run it in a desktop session, or: \
                        taskvault settings set reminder-command '/path/to/program'

                        """)
            }
        }

        @Test("remind --once prints without a desktop, once")
        func once() throws {
            try withTemporaryFolder { folder in
                try Self.add("call \u{1B}Ada", in: -1, folder)
                try Self.add("call Eve", in: 60, folder)
                let first = try Self.run("taskvault", ["remind", "--once"], folder)
                #expect(first.status == 0)
                #expect(first.output.hasPrefix("call \\u{1B}Ada\n    due "))
                #expect(first.errors.isEmpty)
                let second = try Self.run("taskvault", ["remind", "--once"], folder)
                #expect(second.status == 0)
                #expect(second.output.isEmpty)
            }
        }

        @Test("remind --once prints an array of objects with --json, empty if there is nothing")
        func onceAsJSON() throws {
            try withTemporaryFolder { folder in
                let tasks = try ["call Ada", "call Eve"].map { try Self.add($0, in: -1, folder) }
                let words = ["remind", "--once", "--json"]
                let first = try Self.run("taskvault", words, folder)
                let found = try #require(
                    try JSONSerialization.jsonObject(with: Data(first.output.utf8))
                        as? [[String: Any]])
                #expect(found.map { $0["id"] as? String } == tasks.map(\.id.text))
                #expect(found.map { $0["title"] as? String } == ["call Ada", "call Eve"])
                #expect(try Self.run("taskvault", words, folder).output == "[]\n")
            }
        }

        @Test("another home folder has its own service and notes, and no command of its own")
        func otherHome() throws {
            try withDesktop { session, folder in
                try Self.add("call Ada", in: -1, folder)
                // A folder as it was copied from another machine.
                let copy = folder + "/copy"
                let ran = folder + "/ran"
                try FileManager.default.copyItem(
                    atPath: folder + "/home/.local/share/taskvault", toPath: copy)
                try Data("reminder-command = /usr/bin/touch \(ran)\n".utf8)
                    .write(to: URL(filePath: copy + "/settings"))
                unsafe chmod(copy + "/settings", 0o600)
                try Self.withService(folder, session) {
                    _ = try session.shown(1)
                    try eventually("it is known") { try Self.noted(folder) == 1 }
                    let words = ["remind", "--once", "--home", copy]
                    let result = try Self.run("taskvault", words, folder)
                    #expect(result.output.hasPrefix("call Ada\n"))
                    #expect(
                        result.errors.hasPrefix(
                            "taskvault: warning: reminder-command in \(copy)/settings is ignored"))
                    #expect(!FileManager.default.fileExists(atPath: ran))
                    // Another name of the same folder.
                    let link = folder + "/link"
                    #expect(unsafe symlink(copy, link) == 0)
                    let again = ["remind", "--once", "--home", link + "/"]
                    #expect(try Self.run("taskvault", again, folder).output.isEmpty)
                }
            }
        }

        @Test("remind --once uses the desktop, without actions, and the command")
        func onceOnDesktop() throws {
            try withDesktop { session, folder in
                let task = try Self.add("call Ada", in: -1, folder)
                let path = folder + "/got"
                #expect(
                    try Self.run(
                        "taskvault",
                        ["settings", "set", "reminder-command", "/usr/bin/tee \(path)"], folder
                    ).status == 0)
                let result = try Self.run(
                    "taskvault", ["remind", "--once"], folder, on: session.address)
                #expect(result.status == 0)
                #expect(result.output.isEmpty)
                let shown = try session.shown(1)
                #expect(shown.map(\.actions) == [[]])
                #expect(
                    shown.first?.body.hasSuffix("\ntaskvault task done \(task.id.text)") == true)
                #expect(
                    try String(contentsOfFile: path, encoding: .utf8).contains(task.id.text))
            }
        }

        @Test("a command starts without blocked or ignored signals, and may gain privileges")
        func commandState() throws {
            func field(_ name: String, _ status: String) -> String {
                status.split(separator: "\n").first { $0.hasPrefix(name + ":\t") }
                    .map { String($0.dropFirst(name.utf8.count + 2)) } ?? ""
            }
            try withTemporaryFolder { folder in
                try Self.add("call Ada", in: -1, folder)
                let path = folder + "/status"
                let setting = [
                    "settings", "set", "reminder-command", "/bin/cp /proc/self/status \(path)",
                ]
                #expect(try Self.run("taskvault", setting, folder).status == 0)
                #expect(try Self.run("taskvault", ["remind", "--once"], folder).status == 0)
                let own = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let found = try String(contentsOfFile: path, encoding: .utf8)
                #expect(field("NoNewPrivs", found) == field("NoNewPrivs", own))
                #expect(UInt64(field("SigBlk", found), radix: 16) == 0)
                // 13 and 25, which the programs ignore.
                let ignored = try #require(UInt64(field("SigIgn", found), radix: 16))
                #expect(ignored & (1 << 12 | 1 << 24) == 0)
            }
        }

        @Test("a program that its command kills announces at most twice")
        func killedByCommand() throws {
            try withTemporaryFolder { folder in
                try Self.add("call Ada", in: -1, folder)
                try Data("#!/bin/sh\necho ran >> '\(folder)/log'\nkill -KILL $PPID\n".utf8).write(
                    to: URL(filePath: folder + "/hook"))
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o700], ofItemAtPath: folder + "/hook")
                let setting = ["settings", "set", "reminder-command", folder + "/hook"]
                #expect(try Self.run("taskvault", setting, folder).status == 0)
                for _ in 0..<4 { _ = try Self.run("taskvault", ["remind", "--once"], folder) }
                let log = try String(contentsOfFile: folder + "/log", encoding: .utf8)
                #expect((1...2).contains(log.split(separator: "\n").count))
            }
        }

        @Test("the end of a command is known although the parent ignores SIGCHLD")
        func childSignalIgnored() throws {
            try withTemporaryFolder { folder in
                try Self.add("call Ada", in: -1, folder)
                let setting = ["settings", "set", "reminder-command", "/bin/false"]
                #expect(try Self.run("taskvault", setting, folder).status == 0)
                let process = Self.process("taskvault", [], folder, on: nil)
                process.arguments = [
                    "-c", "trap '' CHLD; exec \"$0\" remind --once",
                    BuiltExecutable.path(of: "taskvault"),
                ]
                process.executableURL = URL(filePath: "/bin/sh")
                let errors = Pipe()
                process.standardError = errors
                try process.run()
                let written = try errors.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                #expect(
                    String(decoding: written, as: UTF8.self).contains("ended with exit code 1"))
            }
        }

        @Test("remind --once prints if the daemon is missing, or does not answer")
        func onceAlone() throws {
            try withTemporaryFolder { folder in
                let session = try DesktopSession(in: folder)
                try Self.add("call Ada", in: -1, folder)
                let result = try Self.run(
                    "taskvault", ["remind", "--once"], folder, on: session.address)
                #expect(result.output.hasPrefix("call Ada\n"))
                try session.startDaemon()
                try session.tell("own")
                try session.tell("delay never")
                let source = TestSource()
                source.add("call Eve")
                // Half a minute passes at once.
                let calls = Mutex(0)
                let start = MonotonicTime.now
                let clock = ReminderClock(
                    now: source.clock.now,
                    monotonic: {
                        let call = calls.withLock { count in
                            count += 1
                            return count
                        }
                        return call < 3 ? start : start + .seconds(30)
                    })
                let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                var printed: [String] = []
                try ReminderService.announceOnce(
                    source, notes, on: SessionBus(address: session.address), clock: clock
                ) { printed.append($0) }
                #expect(printed.map { $0.prefix(9) } == ["call Eve\n"])
                session.end()
            }
        }

        @Test("a command that cannot be one is not kept")
        func setting() throws {
            try withTemporaryFolder { folder in
                let result = try Self.run(
                    "taskvault", ["settings", "set", "reminder-command", "mail me"], folder)
                #expect(result.status == 2)
                #expect(result.errors.contains("none, or the absolute path of a program"))
            }
        }
    }

    @Suite(
        "Notification daemons of others",
        .enabled(if: DesktopSession.isWanted, DesktopSession.reason),
        .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ForeignDaemonTests {
        @Test("python-dbusmock's")
        func mock() throws {
            try withTemporaryFolder { folder in
                let session = try DesktopSession(in: folder)
                let daemon = try LineProcess(
                    "/usr/bin/python3",
                    [
                        "-m", "dbusmock", "--template", "notification_daemon", "-p",
                        "{\"capabilities\": \"actions body\"}",
                    ], ["DBUS_SESSION_BUS_ADDRESS": session.address])
                defer { kill(daemon.identifier, SIGKILL) }
                let source = TestSource()
                source.add("call Ada")
                let service = try RunningService(source, folder, on: session.address)
                var line = ""
                while !line.contains(" Notify ") { line = try #require(try daemon.readLine()) }
                #expect(line.contains("\"call Ada\""))
                #expect(line.contains("\"done\", \"Done\""))
                try eventually("it is known") { try ReminderServiceTests.isNoted(1, folder) }
                try service.end()
                session.end()
            }
        }

        @Test(
            "dunst, whose notification is clicked, and whose menu chooses Done",
            .enabled(if: DesktopSession.hasDunst, "dunst or xvfb is not installed"))
        func dunst() throws {
            try withTemporaryFolder { folder in
                let session = try DesktopSession(in: folder)
                // Its menu program chooses the line of an action.
                let menu = folder + "/menu"
                try Data("#!/bin/sh\ngrep Done\n".utf8).write(to: URL(filePath: menu))
                unsafe chmod(menu, 0o700)
                try Data("[global]\ndmenu = \(menu)\n".utf8)
                    .write(to: URL(filePath: folder + "/dunstrc"))
                let screen = try LineProcess(
                    "/bin/sh",
                    [
                        "-c",
                        """
                        "$0" -displayfd 1 -screen 0 640x480x8 -nolisten tcp -nolisten unix 2>/dev/null &
                        read line; kill -KILL $!
                        """, DesktopSession.screen,
                    ])
                let display = ":" + (try #require(try screen.readLine()))
                let variables = ["DBUS_SESSION_BUS_ADDRESS": session.address, "DISPLAY": display]
                let dunst = try LineProcess(
                    "/bin/sh",
                    [
                        "-c",
                        """
                        "$0" -conf "$1" >/dev/null 2>&1 &
                        read line; kill -KILL $!
                        """, DesktopSession.dunst, folder + "/dunstrc",
                    ], variables)
                func control(_ words: String...) throws {
                    let process = Process()
                    process.executableURL = URL(filePath: "/usr/bin/dunstctl")
                    process.arguments = words
                    process.environment = ProcessInfo.processInfo.environment
                        .merging(variables) { $1 }
                    process.standardOutput = FileHandle.nullDevice
                    try process.run()
                    process.waitUntilExit()
                }
                let source = TestSource()
                let ada = source.add("call Ada")
                source.state.withLock { $0.texts[ada.task] = TaskText(name: "call Ada") }
                let service = try RunningService(source, folder, on: session.address)
                try eventually("it is shown") { try ReminderServiceTests.isNoted(1, folder) }
                try control("context")
                try eventually("it is done") { source.state.withLock { $0.finished } == [ada] }
                // A click on the next one shows it.
                source.add("call Eve")
                service.advance(1)
                try eventually("it is shown") { try ReminderServiceTests.isNoted(2, folder) }
                let looks = source.looks
                try control("action", "0")
                try eventually("it is asked for") { source.looks > looks }
                try service.end()
                dunst.end()
                screen.end()
                session.end()
            }
        }
    }
#endif
