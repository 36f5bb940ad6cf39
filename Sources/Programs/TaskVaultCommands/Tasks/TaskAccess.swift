internal import CommandLine
internal import SecureStorage
internal import SignIn
internal import Tasks
internal import VaultAgent
internal import VaultStorage

/// The to-do list as a command sees it.
struct OpenTasks {
    /// The list.
    let list: TaskList
    /// Its database.
    let repository: TaskRepository
    /// Where the database is.
    let place: TaskDatabasePlace
    /// The time of the command.
    let now: PointInTime
}

/// The to-do list, and the vault that holds its protected text.
struct TaskAccess {
    private let console: Console
    private let vault: VaultAccess
    private let settings: SettingsFile
    private let about: ErrorContext
    /// Where the person is.
    let calendar = SystemCalendar()

    /// Makes the access to the list that the settings name.
    init(_ console: Console, _ vault: VaultAccess, _ settings: SettingsFile, _ about: ErrorContext)
    {
        self.console = console
        self.vault = vault
        self.settings = settings
        self.about = about
    }

    /// Opens the database of the tasks, finishes interrupted commands, runs `body`, and closes it.
    ///
    /// - Parameters:
    ///   - use: Whether it is going to be changed; a missing file is created then.
    ///   - body: Gets the list.
    /// - Returns: The result of `body`.
    /// - Throws: Why the database cannot be used, or the error of `body`.
    func withTasks<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks) throws -> Result
    ) throws -> Result {
        // A mistyped time must not keep completed tasks for ever.
        let clearAfter = try Setting.clearAfter.type.canonical(
            try settings.read()[.clearAfter], of: Setting.clearAfter.name,
            hint: about.command("settings set clear-after 24h"))
        let (place, repository) = try open(use)
        defer { repository.close() }
        let now = console.surroundings.now
        let tasks = OpenTasks(
            list: TaskList(repository, on: use == .changing ? machine : nil, now: now),
            repository: repository, place: place, now: now())
        try finishInterrupted(tasks)
        // A database that cannot be written does not keep a command from reading.
        let period = TimeSpan(clearAfter).map { Duration.seconds(Int64($0.seconds)) }
        _ = try? tasks.list.clearOld(after: period)
        return try body(tasks)
    }

    /// The name of this machine, whose last command can be undone; nil where none can be stored.
    var machine: String? {
        guard let folder = settings.folders.signIn else { return nil }
        return try? MachineState(folder: folder).name().text
    }

    /// Opens the database that the settings name.
    private func open(_ use: VaultUse) throws -> (TaskDatabasePlace, TaskRepository) {
        while true {
            let place = try TaskDatabasePlace(try settings.read()[.database], settings.folders)
            about.tasks = place
            let repository = try place.openCurrent(use)
            // If the list was moved meanwhile, this may be an empty one that got the old one's name.
            if place.isCurrent { return (place, repository) }
            repository.close()
        }
    }

    /// Finishes a change between database and vault that a crash interrupted, if the vault is unlocked.
    private func finishInterrupted(_ tasks: OpenTasks) throws {
        let pending = try tasks.list.interrupted()
        if pending.contains(where: { $0.kind == .erasing }) { _ = try? tasks.list.finishErasing() }
        guard pending.contains(where: { $0.kind != .erasing && $0.isOld(at: tasks.now) }),
            vault.usesAgent, let agent = try? vault.agent(),
            (try? agent.status().isUnlocked) == true
        else { return }
        // A later command finishes the rest.
        guard let recovered = try? tasks.list.finishInterrupted(in: agent), !recovered.isEmpty
        else { return }
        let ids = recovered.map(\.text).joined(separator: ", ")
        console.notices.warn(
            "task_recovered",
            "recovered a protected task that an interrupted command was adding: \(ids)"
        )
    }

    /// Runs `body` with the list and the unlocked vault.
    func withTasksAndVault<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks, OpenStore) throws -> Result
    ) throws -> Result {
        try withTasks(use) { tasks in
            try vault.withStore(use) { store in
                // Without the agent this is the only moment at which the vault is open.
                if store.agent == nil, use == .changing {
                    _ = try? tasks.list.finishInterrupted(in: store.secrets)
                }
                return try body(tasks, store)
            }
        }
    }

    /// The tasks that a completion script offers; changes nothing.
    func offered() throws -> [TodoTask] {
        let (_, repository) = try open(.reading)
        defer { repository.close() }
        return try TaskList(repository, on: nil, now: console.surroundings.now)
            .find(TaskSelection(limit: 1_000)).tasks.map(\.task)
    }

    /// The task that the operand ID means.
    func task(in tasks: OpenTasks) throws -> TodoTask {
        try tasks.list.find(console.invocation.text(of: .task))
    }

    /// The tasks that the operands mean, each once.
    func tasks(
        _ operands: [String], preferringDone isDone: Bool? = nil, in tasks: OpenTasks
    ) throws -> [TodoTask] {
        var found: [TodoTask] = []
        for typed in operands {
            let task = try tasks.list.find(typed, preferringDone: isDone)
            if !found.contains(where: { $0.id == task.id }) { found.append(task) }
        }
        return found
    }

    /// The name that operands give, joined by blanks; nil without operands.
    func typedName(_ operand: OperandDescription) -> String? {
        let words = console.invocation.texts(of: operand)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// The time that an option gives, a day without a time by its edge; nil if the option was not given.
    func time(
        _ option: OptionDescription, _ edge: DueTimeParser.Edge = .end
    ) throws -> PointInTime? {
        try console.invocation.text(of: option).map {
            try time(typed: $0, as: option.spelling, edge)
        }
    }

    /// The time that a text means. An error begins with the name of what was typed.
    func time(
        typed text: String, as title: String, _ edge: DueTimeParser.Edge
    ) throws -> PointInTime {
        try time(typed: text, as: title) {
            try DueTimeParser.read($0, edge, now: $1, in: $2)
        }
    }

    /// Reads a time by `read`, which gets the text, the present time and the calendar.
    func time<Time>(
        typed text: String, as title: String,
        _ read: (String, PointInTime, SystemCalendar) throws -> Time
    ) throws -> Time {
        do {
            return try read(text, console.surroundings.now(), calendar)
        } catch let error as DueTimeError {
            throw CommandFailure.usage(
                "\(title): \(error)",
                hint: "such as " + error.examples.map { "'\($0)'" }.joined(separator: ", "))
        }
    }

    /// Finds tasks; a search looks into protected text while the agent is verified, and never asks for a passphrase.
    func find(_ query: TaskSelection, _ options: TaskFilterOptions, in tasks: OpenTasks) throws
        -> FoundTasks
    {
        let needle = options.needle
        let agent = needle != nil && vault.usesAgent ? try? vault.agent() : nil
        let found = try tasks.list.find(query, containing: needle, in: agent)
        if found.unsearched > 0 {
            let isUnlocked = (try? agent?.status().isUnlocked) ?? false
            console.notices.warn(
                "not_searched",
                "\(counted(found.unsearched, "protected task")) not searched: "
                    + about.command(isUnlocked ? "verify" : "unlock"))
        }
        return found
    }

    /// Changes the text of a task, in the database or in the vault.
    ///
    /// - Parameters:
    ///   - before: The task as it was read.
    ///   - task: The task with the changes for the database.
    ///   - tasks: The list.
    ///   - change: Changes the text.
    /// - Returns: The task as it is now.
    /// - Throws: Why the task cannot be changed, or the error of `change`.
    func editText(
        of before: TodoTask, to task: TodoTask, _ tasks: OpenTasks,
        _ change: (inout TaskText) throws -> Void
    ) throws -> TodoTask {
        if var text = task.plainText {
            try change(&text)
            var edited = task
            edited.content = .plain(text)
            return try tasks.list.edit(before, to: edited)
        }
        return try vault.withStore(.changing) { store in
            let stored = try tasks.list.text(of: task, from: store.secrets)
            var text = stored.text
            try change(&text)
            // The window may close while the person types: a verification saves what was typed.
            return try vault.verifying(store) {
                try tasks.list.edit(task, stored, to: text, in: store.secrets)
            }
        }
    }

    /// Prints what was done to a task: a line, or the task in JSON, without protected text.
    func report(_ done: String, _ task: TodoTask, _ tasks: OpenTasks) throws {
        guard console.isJSON else { return try console.printLine(line(done, task, tasks)) }
        try console.printJSON { json in try json.task(ShownTask(task), now: tasks.now) }
    }

    /// Prints what was done to several tasks: a line each, or an array in JSON.
    func report(_ done: String, _ changed: [TodoTask], _ tasks: OpenTasks) throws {
        guard console.isJSON else {
            return try console.print { output in
                for task in changed {
                    try output.writeLine(VisibleText.escape(line(done, task, tasks)))
                }
            }
        }
        try console.printJSON { json in
            try json.tasks(changed.map { ShownTask($0) }, now: tasks.now)
        }
    }

    /// Prints how many tasks were changed: `line`, or the number in JSON.
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
        return line + times(task.due, starts: task.wait, reminder: task.announcement)
    }

    /// Times in words, with their days of the week.
    func times(
        _ due: PointInTime?, starts: PointInTime? = nil, reminder: PointInTime? = nil
    ) -> String {
        [("due", due), ("starts", starts), ("reminder", reminder)].map { name, time in
            time.map { "  (\(name) \(TimeText.withWeekday($0, in: calendar)))" } ?? ""
        }.joined()
    }

    /// Says what a person who changed a task may not expect.
    func remark(on task: TodoTask, since before: TodoTask?, _ tasks: OpenTasks) {
        let invocation = console.invocation
        func isGiven(_ option: OptionDescription) -> Bool {
            invocation.takes(option) && invocation.has(option)
        }
        var remarks: [String] = []
        if before?.repetition != nil, task.repetition == nil, !isGiven(.repetition) {
            remarks.append("it no longer repeats")
        }
        if before?.announcement != nil, task.announcement == nil, !isGiven(.remind) {
            remarks.append("it has no reminder any more")
        }
        if let reminder = task.announcement, reminder < tasks.now,
            reminder != before?.announcement
        {
            remarks.append("the time of its reminder has passed")
        }
        if let wait = task.wait, let due = task.due, wait > due,
            (wait, due) != (before?.wait, before?.due)
        {
            remarks.append("it starts after it is due")
        }
        if !remarks.isEmpty {
            console.notices.remark("task \(task.id.text): " + remarks.joined(separator: "; "))
        }
    }
}

extension TodoTask {
    /// The sign in place of hidden text.
    static let lock = "🔒"

    /// The name, or a lock and the nickname.
    var shownName: String {
        plainText?.name ?? nickname.map { Self.lock + " " + $0 } ?? Self.lock
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes tasks as an array.
    mutating func tasks(_ tasks: [ShownTask], now: PointInTime) throws {
        try beginArray()
        for task in tasks { try self.task(task, now: now) }
        try endArray()
    }

    /// Writes a task as an object; hidden members are null.
    mutating func task(
        _ shown: ShownTask, now: PointInTime, members: (inout Self) throws -> Void = { _ in }
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
        try member("revision", task.revision)
        try subtasks(shown.text?.subtasks)
        try members(&self)
        try endObject()
    }
}
