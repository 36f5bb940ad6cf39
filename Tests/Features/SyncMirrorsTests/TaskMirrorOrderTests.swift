import Sync
@testable import SyncMirrors
import SyncStorage
import Tasks
import TestSupport
import Testing

/// Tasks that come after others, and the six characters by which they name them.
@Suite("Task mirror: order and names")
struct TaskMirrorOrderTests {
    @Test("a cycle of dependencies is broken in the same way everywhere")
    func cycle() throws {
        try withTaskHomes { group, first, second in
            let ids = try ["a", "b", "c"].map { try first.add($0) }
            try group.syncAll()
            try first.edit(ids[0]) { $0.dependencies = [ids[1]] }
            try first.edit(ids[1]) { $0.dependencies = [ids[2]] }
            second.clock.wait(.seconds(5))
            try second.edit(ids[2]) { $0.dependencies = [ids[0]] }
            try group.syncAll()
            try group.syncAll()
            #expect(try first.described() == second.described())
            #expect(try second.task(ids[2]).dependencies.isEmpty)
            #expect(try second.task(ids[0]).dependencies == [ids[1]])
        }
    }

    @Test(
        "of two tasks with the same six characters, the larger id gets others",
        arguments: [false, true])
    func sameCharacters(isProtected: Bool) throws {
        try withTaskHomes { group, first, second in
            let id = TaskID()
            // They were made at different times: otherwise they are one task.
            second.clock.wait(.seconds(5))
            for (home, name) in [(first, "first"), (second, "second")] {
                let task = TodoTask(
                    id: id, content: .plain(TaskText(name: name)), created: home.clock.now)
                if isProtected {
                    try home.list.insert(task, text: TaskText(name: name), in: home.vault)
                } else {
                    try home.list.add(task)
                    try home.add("after \(name)") { $0.dependencies = [id] }
                }
                home.clock.wait(.seconds(1))
            }
            try group.syncAll()
            try group.syncAll()
            #expect(try first.described() == second.described())
            let names = try first.tasks().map { try first.text($0.id).name }
            #expect(Set(names).isSuperset(of: ["first", "second"]))
            for task in try first.tasks() where !task.dependencies.isEmpty {
                let name = try first.text(task.dependencies[0]).name
                #expect(task.plainText?.name == "after \(name)")
            }
        }
    }

