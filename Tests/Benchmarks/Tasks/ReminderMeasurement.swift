internal import Platform
internal import Tasks

/// `taskvault services` at rest, and how late it announces a reminder by a program.
enum ReminderMeasurement {
    static func run(
        _ effort: Effort, in folder: ScratchFolder, into table: inout Table
    ) throws {
        let home = try folder.makeFolder("reminders")
        let announced = folder.path(of: "reminders/announced")
        // No desktop: what starts this may have one.
        let start = ["/usr/bin/env", "-i", "HOME=" + home]
        _ = try Child.time(
            start + [
                TaskVaultExecutable.path, "settings", "set", "reminder-command",
                "/usr/bin/touch " + announced,
            ])
        _ = try Child.time(start + [TaskVaultExecutable.path, "task", "add", "later"])
        let tasks = try TaskFile(home + "/.local/share/taskvault/tasks.db", count: 0)
        defer { tasks.close() }
        try add(at: .now.advanced(by: .seconds(86_400)), to: tasks)
        let service = try Child.start(start + [TaskVaultExecutable.path, "services"])
        defer {
            kill(service, SIGTERM)
            var status: Int32 = 0
            unsafe waitpid(service, &status, 0)
        }
        // The first one also waits for the start. After 20 in a minute the next ones wait.
        _ = try lateness(tasks, announced)
        let times = try (0..<15).map { _ in try lateness(tasks, announced) }
        table.add("reminder announced after its time", .time(times.median))
        table.add(
            "  the slowest of \(times.count)", .time(times.max() ?? 0), atMost: .time(1e9))
        // The file of the last change is looked at once more after two seconds.
        sleep(5)
        let before = try ProcessStatus.processorTime(of: service)
        sleep(effort.rest)
        let used = try ProcessStatus.processorTime(of: service) - before
        table.add("services at rest, \(effort.rest) seconds", .time(used), atMost: .time(10e6))
    }

    private static func add(at time: PointInTime, to tasks: TaskFile) throws {
        var task = TodoTask(content: .plain(TaskText(name: "call the plumber")), created: .now)
        task.reminder = .moment(time)
        _ = try tasks.list.add(task)
    }

    /// How long after its time a reminder was announced, in nanoseconds.
    private static func lateness(_ tasks: TaskFile, _ announced: String) throws -> Double {
        let time = PointInTime.now.advanced(by: .milliseconds(500))
        try add(at: time, to: tasks)
        for _ in 0..<100_000 {
            if unsafe unlink(announced) == 0 {
                return Double(PointInTime.now.milliseconds - time.milliseconds) * 1e6
            }
            usleep(200)
        }
        throw BenchmarkFailure("no reminder was announced")
    }
}
