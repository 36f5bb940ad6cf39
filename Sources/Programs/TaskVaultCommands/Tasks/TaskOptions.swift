internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// The options of `task add` and `task edit` for the public columns of a task.
struct TaskOptions {
    /// The options of `task add`.
    static let adding: [OptionDescription] = [
        .due, .remind, .repetition, .wait, .priority, .inList, .tag, .after, .nickname,
    ]
    /// The options of `task edit`.
    static let editing = adding + [.untag, .dueDay]

    private let context: CommandContext
    private let invocation: Invocation
    private let parts: [TypedTask.Part]
    private let impliedDue: String?
    private let hasLabels: Bool

    /// Reads the options of a command, and the words that say the same.
    ///
    /// - Parameters:
    ///   - context: The command.
    ///   - phrase: The words.
    ///   - hasLabels: Whether the options `--list` and `--tag` change tasks, and do not choose them.
    /// - Throws: A failure if an option or a word is given twice.
    init(
        _ context: CommandContext, _ phrase: TypedTask? = nil, hasLabels: Bool = true
    ) throws {
        self.context = context
        self.hasLabels = hasLabels
        invocation = context.invocation
        parts = phrase?.parts ?? []
        impliedDue = phrase?.impliedDue
        for attribute in TypedTask.Attribute.allCases where !attribute.isRepeated {
            let words = parts.filter { $0.attribute == attribute }.map(\.text)
            let options = Self.editing.filter { $0.name == attribute.rawValue && isOption($0) }
            let given = words + options.map(\.spelling)
            guard given.count < 2 else {
                throw Failure.usage(
                    "given twice: \(given[0]) and \(given[1])", hint: "leave one of them out")
            }
        }
    }

    /// Whether an option or a word was given.
    var areGiven: Bool { !parts.isEmpty || Self.editing.contains(where: isOption) }

    /// Whether an option, or the word that says the same, was given.
    func has(_ option: OptionDescription) -> Bool {
        isOption(option) || parts.contains { $0.attribute.rawValue == option.name }
    }

    private func isOption(_ option: OptionDescription) -> Bool {
        let isLabel =
            option.name == OptionDescription.inList.name
            || option.name == OptionDescription.tag.name
        return (hasLabels || !isLabel) && invocation.takes(option) && invocation.has(option)
    }

    /// The values of an option and of the words that say the same, and their names in errors.
    private func values(_ option: OptionDescription) -> [(text: String, title: String)] {
        let options = isOption(option) ? invocation.texts(of: option) : []
        return options.map { ($0, option.spelling) }
            + parts.filter { $0.attribute.rawValue == option.name }.map { ($0.value, $0.text) }
    }

    /// Applies the options to a task.
    func apply(to task: inout TodoTask) throws {
        let calendar = context.tasks.calendar
        if task.due == nil, !has(.due), let impliedDue {
            task.setDue(
                try context.tasks.time(typed: impliedDue, as: OptionDescription.due.spelling),
                in: calendar)
        }
        let due = try time(.due)
        if has(.due) { task.setDue(due, in: calendar) }
        if let day = try time(.dueDay)?.date(in: calendar) {
            task.setDue(task.due?.moved(toDate: day, in: calendar) ?? .day(day), in: calendar)
        }
        let wait = try time(.wait)
        if has(.wait) { task.wait = wait }
        if let (text, title) = values(.repetition).first {
            task.setRepetition(try repetition(text, title, task.due), in: calendar)
        }
        if has(.due) || has(.dueDay) || has(.repetition) { try requireNext(of: task) }
        if let (text, title) = values(.remind).first {
            task.reminder = try reminder(text, before: task.due, as: title)
            task.snooze = nil
        }
        if let (name, title) = values(.priority).first {
            guard let priority = TaskPriority(name: name) else {
                let names = TaskPriority.allCases.reversed().map(\.name)
                throw Failure.usage(
                    "\(title): the priority is \(names.joined(separator: " or "))",
                    hint: Suggestion.closest(to: name, among: names)
                        .map { "did you mean '\($0)'?" })
            }
            task.priority = priority
        }
        if let list = values(.inList).first?.text { task.list = list.isEmpty ? nil : list }
        if invocation.takes(.untag) {
            let removed = Set(invocation.texts(of: .untag).map { TaskLabel.tag($0) })
            task.tags.removeAll { removed.contains(.tag($0)) }
        }
        for (tag, _) in values(.tag)
        where !task.tags.contains(where: { TaskLabel.tag($0) == .tag(tag) }) {
            task.tags.append(tag)
        }
        if let nickname = invocation.text(of: .nickname) {
            guard task.isProtected || nickname.isEmpty else {
                throw Failure.usage(
                    "a nickname is for protected tasks, whose name is not public",
                    hint: context.folders.command("task protect \(task.id.text)"))
            }
            task.nickname = nickname.isEmpty ? nil : nickname
        }
    }

    /// Applies the options that name other tasks.
    func applyOrder(to task: inout TodoTask, in tasks: OpenTasks) throws {
        for (typed, _) in values(.after) {
            if typed.lowercased() == "never" {
                task.dependencies = []
                continue
            }
            let earlier = try tasks.list.find(typed, preferringDone: false).id
            guard earlier != task.id else { throw TaskListError.circular(task.id) }
            if !task.dependencies.contains(earlier) { task.dependencies.append(earlier) }
        }
    }

    /// The time of an option; nil for `never`.
    private func time(_ option: OptionDescription) throws -> TaskTime? {
        guard let (text, title) = values(option).first, text.lowercased() != "never" else {
            return nil
        }
        return try context.tasks.time(typed: text, as: title)
    }

