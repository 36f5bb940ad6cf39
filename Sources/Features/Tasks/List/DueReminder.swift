/// A reminder of an open task, or of an open subtask of one.
public struct DueReminder: Sendable, Hashable {
    /// The task.
    public let task: TaskID
    /// The subtask; nil for a reminder of the task.
    public let subtask: TaskID?
    /// The day or the time of the reminder.
    public let reminder: TaskTime
    /// The time at which it is announced.
    public let time: PointInTime
    /// The due time of the task or subtask.
    public let due: TaskTime?
    /// The name of the task or subtask; of a protected task its nickname; nil if there is none.
    public let name: String?
    /// The name of the subtask's task, as ``name``.
    public let taskName: String?
    /// Whether the task is protected.
    public let isProtected: Bool
    /// The name of the task's list.
    public let list: String?

    /// The time and the task of the reminder.
    public var place: ReminderPlace { ReminderPlace(reminder, task: task, subtask: subtask) }

    /// Makes a reminder.
    public init(
        task: TaskID, subtask: TaskID? = nil, reminder: TaskTime? = nil, time: PointInTime,
        due: TaskTime? = nil, name: String?, taskName: String? = nil, isProtected: Bool = false,
        list: String? = nil
    ) {
        self.task = task
        self.subtask = subtask
        self.reminder = reminder ?? .moment(time)
        self.time = time
        self.due = due
        self.name = name
        self.taskName = taskName
        self.isProtected = isProtected
        self.list = list
    }
}
