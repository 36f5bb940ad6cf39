internal import Tasks
internal import Testing

extension TaskRepositoryContract {
    static let taskRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("is empty at first") { subject in
            let repository = subject.repository
            let absent = try repository.task(TaskSamples.id(1))
            #expect(absent == nil)
            #expect(try repository.everything() == [])
            #expect(try repository.count(TaskFilter()) == 0)
            #expect(try repository.completions(from: TaskSamples.time(.min)) == [])
            #expect(try repository.intents() == [])
        },
        TaskRepositoryContract("gives back a task as it was added, its subtasks in order") {
            subject in
            var task = TaskSamples.plain(
                1, "name", notes: "two\nlines\n", TaskSamples.subtasks("b", "a", "c", "a"),
                due: TaskSamples.time(77), created: 5,
                completion: TaskCompletion(
                    time: TaskSamples.time(8), keptFrom: TaskSamples.time(9),
                    cleared: TaskSamples.time(10)))
            task.fillPublicPart()
            let other = TaskSamples.plain(2, "other", TaskSamples.subtasks("z"))
            try subject.repository.insert([task, other])
            #expect(try subject.repository.exactTask(task.id) == ExactTask(task))
            #expect(try subject.repository.exactTask(other.id) == ExactTask(other))
            let inside = try subject.repository.change { try $0.task(task.id) }
            #expect(inside.map(ExactTask.init) == ExactTask(task))
            let absent = try subject.repository.change { try $0.task(TaskSamples.id(3)) }
            #expect(absent == nil)
        },
        TaskRepositoryContract("gives back a protected task without text") { subject in
            let task = TaskSamples.protected(1, due: TaskSamples.time(3))
            try subject.repository.insert([task])
            #expect(try subject.repository.task(task.id) == task)
        },
        TaskRepositoryContract("starts with revision 1 for any revision of the task") { subject in
            var task = TaskSamples.plain(1)
            task.revision = 99
            try subject.repository.insert([task])
            #expect(try subject.repository.task(task.id)?.revision == 1)
        },
        TaskRepositoryContract("replaces all of a task, and counts revisions") { subject in
            let task = TaskSamples.plain(1, "old", TaskSamples.subtasks("x", "y", "z"))
            let neighbour = TaskSamples.plain(2, "stays", TaskSamples.subtasks("x"))
            try subject.repository.insert([task, neighbour])
            var changed = TaskSamples.plain(
                1, "new", notes: "n", TaskSamples.subtasks("q", "x"), due: TaskSamples.time(-1),
                created: 4, completion: TaskCompletion(time: TaskSamples.time(9)))
            changed.fillPublicPart()
            let result = try subject.repository.change { try $0.replace(changed) }
            changed.revision = 2
            #expect(ExactTask(result) == ExactTask(changed))
            #expect(try subject.repository.exactTask(task.id) == ExactTask(changed))
            #expect(try subject.repository.exactTask(neighbour.id) == ExactTask(neighbour))
        },
        TaskRepositoryContract("changes plain text into protected text and back") { subject in
            let task = TaskSamples.plain(1, "open", TaskSamples.subtasks("x"))
            try subject.repository.insert([task])
            var hidden = task
            hidden.content = .protected(TaskSamples.textID(1))
            hidden = try subject.repository.change { try $0.replace(hidden) }
            #expect(try subject.repository.task(task.id) == hidden)
            #expect(hidden.isProtected && hidden.revision == 2)
            var plain = hidden
            plain.content = task.content
            plain = try subject.repository.change { try $0.replace(plain) }
            #expect(try subject.repository.exactTask(task.id) == ExactTask(plain))
            #expect(plain.revision == 3)
        },
        TaskRepositoryContract("refuses a change of another revision") { subject in
            let id = TaskSamples.id(1)
            let first = TaskSamples.plain(1, "first")
            try subject.repository.insert([first])
            try subject.repository.change { try $0.replace(TaskSamples.plain(1, "second")) }
            let conflict = TaskListError.conflict(id, found: 2)
            #expect(throws: conflict) { try subject.repository.change { try $0.replace(first) } }
            #expect(throws: conflict) {
                try subject.repository.change { try $0.remove(id, expecting: 1) }
            }
            #expect(throws: conflict) {
                try subject.repository.change { try $0.remove(id, expecting: .max) }
            }
            #expect(try subject.repository.task(id)?.plainText?.name == "second")
        },
        TaskRepositoryContract("refuses an id that is taken, and keeps the first") { subject in
            let task = TaskSamples.plain(1, "first", TaskSamples.subtasks("x"))
            try subject.repository.insert([task])
            #expect(throws: TaskListError.alreadyExists(task.id)) {
                try subject.repository.insert([TaskSamples.plain(1, "second")])
            }
            #expect(throws: TaskListError.alreadyExists(task.id)) {
                try subject.repository.insert([TaskSamples.protected(1)])
            }
            #expect(try subject.repository.exactTask(task.id) == ExactTask(task))
        },
        TaskRepositoryContract("refuses a change of a missing task") { subject in
            let missing = TaskListError.missing(TaskSamples.id(1))
            try subject.repository.insert([TaskSamples.plain(2)])
            #expect(throws: missing) {
                try subject.repository.change { try $0.replace(TaskSamples.plain(1)) }
            }
            for revision in [nil, 1] as [UInt64?] {
                #expect(throws: missing) {
                    try subject.repository.change {
                        try $0.remove(TaskSamples.id(1), expecting: revision)
                    }
                }
            }
            #expect(try subject.repository.everything().count == 1)
        },
        TaskRepositoryContract("removes a task with its subtasks, and nothing else") { subject in
            let task = TaskSamples.plain(1, "goes", TaskSamples.subtasks("x", "y"))
            let other = TaskSamples.plain(2, "stays", TaskSamples.subtasks("x", "y"))
            try subject.repository.insert([task, other, TaskSamples.protected(3)])
            try subject.repository.change { writer in
                try writer.remove(task.id, expecting: 1)
                try writer.remove(TaskSamples.id(3), expecting: nil)
            }
            #expect(try subject.repository.task(task.id) == nil)
            #expect(try subject.repository.everything() == [ExactTask(other)])
            #expect(try subject.repository.intents() == [])
            // A new task with the id starts afresh.
            try subject.repository.insert([TaskSamples.plain(1, "again")])
            let again = try subject.repository.task(task.id)
            #expect(again?.revision == 1 && again?.plainText?.subtasks == [])
        },
        TaskRepositoryContract("keeps a removed subtask's id free for other tasks") { subject in
            // Ids of subtasks are unique within a task only.
            let steps = TaskSamples.subtasks("one", "two")
            try subject.repository.insert([
                TaskSamples.plain(1, "a", steps), TaskSamples.plain(2, "b", steps.reversed()),
            ])
            #expect(try subject.repository.task(TaskSamples.id(1))?.plainText?.subtasks == steps)
            let reversed = Array(steps.reversed())
            #expect(
                try subject.repository.task(TaskSamples.id(2))?.plainText?.subtasks == reversed)
        },
        TaskRepositoryContract("finds ids by prefix, in order") { subject in
            // 00000z, 000010, 000011, 000100, 000zzz, 00z000
            let numbers = [31, 32, 33, 1 << 10, 0o77777, 31 << 15]
            let cleared = TaskSamples.plain(
                34,
                completion: TaskCompletion(
                    time: TaskSamples.time(1), cleared: TaskSamples.time(2)))
            let done = TaskSamples.plain(
                35, completion: TaskCompletion(time: TaskSamples.time(1)))
            try subject.repository.insert(
                numbers.shuffled().map { TaskSamples.plain($0) } + [cleared, done])
            func found(_ typed: String, limit: Int = 100) throws -> [String] {
                guard let prefix = TaskIDPrefix(typed) else { return ["no prefix"] }
                return try subject.repository.ids(startingWith: prefix, limit: limit).map(\.text)
            }
            #expect(try found("00001") == ["000010", "000011", "000013"])
            #expect(try found("0000") == ["00000z", "000010", "000011", "000013"])
            #expect(try found("O00O1", limit: 2) == ["000010", "000011"])
            #expect(try found("000zzz") == ["000zzz"])
            #expect(try found("00z") == ["00z000"])
            #expect(try found("z") == [])
            #expect(try found("000012") == [], "cleared tasks are not found")
            #expect(try found("0").count == 7)
            #expect(try found("0", limit: 0) == [])
        },
    ]
}
