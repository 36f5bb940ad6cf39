internal import Tasks
internal import Testing

extension TaskRepositoryContract {
    private static func completion(
        _ time: Int64, keptFrom: Int64? = nil, cleared: Int64? = nil
    ) -> TaskCompletion {
        TaskCompletion(
            time: TaskSamples.time(time), keptFrom: keptFrom.map(TaskSamples.time),
            cleared: cleared.map(TaskSamples.time))
    }

    private static func completions(
        _ repository: TaskRepository, from start: Int64 = .min
    ) throws -> [Int64] {
        try repository.completions(from: TaskSamples.time(start)).map(\.milliseconds)
    }

    /// The completion of a task so far.
    private static func completion(
        of number: Int, _ repository: TaskRepository
    ) throws -> TaskCompletion? {
        try repository.task(TaskSamples.id(number))?.completion
    }

    static let completionRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("counts completions, in order and from a time on") { subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(1, completion: completion(30)),
                TaskSamples.protected(2, completion: completion(10)),
                TaskSamples.plain(3, completion: completion(10)), TaskSamples.plain(4),
            ])
            #expect(try completions(repository) == [10, 10, 30])
            #expect(try completions(repository, from: 10) == [10, 10, 30])
            #expect(try completions(repository, from: 11) == [30])
            #expect(try completions(repository, from: 31) == [])
        },
        TaskRepositoryContract("counts a new completion, and no longer one that is taken back") {
            subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(1), TaskSamples.plain(2, completion: completion(10)),
            ])
            var task = TaskSamples.plain(1, completion: completion(10))
            task = try repository.change { try $0.replace(task) }
            #expect(try completions(repository) == [10, 10])
            // Kept longer and renamed: still one completion.
            task.completion = completion(10, keptFrom: 50, cleared: 60)
            task.content = .plain(TaskText(name: "renamed"))
            task = try repository.change { try $0.replace(task) }
            #expect(try completions(repository) == [10, 10])
            task.completion = completion(20)
            task = try repository.change { try $0.replace(task) }
            #expect(try completions(repository) == [10, 20])
            task.completion = nil
            try repository.change { try $0.replace(task) }
            #expect(try completions(repository) == [10])
        },
        TaskRepositoryContract("still counts the completion of a removed task") { subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(1, completion: completion(10)),
                TaskSamples.plain(2, completion: completion(20, cleared: 30)),
            ])
            try repository.change { writer in
                try writer.remove(TaskSamples.id(1), expecting: nil)
                #expect(try writer.purge(clearedBefore: TaskSamples.time(31)) == 1)
            }
            #expect(try repository.everything() == [])
            #expect(try completions(repository) == [10, 20])
            // The id can be reused; its earlier completion stays counted.
            try repository.insert([TaskSamples.plain(1, completion: completion(11))])
            var task = TaskSamples.plain(1)
            task = try repository.change { try $0.replace(task) }
            #expect(try completions(repository) == [10, 20])
        },
        TaskRepositoryContract("counts completions of other tasks, each once") {
            subject in
            let repository = subject.repository
            try repository.insert([TaskSamples.plain(1, completion: completion(10))])
            try repository.change { writer in
                // The completion of task 1 is counted already.
                for (number, time) in [(1, 10), (2, 10), (2, 40), (2, 40), (3, Int64.max)] {
                    try writer.countCompletion(
                        of: TaskSamples.id(number), at: TaskSamples.time(time))
                }
            }
            #expect(try completions(repository) == [10, 10, 40, .max])
        },
    ]

    static let clearingRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("clears tasks that were kept long enough, as a change of the task") {
            subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(1, completion: completion(5)),
                TaskSamples.protected(2, completion: completion(5, keptFrom: 9)),
                TaskSamples.plain(3, completion: completion(5, keptFrom: 10)),
                TaskSamples.plain(4, due: TaskSamples.time(1)),
                TaskSamples.plain(5, completion: completion(1, cleared: 2)),
            ])
            let count = try repository.change {
                try $0.clear(keptBefore: TaskSamples.time(10), at: TaskSamples.time(100))
            }
            #expect(count == 2)
            #expect(try completion(of: 1, repository) == completion(5, cleared: 100))
            #expect(try completion(of: 2, repository) == completion(5, keptFrom: 9, cleared: 100))
            #expect(try completion(of: 3, repository) == completion(5, keptFrom: 10))
            #expect(try completion(of: 5, repository) == completion(1, cleared: 2))
            #expect(
                try (1...5).map { try repository.task(TaskSamples.id($0))?.revision }
                    == [2, 2, 1, 1, 1])
            let shown = try repository.tasks(TaskSelection(by: .created)).map(\.id)
            #expect(shown == [TaskSamples.id(3), TaskSamples.id(4)])
            #expect(try repository.count(TaskFilter(.cleared)) == 3)
            #expect(try completions(repository) == [1, 5, 5, 5])
            let again = try repository.change {
                try $0.clear(keptBefore: TaskSamples.time(10), at: TaskSamples.time(200))
            }
            #expect(again == 0)
            #expect(throws: TaskListError.conflict(TaskSamples.id(1), found: 2)) {
                try repository.change { try $0.replace(TaskSamples.plain(1)) }
            }
        },
        TaskRepositoryContract("shows tasks again that were cleared from a time on, and keeps them")
        {
            subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(1, completion: completion(5, cleared: 20)),
                TaskSamples.protected(2, completion: completion(6, cleared: 21)),
                TaskSamples.plain(3, completion: completion(7, cleared: 19)),
                TaskSamples.plain(4, completion: completion(8)), TaskSamples.plain(5),
            ])
            let count = try repository.change {
                try $0.restore(clearedFrom: TaskSamples.time(20), at: TaskSamples.time(100))
            }
            #expect(count == 2)
            #expect(try completion(of: 1, repository) == completion(5, keptFrom: 100))
            #expect(try completion(of: 2, repository) == completion(6, keptFrom: 100))
            #expect(try completion(of: 3, repository) == completion(7, cleared: 19))
            #expect(try completion(of: 4, repository) == completion(8))
            #expect(
                try (1...5).map { try repository.task(TaskSamples.id($0))?.revision }
                    == [2, 2, 1, 1, 1])
            #expect(try completions(repository) == [5, 6, 7, 8])
        },
        TaskRepositoryContract(
            "purges tasks that were cleared before a time, with intents for protected text"
        ) {
            subject in
            let repository = subject.repository
            try repository.insert([
                TaskSamples.plain(
                    1, "x", TaskSamples.subtasks("s"), completion: completion(5, cleared: 10)),
                TaskSamples.protected(2, completion: completion(6, cleared: 10)),
                TaskSamples.protected(3, completion: completion(7, cleared: 11)),
                TaskSamples.protected(4, completion: completion(8)), TaskSamples.protected(5),
            ])
            // Replaces the record of the earlier text.
            try repository.change { try $0.put(VaultIntent(.saving, TaskSamples.textID(2))) }
            let count = try repository.change { try $0.purge(clearedBefore: TaskSamples.time(11)) }
            #expect(count == 2)
            #expect(
                try (1...5).map { try repository.task(TaskSamples.id($0)) != nil }
                    == [false, false, true, true, true])
            #expect(try repository.intents() == [VaultIntent(.discarding, TaskSamples.textID(2))])
            #expect(try completions(repository) == [5, 6, 7, 8])
            let again = try repository.change { try $0.purge(clearedBefore: TaskSamples.time(11)) }
            #expect(again == 0)
        },
    ]
}
