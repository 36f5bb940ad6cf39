internal import Database
internal import Tasks
internal import Testing

/// An error of the caller.
private struct Interruption: Error, Equatable {}

extension TaskRepositoryContract {
    static let intentRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("keeps one intent for each text, in the order of the ids") {
            subject in
            let first = TaskSamples.textID(1, "00000001")
            let second = TaskSamples.textID(1, "zzzzzzzz")
            let third = TaskSamples.textID(2)
            try subject.repository.change { writer in
                try writer.put(VaultIntent(.saving, third))
                try writer.put(VaultIntent(.discarding, second))
                try writer.put(VaultIntent(.saving, first))
                try writer.put(VaultIntent(.saving, first))
                try writer.put(VaultIntent(.discarding, third))
            }
            #expect(
                try subject.repository.intents() == [
                    VaultIntent(.saving, first), VaultIntent(.discarding, second),
                    VaultIntent(.discarding, third),
                ])
        },
        TaskRepositoryContract("takes exactly the given intent, once") { subject in
            let textID = TaskSamples.textID(1)
            let other = VaultIntent(.saving, TaskSamples.textID(1, "00000001"))
            try subject.repository.change { writer in
                try writer.put(VaultIntent(.saving, textID))
                try writer.put(other)
            }
            let taken = try subject.repository.change { writer in
                [
                    try writer.take(VaultIntent(.discarding, textID)),
                    try writer.take(VaultIntent(.saving, textID)),
                    try writer.take(VaultIntent(.saving, textID)),
                ]
            }
            #expect(taken == [false, true, false])
            #expect(try subject.repository.intents() == [other])
        },
    ]

    static let transactionRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("rolls everything back when the caller's function throws") {
            subject in
            let repository = subject.repository
            let kept = TaskSamples.plain(1, "kept", TaskSamples.subtasks("x", "y"))
            let cleared = TaskSamples.protected(
                2,
                completion: TaskCompletion(time: TaskSamples.time(5), cleared: TaskSamples.time(6)))
            let note = VaultIntent(.saving, TaskSamples.textID(9))
            try repository.insert([kept, cleared])
            try repository.change { try $0.put(note) }
            let before = try repository.everything()
            #expect(throws: Interruption()) {
                try repository.change { writer in
                    try writer.insert(TaskSamples.plain(3, "new", TaskSamples.subtasks("z")))
                    var changed = kept
                    changed.content = .protected(TaskSamples.textID(1))
                    changed.completion = TaskCompletion(time: TaskSamples.time(50))
                    changed = try writer.replace(changed)
                    #expect(
                        try writer.clear(keptBefore: TaskSamples.time(99), at: TaskSamples.time(99))
                            == 1)
                    try writer.remove(kept.id, expecting: nil)
                    #expect(try writer.purge(clearedBefore: TaskSamples.time(7)) == 1)
                    #expect(try writer.take(note))
                    try writer.countCompletion(of: kept.id, at: TaskSamples.time(70))
                    throw Interruption()
                }
            }
            #expect(try repository.everything() == before)
            #expect(try repository.intents() == [note])
            #expect(
                try repository.completions(from: TaskSamples.time(.min)) == [TaskSamples.time(5)])
        },
        TaskRepositoryContract("sees its own changes in a transaction, and returns a result") {
            subject in
            let task = TaskSamples.plain(1, "new", TaskSamples.subtasks("z"))
            let seen = try subject.repository.change { writer in
                try writer.insert(task)
                let first = try writer.task(task.id)
                let second = try writer.replace(TaskSamples.plain(1, "changed"))
                let third = try writer.task(task.id)
                try writer.remove(task.id, expecting: 2)
                return [first, second, third, try writer.task(task.id)]
            }
            #expect(seen.map { $0?.plainText?.name } == ["new", "changed", "changed", nil])
            #expect(seen.map { $0?.revision } == [1, 2, 2, nil])
            #expect(try subject.repository.everything() == [])
        },
        TaskRepositoryContract("continues a transaction after an error that the caller handled") {
            subject in
            let repository = subject.repository
            try repository.insert([TaskSamples.plain(1, "one"), TaskSamples.plain(2, "two")])
            try repository.change { writer in
                try writer.insert(TaskSamples.plain(3, "three"))
                #expect(throws: TaskListError.alreadyExists(TaskSamples.id(1))) {
                    try writer.insert(TaskSamples.plain(1, "other"))
                }
                #expect(throws: TaskListError.missing(TaskSamples.id(9))) {
                    try writer.replace(TaskSamples.plain(9))
                }
                #expect(throws: TaskListError.conflict(TaskSamples.id(2), found: 1)) {
                    try writer.remove(TaskSamples.id(2), expecting: 7)
                }
                #expect(throws: TaskListError.invalidText(.emptyName(.name))) {
                    try writer.insert(TaskSamples.plain(4, ""))
                }
                try writer.insert(TaskSamples.plain(5, "five"))
            }
            let names = try repository.tasks(TaskSelection(by: .name)).map { $0.plainText?.name }
            #expect(names == ["five", "one", "three", "two"])
        },
        TaskRepositoryContract("lends its writer for one call only") { subject in
            let repository = subject.repository
            let kept = try repository.change { $0 }
            #expect(throws: DatabaseError.closed) { try kept.insert(TaskSamples.plain(1)) }
            #expect(throws: DatabaseError.closed) { _ = try kept.task(TaskSamples.id(1)) }
            #expect(throws: DatabaseError.closed) {
                try kept.put(VaultIntent(.saving, TaskSamples.textID(1)))
            }
            // Nor in another transaction.
            try repository.change { writer in
                #expect(throws: DatabaseError.closed) {
                    try kept.insert(TaskSamples.plain(1))
                }
                try writer.insert(TaskSamples.plain(2))
            }
            #expect(try repository.everything() == [ExactTask(TaskSamples.plain(2))])
        },
        TaskRepositoryContract("shows committed changes to others") { subject in
            let task = TaskSamples.plain(1, "x", TaskSamples.subtasks("y"))
            try subject.repository.insert([task])
            let other = try subject.openAgain()
            #expect(try other.exactTask(task.id) == ExactTask(task))
            try other.change { try $0.replace(TaskSamples.plain(1, "from there")) }
            try other.insert([TaskSamples.plain(2)])
            #expect(try subject.repository.task(task.id)?.plainText?.name == "from there")
            #expect(try subject.repository.count(TaskFilter()) == 2)
            #expect(throws: TaskListError.conflict(task.id, found: 2)) {
                try subject.repository.change { try $0.replace(task) }
            }
            // In memory there is no second connection.
            if other !== subject.repository { other.close() }
        },
        TaskRepositoryContract("loses nothing when threads and connections write at once") {
            subject in
            let shared = TaskSamples.plain(0, due: TaskSamples.time(0))
            try subject.repository.insert([shared])
            let other = try subject.openAgain()
            let rounds = 25
            try await withThrowingTaskGroup(of: Void.self) { group in
                for thread in 1...4 {
                    let repository = thread % 2 == 0 ? subject.repository : other
                    group.addTask { @concurrent in
                        for round in 0..<rounds {
                            try countUp(repository, adding: thread * 1_000 + round)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try subject.repository.task(shared.id)?.due
                    == .moment(TaskSamples.time(Int64(4 * rounds))))
            #expect(try subject.repository.task(shared.id)?.revision == UInt64(4 * rounds + 1))
            #expect(try subject.repository.count(TaskFilter()) == 4 * rounds + 1)
            if other !== subject.repository { other.close() }
        },
        TaskRepositoryContract("erases old bytes, or returns nil") { subject in
            try subject.repository.insert([TaskSamples.plain(1)])
            #expect(try subject.repository.eraseOldBytes() != false)
            #expect(try subject.repository.everything().count == 1)
        },
        TaskRepositoryContract("refuses every call after it was closed") { subject in
            let repository = subject.repository
            try repository.insert([TaskSamples.plain(1)])
            repository.close()
            repository.close()
            let closed = DatabaseError.closed
            #expect(throws: closed) { try repository.task(TaskSamples.id(1)) }
            #expect(throws: closed) { try repository.tasks(TaskSelection()) }
            #expect(throws: closed) { try repository.count(TaskFilter()) }
            #expect(throws: closed) { try repository.completions(from: TaskSamples.time(0)) }
            #expect(throws: closed) { try repository.intents() }
            #expect(throws: closed) { try repository.eraseOldBytes() }
            #expect(throws: closed) { try repository.change { _ in } }
            let prefix = try #require(TaskIDPrefix("0"))
            #expect(throws: closed) { try repository.ids(startingWith: prefix, limit: 1) }
        },
    ]

    /// One transaction that changes the shared task and adds one; repeated after a conflict.
    private static func countUp(_ repository: TaskRepository, adding number: Int) throws {
        while true {
            do {
                return try repository.change { writer in
                    guard var task = try writer.task(TaskSamples.id(0)) else { return }
                    task.due = task.due?.moment.map { .moment($0.advanced(by: .milliseconds(1))) }
                    try writer.replace(task)
                    try writer.insert(TaskSamples.plain(number))
                }
            } catch TaskListError.conflict {
                continue
            }
        }
    }
}
