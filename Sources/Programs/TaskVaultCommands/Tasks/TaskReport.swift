internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

// Tasks as operands, options and results of commands.
extension CommandContext {
    /// The task that the operand ID identifies.
    func task(in tasks: OpenTasks) throws -> TodoTask {
        try tasks.list.find(invocation.text(of: .task))
    }

    /// The name from the operands, joined by spaces; nil without operands.
    func typedName(_ operand: OperandDescription) -> String? {
        let words = invocation.texts(of: operand)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The time of an option; nil without the option.
    func time(_ option: OptionDescription) throws -> TaskTime? {
        try invocation.text(of: option).map {
            try tasks.time(typed: $0, as: option.spelling)
        }
    }

    /// Prints the result for a task: a line, or the task in JSON, without protected text. The line also shows the words that were understood.
    func report(
        _ done: String, _ task: TodoTask, _ tasks: OpenTasks, understood phrase: TypedTask? = nil
    ) throws {
        guard console.isJSON else {
            let line = line(done, task, tasks)
            return try console.printLine(line + (phrase.map { facts(of: task, $0, tasks) } ?? ""))
        }
        try console.printJSON { json in try json.task(ShownTask(task), now: tasks.moment) }
    }

    /// Prints the result for several tasks: one line each, or an array in JSON.
    func report(_ done: String, _ changed: [TodoTask], _ tasks: OpenTasks) throws {
        guard console.isJSON else {
            return try console.print { output in
                for task in changed {
                    try output.writeLine(VisibleText.escape(line(done, task, tasks)))
                }
            }
        }
        try console.printJSON { json in
            try json.tasks(changed.map { ShownTask($0) }, now: tasks.moment)
        }
    }

    /// Prints the number of changed tasks: `line`, or the number in JSON.
    func report(count: Int, _ line: String) throws {
        guard console.isJSON else { return try console.printLine(line) }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("count", count)
            try json.endObject()
        }
    }

    private func line(_ done: String, _ task: TodoTask, _ tasks: OpenTasks) -> String {
        let line = "\(done) \(task.id.text)  \(task.shownName)"
        if task.isDone { return line }
        if done == "removed" { return line + times(task.due) }
        let after = task.dependencies.map(\.text).joined(separator: ", ")
        return line + times(task.due, starts: task.wait, reminder: task.announcement)
            + (after.isEmpty ? "" : "  (after \(after))")
    }

    /// The parts that words of a phrase said, without those of every line.
    private func facts(
        of task: TodoTask, _ phrase: TypedTask, _ open: OpenTasks
    ) -> String {
        let titles: [TypedTask.Attribute: String] = [
            .repetition: "repeats", .priority: "priority", .list: "list", .tag: "tags",
        ]
        let said = Set(phrase.parts.compactMap { titles[$0.attribute] })
        return task.facts(now: open.now, in: tasks.calendar)
            .filter { said.contains($0.0) }.map { "  (\($0.0) \($0.1))" }.joined()
    }

    /// Times as text, with their weekdays.
    func times(
        _ due: TaskTime?, starts: TaskTime? = nil, reminder: TaskTime? = nil
    ) -> String {
        [("due", due), ("starts", starts), ("reminder", reminder)].map { name, time in
            time.map { "  (\(name) \(TimeText.withWeekday($0, in: tasks.calendar)))" } ?? ""
        }.joined()
    }

    /// The number of tasks from which a remark about each is printed once, with their number.
    private static let manyAlike = 4

    /// Prints remarks about possibly unexpected effects of a change by options and by words.
    func remark(
        on task: TodoTask, since before: TodoTask?, _ tasks: OpenTasks,
        understood phrase: TypedTask? = nil
    ) {
        remark(on: [(task, before)], tasks, understood: phrase)
    }

