/// The order of a list by due time, in the calendar of the owner.
///
/// The database sorts a day at its end in UTC. Its end for the owner is up to 14 hours earlier or 12 hours later.
struct DueOrder {
    private static let earliest: Int64 = 14 * 7_200_000

    private let isByPriority: Bool
    private let calendar: any LocalCalendar

    /// Makes an order; nil if it does not depend on due times.
    init?(_ order: TaskOrder, in calendar: any LocalCalendar) {
        switch order {
        case .due: isByPriority = false
        case .priority: isByPriority = true
        case .name, .nameReversed, .created: return nil
        }
        self.calendar = calendar
    }

    /// The stored due time up to which tasks that the database sorts behind these may precede one of them for the owner.
    ///
    /// - Parameters:
    ///   - tasks: The first tasks in the order of the database.
    ///   - hasDays: Whether there are tasks with one of these stored due times.
    /// - Returns: The time; nil if no other task can.
    func end(behind tasks: ArraySlice<TodoTask>, hasDays: ([Int64]) throws -> Bool) rethrows
        -> Int64?
    {
        guard let last = tasks.last, let edge = last.due?.stored else { return nil }
        let time = PointInTime(milliseconds: edge / 2)
        // In UTC, both orders are the same.
        let offsets = [-1, 1].map { calendar.offset(at: time.advanced(by: .seconds($0 * 100_000))) }
        if offsets == [0, 0] { return nil }
        let ends = tasks.lazy.filter { !isByPriority || $0.priority == last.priority }
            .compactMap(\.due).filter { $0.day != nil }
            .map { TaskTime.moment($0.end(in: calendar)).stored }
        let latest = max(edge, ends.max() ?? edge)
        let end = min(latest, .max - Self.earliest) + Self.earliest
        let days = (0...2).map {
            TaskTime.day(TaskTime.utcDate(of: edge).advanced(byDays: $0)).stored
        }
        // Further tasks of the last day itself, too: times before its end in UTC may be behind its end for the owner.
        .filter { edge <= $0 && $0 <= end }
        guard try latest > edge || hasDays(days) else { return nil }
        return end
    }

    /// Whether a task belongs to the tasks behind another one, up to an end.
    func isNear(_ task: TodoTask, _ other: TodoTask, end: Int64) -> Bool {
        guard let due = task.due?.stored else { return false }
        return due <= end && (!isByPriority || task.priority == other.priority)
    }

    /// The tasks in the order of the owner; nil if that is the order of the database.
    func sorted(_ tasks: [TodoTask]) -> [TodoTask]? {
        // Days alone, or points in time alone, are sorted.
        guard tasks.contains(where: { $0.due?.day != nil }),
            tasks.contains(where: { $0.due?.moment != nil })
        else { return nil }
        var ends: [CalendarDate: Int64] = [:]
        let keyed = tasks.map { task -> (key: Int64, task: TodoTask) in
            switch task.due {
            case nil: return (.max, task)
            case .moment(let time): return (time.milliseconds, task)
            case .day(let date):
                let end = ends[date] ?? TaskTime.day(date).end(in: calendar).milliseconds - 1
                ends[date] = end
                return (end, task)
            }
        }
        return keyed.sorted { left, right in
            let (one, other) = (left.task, right.task)
            if isByPriority, one.priority != other.priority { return one.priority > other.priority }
            if left.key != right.key { return left.key < right.key }
            if one.priority != other.priority { return one.priority > other.priority }
            return (one.created, one.id) < (other.created, other.id)
        }.map(\.task)
    }
}
