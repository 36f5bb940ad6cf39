/// The time and the task of a reminder. A moved reminder is another place.
public struct ReminderPlace: Sendable, Hashable, Comparable {
    /// The time at which it is announced.
    public let time: PointInTime
    /// The task.
    public let task: TaskID
    /// The subtask; nil for a reminder of the task.
    public let subtask: TaskID?

    /// Makes a place.
    public init(_ time: PointInTime, task: TaskID, subtask: TaskID? = nil) {
        self.time = time
        self.task = task
        self.subtask = subtask
    }

    /// Orders by time, task and subtask; a task precedes its subtasks.
    public static func < (left: ReminderPlace, right: ReminderPlace) -> Bool {
        (left.time, left.task.text, left.subtask?.text ?? "")
            < (right.time, right.task.text, right.subtask?.text ?? "")
    }
}