    /// Prints remarks about changes of tasks: one that is the same for many tasks only once.
    func remark(
        on changes: [(task: TodoTask, before: TodoTask?)], _ tasks: OpenTasks,
        understood phrase: TypedTask? = nil
    ) {
        let all = changes.map { change in
            (
                id: change.task.id,
                texts: remarks(on: change.task, since: change.before, tasks, understood: phrase)
            )
        }
        var counts: [String: Int] = [:]
        for text in all.lazy.flatMap(\.texts) { counts[text, default: 0] += 1 }
        for (text, count) in counts.sorted(by: { $0.key < $1.key }) where count >= Self.manyAlike {
            console.notices.remark("each of \(count) tasks: \(text)")
        }
        for (id, texts) in all {
            let own = texts.filter { counts[$0, default: 0] < Self.manyAlike }
            if !own.isEmpty {
                console.notices.remark("task \(id.text): " + own.joined(separator: "; "))
            }
        }
    }

    private func remarks(
        on task: TodoTask, since before: TodoTask?, _ tasks: OpenTasks,
        understood phrase: TypedTask?
    ) -> [String] {
        func isGiven(_ option: OptionDescription) -> Bool {
            invocation.takes(option) && invocation.has(option)
                || phrase?.parts.contains { $0.attribute.rawValue == option.name } == true
        }
        var remarks: [String] = []
        if before?.repetition != nil, task.repetition == nil, !isGiven(.repetition) {
            remarks.append("it no longer repeats")
        }
        if before?.announcement != nil, task.announcement == nil, !isGiven(.remind) {
            remarks.append("it has no reminder any more")
        }
        if let reminder = task.announcement, reminder != before?.announcement {
            if tasks.list.days.announcement(of: reminder) < tasks.now {
                remarks.append("the time of its reminder has passed")
            } else if !application.announcesReminders {
                remarks.append(
                    "no program announces reminders on this machine: \(folders.command("services"))"
                )
            }
        }
        let calendar = self.tasks.calendar
        if let wait = task.wait, let due = task.due,
            wait.start(in: calendar) > due.end(in: calendar),
            (wait, due) != (before?.wait, before?.due)
        {
            remarks.append("it starts after it is due")
        }
        if let rule = task.repetition, rule != before?.repetition, let day = rule.lastPossibleDay {
            remarks.append(
                "in a month without a day \(day), on its last day; --repeat 'last day of the month' means that of each month"
            )
        }
        if let rule = task.repetition, rule != before?.repetition,
            let other = rule.countingShortMonths
        {
            remarks.append(
                "a month without that day is left out; --repeat '\(other.phrase)' means its last day"
            )
        }
        if let before, before.repetition != nil, task.due != before.due, !isGiven(.repetition),
            let rule = task.repetition, let next = task.nextOccurrence(in: calendar)
        {
            remarks.append(
                "the next one stays \(TimeText.withWeekday(next.due, in: calendar)); --repeat '\(rule.phrase)' moves all"
            )
        }
        return remarks
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes tasks as an array. With `marked`, each has the member `concurrent`.
    mutating func tasks(
        _ tasks: [ShownTask], now: CalendarMoment, marked: Set<TaskID>? = nil
    ) throws {
        try beginArray()
        for task in tasks {
            try self.task(task, now: now) { json in
                if let marked {
                    try json.member("concurrent", marked.contains(task.task.id))
                }
            }
        }
        try endArray()
    }

    /// Writes a task as an object; hidden members are null.
    mutating func task(
        _ shown: ShownTask, now: CalendarMoment, members: (inout Self) throws -> Void = { _ in }
    ) throws {
        let task = shown.task
        try beginObject()
        try member("id", task.id.text)
        try member("name", shown.text?.name)
        try member("nickname", task.nickname)
        try member("notes", shown.text?.notes)
        try member("protected", task.isProtected)
        try member("done", task.isDone)
        try member("overdue", task.isOverdue(at: now))
        try member("waiting", task.isWaiting(at: now))
        try self.members(of: task)
        try member("repeats_elsewhere", task.hasForeignRepetition)
        try member("ends_elsewhere", task.endsForeignRepetition)
        try member("revision", task.revision)
        try subtasks(shown.text?.subtasks)
        try members(&self)
        try endObject()
    }
}
