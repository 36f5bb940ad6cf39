internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// The options of `task add` and `task edit` for the public columns of a task.
struct TaskOptions {
    /// The options of `task add`.
    static let adding: [OptionDescription] = [
        .due, .remind, .repetition, .wait, .priority, .inList, .tag, .nickname,
    ]
    /// The options of `task edit`.
    static let editing = adding + [.untag]

    private let context: CommandContext
    private let invocation: Invocation

    init(_ context: CommandContext) {
        self.context = context
        invocation = context.invocation
    }

    /// Whether an option was given.
    var areGiven: Bool {
        Self.editing.contains { invocation.takes($0) && invocation.has($0) }
    }

    /// Applies the options to a task.
    func apply(to task: inout TodoTask) throws {
        let due = try time(.due, .end)
        if invocation.has(.due) {
            let old = task.due
            task.setDue(due)
            if let due {
                task.repetition = task.repetition?.following(
                    from: old, to: due, in: context.tasks.calendar)
            }
        }
        let wait = try time(.wait, .start)
        if invocation.has(.wait) { task.wait = wait }
        if let text = invocation.text(of: .repetition) {
            task.repetition = try repetition(text, task.due)
        }
        if invocation.has(.due) || invocation.has(.repetition) { try requireNext(of: task) }
        if let text = invocation.text(of: .remind) {
            task.reminder = try reminder(text, before: task.due)
            task.snooze = nil
        }
        if let name = invocation.text(of: .priority), let priority = TaskPriority(name: name) {
            task.priority = priority
        }
        if let list = invocation.text(of: .inList) { task.list = list.isEmpty ? nil : list }
        if invocation.takes(.untag) {
            let removed = Set(invocation.texts(of: .untag).map { TaskLabel.tag($0) })
            task.tags.removeAll { removed.contains(.tag($0)) }
        }
        for tag in invocation.texts(of: .tag)
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

    /// The time of an option; nil for `never`.
    private func time(
        _ option: OptionDescription, _ edge: DueTimeParser.Edge
    ) throws -> PointInTime? {
        if invocation.text(of: option)?.lowercased() == "never" { return nil }
        return try context.time(option, edge)
    }

    private func repetition(_ text: String, _ due: PointInTime?) throws -> RepeatRule? {
        if text.lowercased() == "never" { return nil }
        let spelling = OptionDescription.repetition.spelling
        let rule: RepeatRule
        do {
            rule = try RepeatRule(typed: text)
        } catch let error as RepeatRuleError {
            throw Failure.usage(
                "\(spelling): \(error)",
                hint: "such as "
                    + RepeatRuleError.examples.map { "'\($0)'" }.joined(separator: ", "))
        }
        guard let due else { throw TaskListError.noTimeToRepeat }
        // A rule of iCalendar is used as typed.
        return text.contains("=")
            ? rule : rule.following(from: nil, to: due, in: context.tasks.calendar)
    }

    /// Fails if a repeating task would never be due again.
    private func requireNext(of task: TodoTask) throws {
        guard let due = task.due, let rule = task.repetition,
            rule.next(after: due, now: due, in: context.tasks.calendar) == nil
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
        _ text: String, before due: PointInTime?,
        as title: String = OptionDescription.remind.spelling, dueCommand: () -> String? = { nil }
    ) throws -> PointInTime? {
        if ["off", "never"].contains(text.lowercased()) { return nil }
        let distance = text.isEmpty || text == "on" ? "0m" : text
        let time = try context.tasks.time(typed: distance, as: title) {
            try DueTimeParser.read($0, before: due ?? $1, in: $2)
        }
        if let time {
            if due != nil { return time }
            guard let command = dueCommand() else { throw TaskListError.noTimeToRemind }
            throw Failure.usage(
                "a reminder needs a time, such as 'tomorrow 9:00', or a due time before which it is",
                hint: context.folders.command(command))
        }
        return try context.tasks.time(typed: text, as: title, .end)
    }
}

extension TodoTask {
    /// The public columns as titles and texts for people.
    func facts(now: PointInTime, in calendar: some LocalCalendar) -> [(String, String)] {
        func local(_ time: PointInTime) -> String { TimeText.withWeekday(time, in: calendar) }
        var facts = [("id", id.text)]
        if let due {
            let relative = RelativeTime.text(due, now: now, in: calendar, isOpen: !isDone)
            let day = local(due)
            // A distant date has the same text in both forms.
            facts.append(("due", day.has(relative) ? day : "\(day) (\(relative))"))
        }
        if let completion { facts.append(("done", local(completion.time))) }
        if let wait { facts.append(("starts", local(wait))) }
        if let announcement { facts.append(("reminder", local(announcement))) }
        if let repetition { facts.append(("repeats", repetition.phrase)) }
        if priority != .none { facts.append(("priority", priority.name)) }
        if let list { facts.append(("list", VisibleText.escape(list))) }
        if !tags.isEmpty {
            facts.append(("tags", VisibleText.escape(tags.joined(separator: ", "))))
        }
        if let nickname { facts.append(("nickname", VisibleText.escape(nickname))) }
        facts.append(("created", local(created)))
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
    static let wait = OptionDescription(
        "wait", .text("WHEN"), "leave it out of lists until then; never removes it")
    static let remind = OptionDescription(
        "remind", .optional("WHEN", words: ["off", "never"] + DueTimeParser.firstWords),
        "remind at the due time, so long before it (10m, 2h, 1d), or at a time; off removes it")
    static let repetition = OptionDescription(
        "repeat", .text("RULE"),
        "daily, weekdays, weekly, monthly, yearly, 'every 3 days', 'every mon, thu' or a rule of iCalendar; never ends it"
    )
    static let priority = OptionDescription(
        "priority", .choice("PRIORITY", TaskPriority.allCases.reversed().map(\.name)),
        "the priority")
    static let inList = OptionDescription(
        "list", .stored("NAME", .list), "the list, which is public; '' takes it out of its list")
    static let tag = OptionDescription(
        "tag", .stored("TAG", .tag), "a tag, which is public; may be given several times",
        isRepeated: true)
    static let untag = OptionDescription(
        "untag", .stored("TAG", .tag), "take a tag away; may be given several times",
        isRepeated: true)
    static let nickname = OptionDescription(
        "nickname", .text("NAME"), "a public name of a protected task; '' removes it")
}
