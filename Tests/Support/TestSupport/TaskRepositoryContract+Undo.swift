internal import SecureStorage
internal import Tasks
internal import Testing

private let machine = "machine"
private let start = PointInTime(seconds: 1_800_000_000)

/// A list of one command: the next one has another object.
private func list(
    _ subject: TaskRepositoryUnderTest, on name: String = machine, after hours: Int64 = 0,
    minutes: Int = 0
) -> TaskList {
    TaskList(subject.repository, on: name) {
        start.advanced(by: .seconds(3_600 * hours + 60 * Int64(minutes)))
    }
}

extension TaskRepository {
    /// Everything but the revisions, which undoing counts on.
    fileprivate func content() throws -> [ExactTask] {
        let shown = try tasks(TaskSelection(TaskFilter(.openOrDone)))
        let cleared = try tasks(TaskSelection(TaskFilter(.cleared)))
        return (shown + cleared).sorted { $0.id < $1.id }.map { task in
            var task = task
            task.revision = 1
            // What comes back stays for a while.
            if let time = task.completion?.time { task.completion?.keptFrom = time }
            return ExactTask(task)
        }
    }
}

extension TaskRepositoryContract {
    static let undoRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("undoes random commands one after the other, the last one first") {
            subject in
            var random = SeededGenerator()
            let repository = subject.repository
            var states = [try repository.content()]
            var counts = [try repository.completions(from: PointInTime(milliseconds: .min))]
            for step in 0..<60 {
                try change(list(subject, minutes: step), &random, step)
                states.append(try repository.content())
                counts.append(try repository.completions(from: PointInTime(milliseconds: .min)))
            }
            var isAtEnd = false
            for (state, count) in zip(states, counts).reversed() {
                if try repository.content() == state { continue }
                _ = try list(subject, minutes: 60).undo(in: nil)
                #expect(try repository.content() == state, "seed \(random.seed)")
                let completions = try repository.completions(from: PointInTime(milliseconds: .min))
                #expect(completions == count, "seed \(random.seed)")
                isAtEnd = state.isEmpty
            }
            #expect(isAtEnd)
            #expect(throws: TaskListError.nothingToUndo) { try list(subject).undo(in: nil) }
        },
        TaskRepositoryContract("undoes only what this machine did within 24 hours") { subject in
            let task = try list(subject, on: "other").add(TaskText(name: "theirs"))
            #expect(throws: TaskListError.nothingToUndo) { try list(subject).undo(in: nil) }
            try list(subject).add(TaskText(name: "ours"))
            #expect(throws: TaskListError.nothingToUndo) {
                try list(subject, after: 25).undo(in: nil)
            }
            #expect(try list(subject, after: 23).undo(in: nil).removed.count == 1)
            #expect(try subject.repository.task(task.id) != nil)
        },
        TaskRepositoryContract("undoes all of a command or nothing") { subject in
            let tasks = try [1, 2].map { number in
                try list(subject).add(
                    TodoTask(content: .plain(TaskText(name: "\(number)")), created: start))
            }
            try list(subject).finish(tasks, in: SystemCalendar())
            var changed = try #require(try subject.repository.task(tasks[1].id))
            changed.priority = .high
            changed = try list(subject, on: "other").replace(changed)
            let before = try subject.repository.everything()
            #expect(throws: TaskListError.changedSince(changed.id)) {
                try list(subject).undo(in: nil)
            }
            #expect(try subject.repository.everything() == before)
        },
        TaskRepositoryContract("keeps no text of a protected task for undoing") { subject in
            let vault = MemorySecureStore { 0 }
            let task = try list(subject).add(TaskText(name: "before"))
            var renamed = task
            renamed.content = .plain(
                TaskText(name: "after", subtasks: TaskSamples.subtasks("a step")))
            renamed = try list(subject).replace(renamed)
            let hidden = try list(subject).protect(renamed, in: vault).task
            try list(subject).finish([hidden], in: SystemCalendar())
            // What happened to the rest can be undone.
            #expect(try list(subject).undo(in: nil).restored.map(\.isDone) == [false])
            #expect(throws: SecureStoreError.locked) { try list(subject).undo(in: nil) }
            let stored = try list(subject).text(of: hidden, from: vault)
            let now = try #require(try subject.repository.task(task.id))
            try list(subject).edit(now, stored, to: TaskText(name: "third"), in: vault)
            #expect(throws: TaskListError.textNotUndoable(task.id, .edited)) {
                try list(subject).undo(in: nil)
            }
        },
        TaskRepositoryContract("moves text back that a command protected, of all its tasks or none")
        {
            subject in
            let vault = MemorySecureStore { 0 }
            let texts = ["first", "second", "third"].map {
                TaskText(name: $0, notes: "notes", subtasks: TaskSamples.subtasks("a step"))
            }
            var tasks = try texts.map { try list(subject).add($0) }
            tasks[0].priority = .high
            tasks[0] = try list(subject).replace(tasks[0])
            try list(subject).protect(tasks, in: vault)
            #expect(try list(subject).undoNeedsVault())
            #expect(Set(try list(subject).undoUnprotects()) == Set(tasks.map(\.id)))
            #expect(throws: SecureStoreError.locked) { try list(subject).undo(in: nil) }
            let undone = try list(subject).undo(in: vault)
            #expect(Set(undone.restored.compactMap(\.plainText)) == Set(texts))
            #expect(try vault.list().isEmpty)
            #expect(try subject.repository.intents().isEmpty)
            // Of the command before, the database has no text any more.
            #expect(throws: TaskListError.textNotUndoable(tasks[0].id, .erased)) {
                try list(subject).undo(in: vault)
            }
        },
        TaskRepositoryContract("brings back a removed protected task with its text") { subject in
            let vault = MemorySecureStore { 0 }
            let task = try list(subject).addProtected(TaskText(name: "secret"), in: vault)
            try list(subject).remove(task, from: vault)
            #expect(try vault.list().isEmpty)
            #expect(try list(subject).undoNeedsVault())
            #expect(throws: SecureStoreError.locked) { try list(subject).undo(in: nil) }
            let back = try list(subject).undo(in: vault).restored
            #expect(back.map(\.id) == [task.id])
            #expect(try list(subject).text(of: back[0], from: vault).text.name == "secret")
            #expect(try subject.repository.intents().isEmpty)
            // The command before added it.
            #expect(try list(subject).undo(in: nil).removed == [task.id])
            _ = try list(subject, after: 1).finishInterrupted(in: vault)
            #expect(try vault.list().isEmpty)
        },
        TaskRepositoryContract("undoes under a clock that is wrong, and after it is right again") {
            subject in
            for wrong: Int64 in [365 * 24, -365 * 24] {
                let first = try list(subject).add(TaskText(name: "first"))
                let far = try list(subject, after: wrong).add(TaskText(name: "far"))
                #expect(try list(subject, after: wrong).undo(in: nil).removed == [far.id])
                let again = try list(subject, after: wrong).add(TaskText(name: "again"))
                var changed = first
                changed.priority = .high
                changed = try list(subject).replace(changed)
                let newest = try list(subject).add(TaskText(name: "newest"))
                #expect(try list(subject).undo(in: nil).removed == [newest.id])
                #expect(try list(subject).undo(in: nil).restored.map(\.priority) == [.none])
                // The right time forgets what is a year away, on the second day.
                for hours: Int64 in [0, 25] {
                    _ = try list(subject, after: hours).clearOld(after: nil)
                }
                for hours in [0, wrong, 0] {
                    while (try? list(subject, after: hours).undo(in: nil)) != nil {}
                    #expect(throws: TaskListError.nothingToUndo) {
                        try list(subject, after: hours).undo(in: nil)
                    }
                }
                #expect(try subject.repository.task(again.id) != nil)
            }
        },
        TaskRepositoryContract("undoes although one command's clock was far ahead") { subject in
            let task = try list(subject).add(TaskText(name: "kept"))
            try list(subject).remove(task, from: nil)
            _ = try list(subject, after: 400 * 24).clearOld(after: nil)
            let far = try list(subject, after: 400 * 24).add(TaskText(name: "far"))
            _ = try list(subject).clearOld(after: nil)
            #expect(try list(subject).undo(in: nil).removed == [far.id])
            #expect(try list(subject).undo(in: nil).returned == [task.id])
        },
    ]

    /// Changes tasks at random as one command.
    private static func change(
        _ list: TaskList, _ random: inout SeededGenerator, _ step: Int
    ) throws {
        let all = try list.tasks(TaskSelection(TaskFilter(.openOrDone), by: .created))
        guard let task = all.randomElement(using: &random),
            Int.random(in: 0..<3, using: &random) > 0
        else {
            var task = TaskSamples.plain(
                step, "task \(step)", TaskSamples.subtasks("a", "b", "c"), due: start)
            task.fillPublicPart()
            if Bool.random(using: &random) { task.repetition = nil }
            try list.insert([task])
            return
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: try list.remove(task, from: nil)
        case 1: _ = try list.clear()
        case 2: _ = try list.undoClearing()
        case 3: try list.finish(all, withSubtasks: true, in: SystemCalendar())
        case 4: try list.reopen([task], withSubtasks: true)
        default:
            var changed = task
            changed.list = nil
            changed.tags = ["x\(step)"]
            changed.content = .plain(TaskText(name: "changed \(step)"))
            changed = try list.replace(changed)
            changed.setDue(nil, in: RuleCalendar.utc)
            try list.replace(changed)
        }
    }

    static let reminderRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("finds the reminders of open tasks and subtasks by their times") {
            subject in
            func time(_ seconds: Int64) -> PointInTime { start.advanced(by: .seconds(seconds)) }
            var tasks = (0..<4).map { number in
                var task = TaskSamples.plain(
                    number, "task \(number)",
                    [
                        TodoSubtask(
                            id: TaskSamples.id(100), name: "step", isDone: number == 3,
                            reminder: .moment(time(Int64(10 * number + 5))))
                    ])
                task.reminder = .moment(time(Int64(10 * number)))
                return task
            }
            tasks[1].snooze = time(100)
            tasks[2].completion = TaskCompletion(time: start)
            tasks.append(TaskSamples.protected(4))
            tasks[4].reminder = .moment(time(40))
            tasks[4].nickname = "the one"
            try subject.repository.insert(tasks)
            let list = list(subject)
            let found = try list.reminders(after: start, through: time(100))
            #expect(
                found.map(\.name) == ["step", "step", "task 3", "the one", "task 1"])
            #expect(found.map(\.time) == [5, 15, 30, 40, 100].map(time))
            #expect(found.map(\.isProtected) == [false, false, false, true, false])
            #expect(found[0].taskName == "task 0" && found[0].subtask == TaskSamples.id(100))
            let early = try list.reminders(after: start, through: time(99)) { $0.subtask == nil }
            #expect(early.map(\.time) == [30, 40].map(time))
            #expect(try list.nextReminder(after: time(15)) == time(30))
            #expect(try list.nextReminder(after: time(100)) == nil)
            // Later, and done: once.
            #expect(try list.reminders(at: found.map(\.place)) == found)
            let places = found.map(\.place)
            #expect(try list.snooze(places[2], until: time(200)))
            #expect(try !list.snooze(places[2], until: time(300)))
            #expect(try list.snooze(places[1], until: time(201)))
            #expect(try list.finish(places[3]))
            #expect(try !list.finish(places[3]))
            #expect(try list.finish(places[0]))
            #expect(try !list.finish(places[0]))
            let rest = try list.reminders(after: start, through: time(300))
            #expect(rest.map(\.time) == [100, 200, 201].map(time))
            #expect(try list.reminders(at: places).map(\.place) == [places[4]])
        },
        TaskRepositoryContract("finds 10,000 reminders of one minute, each once") { subject in
            let minute = start.advanced(by: .seconds(60))
            // Two of three are at the same time, as those of several subtasks.
            try subject.repository.insert(
                (0..<2_500).map { number in
                    let step = TaskSamples.id(100_000)
                    let other = TaskSamples.id(100_001)
                    let time = start.advanced(by: .milliseconds(Int64(number / 1_250) + 1))
                    var task = TaskSamples.plain(
                        number, "task \(number)",
                        [
                            TodoSubtask(id: step, name: "step", reminder: .moment(time)),
                            TodoSubtask(id: other, name: "step", reminder: .moment(time)),
                            TodoSubtask(
                                id: TaskSamples.id(100_002), name: "step", reminder: .moment(minute)
                            ),
                        ])
                    task.reminder = .moment(time)
                    return task
                })
            let list = list(subject)
            let found = try list.reminders(after: start, through: minute).map(\.place)
            #expect(found.count == 10_000)
            #expect(found == Set(found).sorted())
            #expect(try list.nextReminder(after: start) == start.advanced(by: .milliseconds(1)))
            let last = try list.reminders(after: start, through: minute) { $0 == found.last }
            #expect(last.map(\.place) == found.suffix(1))
        },
    ]

    static let repeatRules: [TaskRepositoryContract] = [
        TaskRepositoryContract("moves a repeated task to its next time, protected ones too") {
            subject in
            let day: Duration = .seconds(86_400)
            for isProtected in [false, true] {
                let number = isProtected ? 2 : 1
                var task =
                    isProtected
                    ? TaskSamples.protected(number, due: start)
                    : TaskSamples.plain(
                        number, "water",
                        [TodoSubtask(id: TaskSamples.id(9), name: "can", isDone: true)],
                        due: start)
                task.repetition = try RepeatRule(typed: "daily")
                task.wait = .moment(start.advanced(by: .zero - day))
                task.reminder = .moment(start.advanced(by: .seconds(-600)))
                task.snooze = start
                try subject.repository.insert([task])
                task = try #require(try subject.repository.task(task.id))
                let late = TaskList(subject.repository) { start.advanced(by: .seconds(3 * 86_400)) }
                let (next, hasSkipped) = try #require(
                    try late.finish([task], in: RuleCalendar.utc).first)
                #expect(!next.isDone && next.id == task.id && next.textID == task.textID)
                #expect(next.due == .moment(start.advanced(by: day * 4)))
                #expect(next.wait == .moment(start.advanced(by: day * 3)))
                #expect(next.reminder == .moment(start.advanced(by: day * 4 - .seconds(600))))
                #expect(next.snooze == nil && hasSkipped)
                #expect(next.plainText?.subtasks.allSatisfy { !$0.isDone } ?? true)
                #expect(try subject.repository.exactTask(task.id) == ExactTask(next))
            }
            #expect(try subject.repository.completions(from: start).count == 2)
        },
        TaskRepositoryContract("ends with the last occurrence") { subject in
            var task = TaskSamples.plain(1, "water", due: start)
            task.repetition = try RepeatRule(typed: "FREQ=DAILY;COUNT=2")
            try subject.repository.insert([task])
            for isLast in [false, true] {
                task = try #require(try subject.repository.task(task.id))
                let marked = try list(subject).finish([task], in: RuleCalendar.utc)
                #expect(marked.map(\.task.isDone) == [isLast])
            }
        },
    ]
}
