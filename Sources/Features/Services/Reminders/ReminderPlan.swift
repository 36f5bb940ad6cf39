package import Tasks

/// Reminders that one notification announces: a single one, or a summary of several.
package struct Announcement: Sendable, Hashable {
    /// The reminders, oldest first.
    package let reminders: [DueReminder]
    /// Whether the reminders fired more than ``ReminderPlan/missedAge`` ago.
    package let isMissed: Bool

    /// The reminder; nil for a summary.
    package var single: DueReminder? { reminders.count == 1 ? reminders[0] : nil }
    /// The keys of the reminders.
    var places: [ReminderPlace] { reminders.map(\.place) }
}

/// Groups due reminders into announcements.
enum ReminderPlan {
    /// Older reminders are announced only if no check was made since (``AnnouncementLog/start(at:)``).
    static let maximumAge: Duration = .seconds(86_400)
    /// A reminder of this age counts as missed.
    static let missedAge: Duration = .seconds(120)
    /// More due reminders than this become a summary.
    static let summaryThreshold = 5
    /// The maximum number of announcements within ``interval``. Further reminders wait for its end
    /// and become a summary.
    static let maximumAnnouncements = 20
    static let interval: Duration = .seconds(60)

    /// Groups due reminders. Missed ones become one summary.
    static func announcements(of due: [DueReminder], at now: PointInTime) -> [Announcement] {
        let limit = now.advanced(by: .zero - missedAge)
        let late = due.filter { $0.time < limit }
        let fresh = due.filter { $0.time >= limit }
        var announcements: [Announcement] = []
        if !late.isEmpty { announcements.append(Announcement(reminders: late, isMissed: true)) }
        if fresh.count > summaryThreshold {
            announcements.append(Announcement(reminders: fresh, isMissed: false))
        } else {
            announcements += fresh.map { Announcement(reminders: [$0], isMissed: false) }
        }
        return announcements
    }
}

/// The part of the to-do list that reminders need.
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
    /// The current task; nil if it does not exist.
    func task(_ id: TaskID) throws -> TodoTask?
}

extension TaskList: ReminderList {
    package func task(_ id: TaskID) throws -> TodoTask? { try existing([id])[id] }
}
