internal import VaultStorage

/// Changes tasks inside one transaction, of whatever database.
final class StoredTaskWriter<Transaction: TaskTransaction>: TaskWriter {
    private let transaction: Transaction

    init(_ transaction: Transaction) {
        self.transaction = transaction
    }

    func task(_ id: TaskID) throws(TaskRepositoryError) -> TodoTask? {
        try run { (database) throws(DatabaseError) in try database.task(id) }
    }

    func insert(_ task: TodoTask) throws(TaskRepositoryError) {
        var inserted = task
        inserted.revision = 1
        let isNew = try checked(task) { (database) throws(DatabaseError) in
            try database.insert(inserted)
        }
        guard isNew else { throw .alreadyExists(task.id) }
    }

    func replace(_ task: TodoTask) throws(TaskRepositoryError) -> TodoTask {
        let old = try current(task.id, expecting: task.revision)
        var changed = task
        // What a file of ours cannot have come to.
        guard task.revision < UInt64(Int64.max) else {
            throw .damaged(reason: "a revision is out of range")
        }
        changed.revision += 1
        try checked(task) { (database) throws(DatabaseError) in
            try database.replace(old, with: changed)
        }
        return changed
    }

    func remove(_ id: TaskID, expecting revision: UInt64?) throws(TaskRepositoryError) {
        _ = try current(id, expecting: revision)
        try run { (database) throws(DatabaseError) in try database.remove(id) }
    }

    func clear(
        keptBefore limit: PointInTime, at now: PointInTime
    ) throws(TaskRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in
            try database.clear(keptBefore: limit, at: now)
        }
    }

    func restore(
        clearedFrom start: PointInTime, at now: PointInTime
    ) throws(TaskRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in
            try database.restore(clearedFrom: start, at: now)
        }
    }

    func purge(clearedBefore limit: PointInTime) throws(TaskRepositoryError) -> Int {
        try run { (database) throws(DatabaseError) in
            let cleared = try database.cleared(before: limit)
            for task in cleared {
                try database.remove(task.id)
                if let words = task.words { try database.put(VaultIntent(.discarding, words)) }
            }
            return cleared.count
        }
    }

    func put(_ intent: VaultIntent) throws(TaskRepositoryError) {
        try run { (database) throws(DatabaseError) in try database.put(intent) }
    }

    func take(_ intent: VaultIntent) throws(TaskRepositoryError) -> Bool {
        try run { (database) throws(DatabaseError) in try database.take(intent) }
    }

    func countCompletion(of id: TaskID, at time: PointInTime) throws(TaskRepositoryError) {
        try run { (database) throws(DatabaseError) in
            try database.insertCompletion(of: id, at: time)
        }
    }

    /// The task, if it has this revision.
    private func current(
        _ id: TaskID, expecting revision: UInt64?
    ) throws(TaskRepositoryError) -> TodoTask {
        guard let task = try task(id) else { throw .missing(id) }
        if let revision, revision != task.revision { throw .conflict(id, found: task.revision) }
        return task
    }

    /// Runs a call that stores a task, if it can be stored.
    private func checked<Value>(
        _ task: TodoTask, _ body: (Transaction.Database) throws(DatabaseError) -> Value
    ) throws(TaskRepositoryError) -> Value {
        try run { (_) throws(DatabaseError) in }
        try task.requireStorable()
        return try run(body)
    }

    private func run<Value>(
        _ body: (Transaction.Database) throws(DatabaseError) -> Value
    ) throws(TaskRepositoryError) -> Value {
        do {
            return try transaction.call(body)
        } catch {
            throw TaskRepositoryError(error)
        }
    }
}