    private func repetition(
        _ text: String, _ spelling: String, _ due: TaskTime?
    ) throws -> RepeatRule? {
        if text.lowercased() == "never" { return nil }
        let rule: RepeatRule
        do {
            rule = try RepeatRule(typed: text)
        } catch let error as RepeatRuleError {
            throw Failure.usage(
                "\(spelling): \(error)",
                hint: (RepeatRule.corrected(text) ?? RepeatRule.corrected("every " + text)).map {
                    "did you mean '\($0)'?"
                }
                    ?? "such as "
                    + RepeatRuleError.examples.map { "'\($0)'" }.joined(separator: ", "))
        }
        guard let due else { throw TaskListError.noTimeToRepeat }
        // A rule of iCalendar is used as typed.
        return text.contains("=")
            ? rule : rule.starting(on: due.date(in: context.tasks.calendar))
    }

    /// Fails if a repeating task would never be due again.
    private func requireNext(of task: TodoTask) throws {
        guard task.repetition != nil, task.nextOccurrence(in: context.tasks.calendar) == nil
        else { return }
        throw Failure.usage(
            "\(OptionDescription.repetition.spelling): there is no such time after the due time",
            hint: "such as 'weekly', or 'FREQ=WEEKLY;COUNT=10'")
    }

    /// The time of a reminder.
    ///
    /// - Parameters:
    ///   - text: An empty text or `on` for the due time, `off`, a duration before the due time, or a time.
    ///   - due: The due time.
    ///   - title: The name of the text in errors.
    ///   - dueCommand: The command that sets a due time, for a hint; nil if an option of this command does.
    /// - Returns: The time; nil for `off`.
    /// - Throws: A failure of wrong usage; ``TaskListError/noTimeToRemind``.
    func reminder(
        _ text: String, before due: TaskTime?,
        as title: String = OptionDescription.remind.spelling, dueCommand: () -> String? = { nil }
    ) throws -> TaskTime? {
        if ["off", "never"].contains(text.lowercased()) { return nil }
        let distance = text.isEmpty || text == "on" ? "0m" : text
        let time = try context.tasks.time(typed: distance, as: title) {
            try DueTimeParser.read($0, before: due ?? .moment($1), in: $2)
        }
        if let time {
            if due != nil { return time }
            guard let command = dueCommand() else { throw TaskListError.noTimeToRemind }
            throw Failure.usage(
                "a reminder needs a time, such as 'tomorrow 9:00', or a due time before which it is",
                hint: context.folders.command(command))
        }
        return try context.tasks.time(typed: text, as: title)
    }
}

extension TodoTask {
    /// The public columns as titles and texts for people.
    func facts(now: PointInTime, in calendar: some LocalCalendar) -> [(String, String)] {
        func local(_ time: TaskTime) -> String { TimeText.withWeekday(time, in: calendar) }
        var facts = [("id", id.text)]
        if let due {
            let relative = RelativeTime.text(due, now: now, in: calendar, isOpen: !isDone)
            let day = local(due)
            // A distant date has the same text in both forms.
            facts.append(("due", day.has(relative) ? day : "\(day) (\(relative))"))
        }
        if let completion { facts.append(("done", local(.moment(completion.time)))) }
        if let wait { facts.append(("starts", local(wait))) }
        if let announcement { facts.append(("reminder", local(announcement))) }
        if let repetition {
            facts.append(("repeats", repetition.phrase))
        } else if hasForeignRepetition {
            facts.append(("repeats", "in another program, by a rule that is not supported here"))
        }
        if priority != .none { facts.append(("priority", priority.name)) }
        if let list { facts.append(("list", VisibleText.escape(list))) }
        if !tags.isEmpty {
            facts.append(("tags", VisibleText.escape(tags.joined(separator: ", "))))
        }
        if let nickname { facts.append(("nickname", VisibleText.escape(nickname))) }
        facts.append(("created", local(.moment(created))))
        return facts
    }
}

extension OptionDescription {
    static let protected = OptionDescription(
        "protected",
        "store the text in the vault only; the name is asked for, or read from standard input")
    static let due = OptionDescription(
        "due", .text("WHEN"),
        "when it is due, such as 'tomorrow 9:00', 'fri 18:00', 'in 2h' or 2026-12-01; never removes it"
    )
    static let dueDay = OptionDescription(
        "due-day", .text("WHEN"), "the day when it is due; the time of day stays", isHidden: true)
    static let wait = OptionDescription(
        "wait", .text("WHEN"), "leave it out of lists until then; never removes it")
    static let remind = OptionDescription(
        "remind", .optional("WHEN", words: ["off", "never"] + DueTimeParser.firstWords),
        "remind at the due time, so long before it (10m, 2h, 1d), or at a time; off removes it")
    static let repetition = OptionDescription(
        "repeat", .text("RULE"),
        "daily, weekdays, monthly, 'every 2 weeks on mon', 'last day of the month', 'yearly on 24 dec' or a rule of iCalendar; never ends it"
    )
    static let priority = OptionDescription(
        "priority", .choice("PRIORITY", TaskPriority.allCases.reversed().map(\.name)),
        "the priority")
    static let inList = OptionDescription(
        "list", .stored("NAME", .list), "the list, which is public; '' takes it out of its list")
    static let tag = OptionDescription(
        "tag", .stored("TAG", .tag), "a tag, which is public; may be given several times",
        isRepeated: true)
    static let after = OptionDescription(
        "after", .stored("ID", .task),
        "a task that precedes it; may be given several times, never removes those that were given before",
        isRepeated: true)
    static let untag = OptionDescription(
        "untag", .stored("TAG", .tag), "take a tag away; may be given several times",
        isRepeated: true)
    static let nickname = OptionDescription(
        "nickname", .text("NAME"), "a public name of a protected task; '' removes it")
}
