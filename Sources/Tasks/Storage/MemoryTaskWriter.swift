/// Changes a copy of the tasks in memory, until the call that lends it ends.
final class MemoryTaskWriter: TaskWriter {
    private(set) var contents: MemoryTasks
    private var hasEnded = false

    init(_ contents: MemoryTasks) {
        self.contents = contents
    }

    /// Ends the loan: whoever kept the writer has nothing from it.
    func end() {
        hasEnded = true
    }

    private func requireTransaction() throws(TaskRepositoryError) {
        if hasEnded { throw .closed }
    }

    func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? {
        try requireTransaction()
        return contents.tasks[id]
    }

    func insert(_ task: TodoTask) throws(TaskRepositoryError) {
        try requireTransaction()
        try task.requireStorable()
        guard contents.tasks[task.id] == nil else { throw .alreadyExists(task.id) }
        var inserted = task
        inserted.revision = 1
        contents.tasks[task.id] = inserted
        count(inserted)
    }

    func replace(_ task: TodoTask) throws(TaskRepositoryError) -> TodoTask {
        let old = try current(task.id, expecting: task.revision)
        try task.requireStorable()
        var changed = task
        changed.revision += 1
        contents.tasks[task.id] = changed
        if let time = old.completion?.time, time != changed.completion?.time {
            contents.completions.remove(.init(task: task.id, time: time))
        }
        count(changed)
        return changed
    }

    func remove(_ id: TaskID, expecting revision: UInt64?) throws(TaskRepositoryError) {
        _ = try current(id, expecting: revision)
        contents.tasks[id] = nil
    }

    func clear(
        keptBefore limit: PointInTime, at now: PointInTime
    ) throws(TaskRepositoryError) -> Int {
        try changeCompletions { completion in
            guard completion.cleared == nil, completion.keptFrom < limit else { return false }
            completion.cleared = now
            return true
        }
    }

    func restore(
        clearedFrom start: PointInTime, at now: PointInTime
    ) throws(TaskRepositoryError) -> Int {
        try changeCompletions { completion in
            guard let cleared = completion.cleared, cleared >= start else { return false }
            completion.cleared = nil
            completion.keptFrom = now
            return true
        }
    }

    func purge(clearedBefore limit: PointInTime) throws(TaskRepositoryError) -> Int {
        try requireTransaction()
        let purged = contents.tasks.values.filter { task in
            task.completion?.cleared.map { $0 < limit } ?? false
        }
        for task in purged {
            contents.tasks[task.id] = nil
            if let words = task.wordsID { try put(VaultIntent(.discarding, words)) }
        }
        return purged.count
    }

    func put(_ intent: VaultIntent) throws(TaskRepositoryError) {
        try requireTransaction()
        contents.intents[intent.words] = intent
    }

    func take(_ intent: VaultIntent) throws(TaskRepositoryError) -> Bool {
        try requireTransaction()
        guard contents.intents[intent.words]?.kind == intent.kind else { return false }
        contents.intents[intent.words] = nil
        return true
    }

    func countCompletion(of id: TaskID, at time: PointInTime) throws(TaskRepositoryError) {
        try requireTransaction()
        contents.completions.insert(.init(task: id, time: time))
    }

    private func count(_ task: TodoTask) {
        guard let time = task.completion?.time else { return }
        contents.completions.insert(.init(task: task.id, time: time))
    }

    /// The task, if it has this revision.
    private func current(
        _ id: TaskID, expecting revision: UInt64?
    ) throws(TaskRepositoryError) -> TodoTask {
        try requireTransaction()
        guard let task = contents.tasks[id] else { throw .missing(id) }
        if let revision, revision != task.revision { throw .conflict(id, found: task.revision) }
        return task
    }

    /// Changes the completions for which `body` says so, which is a change of their tasks.
    private func changeCompletions(
        _ body: (inout TaskCompletion) -> Bool
    ) throws(TaskRepositoryError) -> Int {
        try requireTransaction()
        var count = 0
        for var task in contents.tasks.values {
            guard var completion = task.completion, body(&completion) else { continue }
            task.completion = completion
            task.revision += 1
            contents.tasks[task.id] = task
            count += 1
        }
        return count
    }
}

extension TodoTask {
    /// Makes sure that a database can store the task: the rule that every repository keeps.
    package func requireStorable() throws(TaskRepositoryError) {
        guard let text = plainText else { return }
        do {
            try TaskTextRule.check(text)
        } catch {
            throw .invalid(error)
        }
    }
}
