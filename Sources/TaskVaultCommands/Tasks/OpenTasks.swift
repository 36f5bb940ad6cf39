internal import CommandLine
internal import SecureStorage
internal import Tasks
internal import VaultAgent
internal import VaultStorage

/// The to-do list as a command sees it.
struct OpenTasks {
    /// The list.
    let list: TaskList
    /// Its database.
    let repository: any TaskRepository
    /// Where that is.
    let place: TaskDatabasePlace
    /// The time of the command.
    let now: PointInTime
}

extension CommandContext {
    /// Opens the database of the tasks, finishes what earlier commands could not, runs `body`, and closes it.
    ///
    /// - Parameters:
    ///   - use: Whether it is going to be changed; a file that is missing is made then.
    ///   - body: Gets the list.
    /// - Returns: What `body` returns.
    /// - Throws: Why the database cannot be used, or what `body` throws.
    func withTasks<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        // Nothing is kept for ever because somebody mistyped a time.
        guard let clearAfter = Preference.clearAfter.canonical(try preferences()[.clearAfter])
        else {
            throw .usage(
                Preference.clearAfter.explanation,
                hint: folders.command("settings set clear-after 24h"))
        }
        let (place, repository) = try openTasks(use)
        defer { repository.close() }
        let tasks = OpenTasks(
            list: TaskList(repository, now: surroundings.now), repository: repository, place: place,
            now: surroundings.now())
        try finishInterrupted(tasks)
        clearOld(tasks, TimeSpan(clearAfter))
        return try body(tasks)
    }

    /// Opens the database that the settings name.
    private func openTasks(
        _ use: VaultUse
    ) throws(CommandFailure) -> (TaskDatabasePlace, any TaskRepository) {
        while true {
            let place = try TaskDatabasePlace(try preferences()[.database], folders)
            let repository = try explainingTasks(place) { () throws(TaskRepositoryError) in
                try place.openCurrent(use)
            }
            // Where the list was moved meanwhile, this may be an empty one that got the old one's name.
            if place.isCurrent { return (place, repository) }
            repository.close()
        }
    }

    /// Finishes what a crash left half done between database and vault, if the vault is unlocked.
    private func finishInterrupted(_ tasks: OpenTasks) throws(CommandFailure) {
        let pending = try explaining(tasks) { () throws(TaskListError) in
            try tasks.list.interrupted()
        }
        if pending.contains(where: { $0.kind == .erasing }) { _ = try? tasks.list.finishErasing() }
        guard pending.contains(where: { $0.kind != .erasing && $0.isOld(at: tasks.now) }),
            usesAgent, let agent = try? agent(),
            (try? agent.status().isUnlocked) == true
        else { return }
        // What cannot be finished now is finished by another command.
        guard let recovered = try? tasks.list.finishInterrupted(in: agent), !recovered.isEmpty
        else { return }
        let ids = recovered.map(\.text).joined(separator: ", ")
        notices.warn(
            "task_recovered",
            "a protected task that was being added when a command was interrupted is there now: \(ids)"
        )
    }

    /// Clears what was done long enough ago. Whoever only reads is not kept from it by a database that cannot be written.
    private func clearOld(_ tasks: OpenTasks, _ period: TimeSpan?) {
        _ = try? tasks.list.clearOld(after: period.map { .seconds(Int64($0.seconds)) })
    }

    /// Runs `body` with the list and the unlocked vault.
    func withTasksAndVault<Result: ~Copyable>(
        _ use: VaultUse, _ body: (OpenTasks, OpenStore) throws(CommandFailure) -> Result
    ) throws(CommandFailure) -> Result {
        try withTasks(use) { (tasks) throws(CommandFailure) in
            try withStore(use) { (store) throws(CommandFailure) in
                // Without the agent this is the only moment at which the vault is open.
                if store.agent == nil, use == .changing {
                    _ = try? tasks.list.finishInterrupted(in: store.secrets)
                }
                return try body(tasks, store)
            }
        }
    }

    /// Runs a call of the list whose error becomes a failure.
    func explaining<Result>(
        _ tasks: OpenTasks, _ body: () throws(TaskListError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(TaskListError) {
            return try body()
        } catch {
            throw CommandFailure(error, tasks.place, vault, isAgentUsed: usesAgent)
        }
    }

    /// Runs a call of the database whose error becomes a failure.
    func explainingTasks<Result>(
        _ place: TaskDatabasePlace, _ body: () throws(TaskRepositoryError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(TaskRepositoryError) {
            return try body()
        } catch {
            throw CommandFailure(error, place, vault)
        }
    }

    /// The task that an operand means.
    func task(_ typed: String, in tasks: OpenTasks) throws(CommandFailure) -> TodoTask {
        try explaining(tasks) { () throws(TaskListError) in try tasks.list.find(typed) }
    }

    /// The tasks that operands mean, each once.
    func tasks(
        _ operand: OperandDescription, in tasks: OpenTasks
    ) throws(CommandFailure) -> [TodoTask] {
        var found: [TodoTask] = []
        for typed in invocation.texts(of: operand) {
            let task = try task(typed, in: tasks)
            if !found.contains(where: { $0.id == task.id }) { found.append(task) }
        }
        return found
    }

    /// Runs `body`, and once more after the person was verified where protected words ask for that.
    func verifying<Result>(
        _ tasks: OpenTasks, _ store: OpenStore, _ body: () throws(TaskListError) -> Result
    ) throws(CommandFailure) -> Result {
        do throws(TaskListError) {
            return try body()
        } catch .vault(.notVerified) {
            guard let agent = store.agent, canAsk || invocation.has(.passphraseFile) else {
                return try explaining(tasks) { () throws(TaskListError) in
                    throw .vault(.notVerified)
                }
            }
            try verify(agent)
            return try explaining(tasks, body)
        } catch {
            return try explaining(tasks) { () throws(TaskListError) in throw error }
        }
    }

    /// Changes the words of a task, wherever they are.
    func editWords(
        of task: TodoTask, _ tasks: OpenTasks,
        _ change: (inout TaskText) throws(CommandFailure) -> Void
    ) throws(CommandFailure) -> TodoTask {
        if var text = task.plainText {
            let changed = task
            try change(&text)
            return try explaining(tasks) { () throws(TaskListError) in
                try tasks.list.replace(changed, words: text)
            }
        }
        return try withStore(.changing) { (store) throws(CommandFailure) in
            let words = try explaining(tasks) { () throws(TaskListError) in
                try tasks.list.words(of: task, from: store.secrets)
            }
            var text = words.text
            try change(&text)
            // What was typed meanwhile is not given up because the window has closed.
            return try verifying(tasks, store) { () throws(TaskListError) in
                try tasks.list.edit(task, words, to: text, in: store.secrets)
            }
        }
    }
}
