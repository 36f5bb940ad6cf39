package import Database
package import Platform
package import Tasks

/// The settings, tasks and messages of the program that runs reminders. Each call reads the current
/// state.
package protocol ReminderSource {
    /// The settings.
    func settings() throws -> ReminderSettings
    /// The files of the settings.
    var files: [String] { get }
    /// Opens the to-do list for one call.
    func withList<Result>(_ body: (any ReminderList) throws -> Result) throws -> Result
    /// Reports a failure to the user: one line on standard error, and a hint.
    func report(_ error: any Error)
    /// Reports a possible problem to the user in one line.
    func report(_ line: String)
    /// Opens a task in the local app.
    ///
    /// - Returns: Whether the page was opened.
    func open(_ task: TaskID) -> Bool
}

extension ReminderSource {
    package func open(_ task: TaskID) -> Bool { false }
}

/// The settings of reminders.
package struct ReminderSettings: Sendable {
    /// The delay of *Later*.
    package let snooze: Duration
    /// The program to run for each announcement.
    package let command: ReminderCommand?
    /// The location of the tasks.
    package let tasks: DatabasePlace

    /// Makes settings.
    package init(snooze: Duration, command: ReminderCommand?, tasks: DatabasePlace) {
        self.snooze = snooze
        self.command = command
        self.tasks = tasks
    }
}

/// The clocks of reminders. Tests replace them.
package struct ReminderClock: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> PointInTime
    /// The monotonic clock.
    package var monotonic: @Sendable () -> MonotonicTime
    /// The calendar in the machine's current time zone.
    package var calendar: @Sendable () -> any LocalCalendar

    /// Makes clocks. The defaults are the system's.
    package init(
        now: @escaping @Sendable () -> PointInTime = { .now },
        monotonic: @escaping @Sendable () -> MonotonicTime = { .now },
        calendar: @escaping @Sendable () -> any LocalCalendar = { SystemCalendar() }
    ) {
        self.now = now
        self.monotonic = monotonic
        self.calendar = calendar
    }
}
