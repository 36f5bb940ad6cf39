internal import Tasks
internal import TextCoding

/// The text of notifications. It has no text of protected tasks and no control characters.
enum ReminderText {
    /// The maximum length of a name, in Unicode scalars.
    private static let maximumNameLength = 200
    /// The maximum length of the details, in Unicode scalars.
    private static let maximumTextLength = 16_384

    static let actions = [
        Notification.Action(key: "done", label: "Done"),
        Notification.Action(key: "later", label: "Later"),
        Notification.Action(key: "show", label: "Show"),
        // `default` is the action of a click on the notification itself.
        Notification.Action(key: "default", label: "Show"),
    ]

    /// The notification of an announcement. Only a single reminder has actions.
    static func notification(
        of announcement: Announcement, in calendar: any LocalCalendar
    ) -> Notification {
        guard let reminder = announcement.single else { return summary(of: announcement) }
        var lines: [String] = []
        if let name = reminder.taskName { lines.append("step of " + cut(name)) }
        if announcement.isMissed {
            lines.append("missed " + TimeText.withWeekday(reminder.reminder, in: calendar))
        }
        if let due = reminder.due {
            lines.append("due " + TimeText.withWeekday(due, in: calendar))
        }
        return Notification(
            title: title(of: reminder), body: lines.joined(separator: "\n"), actions: actions,
            hint: commandToFinish(reminder.place, isProtected: reminder.isProtected))
    }

    /// The command equivalent to *Done*. For a subtask of a protected task it must unlock the vault
    /// first.
    static func commandToFinish(_ place: ReminderPlace, isProtected: Bool) -> String {
        guard let subtask = place.subtask else { return "taskvault task done \(place.task.text)" }
        return (isProtected ? "taskvault unlock; " : "")
            + "taskvault task subtask done \(place.task.text) \(subtask.text)"
    }

    private static func summary(of announcement: Announcement) -> Notification {
        let reminders = announcement.reminders
        var lines = reminders.prefix(ReminderPlan.summaryThreshold).map { "• " + title(of: $0) }
        if reminders.count > lines.count {
            lines.append("and \(reminders.count - lines.count) more")
        }
        return Notification(
            title: "\(reminders.count) \(announcement.isMissed ? "missed " : "")reminders",
            body: lines.joined(separator: "\n"), hint: "taskvault task list")
    }

    /// The reminder's name; for a protected task its id.
    static func title(of reminder: DueReminder) -> String {
        if let name = reminder.name { return cut(name) }
        let step = reminder.subtask.map { "subtask \($0.text) of " } ?? ""
        return step + "protected task \(reminder.task.text)"
    }

    /// The current name of a task.
    static func title(of id: TaskID, _ task: TodoTask?) -> String {
        guard let task else { return "task \(id.text)" }
        return (task.plainText?.name ?? task.nickname).map(cut) ?? "protected task \(id.text)"
    }

    /// The details of a task, for the action *Show*.
    static func show(_ task: TodoTask) -> Notification {
        let title = title(of: task.id, task)
        guard let text = task.plainText else {
            return Notification(title: title, body: "taskvault task show \(task.id.text)")
        }
        let steps = text.subtasks.map { ($0.isDone ? "[x] " : "[ ] ") + $0.name }
        let lines = (text.notes.isEmpty ? [] : [text.notes]) + steps
        return Notification(
            title: title,
            body: cutText(lines.joined(separator: "\n")))
    }

    /// Escapes control characters and cuts the text. The limit counts scalars, because one
    /// character may have thousands.
    static func cut(_ text: String) -> String { cut(text, to: maximumNameLength) }

    /// Like `cut`, for text of several lines.
    static func cutText(_ text: String) -> String {
        cut(text, to: maximumTextLength, keepingLines: true)
    }

    private static func cut(
        _ text: String, to limit: Int, keepingLines lines: Bool = false
    ) -> String {
        let start = String(text.unicodeScalars.prefix(limit))
        let safe = VisibleText.escape(start, keepingLines: lines)
        return start.utf8.count < text.utf8.count ? safe + "…" : safe
    }
}
