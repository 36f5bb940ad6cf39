import SecureStorage
import Sync
@testable import SyncMirrors
import SyncStorage
import Tasks
import Testing
import TestSupport

/// The mirror between two lists.
@Suite("Task mirror")
struct TaskMirrorTests {
    private static let day = CalendarDate(year: 2027, month: 1, day: 18)

    @Test("every part of a task travels")
    func everything() throws {
        try withTaskHomes { group, first, second in
            let before = try first.add("before")
            let id = try first.add("task") { task in
                task.due = Self.day.map { .day($0) }
                task.wait = .moment(PointInTime(milliseconds: 1_799_000_000_000))
                task.reminder = .moment(PointInTime(milliseconds: 1_800_100_000_000))
                task.snooze = PointInTime(milliseconds: 1_800_200_000_000)
                task.priority = .high
                task.list = "house"
                task.tags = ["b", "a"]
                task.dependencies = [before]
            }
            try first.editText(id) { text in
                text.notes = "notes\nof two lines"
                text.further = #"{"x":1}"#
                for name in ["one", "two", "three"] { text.addSubtask(name) }
                text.subtasks[1].isDone = true
                text.subtasks[2].setDue(Self.day.map { .day($0) }, in: RuleCalendar.utc)
                text.subtasks[2].reminder = .moment(PointInTime(milliseconds: 1_800_300_000_000))
                text.subtasks[2].snooze = PointInTime(milliseconds: 1_800_400_000_000)
            }
            let done = try first.add("done")
            try first.finish(done)
            try group.syncAll()
            #expect(try second.described() == first.described())
            #expect(try second.tasks().count == 3)
            let task = try second.task(id)
            #expect(task.plainText == (try first.task(id)).plainText)
            #expect(Set(task.tags) == ["a", "b"] && task.dependencies == [before])
            #expect(
                try second.repository.completions(from: PointInTime(milliseconds: 0)).count == 1)
        }
    }

    @Test("nothing changed is nothing to do, and what came is not sent back")
    func quiet() throws {
        try withTaskHomes { group, first, second in
            try first.add("task")
            try group.syncAll()
            #expect(try first.mirror().capture() == 0)
            #expect(try second.mirror().capture() == 0)
            let segments = try second.store.transaction { try $0.outbox().count }
            #expect(segments == 0)
            #expect(try first.mirror().apply() == TaskMirror.Applied())
        }
    }

    @Test("each field changes by itself")
    func fields() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task") { $0.tags = ["a", "b"] }
            try group.syncAll()
            try first.edit(id) { task in
                task.priority = .low
                task.tags = ["b", "c"]
            }
            try second.edit(id) { task in
                task.list = "house"
                task.tags = ["a", "d"]
            }
            try second.editText(id) { $0.notes = "notes" }
            try group.syncAll()
            for home in group.homes {
                let task = try home.task(id)
                #expect(task.priority == .low && task.list == "house")
                #expect(Set(task.tags) == ["c", "d"])
                #expect(task.plainText?.notes == "notes")
            }
            try first.edit(id) { task in
                task.list = nil
                task.priority = .none
            }
            try group.syncAll()
            let task = try second.task(id)
            #expect(task.list == nil && task.priority == .none)
        }
    }

    @Test("two texts of one field are both there, and one is marked until somebody looks")
    func concurrentText() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            try first.editText(id) { $0.name = "first" }
            second.clock.wait(.seconds(1))
            try second.editText(id) { $0.name = "second" }
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(id).name == "second")
                #expect(try home.mirror().markedIDs() == [id])
            }
            #expect(try second.mirror().looked(at: id))
            try group.syncAll()
            for home in group.homes { #expect(try home.mirror().markedIDs().isEmpty) }
            #expect(try !second.mirror().looked(at: id))
        }
    }

    @Test("a removed task has no mark, and has it again in every home when it comes back")
    func markOfRemoved() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("name")
            try group.syncAll()
            try first.editText(id) { $0.name = "one" }
            second.clock.wait(.seconds(1))
            try second.editText(id) { $0.name = "two" }
            try group.syncAll()
            for home in group.homes { #expect(try home.mirror().markedIDs() == [id]) }
            group.wait(.seconds(1))
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            for home in group.homes { #expect(try home.mirror().markedIDs().isEmpty) }
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            for home in group.homes { #expect(try home.mirror().markedIDs() == [id]) }
        }
    }

    @Test("subtasks merge one by one, and keep their places")
    func subtasks() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try first.editText(id) { text in
                for name in ["a", "b", "c", "d"] { text.addSubtask(name) }
            }
            try group.syncAll()
            try first.editText(id) { text in
                text.subtasks.swapAt(0, 3)
                text.subtasks.remove(at: 1)
            }
            try second.editText(id) { text in
                text.subtasks[2].name = "C"
                text.subtasks[0].isDone = true
                text.addSubtask("e")
            }
            try group.syncAll()
            for home in group.homes {
                let subtasks = try home.text(id).subtasks
                #expect(subtasks.map(\.name) == ["d", "C", "a", "e"])
                #expect(subtasks.map(\.isDone) == [false, false, true, false])
            }
            // A removed one comes back by `task undo`.
            try first.editText(id) { $0.subtasks.remove(at: 0) }
            try group.syncAll()
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            #expect(try second.text(id).subtasks.map(\.name) == ["d", "C", "a", "e"])
        }
    }

    @Test("moving one subtask writes one position")
    func positions() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try first.editText(id) { text in
                for name in ["a", "b", "c", "d", "e"] { text.addSubtask(name) }
            }
            try group.syncAll()
            _ = try first.mirror()
            let object = try first.state(id)?.object
            func count() throws -> Int {
                try first.store.transaction { transaction in
                    try object.map { try transaction.versions(of: $0) }?
                        .count { $0.field.number == 49 } ?? 0
                }
            }
            #expect(try count() == 5)
            try first.editText(id) { $0.subtasks.insert($0.subtasks.remove(at: 4), at: 1) }
            try first.sync()
            #expect(try count() == 6)
            try second.sync()
            #expect(try second.text(id).subtasks.map(\.name) == ["a", "e", "b", "c", "d"])
        }
    }

    // MARK: Removal

    @Test("a removed task is removed everywhere, and comes back by undo or by a concurrent change")
    func removal() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task") { $0.priority = .high }
            try group.syncAll()
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            #expect(try second.tasks().isEmpty)
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            #expect(try second.task(id).priority == .high)
            #expect(try second.mirror().markedIDs().isEmpty)
            // A change that the remove had not seen.
            try first.list.remove(first.task(id), from: nil)
            try second.editText(id) { $0.name = "changed" }
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(id).name == "changed")
                #expect(try home.mirror().markedIDs() == [id])
            }
            // Done is no such change.
            _ = try first.mirror().looked(at: id)
            try group.syncAll()
            try first.list.remove(first.task(id), from: nil)
            try second.finish(id)
            try group.syncAll()
            for home in group.homes { #expect(try home.tasks().isEmpty) }
        }
    }

    @Test("the records of a removed task are erased after its days")
    func expiry() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            let object = try #require(try first.state(id)).object
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            try second.mirror().replica.change { _ in [] }
            try group.syncAll()
            #expect(try first.mirror().expire() == 0)
            group.wait(.seconds(31 * 86_400))
            #expect(try first.mirror().expire() == 1)
            let versions = try first.store.transaction { try $0.versions(of: object) }
            #expect(versions.allSatisfy { $0.field == .remove })
            #expect(try first.mirror().expire() == 0)
        }
    }

    @Test("each list clears by itself; a cleared task that is shown again is shown everywhere")
    func clearing() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try first.finish(id)
            try group.syncAll()
            group.wait(.seconds(2 * 86_400))
            for home in group.homes {
                #expect(try home.list.clearOld(after: .seconds(86_400)) == 1)
            }
            let records = try first.store.transaction { try $0.outbox().count }
            try group.syncAll()
            // Only one of the two, the first to notice, says so.
            #expect(try first.store.transaction { try $0.outbox().count } == records + 1)
            #expect(try second.store.transaction { try $0.outbox().count } <= 1)
            // Gone for good here.
            for _ in 0..<3 {
                group.wait(.seconds(2 * 86_400))
                try first.list.clearOld(after: .seconds(86_400))
            }
            #expect(try first.repository.task(id) == nil)
            try group.syncAll()
            #expect(try second.repository.task(id) != nil)
            try second.list.reopen([second.task(id)])
            try group.syncAll()
            #expect(try first.task(id).completion == nil)
        }
    }

    // MARK: Undo

    @Test("a command before a change of others cannot be undone")
    func undo() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            try first.edit(id) { $0.priority = .high }
            try group.syncAll()
            try second.edit(id) { $0.list = "house" }
            try group.syncAll()
            #expect(throws: TaskListError.changedSince(id)) { try first.list.undo(in: nil) }
            try first.edit(id) { $0.list = nil }
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            #expect(try second.task(id).list == "house")
            // Nor can that of a task that was removed and came back.
            try second.list.remove(second.task(id), from: nil)
            try group.syncAll()
            _ = try second.list.undo(in: nil)
            try group.syncAll()
            #expect(throws: TaskListError.changedSince(id)) { try first.list.undo(in: nil) }
        }
    }

    // MARK: Repeating tasks

    private func addRepeating(_ home: TaskHome) throws -> TaskID {
        try home.add("daily") { task in
            task.due = Self.day.map { .day($0) }
            task.setRepetition(try? RepeatRule(rule: "FREQ=DAILY;COUNT=10"), in: RuleCalendar.utc)
            task.reminder = .moment(PointInTime(milliseconds: 1_800_230_400_000))
        }
    }

    private func due(_ home: TaskHome, _ id: TaskID) throws -> Int? {
        try home.task(id).due?.day?.day
    }

    private func completions(_ home: TaskHome) throws -> Int {
        try home.repository.completions(from: PointInTime(milliseconds: 0)).count
    }

    @Test("an occurrence that two devices complete counts once")
    func completedTwice() throws {
        try withTemporaryFolder { folder in
            let group = try TaskGroup(at: folder, count: 3)
            let (first, second, third) = (group.homes[0], group.homes[1], group.homes[2])
            let id = try addRepeating(first)
            try group.syncAll()
            group.wait(.seconds(60))
            try first.finish(id)
            second.clock.wait(.seconds(5))
            try second.finish(id)
            try group.syncAll()
            for home in group.homes {
                #expect(try due(home, id) == 19)
                #expect(try completions(home) == 1)
                #expect(try home.state(id)?.completed.count == 1)
                #expect(try home.task(id).repetition?.text == "FREQ=DAILY;COUNT=9")
            }
            #expect(try first.described() == third.described())
            // The next two here, one of them there.
            group.wait(.seconds(60))
            try first.finish(id)
            group.wait(.seconds(60))
            try first.finish(id)
            try second.finish(id)
            try group.syncAll()
            for home in group.homes {
                #expect(try due(home, id) == 21)
                #expect(try completions(home) == 3)
                #expect(try home.task(id).repetition?.text == "FREQ=DAILY;COUNT=7")
            }
        }
    }

    @Test("a due date that is moved after a completion keeps what the completion changed")
    func movedAfterCompletion() throws {
        try withTaskHomes { group, first, second in
            let id = try addRepeating(first)
            try first.edit(id) { $0.wait = Self.day.map { .day($0) } }
            try first.edit(id) { $0.snooze = first.clock.now.advanced(by: .seconds(9)) }
            try group.syncAll()
            group.wait(.seconds(60))
            try first.finish(id)
            try group.syncAll()
            group.wait(.seconds(60))
            try first.edit(id) { task in
                let day = CalendarDate(year: 2027, month: 1, day: 25)
                task.setDue(day.map { .day($0) }, in: RuleCalendar.utc)
            }
            try group.syncAll()
            let task = try second.task(id)
            #expect(task.repetition?.text == "FREQ=DAILY;COUNT=9")
            #expect(task.wait == (CalendarDate(year: 2027, month: 1, day: 19).map { .day($0) }))
            #expect(task.snooze == nil)
            #expect(try first.described() == second.described())
        }
    }

    @Test(
        "a rule that meets the due date of a device without it has the same occurrence everywhere")
    func ruleAndDueDate() throws {
        try withTaskHomes { group, first, second in
            let id = try addRepeating(first)
            try group.syncAll()
            second.clock.wait(.seconds(60))
            try second.edit(id) { $0.setRepetition(nil, in: RuleCalendar.utc) }
            first.clock.wait(.seconds(65))
            try first.edit(id) { task in
                task.setRepetition(try? RepeatRule(rule: "FREQ=WEEKLY"), in: RuleCalendar.utc)
            }
            func move(_ home: TaskHome, to day: Int) throws {
                let due = CalendarDate(year: 2027, month: 1, day: day)
                try home.edit(id) { $0.setDue(due.map { .day($0) }, in: RuleCalendar.utc) }
            }
            try move(second, to: 20)
            try group.syncAll()
            // It is moved, and moved back: nothing changed.
            try move(first, to: 25)
            try move(first, to: 20)
            try group.syncAll()
            #expect(try second.task(id).repetition != nil)
            #expect(try second.task(id).occurrence != nil)
            #expect(try first.described() == second.described())
        }
    }

    @Test(
        "a completion that was undone is undone everywhere, unless another device completed it, too"
    )
    func undoneCompletion() throws {
        try withTaskHomes { group, first, second in
            let id = try addRepeating(first)
            try group.syncAll()
            let before = try first.described()
            group.wait(.seconds(60))
            try first.finish(id)
            try group.syncAll()
            #expect(try due(second, id) == 19 && completions(second) == 1)
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            for home in group.homes {
                #expect(try due(home, id) == 18)
                #expect(try completions(home) == 0)
                #expect(try home.described() == before)
            }
            // Undone here, and completed there meanwhile.
            group.wait(.seconds(60))
            try first.finish(id)
            try first.sync()
            try second.finish(id)
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            for home in group.homes { #expect(try due(home, id) == 19) }
        }
    }

    @Test("a moved due date keeps the occurrence, and a later occurrence wins")
    func movedDue() throws {
        try withTaskHomes { group, first, second in
            let id = try addRepeating(first)
            try group.syncAll()
            try first.edit(id) {
                $0.setDue(Self.day.map { .day($0.advanced(byDays: 5)) }, in: RuleCalendar.utc)
            }
            try group.syncAll()
            for home in group.homes { #expect(try due(home, id) == 23) }
            try first.edit(id) {
                $0.setDue(Self.day.map { .day($0.advanced(byDays: 6)) }, in: RuleCalendar.utc)
            }
            try second.finish(id)
            try group.syncAll()
            for home in group.homes { #expect(try due(home, id) == 19) }
            // The whole series begins earlier.
            try first.edit(id) { task in
                task.due = Self.day.map { .day($0.advanced(byDays: -2)) }
                task.setRepetition(try? RepeatRule(rule: "FREQ=DAILY"), in: RuleCalendar.utc)
            }
            try group.syncAll()
            for home in group.homes { #expect(try due(home, id) == 16) }
            try second.finish(id)
            try group.syncAll()
            #expect(try due(first, id) == due(second, id))
            try second.edit(id) { $0.setDue(nil, in: RuleCalendar.utc) }
            try group.syncAll()
            #expect(try first.task(id).due == nil && first.task(id).repetition == nil)
        }
    }

    // MARK: Limits

    @Test("many tasks travel at once")
    func many() throws {
        try withTaskHomes { group, first, second in
            let tasks = (0..<10_500).map { index in
                TodoTask(
                    content: .plain(TaskText(name: "task \(index)", notes: "some notes")),
                    due: Self.day.map { .day($0) }, created: first.clock.now)
            }
            try first.list.insert(tasks)
            try first.sync()
            #expect(try second.sync().changed == 10_500)
            #expect(try second.tasks().count == 10_500)
            #expect(try second.mirror().capture() == 0)
        }
    }

    @Test("more tags than a task may have do not stop the others")
    func tags() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            try first.edit(id) { $0.tags = (0..<40).map { "a\($0)" } }
            try second.edit(id) { $0.tags = (0..<40).map { "b\($0)" } }
            try group.syncAll()
            try group.syncAll()
            #expect(try first.task(id).tags.count == 50)
            #expect(try first.described() == second.described())
        }
    }

    @Test("a list that was put back takes the records of the others")
    func putBack() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            let other = try first.add("other")
            try group.syncAll()
            try second.editText(id) { $0.name = "newer" }
            let new = try second.add("new")
            try group.syncAll()
            // As `restore` does with an older list.
            try first.repository.change { writer in
                var task = try #require(try writer.task(id))
                task.content = .plain(TaskText(name: "older"))
                try writer.replace(task)
                try writer.remove(new, expecting: nil)
            }
            try first.mirror().rejoin()
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(id).name == "newer")
                #expect(try home.tasks().count == 3)
                #expect(try home.task(other).plainText?.name == "other")
            }
        }
    }
}
