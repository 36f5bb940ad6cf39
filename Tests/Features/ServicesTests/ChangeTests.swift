#if os(Linux)
    import Database
    import Foundation
    import Platform
    import Synchronization
    import Tasks
    import TestSupport
    import Testing

    @testable import Services

    @Suite("Changes of tasks", .waitsForProcesses, .timeLimit(.minutes(60)))
    struct ChangeTests {
        /// A list in memory, said to be at a place.
        private func source(at place: DatabasePlace) -> TestSource {
            let source = TestSource()
            move(source, to: place)
            return source
        }

        private func move(_ source: TestSource, to place: DatabasePlace) {
            source.state.withLock { state in
                state.settings = ReminderSettings(
                    snooze: .seconds(600), command: nil, tasks: place)
            }
        }

        private func isReadable(_ watch: FileWatch) -> Bool {
            var request = pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&request, 1, 0) == 1
        }

        @Test("a file is watched before its folders exist, and after they were replaced")
        func folders() throws {
            try withTemporaryFolder { folder in
                let files = FileManager.default
                let path = folder + "/a/b/tasks.db"
                let watch = try FileWatch([path])
                func changes(_ body: () throws -> Void) throws -> Bool {
                    try body()
                    // The events are there when the calls that cause them have returned.
                    var isChanged = false
                    while isReadable(watch) {
                        isChanged = try watch.readEvents() || isChanged
                    }
                    return isChanged
                }
                let url = URL(filePath: path)
                #expect(
                    try !changes {
                        try files.createDirectory(
                            atPath: folder + "/other", withIntermediateDirectories: false)
                    })
                #expect(
                    try changes {
                        try files.createDirectory(
                            atPath: folder + "/a/b", withIntermediateDirectories: true)
                    })
                #expect(try changes { try Data("1".utf8).write(to: url) })
                #expect(try changes { try Data("2".utf8).write(to: url, options: .atomic) })
                #expect(try !changes { _ = try Data(contentsOf: url) })
                #expect(try !changes { try Data("3".utf8).write(to: URL(filePath: path + "-shm")) })
                #expect(
                    try changes {
                        try files.moveItem(atPath: folder + "/a/b", toPath: folder + "/a/c")
                    }
                )
                #expect(
                    try changes {
                        try files.createDirectory(
                            atPath: folder + "/a/b", withIntermediateDirectories: true)
                    })
                #expect(try changes { try Data("4".utf8).write(to: url) })
            }
        }

        @Test("that cannot be noticed are looked for each minute, until they can")
        func unwatched() throws {
            try withTemporaryFolder { folder in
                let source = source(at: .file(folder + "/tasks.db"))
                let start = MonotonicTime.now
                let clock = ReminderClock(
                    now: source.clock.now,
                    monotonic: { start + source.state.withLock { $0.ahead } })
                let timer = try TestTimer()
                let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                let service = try ReminderService(
                    source, notes, on: nil, clock: clock, timer: timer)
                // One look for each run.
                let stop = try SystemPipe()
                stop.signal()
                service.makeWatch = { _ in throw SystemFailure("inotify_add_watch", code: ENOSPC) }
                for minute in 1...3 {
                    try service.run(until: stop.reader)
                    #expect(service.deadline == start + .seconds(60 * minute))
                    source.state.withLock { $0.ahead = .seconds(60 * minute) }
                }
                #expect(
                    source.reports == [
                        "changes cannot be noticed: the limit fs.inotify.max_user_watches is reached; "
                            + "the tasks are read each minute"
                    ])
                service.makeWatch = { try FileWatch($0) }
                try service.run(until: stop.reader)
                // Another look for what changed before.
                #expect(service.deadline == clock.monotonic())
                try service.run(until: stop.reader)
                #expect(service.deadline == .never)
            }
        }

        @Test("of a file are noticed")
        func file() throws {
            try withTemporaryFolder { folder in
                let path = folder + "/tasks.db"
                let source = source(at: .file(path))
                source.state.withLock { $0.file = path }
                let service = try RunningService(source, folder)
                // The second one follows the start of the watch.
                try eventually("it looked") { source.looks == 2 }
                let due = source.clock.now().advanced(by: .seconds(3_600))
                let repository = try TaskRepository.openOrCreate(.file(path))
                let list = TaskList(repository, now: source.clock.now)
                let task = try list.add(TaskText(name: "call Ada"), due: due, hasReminder: true)
                try eventually("it waits") { service.timer.wanted.withLock { $0 } == due }
                _ = try list.mark([task], done: true)
                try eventually("it waits no more") { service.timer.wanted.withLock { $0 } == nil }
                repository.close()
                try service.end()
            }
        }

        @Test("of a file are none if it is read")
        func reading() throws {
            try withTemporaryFolder { folder in
                let path = folder + "/tasks.db"
                let source = source(at: .file(path))
                source.state.withLock { $0.file = path }
                func add(_ name: String) throws {
                    let repository = try TaskRepository.openOrCreate(.file(path))
                    defer { repository.close() }
                    try TaskList(repository, now: source.clock.now).add(TaskText(name: name))
                }
                try add("call Ada")
                let notes = try #require(try AnnouncementLog.open(in: folder + "/state"))
                let service = try ReminderService(
                    source, notes, on: nil, clock: source.clock, timer: TestTimer())
                var watches: [FileWatch] = []
                service.makeWatch = { paths in
                    watches.append(try FileWatch(paths))
                    return watches[watches.count - 1]
                }
                // One look for each run; the second one follows the start of the watch.
                let stop = try SystemPipe()
                stop.signal()
                for looks in 1...2 {
                    try service.run(until: stop.reader)
                    #expect(source.looks == looks)
                }
                let watch = try #require(watches.first)
                #expect(watches.count == 1)
                #expect(try !watch.readEvents())
                try add("call Eve")
                #expect(try watch.readEvents())
            }
        }

        @Test("a commit that becomes visible after its sync is seen by a second look")
        func sync() throws {
            try withTemporaryFolder { folder in
                let path = folder + "/tasks.db"
                let source = source(at: .file(path))
                let time = source.clock.now().advanced(by: .seconds(60))
                // After the look to which the file's change leads.
                source.state.withLock { $0.afterLook[3] = { _ = source.add("call Ada", in: 60) } }
                let service = try RunningService(source, folder)
                try eventually("it looked") { source.looks == 2 }
                try Data("1".utf8).write(to: URL(filePath: path + "-wal"))
                try eventually("it waits") { service.timer.wanted.withLock { $0 } == time }
                try service.end()
            }
        }

        @Test(
            "on a server are heard, also after the connection was lost",
            .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
        func server() throws {
            try withPostgreSQLDatabase { address in
                try withTemporaryFolder { folder in
                    let place = try PostgreSQLAddress(address)
                    let source = source(at: .server(place))
                    let service = try RunningService(source, folder)
                    let other = try PostgreSQLConnection(to: place)
                    try eventually("it looked") { source.looks == 2 }
                    let repository = try TaskRepository.openOrCreate(.server(place))
                    try TaskList(repository, now: { .now }).add(TaskText(name: "call Ada"))
                    repository.close()
                    try eventually("it heard") { source.looks == 3 }
                    try other.run(script: "SELECT pg_notify('taskvault_others', '')")
                    try other.run(
                        script: """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE datname = current_database() AND pid <> pg_backend_pid()
                            """)
                    try eventually("it looked again") { source.looks == 4 }
                    try other.run(script: "SELECT pg_notify('taskvault_tasks', '')")
                    try eventually("it heard") { source.looks == 5 }
                    // The settings name another database.
                    try withPostgreSQLDatabase { address in
                        let place = try PostgreSQLAddress(address)
                        move(source, to: .server(place))
                        service.timer.fire()
                        // By the timer, and when it listens.
                        try eventually("it looked") { source.looks == 7 }
                        let other = try PostgreSQLConnection(to: place)
                        try other.run(script: "SELECT pg_notify('taskvault_tasks', '')")
                        try eventually("it heard") { source.looks == 8 }
                        try service.end()
                    }
                }
            }
        }
    }
#endif
