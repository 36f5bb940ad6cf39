internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// Reports the result of an import of tasks: counts, and a line for each difference from the file.
struct TaskImportReporting {
    /// The outcome for a task that is in the list already.
    enum Change {
        /// It has the content of the file.
        case none
        /// It has other content, and keeps it.
        case kept
        /// A series moved on, because the file has occurrences of it by themselves.
        case moved
        /// A series is done, because the file has each of its occurrences by itself.
        case ended
    }

    /// A task of the file that is in the list already.
    struct Existing {
        let title: String
        let line: Int
        let change: Change

        init(_ row: TodoTask, line: Int, _ change: Change) {
            title = row.publicTitle
            self.line = line
            self.change = change
        }
    }

    private let file: TaskImport
    private let count: Int
    private let existing: [Existing]
    /// The tasks that an import would add; nil after an import.
    private let new: [ShownTask]?
    private let context: CommandContext
    private var items: ItemReport

    /// Makes the reporting of an import of `count` tasks.
    init(
        _ file: TaskImport, count: Int, _ existing: [Existing], _ items: ItemReport,
        _ context: CommandContext
    ) {
        (self.file, self.count, self.new, self.existing) = (file, count, nil, existing)
        (self.items, self.context) = (items, context)
        addItems()
    }

    /// Makes the reporting of a trial.
    init(
        _ file: TaskImport, trial new: [ShownTask], _ existing: [Existing], _ items: ItemReport,
        _ context: CommandContext
    ) {
        (self.file, self.count, self.new, self.existing) = (file, new.count, new, existing)
        (self.items, self.context) = (items, context)
        addItems()
    }

    /// Adds the lines.
    private mutating func addItems() {
        for remark in remarks {
            let title = remark.title.map { VisibleText.escape($0.shortTitle) }
            let place = "line \(remark.line)"
            items.add("\(title.map { "\($0) (\(place))" } ?? place): \(remark.words.text)")
        }
    }

    /// A line of the report.
    private typealias Line = (title: String?, line: Int, words: (code: String, text: String))

    /// The lines: first what is missing, then what exists with other content, then entries that are no open tasks, of which a calendar may
    /// have many, and last what exists, which a second import has for each item.
    private var remarks: [Line] {
        func lines(_ remarks: [TaskImport.Remark]) -> [Line] {
            remarks.map { ($0.title, $0.line, Self.words($0.subject)) }
        }
        func rank(_ remark: TaskImport.Remark) -> Int {
            switch remark.subject {
            case .skipped: 0
            case .leftOut(.events), .leftOut(.deletedTasks), .leftOut(.endedSeries): 2
            case .leftOut: 1
            }
        }
        func lines(_ changes: [Change]) -> [Line] {
            existing.filter { changes.contains($0.change) }
                .map { ($0.title, $0.line, Self.words($0.change)) }
        }
        let ranked = (0...2).map { place in lines(file.remarks.filter { rank($0) == place }) }
        return ranked[0] + ranked[1] + lines([.kept, .moved, .ended]) + ranked[2] + lines([.none])
    }

    /// Prints the report.
    ///
    /// - Throws: A failure if items could not be read.
    func print(_ tasks: OpenTasks) throws {
        if context.console.isJSON { try printJSON(tasks) } else { try printText(tasks) }
        try items.write()
        guard !file.errors.isEmpty else { return }
        throw Failure(
            .failure, code: "incomplete_import", "some items cannot be imported",
            hint: "the report names each with its reason")
    }

    private var known: Int { file.tasks.count - count }

    private func printText(_ tasks: OpenTasks) throws {
        if let new, !new.isEmpty { try context.console.page(TaskTable(new, tasks, context).lines) }
        try context.console.print { output in
            let rest =
                known == 0
                ? "" : "; \(counted(known, "task")) already \(known == 1 ? "exists" : "exist")"
            try output.writeLine(
                "\(new == nil ? "imported" : "would import") \(counted(count, "task"))\(rest)")
            try items.show(&output)
        }
    }

    private func printJSON(_ tasks: OpenTasks) throws {
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("format", file.format.rawValue)
            try json.member("imported", new == nil ? count : 0)
            try json.member("would_import", new?.count)
            try json.member("already_there", known)
            try json.key("tasks")
            if let new { try json.tasks(new, now: tasks.moment) } else { try json.null() }
            try json.key("remarks")
            try json.beginArray()
            for remark in remarks {
                try json.beginObject()
                try json.member("line", remark.line)
                try json.member("title", remark.title)
                try json.member("reason", remark.words.code)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }

    private static func words(
        _ subject: TaskImport.Remark.Subject
    ) -> (code: String, text: String) {
        switch subject {
        case .skipped(let error): ("unreadable", "skipped, \(error.reason)")
        case .leftOut(let kind): (kind.code, words(kind))
        }
    }

    private static func words(_ change: Change) -> (code: String, text: String) {
        switch change {
        case .none: ("exists_same", "skipped, it already exists")
        case .kept:
            ("exists_different", "skipped, it already exists with other content, which it keeps")
        case .moved:
            (
                "series_moved",
                "changed, it continues without the occurrences that the file has apart"
            )
        case .ended:
            ("series_ended", "changed, it is done: the file has each of its occurrences apart")
        }
    }

    private static func words(_ kind: LeftOut) -> String {
        switch kind {
        case .deletedTasks: "skipped, it is deleted or cancelled"
        case .events: "skipped, it is no task"
        case .endedSeries: "skipped, each of its occurrences is an item of its own or was removed"
        case .missingText: "skipped, its text is not in the file"
        case .recurringPatterns:
            "left out, its repetition, which is not supported: it repeats in Taskwarrior only"
        case .repetitions:
            "left out, its repetition, which is not supported: it repeats in the other program only"
        case .subtaskFields:
            "left out, notes, tags, priority or start, which a subtask lacks: they are kept for the next export"
        case .childTasks: "changed, it is a task of its own and no subtask"
        case .reminders: "left out, a reminder that a task cannot have"
        case .zones: "check it, its time zone is unknown and this machine's was taken"
        case .tags: "left out, tags that are too long, or too many"
        default: "left out, \(kind.description)"
        }
    }
}

extension String {
    /// At most 100 characters, for a line of a report.
    var shortTitle: String {
        let start = prefix(100)
        return start + (start.endIndex == endIndex ? "" : "…")
    }
}
