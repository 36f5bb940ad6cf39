package import Database
package import Platform
package import Tasks

/// What the program gives to its reminders. Each call sees the present state.
package protocol ReminderSource {
    /// The settings.
    func settings() throws -> ReminderSettings
    /// The files of the settings.
    var files: [String] { get }
    /// Opens the to-do list for a while.
    func withList<Result>(_ body: (any ReminderList) throws -> Result) throws -> Result
    /// Tells a person about a failure: a line for standard error, and a remedy.
    func report(_ error: any Error)
    /// Tells a person about something that may need attention, in one line.
    func report(_ line: String)
    /// Opens a task in the local app.
    ///
    /// - Returns: Whether it was tried.
    func open(_ task: TaskID) -> Bool
}

extension ReminderSource {
    package func open(_ task: TaskID) -> Bool { false }
}

/// The settings of reminders.
package struct ReminderSettings: Sendable {
    /// How much later a reminder fires again after *Later*.
    package let snooze: Duration
    /// The program that is run for each announcement.
    package let command: ReminderCommand?
    /// Where the tasks are.
    package let tasks: DatabasePlace

    /// Makes settings.
    package init(snooze: Duration, command: ReminderCommand?, tasks: DatabasePlace) {
        self.snooze = snooze
        self.command = command
        self.tasks = tasks
    }
}

/// The clocks of reminders, which tests replace.
package struct ReminderClock: Sendable {
    /// The wall clock, which may be set.
    package var now: @Sendable () -> PointInTime
    /// The clock of intervals.
    package var monotonic: @Sendable () -> MonotonicTime
    /// The calendar of the machine's present zone.
    package var calendar: @Sendable () -> any LocalCalendar

    /// Makes clocks; those of the system if left out.
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
