package import Tasks

/// Reminders that are announced together: one, or several in a summary.
package struct Announcement: Sendable, Hashable {
    /// The reminders, oldest first.
    package let reminders: [DueReminder]
    /// Whether their time is over for a while.
    package let isMissed: Bool

    /// The reminder of an announcement that is no summary.
    package var single: DueReminder? { reminders.count == 1 ? reminders[0] : nil }
    /// Where the reminders are.
    var places: [ReminderPlace] { reminders.map(\.place) }
}

/// How reminders are announced that are due and were not announced on this machine.
enum ReminderPlan {
    /// The age of the oldest reminder that is announced.
    static let oldest: Duration = .seconds(86_400)
    /// The age from which on a reminder counts as missed.
    static let missed: Duration = .seconds(120)
    /// The most reminders of one moment that are announced one by one.
    static let few = 5
    /// The most announcements in ``interval``; further reminders wait for its end and are summed up.
    static let most = 20
    static let interval: Duration = .seconds(60)

    /// The announcements of due reminders. Missed ones are summed up.
    static func announcements(of due: [DueReminder], at now: PointInTime) -> [Announcement] {
        let limit = now.advanced(by: .zero - missed)
        let late = due.filter { $0.time < limit }
        let fresh = due.filter { $0.time >= limit }
        var announcements: [Announcement] = []
        if !late.isEmpty { announcements.append(Announcement(reminders: late, isMissed: true)) }
        if fresh.count > few {
            announcements.append(Announcement(reminders: fresh, isMissed: false))
        } else {
            announcements += fresh.map { Announcement(reminders: [$0], isMissed: false) }
        }
        return announcements
    }
}

/// The to-do list as far as reminders need it.
package protocol ReminderList {
    /// See `TaskList.reminders(after:through:where:)`.
    func reminders(
        after start: PointInTime, through end: PointInTime, where isWanted: (ReminderPlace) -> Bool
    ) throws -> [DueReminder]
    /// See `TaskList.reminders(at:)`.
    func reminders(at places: [ReminderPlace]) throws -> [DueReminder]
    /// See `TaskList.nextReminder(after:)`.
    func nextReminder(after time: PointInTime) throws -> PointInTime?
    /// See `TaskList.finish(_:)`.
    func finish(_ reminder: ReminderPlace) throws -> Bool
    /// See `TaskList.snooze(_:until:)`.
    func snooze(_ reminder: ReminderPlace, until time: PointInTime) throws -> Bool
    /// The task as it is now; nil if it is missing.
    func task(_ id: TaskID) throws -> TodoTask?
}

extension TaskList: ReminderList {
    package func task(_ id: TaskID) throws -> TodoTask? { try existing([id])[id] }
}
