internal import SecureStorage
internal import SignIn
package import Tasks
package import TextCoding
internal import VaultAgent
internal import VaultStorage

/// The open to-do list of an operation.
package struct OpenTasks {
    /// The list.
    package let list: TaskList
    /// The database of the list.
    package let repository: TaskRepository
    /// The place of the database.
    package let place: TaskDatabasePlace
    /// The time of the operation.
    package let now: PointInTime

    /// The time of the operation, and its date for the person.
    package var moment: CalendarMoment { CalendarMoment(now, in: list.days.calendar) }
}

/// The to-do list, and the vault with its protected text.
package struct TaskAccess {
    private let vault: VaultAccess
    private let settings: SettingsFile
    private let errors: ErrorContext
    /// The calendar and time zone of the person.
    package let calendar = SystemCalendar()

    /// Creates the access to the list that the settings name.
    package init(_ vault: VaultAccess, _ settings: SettingsFile, _ errors: ErrorContext) {
        self.vault = vault
        self.settings = settings
        self.errors = errors
    }

    /// Opens the database of the tasks, finishes interrupted commands, runs `body`, and closes it.
    ///
    /// - Parameters:
    ///   - use: Whether `body` changes the list; a missing file is then created.
    ///   - body: Receives the list.
    /// - Returns: The result of `body`.
    /// - Throws: The reason why the database cannot be used, or the error of `body`.
    package func withTasks<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks) throws -> Result
    ) throws -> Result {
        if use == .changing { vault.changes.isSet = true }
        // A mistyped time must not keep completed tasks forever.
        let content = try settings.read()
        let clearAfter = try StoredSetting.clearAfter.canonical(
            content[.clearAfter], hint: errors.command("settings set clear-after 24h"))
        if let name = calendar.unknownZone {
            vault.owner.warn(
                "unknown_time_zone",
                "unknown time zone '\(VisibleText.escape(name))' in TZ: times are in UTC")
        }
        let (place, repository) = try open(use)
        defer { repository.close() }
        let now = vault.options.now
        let tasks = OpenTasks(
            list: TaskList(
                repository, on: use == .changing ? machine : nil,
                days: DayReminders(content[.dayReminder], in: calendar), now: now),
            repository: repository, place: place, now: now())
        try finishInterrupted(tasks)
        // A read-only database does not prevent reading.
        let period = TimeSpan(clearAfter).map { Duration.seconds(Int64($0.seconds)) }
        _ = try? tasks.list.clearOld(after: period)
        return try body(tasks)
    }

    /// The name of this machine for the undo of its last command; nil if none can be stored.
    package var machine: String? {
        guard let folder = settings.folders.signIn else { return nil }
        return try? MachineState(folder: folder).name().text
    }

    /// The place of the list that the settings name.
    ///
    /// - Parameter rule: The treatment of a list that lacks a change which this machine saw; nil for the one of the options.
    /// - Returns: The place.
    /// - Throws: A failure if the settings cannot be read.
    package func place(_ rule: SeenTaskRule? = nil) throws -> TaskDatabasePlace {
        try TaskDatabasePlace(
            settings.read()[.database], settings.folders,
            rule ?? (vault.options.acceptsOlder ? .accepting : .requiring),
            noting: vault.rollbackRecords.note)
    }

    /// Opens the database that the settings name.
    private func open(_ use: VaultUse) throws -> (TaskDatabasePlace, TaskRepository) {
        while true {
            let place = try place()
            errors.tasks = place
            do {
                let repository = try place.openCurrent(use)
                // If the list was moved in the meantime, this may be an empty list under the old name.
                if place.isCurrent { return (place, repository) }
                repository.close()
            } catch let error as TaskListError {
                if place.isCurrent { throw error }
            }
        }
    }

    /// Finishes a change of database and vault that a crash interrupted, if the vault is unlocked.
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
        vault.owner.warn(
            "task_recovered",
            "recovered a protected task that an interrupted command was adding: \(ids)"
        )
    }

    /// Runs `body` with the list and the unlocked vault.
    package func withTasksAndVault<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks, OpenStore) throws -> Result
    ) throws -> Result {
        try withTasks(use) { tasks in
            try vault.withStore(use) { store in
                // Without the agent, the vault is open only now.
                if store.agent == nil, use == .changing {
                    _ = try? tasks.list.finishInterrupted(in: store.secrets)
                }
                return try body(tasks, store)
            }
        }
    }

    /// The tasks for a completion script; makes no changes.
    package func offered() throws -> [TodoTask] {
        let (_, repository) = try open(.reading)
        defer { repository.close() }
        return try TaskList(repository, on: nil, now: vault.options.now)
            .find(TaskSelection(limit: 1_000)).tasks.map(\.task)
    }

    /// The lists and tags for a completion script; makes no changes.
    package func offeredLabels() throws -> (lists: [LabelCount], tags: [LabelCount]) {
        let (_, repository) = try open(.reading)
        defer { repository.close() }
        return try TaskList(repository, on: nil, now: vault.options.now).labels()
    }

    /// The tasks of the operands, each once.
    package func tasks(
        _ operands: [String], preferringDone isDone: Bool? = nil, in tasks: OpenTasks
    ) throws -> [TodoTask] {
        var found: [TodoTask] = []
        for typed in operands {
            let task = try tasks.list.find(typed, preferringDone: isDone)
            if !found.contains(where: { $0.id == task.id }) { found.append(task) }
        }
        return found
    }

    /// Parses a time. An error begins with the name of the operand.
    package func time(
        typed text: String, as title: String
    ) throws -> TaskTime {
        try time(typed: text, as: title) {
            try DueTimeParser.read($0, now: $1, in: $2)
        }
    }

    /// Parses a time with `read`, which receives the text, the current time and the calendar.
    package func time<Time>(
        typed text: String, as title: String,
        _ read: (String, PointInTime, SystemCalendar) throws -> Time
    ) throws -> Time {
        let now = vault.options.now()
        do {
            return try read(text, now, calendar)
        } catch let error as DueTimeError {
            // The error may be about another word: a number before a mistyped month is taken for an hour.
            let corrected = DueTimeParser.corrected(text) {
                (try? read($0, now, calendar)) != nil
            }
            throw Failure.usage(
                "\(title): \(error)",
                hint: corrected.map { "did you mean '\($0)'?" }
                    ?? "such as " + error.examples.map { "'\($0)'" }.joined(separator: ", "))
        }
    }

    /// Finds tasks. A search includes protected text while the agent is verified, and never prompts
    /// for a passphrase.
    package func find(
        _ query: TaskSelection, containing needle: String?, in tasks: OpenTasks
    ) throws -> FoundTasks {
        let agent = needle != nil && vault.usesAgent ? try? vault.agent() : nil
        let found = try tasks.list.find(query, containing: needle, in: agent)
        if found.unsearched > 0 {
            let isUnlocked = (try? agent?.status().isUnlocked) ?? false
            vault.owner.warn(
                "not_searched",
                "\(counted(found.unsearched, "protected task")) not searched: "
                    + errors.command(isUnlocked ? "verify" : "unlock"))
        }
        return found
    }

    /// The text of a task, from the database or from the vault.
    package func text(of task: TodoTask, in tasks: OpenTasks) throws -> StoredText {
        if let text = task.plainText { return StoredText(text) }
        return try vault.withStore(.changing) { store in
            try vault.verifying(store) { try tasks.list.text(of: task, from: store.secrets) }
        }
    }

    /// Changes the text of a task that was read before, as `stored`.
    ///
    /// - Returns: The task after the change.
    /// - Throws: A conflict if another program changed the text since.
    package func edit(
        _ task: TodoTask, _ stored: StoredText, to text: TaskText, in tasks: OpenTasks
    ) throws -> TodoTask {
        guard task.isProtected else {
            var edited = task
            edited.content = .plain(text)
            return try tasks.list.edit(task, to: edited)
        }
        return try vault.withStore(.changing) { store in
            try vault.verifying(store) {
                try tasks.list.edit(task, stored, to: text, in: store.secrets)
            }
        }
    }

    /// Changes the text of a task, in the database or in the vault.
    ///
    /// - Parameters:
    ///   - before: The task before the change.
    ///   - task: The task with the changes for the database.
    ///   - tasks: The list.
    ///   - change: Changes the text.
    /// - Returns: The task after the change.
    /// - Throws: The reason why the task cannot be changed, or the error of `change`.
    package func editText(
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
            let stored = try vault.verifying(store) {
                try tasks.list.text(of: task, from: store.secrets)
            }
            var text = stored.text
            try change(&text)
            // The verification may expire while the person types; a new one saves the typed text.
            return try vault.verifying(store) {
                try tasks.list.edit(task, stored, to: text, in: store.secrets)
            }
        }
    }
}

extension TodoTask {
    /// The symbol in place of hidden text.
    package static let lock = "🔒"

    /// The name, or a lock and the nickname.
    package var shownName: String {
        plainText?.name ?? nickname.map { Self.lock + " " + $0 } ?? Self.lock
    }
}
