internal import Tasks
internal import Testing

extension TaskRepositoryContract {
    static let listRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("lists by name without regard to case and composition") { subject in
            let names = ["b", "\u{E9}b", "A", "a", "E\u{301}a", "B", "Z", "aa"]
            try subject.repository.insert(
                names.enumerated().map { TaskSamples.plain($0, $1) } + [TaskSamples.protected(99)])
            func listed(_ order: TaskOrder) throws -> [String?] {
                try subject.repository.tasks(TaskSelection(by: order)).map { $0.plainText?.name }
            }
            #expect(
                try listed(.name)
                    == ["A", "a", "aa", "b", "B", "Z", "E\u{301}a", "\u{E9}b", nil])
            #expect(
                try listed(.nameReversed)
                    == ["\u{E9}b", "E\u{301}a", "Z", "b", "B", "aa", "A", "a", nil])
        },
        TaskRepositoryContract("lists by time, those without one at the end") { subject in
            try subject.repository.insert([
                TaskSamples.plain(1, created: 30), TaskSamples.protected(2, created: 40),
                TaskSamples.plain(3, due: TaskSamples.years.upperBound, created: 30),
                TaskSamples.protected(4, due: TaskSamples.years.lowerBound, created: .min),
                TaskSamples.plain(5, due: TaskSamples.time(0), created: .max),
            ])
            func listed(_ order: TaskOrder) throws -> [String] {
                try subject.repository.tasks(TaskSelection(by: order)).map {
                    String($0.id.text.suffix(1))
                }
            }
            #expect(try listed(.due) == ["4", "5", "3", "1", "2"])
            #expect(try listed(.created) == ["5", "2", "1", "3", "4"])
        },
        TaskRepositoryContract("lists every filter in every order as a model does") {
            subject in
            var generator = SeededGenerator()
            let tasks = TaskModel.tasks(300, &generator)
            try subject.repository.insert(tasks)
            // A part of the tasks has the order of all.
            let orders = TaskOrder.allCases.map { order in
                (order, TaskModel.sorted(tasks, order).map { ($0.id, ExactTask($0)) })
            }
            for filter in TaskModel.filters(&generator) {
                let accepted = Set(tasks.filter { TaskModel.accepts($0, filter) }.map(\.id))
                #expect(
                    try subject.repository.count(filter) == accepted.count,
                    "\(filter), seed \(generator.seed)")
                for (order, all) in orders {
                    let sorted = all.filter { accepted.contains($0.0) }.map { $0.1 }
                    for limit in [nil, 0, 1, 7, 100_000] as [Int?] {
                        let query = TaskSelection(filter, by: order, limit: limit)
                        let listed = try subject.repository.tasks(query).map(ExactTask.init)
                        #expect(
                            listed == Array(sorted.prefix(limit ?? .max)),
                            "\(query), seed \(generator.seed)")
                    }
                }
            }
        },
    ]
}
