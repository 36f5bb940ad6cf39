internal import SecureStorage
internal import Tasks
internal import Testing

private let start = PointInTime(seconds: 1_800_000_000)
private let minute: Int64 = 60
private let day: Int64 = 86_400

/// A list of one command, at a time in seconds after the first.
private func list(
    _ subject: TaskRepositoryUnderTest, after seconds: Int64 = 0, on machine: String = "machine"
) -> TaskList {
    TaskList(subject.repository, on: machine) { start.advanced(by: .seconds(seconds)) }
}

extension TaskRepositoryContract {
    static let undoEdgeRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("leaves the vault alone if a removal cannot be undone") { subject in
            let vault = MemorySecureStore { 0 }
            let hidden = try list(subject).addProtected(TaskText(name: "secret"), in: vault)
            let plain = try list(subject).add(TaskText(name: "plain"))
            let removal = list(subject)
            try removal.remove(hidden, from: vault)
            try removal.remove(plain, from: nil)
            try list(subject, on: "other").insert([plain])
            #expect(throws: TaskListError.changedSince(plain.id)) {
                try list(subject).undo(in: vault)
            }
            #expect(try vault.list().isEmpty)
            #expect(try subject.repository.intents().isEmpty)
        },
        TaskRepositoryContract("finishes an undo that a crash interrupted, with all of the task") {
            subject in
            let vault = MemorySecureStore { 0 }
            var task = try list(subject).addProtected(TaskText(name: "secret"), in: vault)
            task.list = "home"
            task.setDue(.moment(start), in: RuleCalendar.utc)
            task = try list(subject).replace(task)
            try list(subject).remove(task, from: vault)
            // As far as the undo came.
            let textID = try #require(task.textID)
            try subject.repository.change { try $0.put(VaultIntent(.saving, textID, at: start)) }
            try vault.restore(removed: try vault.removed()[0].id, as: nil)
            let recovered = try list(subject, after: 2 * minute).finishInterrupted(in: vault)
            #expect(recovered == [task.id])
            let found = try #require(try subject.repository.task(task.id))
            #expect(found.list == "home" && found.due == .moment(start) && found.textID == textID)
        },
        TaskRepositoryContract("undoes a command although its tasks were cleared by themselves") {
            subject in
            let task = try list(subject).add(TaskText(name: "milk"))
            try list(subject).finish([task], in: SystemCalendar())
            #expect(try list(subject, after: 2 * minute).clearOld(after: .seconds(60)) == 1)
            #expect(try list(subject, after: 3 * minute).undo(in: nil).restored[0].isDone == false)
            #expect(try list(subject, after: 3 * minute).undo(in: nil).removed == [task.id])
        },
        TaskRepositoryContract("keeps a done task for a while that came back") { subject in
            let task = try list(subject).add(TaskText(name: "milk"))
            try list(subject).finish([task], in: SystemCalendar())
            #expect(try list(subject, after: day - 1).clear() == 1)
            _ = try list(subject, after: day + 60).undo(in: nil)
            #expect(try list(subject, after: day + 61).clearOld(after: .seconds(day)) == 0)
            #expect(try subject.repository.count(TaskFilter(.done)) == 1)
        },
        TaskRepositoryContract("forgets the text of a plain task that comes back as protected") {
            subject in
            let vault = MemorySecureStore { 0 }
            let plain = try list(subject).add(TaskText(name: "before"))
            try list(subject).remove(plain, from: nil)
            var hidden = plain
            hidden.content = .protected(ProtectedTextID(of: plain.id))
            try list(subject).insert(hidden, text: TaskText(name: "secret"), in: vault)
            #expect(try subject.repository.intents().map(\.kind) == [.erasing])
            #expect(try list(subject).undo(in: nil).removed == [plain.id])
            #expect(throws: TaskListError.self) { try list(subject).undo(in: nil) }
            #expect(try subject.repository.task(plain.id) == nil)
        },
        TaskRepositoryContract("keeps what can be undone for a day, of other machines for a week") {
            subject in
            let undo = { (seconds: Int64, machine: String) -> Int? in
                try? list(subject, after: seconds, on: machine).undo(in: nil).removed.count
            }
            for machine in ["own", "other"] {
                try list(subject, on: machine).add(TaskText(name: machine))
            }
            // A clock that was ahead for one command.
            try list(subject, after: 365 * day, on: "ahead").add(TaskText(name: "ahead"))
            for days: Int64 in [1, 2] {
                _ = try list(subject, after: days * day + 1, on: "own").clearOld(after: nil)
            }
            #expect(undo(1, "own") == nil)
            #expect(undo(1, "other") == 1)
            #expect(undo(1, "ahead") == 1)
            try list(subject, on: "other").add(TaskText(name: "other"))
            try list(subject, after: 365 * day, on: "ahead").add(TaskText(name: "ahead"))
            let looks: [(Int64, String)] = [(7, "own"), (8, "own"), (8, "ahead"), (9, "ahead")]
            for (days, machine) in looks {
                _ = try list(subject, after: days * day + 1, on: machine).clearOld(after: nil)
            }
            #expect(undo(1, "other") == nil)
            #expect(undo(1, "ahead") == nil)
        },
        TaskRepositoryContract("undoes marks and times of a protected task's subtasks") { subject in
            let vault = MemorySecureStore { 0 }
            let text = TaskText(name: "secret", subtasks: [TodoSubtask(id: TaskID(), name: "step")])
            var task = try list(subject).addProtected(text, in: vault)
            var stored = try list(subject).text(of: task, from: vault)
            stored.text.subtasks[0].isDone = true
            stored.text.subtasks[0].snooze = start
            stored.text.subtasks[0].reminder = .moment(start)
            task = try list(subject).edit(
                task, list(subject).text(of: task, from: vault), to: stored.text, in: vault)
            #expect(try list(subject).text(of: task, from: vault).text == stored.text)
            let undone = try list(subject).undo(in: nil).restored
            #expect(try list(subject).text(of: undone[0], from: vault).text == text)
        },
        TaskRepositoryContract("changes no protected text if the rest cannot be stored") {
            subject in
            let vault = MemorySecureStore { 0 }
            let task = try list(subject).addProtected(TaskText(name: "secret"), in: vault)
            let stored = try list(subject).text(of: task, from: vault)
            var wrong = task
            wrong.tags = ["a b"]
            #expect(throws: TaskListError.invalidText(.blankInTag)) {
                try list(subject).edit(wrong, stored, to: TaskText(name: "new"), in: vault)
            }
            #expect(throws: TaskListError.invalidText(.blankInTag)) {
                try list(subject).insert(wrong, text: TaskText(name: "new"), in: vault)
            }
            #expect(try list(subject).text(of: task, from: vault) == stored)
            #expect(try vault.removed().isEmpty)
        },
        TaskRepositoryContract("marks the subtasks of a task that has the state already") {
            subject in
            let text = TaskText(name: "paint", subtasks: TaskSamples.subtasks("a", "b"))
            var task = try list(subject).add(text)
            func mark(_ change: (TaskList) throws -> TodoTask) throws -> [Bool] {
                task = try change(list(subject))
                return task.plainText?.subtasks.map(\.isDone) ?? []
            }
            let calendar = SystemCalendar()
            #expect(try mark { try $0.finish([task], in: calendar)[0].task } == [false, true])
            #expect(
                try mark { try $0.finish([task], withSubtasks: true, in: calendar)[0].task }
                    == [true, true])
            #expect(task.isDone)
            #expect(try mark { try $0.reopen([task])[0] } == [true, true])
            #expect(try mark { try $0.reopen([task], withSubtasks: true)[0] } == [false, false])
        },
        TaskRepositoryContract("undoes more tasks of one command than fit one answer") { subject in
            let tasks = try list(subject).insert(
                (0..<200).map { TaskSamples.plain($0, notes: String(repeating: "n", count: 5_000)) }
            )
            #expect(tasks == 200)
            let open = try subject.repository.tasks(TaskSelection())
            try list(subject).finish(open, in: SystemCalendar())
            #expect(try list(subject).undo(in: nil).restored.count == 200)
            #expect(try subject.repository.count(TaskFilter(.open)) == 200)
        },
        TaskRepositoryContract("finds a task by name, nickname and id, and never by chance") {
            subject in
            var hidden = TaskSamples.protected(1)
            hidden.nickname = "dentist"
            let done = TaskSamples.plain(
                2, "buy milk", completion: TaskCompletion(time: start))
            var tasks = [
                hidden, done, TaskSamples.plain(3, "buy milk"), TaskSamples.plain(4, "zz"),
            ]
            // Its id begins with the name of another task.
            tasks.append(TaskSamples.plain(0, "victim").renamed(try #require(TaskID("zz0000"))))
            try subject.repository.insert(tasks)
            let find = { (typed: String, isDone: Bool?) throws -> TaskID in
                try list(subject).find(typed, preferringDone: isDone).id
            }
            #expect(try find("DENT", nil) == hidden.id)
            #expect(try find("milk", false) == tasks[2].id)
            #expect(try find("milk", true) == done.id)
            #expect(throws: TaskListError.ambiguousName([done.id, tasks[2].id])) {
                try find("milk", nil)
            }
            #expect(throws: TaskListError.ambiguousName([tasks[4].id, tasks[3].id])) {
                try find("zz", nil)
            }
            #expect(try find("zz0", nil) == tasks[4].id)
            #expect(try find("zz0000", nil) == tasks[4].id)
            let found = try list(subject).find(TaskSelection(), containing: "dentist")
            #expect(found.tasks.map(\.task.id) == [hidden.id] && found.unsearched == 0)
        },
        TaskRepositoryContract("counts lists and tags whose names filters call equal together") {
            subject in
            let tasks = [("Home", ["X"]), ("home", ["x", "y"])].enumerated().map { number, labels in
                var task = TaskSamples.plain(number)
                (task.list, task.tags) = labels
                return task
            }
            try subject.repository.insert(tasks)
            let labels = try list(subject).labels()
            #expect(labels.lists.map(\.name) == ["Home"] && labels.lists.map(\.count) == [2])
            #expect(labels.tags.map(\.name) == ["X", "y"] && labels.tags.map(\.count) == [2, 1])
        },
        TaskRepositoryContract("moves what belongs to a repeated task by days, reminders by time") {
            subject in
            let calendar = RuleCalendar.centralEurope
            let time = { (month: Int, day: Int, hour: Int, minute: Int) throws -> PointInTime in
                let date = try #require(CalendarDate(year: 2027, month: month, day: day))
                let local = LocalTime(date, hour: hour, minute: minute)
                return try #require(calendar.pointsInTime(of: local).first)
            }
            // Clocks are set forward on the 28th of March.
            var step = TodoSubtask(id: TaskID(), name: "can", due: .moment(try time(3, 22, 20, 0)))
            step.reminder = .moment(try time(3, 22, 19, 30))
            step.snooze = try time(3, 22, 19, 40)
            var task = TaskSamples.plain(1, "water", [step], due: try time(3, 22, 9, 0))
            task.repetition = try RepeatRule(typed: "weekly")
            task.wait = .moment(try time(3, 20, 0, 0))
            task.reminder = .moment(try time(3, 22, 8, 50))
            try subject.repository.insert([task])
            let now = task.created
            let list = TaskList(subject.repository) { now }
            let next = try #require(try list.finish([task], in: calendar).first?.task)
            #expect(try next.due == .moment(time(3, 29, 9, 0)))
            #expect(try next.reminder == .moment(time(3, 29, 8, 50)))
            #expect(try next.wait == .moment(time(3, 27, 0, 0)))
            let moved = try #require(next.plainText?.subtasks.first)
            #expect(try moved.due == .moment(time(3, 29, 20, 0)))
            #expect(try moved.reminder == .moment(time(3, 29, 19, 30)))
            #expect(moved.snooze == nil)
        },
        TaskRepositoryContract("stores no time outside of the years 1 to 9999") { subject in
            for time in [
                PointInTime(seconds: -62_200_000_000), PointInTime(seconds: 253_500_000_000),
            ] {
                var tasks = (0..<4).map { TaskSamples.plain($0, due: start) }
                tasks[0].due = .moment(time)
                tasks[1].wait = .moment(time)
                tasks[2].reminder = .moment(time)
                tasks[3].content = .plain(
                    TaskText(
                        name: "a",
                        subtasks: [TodoSubtask(id: TaskID(), name: "b", due: .moment(time))]))
                for task in tasks {
                    #expect(throws: TaskListError.invalidText(.timeOutOfRange)) {
                        try list(subject).add(task)
                    }
                }
            }
            // What would leave them when a task repeats is left out.
            let last = PointInTime(seconds: 253_402_300_000)
            var task = TaskSamples.plain(1, due: start)
            task.repetition = try RepeatRule(typed: "every 3 days")
            (task.wait, task.reminder) = (.moment(last), .moment(last))
            let next = try list(subject).finish([list(subject).add(task)], in: RuleCalendar.utc)
            #expect(next[0].task.wait == nil && next[0].task.reminder == nil)
        },
        TaskRepositoryContract("lists a done task although its start is to come") { subject in
            var task = TaskSamples.plain(1, completion: TaskCompletion(time: start))
            task.wait = .moment(start.advanced(by: .seconds(day)))
            try subject.repository.insert([task])
            let now = CalendarMoment(start, in: RuleCalendar.utc)
            for (start, count) in [(TaskFilter.Start.by(now), 1), (.after(now), 0)] {
                let filter = TaskFilter(start: start)
                #expect(try subject.repository.tasks(TaskSelection(filter)).count == count)
                #expect(filter.accepts(task) == (count == 1))
            }
        },
    ]
}
