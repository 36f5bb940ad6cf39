/// The time and the task of a reminder. A moved reminder is another place.
public struct ReminderPlace: Sendable, Hashable, Comparable {
    /// The day or the time of the reminder.
    public let time: TaskTime
    /// The task.
    public let task: TaskID
    /// The subtask; nil for a reminder of the task.
    public let subtask: TaskID?

    /// Makes a place.
    public init(_ time: TaskTime, task: TaskID, subtask: TaskID? = nil) {
        self.time = time
        self.task = task
        self.subtask = subtask
    }

    /// The time, or the end of the day in UTC.
    package var latest: PointInTime { PointInTime(milliseconds: (time.stored + 1) >> 1) }

    /// Orders by time, task and subtask; a task precedes its subtasks. A day is behind the times of the same date in UTC.
    public static func < (left: ReminderPlace, right: ReminderPlace) -> Bool {
        (left.time.stored, left.task.text, left.subtask?.text ?? "")
            < (right.time.stored, right.task.text, right.subtask?.text ?? "")
    }
}

/// The time of day at which the reminders of whole days are announced, in the calendar of the owner.
public struct DayReminders: Sendable {
    /// The calendar of the owner.
    public let calendar: any LocalCalendar
    /// Seconds since midnight.
    private let secondOfDay: Int

    /// Makes a time of day; a text such as `9:00`, `18:30` or `7am`.
    ///
    /// - Parameters:
    ///   - text: The text. 9:00 if it is none.
    ///   - calendar: The calendar of the owner.
    public init(_ text: String = "9:00", in calendar: any LocalCalendar = SystemCalendar()) {
        self.calendar = calendar
        secondOfDay = Self.secondOfDay(text) ?? 9 * 3_600
    }

    /// Parses a time of day as seconds since midnight; nil for any other text.
    public static func secondOfDay(_ text: String) -> Int? {
        var words = WordList(text)
        guard let time = try? ClockTime.read(&words, afterAt: false), words.isEmpty else {
            return nil
        }
        return (time.hour * 60 + time.minute) * 60 + time.second
    }

    /// A time of day as a setting has it, such as `9:00`; nil for any other text.
    public static func clock(_ text: String) -> String? {
        secondOfDay(text).map { second in
            "\(second / 3_600):" + TimeText.padded(UInt(second / 60 % 60))
                + (second % 60 == 0 ? "" : ":" + TimeText.padded(UInt(second % 60)))
        }
    }

    /// The time at which a reminder is announced.
    public func announcement(of reminder: TaskTime) -> PointInTime {
        switch reminder {
        case .day(let date): calendar.moment(of: LocalTime(date, second: secondOfDay))
        case .moment(let time): time
        }
    }
}