    @Test("a row that names a task which no record knows does not come after a later one")
    func unknownName() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("removed before the first round")
            let after = try first.add("after") { $0.dependencies = [id] }
            try first.list.remove(first.task(id), from: nil)
            second.clock.wait(.seconds(5))
            let other = TodoTask(
                id: id, content: .plain(TaskText(name: "another")), created: second.clock.now)
            try second.list.add(other)
            #expect(try group.syncAll(most: 6))
            #expect(try first.task(id).plainText?.name == "another")
            #expect(try first.task(after).dependencies.isEmpty)
            #expect(try first.described() == second.described())
        }
    }

    @Test(
        "a copy of a list that joins late takes the order of the group, also one that replaced another",
        arguments: [false, true], [false, true])
    func joinedLate(isSnapshot: Bool, isReversed: Bool) throws {
        try withTaskHomes { group, first, second in
            let ids = try ["a", "b", "c"].map { try first.add($0) }
            try first.edit(ids[0]) { $0.dependencies = [ids[1]] }
            for id in ids { try second.list.add(first.task(id)) }
            group.absent = [second.device]
            group.wait(.seconds(10))
            try first.sync()
            group.wait(.seconds(10))
            // The other way round, or after another task.
            try first.edit(ids[0]) { $0.dependencies = isReversed ? [] : [ids[2]] }
            if isReversed { try first.edit(ids[1]) { $0.dependencies = [ids[0]] } }
            try first.sync()
            if isSnapshot {
                #expect(try first.replica.makeSnapshot())
                for _ in 0..<2 { try first.sync() }
                #expect(try first.replica.remote.list(first.device).first?.dot.number ?? 1 > 1)
            }
            group.absent = []
            group.wait(.seconds(10))
            for home in [second, first, second] { try home.sync() }
            try group.syncAll()
            for home in group.homes {
                #expect(try home.task(ids[0]).dependencies == (isReversed ? [] : [ids[2]]))
                #expect(try home.task(ids[1]).dependencies == (isReversed ? [ids[0]] : []))
            }
            #expect(try first.described() == second.described())
        }
    }

    @Test("a task comes after one that was removed before it came, as soon as that one is back")
    func removedBefore() throws {
        try withTaskHomes { group, first, second in
            let before = try first.add("before")
            let id = try first.add("after") { $0.dependencies = [before] }
            try first.sync()
            try first.list.remove(first.task(before), from: nil)
            try first.sync()
            try second.sync()
            #expect(try second.task(id).dependencies == [before])
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            #expect(try second.task(before).plainText?.name == "before")
            #expect(try second.task(id).dependencies == [before])
            #expect(try first.described() == second.described())
        }
    }

    @Test("a removed task is back everywhere, also after another one had its six characters")
    func backAfterAnother() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("before")
            try group.syncAll()
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            second.clock.wait(.seconds(5))
            try second.list.add(
                TodoTask(
                    id: id, content: .plain(TaskText(name: "other")), created: second.clock.now))
            try group.syncAll()
            #expect(try first.text(id).name == "other")
            try second.list.remove(second.task(id), from: nil)
            try group.syncAll()
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            for home in group.homes {
                #expect(try home.tasks().map(\.plainText?.name) == ["before"])
            }
        }
    }

    @Test(
        "a task that undo brought back and that was removed again is removed everywhere, wherever a round ended",
        arguments: 0..<8)
    func removedAgain(steps: Int) throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("before")
            try group.syncAll()
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            _ = try first.list.undo(in: nil)
            _ = try first.mirror().ended(after: steps) { try $0.capture() }
            try first.list.remove(first.task(id), from: nil)
            try group.syncAll()
            #expect(try group.homes.allSatisfy { try $0.tasks().isEmpty })
        }
    }

    @Test("undo brings a task back that came back from others with other characters")
    func backWithOldCharacters() throws {
        try withTemporaryFolder { folder in
            let group = try TaskGroup(at: folder, count: 3)
            let (first, second, third) = (group.homes[0], group.homes[1], group.homes[2])
            // Of some of them the larger object is the own one.
            let ids = try (0..<4).map { try first.add("own \($0)") }
            for home in [first, second, first] { try home.sync() }
            third.clock.wait(.seconds(5))
            for id in ids {
                let text = TaskText(name: "other")
                try third.list.add(
                    TodoTask(id: id, content: .plain(text), created: third.clock.now))
            }
            for home in [third, second, second] { try home.sync() }
            group.wait(.seconds(60))
            for task in try second.tasks() {
                if task.plainText?.name == "other" {
                    try second.list.remove(task, from: nil)
                } else {
                    try second.editText(task.id) { $0.notes = "changed" }
                }
            }
            for id in ids { try first.list.remove(first.task(id), from: nil) }
            for home in [second, first, first] { try home.sync() }
            #expect(try first.tasks().count == 4)
            #expect(try first.tasks().contains { !ids.contains($0.id) })
            for _ in ids { _ = try? first.list.undo(in: nil) }
            #expect(try first.tasks().count > 4)
            #expect(try group.syncAll(most: 6))
            for home in group.homes { #expect(try home.described() == first.described()) }
        }
    }

    @Test("a task that no longer comes after a removed one says so, also where that one never was")
    func removedFromOrder() throws {
        try withTaskHomes { group, first, second in
            let before = try first.add("before")
            let other = try first.add("other")
            let id = try first.add("after") { $0.dependencies = [before] }
            try first.sync()
            try first.list.remove(first.task(before), from: nil)
            try first.sync()
            try second.sync()
            second.clock.wait(.seconds(10))
            try second.edit(id) { $0.dependencies = [other] }
            try group.syncAll()
            #expect(try first.task(id).dependencies == [other])
            #expect(try second.task(id).dependencies == [other])
        }
    }

    @Test(
        "a task comes after one that was removed before the first round, as soon as that one is back"
    )
    func removedBeforeRound() throws {
        try withTaskHomes { group, first, second in
            let before = try first.add("before")
            let id = try first.add("after") { $0.dependencies = [before] }
            try first.list.remove(first.task(before), from: nil)
            try group.syncAll()
            _ = try first.list.undo(in: nil)
            try group.syncAll()
            #expect(try second.task(id).dependencies == [before])
            #expect(try first.described() == second.described())
        }
    }

    @Test("a new task with the characters of one that was just removed is no longer that one")
    func replaced() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("old")
            try group.syncAll()
            group.wait(.seconds(10))
            try first.list.remove(first.task(id), from: nil)
            try first.list.add(
                TodoTask(
                    id: id, content: .plain(TaskText(name: "new")), created: first.clock.now))
            #expect(try first.task(id).revision == 1)
            try group.syncAll()
            #expect(try second.task(id).plainText?.name == "new")
            #expect(try first.described() == second.described())
        }
    }

    @Test("a task does not come after another one that got the characters of a removed one")
    func takenCharacters() throws {
        try withTaskHomes { group, first, second in
            let before = try first.add("before")
            let id = try first.add("after") { $0.dependencies = [before] }
            try group.syncAll()
            try first.list.remove(first.task(before), from: nil)
            try group.syncAll()
            second.clock.wait(.seconds(10))
            try second.list.add(
                TodoTask(
                    id: before, content: .plain(TaskText(name: "new")),
                    created: second.clock.now))
            try group.syncAll()
            for home in group.homes {
                #expect(try home.task(before).plainText?.name == "new")
                #expect(try home.task(id).dependencies.isEmpty)
            }
        }
    }
}
