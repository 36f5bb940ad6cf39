package import Tasks
internal import TextCoding

/// Random tasks, and the expected lists of them, computed in the simplest way.
package enum TaskModel {
    /// Tasks with distinct ids, and small differences elsewhere.
    package static func tasks(_ count: Int, _ generator: inout SeededGenerator) -> [TodoTask] {
        let names =
            ["a", "A", "b", "ba", "\u{E9}", "E\u{301}", "\u{1F512}", "z", "10", "9", "ß", "SS"]
            // Equal up to the length limit of keys, and beyond.
            + ["x", "y"].map { String(repeating: "long ", count: 60) + $0 }
        return (0..<count).shuffled(using: &generator).map { number in
            var task = TaskSamples.plain(
                number * 7, names.randomElement(using: &generator) ?? "a",
                TaskSamples.subtasks(
                    contentsOf: (0..<Int.random(in: 0...3, using: &generator)).map { "s\($0)" }),
                created: time(&generator)?.milliseconds ?? 0)
            task.due = dayOrTime(&generator)
            if Int.random(in: 0..<4, using: &generator) == 0 {
                task.content = .protected(TaskSamples.textID(number * 7))
            }
            if Bool.random(using: &generator) {
                task.completion = TaskCompletion(
                    time: time(&generator) ?? TaskSamples.time(1),
                    cleared: Bool.random(using: &generator) ? time(&generator) : nil)
            }
            task.priority = TaskPriority.allCases.randomElement(using: &generator) ?? .none
            task.wait = dayOrTime(&generator)
            task.list = [nil, "home", "HOME", "work"].randomElement(using: &generator) ?? nil
            task.tags = ["a", "b", "Ä"].filter { _ in Bool.random(using: &generator) }
            return task
        }
    }

    /// None, an extreme value, or one of a few.
    private static func time(_ generator: inout SeededGenerator) -> PointInTime? {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3: nil
        case 3: TaskSamples.years.lowerBound
        case 4: TaskSamples.years.upperBound
        default: TaskSamples.time(Int64.random(in: -20...20, using: &generator))
        }
    }

    /// A day around that of the few times, or a time.
    private static func dayOrTime(_ generator: inout SeededGenerator) -> TaskTime? {
        guard Int.random(in: 0..<3, using: &generator) == 0 else {
            return time(&generator).map { .moment($0) }
        }
        let first = CalendarDate(year: 1_970, month: 1, day: 1)
        return first.map { .day($0.advanced(byDays: Int.random(in: -1...1, using: &generator))) }
    }

    /// Every state, with and without each of the other conditions.
    package static func filters(_ generator: inout SeededGenerator) -> [TaskFilter] {
        let times: [Int64] = [.min / 4, .max / 4, .random(in: -20...20, using: &generator)]
        let limits: [CalendarMoment?] =
            [nil] + times.map { CalendarMoment(TaskSamples.time($0), in: RuleCalendar.utc) }
        let plain = TaskFilter.State.allCases.flatMap { state in
            limits.flatMap { limit in
                [nil, false, true].map { TaskFilter(state, dueBefore: limit, isProtected: $0) }
            }
        }
        let labels: [[TaskLabel]] = [
            [], [.list("home")], [.tag("a")], [.tag("ä"), .list("Home")], [.tag("none")],
            [.tag("b"), .tag("A")],
        ]
        return plain
            + labels.flatMap { labels in
                limits.compactMap(\.self).flatMap { time in
                    [TaskFilter.Start.by(time), .after(time), nil].map { start in
                        var filter = plain.randomElement(using: &generator) ?? TaskFilter()
                        (filter.labels, filter.start) = (labels, start)
                        return filter
                    }
                }
            }
    }

    package static func accepts(_ task: TodoTask, _ filter: TaskFilter) -> Bool {
        let isShown =
            switch filter.state {
            case .open: task.completion == nil
            case .done: task.completion != nil && task.completion?.cleared == nil
            case .cleared: task.completion?.cleared != nil
            case .openOrDone: task.completion == nil || task.completion?.cleared == nil
            }
        let isInTime =
            filter.dueBefore.map { limit in task.due.map { $0.isBefore(limit) } ?? false } ?? true
        let names = Set(task.tags.map { "#" + $0.lowercased() })
            .union(task.list.map { [$0.lowercased()] } ?? [])
        let isLabelled = filter.labels.allSatisfy { label in
            switch label {
            case .list(let name): names.contains(name.lowercased())
            case .tag(let name): names.contains("#" + name.lowercased())
            }
        }
        let hasBegun =
            switch filter.start {
            case nil: true
            case .by(let time)?: task.isDone || task.wait.map { !$0.isAfter(time) } ?? true
            case .after(let time)?: !task.isDone && task.wait.map { $0.isAfter(time) } ?? false
            }
        guard isLabelled, hasBegun else { return false }
        return isShown && isInTime && (filter.isProtected ?? task.isProtected) == task.isProtected
    }

    /// Sorts by the least important criterion first; the sort is stable.
    package static func sorted(_ tasks: [TodoTask], _ order: TaskOrder) -> [TodoTask] {
        let byID = tasks.sorted { $0.id.text < $1.id.text }
        switch order {
        case .name:
            return stable(byID.filter { !$0.isProtected }) {
                key($0).lexicographicallyPrecedes(key($1))
            }
                + byID.filter(\.isProtected)
        case .nameReversed:
            return stable(byID.filter { !$0.isProtected }) {
                key($1).lexicographicallyPrecedes(key($0))
            }
                + byID.filter(\.isProtected)
        case .due: return byDue(urgent(stable(byID) { $0.created < $1.created }))
        case .priority: return urgent(byDue(stable(byID) { $0.created < $1.created }))
        case .created:
            return stable(byID) { $0.created.milliseconds > $1.created.milliseconds }
        }
    }

    private static func byDue(_ tasks: [TodoTask]) -> [TodoTask] {
        stable(tasks.filter { $0.due != nil }) {
            end($0.due) < end($1.due)
        } + tasks.filter { $0.due == nil }
    }

    /// A day ends in its last half millisecond in UTC.
    private static func end(_ due: TaskTime?) -> Double {
        switch due {
        case nil: 0
        case .moment(let time): Double(time.milliseconds)
        case .day: (due?.end(in: RuleCalendar.utc)).map { Double($0.milliseconds) - 0.5 } ?? 0
        }
    }

    private static func urgent(_ tasks: [TodoTask]) -> [TodoTask] {
        stable(tasks) { $0.priority > $1.priority }
    }

    private static func key(_ task: TodoTask) -> [UInt8] {
        Array(NameKey(task.plainText?.name ?? "").bytes.prefix(256))
    }

    /// A stable sort, which the library does not guarantee.
    private static func stable(
        _ tasks: [TodoTask], _ precedes: (TodoTask, TodoTask) -> Bool
    ) -> [TodoTask] {
        tasks.enumerated().sorted { left, right in
            precedes(left.element, right.element)
                || (!precedes(right.element, left.element) && left.offset < right.offset)
        }.map(\.element)
    }
}
