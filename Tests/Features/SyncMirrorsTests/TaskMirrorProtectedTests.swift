import SecureStorage
import Sync
@testable import SyncMirrors
import SyncStorage
import Tasks
import Testing
import TestSupport

/// Protected tasks, whose text is in two vaults.
@Suite("Task mirror: protected tasks")
struct TaskMirrorProtectedTests {
    private func withHomes(
        _ body: (TaskGroup, TaskHome, TaskHome) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let group = try TaskGroup(at: folder)
            try body(group, group.homes[0], group.homes[1])
        }
    }

    private func text(_ name: String) -> TaskText {
        var text = TaskText(name: name, notes: "secret notes")
        text.addSubtask("one")
        text.addSubtask("two")
        return text
    }

    /// Whether some text is in the clear in a list or in its records.
    private func isOpen(_ text: String, _ home: TaskHome) throws -> Bool {
        let rows = try home.tasks().contains { $0.plainText?.name.contains(text) == true }
        let records = try home.store.mirrorTransaction { transaction in
            try transaction.counterparts().contains { counterpart in
                try transaction.versions(of: counterpart.object).contains { version in
                    String(decoding: version.content.bytes ?? [], as: UTF8.self).contains(text)
                }
            }
        }
        return rows || records
    }

    @Test("a text that is still sealed marks no task that is no longer protected, without its key")
    func sealedTextOfOpenTask() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            group.wait(.seconds(60))
            try first.editText(id) { $0.name = "new" }
            try first.list.protect(first.task(id), in: first.vault)
            second.clock.wait(.seconds(5))
            try second.editText(id) { $0.name = "new" }
            try group.syncAll()
            try first.list.unprotect(first.task(id), from: first.vault)
            try group.syncAll()
            second.level = .list
            try first.edit(id) { $0.priority = .high }
            try group.syncAll()
            #expect(try second.task(id).priority == .high)
            #expect(try second.mirror().markedIDs().isEmpty)
            second.level = .afterVerification
            try group.syncAll()
            #expect(try second.mirror().markedIDs().isEmpty)
        }
    }

    @Test("text travels from vault to vault, and each part merges by itself")
    func text() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            #expect(try second.task(id).isProtected)
            #expect(try second.text(id) == first.text(id))
            #expect(try second.described() == first.described())
            for home in group.homes { #expect(try !isOpen("name", home)) }
            try first.editText(id) { $0.name = "new name" }
            try second.editText(id) { text in
                text.notes = "new notes"
                text.subtasks[0].name = "ONE"
                text.addSubtask("three")
                text.subtasks[1].isDone = true
            }
            try group.syncAll()
            for home in group.homes {
                let text = try home.text(id)
                #expect(text.name == "new name" && text.notes == "new notes")
                #expect(text.subtasks.map(\.name) == ["ONE", "two", "three"])
                #expect(text.subtasks.map(\.isDone) == [false, true, false])
                #expect(try home.mirror().markedIDs().isEmpty)
            }
            try first.editText(id) { $0.name = "a" }
            try second.editText(id) { $0.name = "b" }
            try group.syncAll()
            #expect(try first.text(id) == second.text(id))
            for home in group.homes { #expect(try home.mirror().markedIDs() == [id]) }
        }
    }

    @Test(
        "without verification the row comes, and its text later",
        arguments: [SyncLevel.list, .whileUnlocked])
    func locked(level: SyncLevel) throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            let plain = try first.add("plain")
            second.level = level
            try group.syncAll()
            #expect(try second.task(id).isProtected)
            #expect(try second.task(plain).plainText?.name == "plain")
            #expect(try second.mirror().arrivingIDs() == [id])
            // The rest travels in both directions.
            try second.edit(id) { $0.priority = .high }
            try first.edit(id) { $0.list = "house" }
            try group.syncAll()
            for home in group.homes {
                let task = try home.task(id)
                #expect(task.priority == .high && task.list == "house")
            }
            #expect(try first.text(id).name == "name")
            second.level = .afterVerification
            #expect(throws: TaskListError.textMissing(id)) { try second.text(id) }
            try group.syncAll()
            #expect(try second.text(id) == first.text(id))
            #expect(try second.mirror().arrivingIDs().isEmpty)
            #expect(try second.described() == first.described())
        }
    }

    @Test("a change of the text that no round saw before the lock travels later")
    func capturedLater() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            try second.editText(id) { $0.name = "changed" }
            second.level = .list
            try group.syncAll()
            #expect(try first.text(id).name == "name")
            try first.edit(id) { $0.priority = .high }
            try group.syncAll()
            #expect(try second.task(id).priority == .high)
            // It must not be lost with the task.
            try first.list.remove(first.task(id), from: first.vault)
            try group.syncAll()
            #expect(try second.repository.task(id) != nil)
            second.level = .afterVerification
            try group.syncAll()
            for home in group.homes { #expect(try home.text(id).name == "changed") }
        }
    }

    @Test(
        "a task protected elsewhere leaves the list at once, also while locked",
        arguments: [SyncLevel.list, .afterVerification])
    func protect(level: SyncLevel) throws {
        try withHomes { group, first, second in
            let id = try first.add("plain name")
            try first.editText(id) { $0.addSubtask("step") }
            try group.syncAll()
            second.level = level
            try first.list.protect(first.task(id), in: first.vault)
            try group.syncAll()
            let row = try second.task(id)
            #expect(row.isProtected)
            #expect(try second.repository.intents().isEmpty)
            #expect(try second.mirror().arrivingIDs() == (level == .list ? [id] : []))
            second.level = .afterVerification
            try group.syncAll()
            #expect(try second.text(id).name == "plain name")
            #expect(try second.described() == first.described())
        }
    }

    @Test("unprotecting travels, unless the text changed elsewhere meanwhile")
    func unprotect() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            try first.list.unprotect(first.task(id), from: first.vault)
            try group.syncAll()
            #expect(try second.task(id).plainText?.name == "name")
            #expect(try second.described() == first.described())
            second.clock.wait(.seconds(120))
            try second.list.finishInterrupted(in: second.vault)
            #expect(try second.vault.list().isEmpty)

            try second.list.protect(second.task(id), in: second.vault)
            try group.syncAll()
            #expect(try first.task(id).isProtected)
            try first.list.unprotect(first.task(id), from: first.vault)
            try second.editText(id) { $0.notes = "more secret" }
            try group.syncAll()
            for home in group.homes {
                #expect(try home.task(id).isProtected)
                #expect(try home.text(id).notes == "more secret")
                #expect(try home.text(id).name == "name")
            }
        }
    }

    @Test("the end of protection waits for the key V, and is not taken back meanwhile")
    func unprotectWithoutKey() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            try first.list.unprotect(first.task(id), from: first.vault)
            first.level = .list
            try second.edit(id) { $0.priority = .high }
            try group.syncAll()
            #expect(try first.task(id).plainText?.name == "name")
            #expect(try second.task(id).isProtected)
            first.level = .afterVerification
            try group.syncAll()
            for home in group.homes {
                #expect(try home.task(id).plainText?.name == "name")
                #expect(try home.task(id).priority == .high)
            }
        }
    }

    @Test("a change in the open of a task that is protected elsewhere becomes part of the text")
    func openChange() throws {
        try withHomes { group, first, second in
            let id = try first.add("name")
            try group.syncAll()
            try first.list.protect(first.task(id), in: first.vault)
            second.clock.wait(.seconds(1))
            try second.editText(id) { $0.notes = "open notes" }
            second.level = .list
            try group.syncAll()
            #expect(try second.task(id).isProtected)
            second.level = .afterVerification
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(id).notes == "open notes")
                #expect(try home.text(id).name == "name")
            }
        }
    }

    @Test("text in the open that came for a protected task while the vault was locked is not lost")
    func openTextWhileLocked() throws {
        try withHomes { group, first, second in
            let id = try first.add("task")
            try group.syncAll()
            group.wait(.seconds(10))
            try first.list.protect(first.task(id), in: first.vault)
            try first.sync()
            try second.addSubtask("subtask", to: id)
            try second.editText(id) { $0.notes = "notes" }
            try second.sync()
            first.level = .list
            #expect(try first.sync().waiting == 1)
            first.level = .afterVerification
            try group.syncAll()
            for home in group.homes {
                #expect(try home.text(id).subtasks.map(\.name) == ["subtask"])
                #expect(try home.text(id).notes == "notes")
                #expect(try home.task(id).isProtected)
            }
        }
    }

    @Test("removed protected tasks, and those brought back by undo")
    func removal() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            first.clock.wait(.seconds(1))
            try first.list.remove(first.task(id), from: first.vault)
            try group.syncAll()
            #expect(try second.repository.task(id) == nil)
            second.clock.wait(.seconds(120))
            try second.list.finishInterrupted(in: second.vault)
            #expect(try second.vault.list().isEmpty)
            _ = try first.list.undo(in: first.vault)
            try group.syncAll()
            #expect(try second.text(id).name == "name")
            #expect(try second.described() == first.described())
        }
    }

    @Test(
        "a protected task that others removed comes back with its earlier texts",
        arguments: [false, true])
    func earlierTexts(isFinished: Bool) throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            for name in ["second", "third"] {
                try first.editText(id) { $0.name = name }
                try group.syncAll()
            }
            func earlier(_ home: TaskHome) throws -> Int {
                try home.list.history(of: home.task(id), from: home.vault).count
            }
            #expect(try earlier(first) == 2 && earlier(second) == 2)
            group.wait(.seconds(1))
            try first.list.remove(first.task(id), from: first.vault)
            try group.syncAll()
            #expect(try second.repository.task(id) == nil)
            if isFinished {
                second.clock.wait(.seconds(120))
                try second.list.finishInterrupted(in: second.vault)
                #expect(try second.vault.list().isEmpty)
            }
            _ = try first.list.undo(in: first.vault)
            try first.editText(id) { $0.name = "fourth" }
            try group.syncAll()
            #expect(try second.described() == first.described())
            #expect(try second.text(id).name == "fourth")
            #expect(try earlier(first) == 3 && earlier(second) == 3)
            for home in group.homes {
                home.clock.wait(.seconds(120))
                try home.list.finishInterrupted(in: home.vault)
                #expect(try home.text(id).name == "fourth")
                #expect(try home.vault.list().count == 1)
            }
        }
    }

    @Test("protected tasks repeat, and subtasks are done, while the vault is locked")
    func repeating() throws {
        try withHomes { group, first, second in
            var task = TodoTask(
                content: .plain(TaskText(name: "")),
                due: .day(try #require(CalendarDate(year: 2027, month: 1, day: 18))),
                created: first.clock.now)
            task.setRepetition(try RepeatRule(rule: "FREQ=DAILY"), in: RuleCalendar.utc)
            let id = try first.list.insert(task, text: text("name"), in: first.vault).task.id
            try group.syncAll()
            for home in group.homes { home.level = .list }
            try first.finish(id)
            try second.finish(id)
            try group.syncAll()
            for home in group.homes {
                #expect(try home.task(id).due?.day?.day == 19)
                home.level = .afterVerification
            }
            try group.syncAll()
            #expect(try second.described() == first.described())
            #expect(try second.text(id).subtasks.map(\.name) == ["one", "two"])
        }
    }

    @Test("text that was lost in a vault comes back from the records")
    func lostText() throws {
        try withHomes { group, first, second in
            let id = try first.list.addProtected(text("name"), in: first.vault).id
            try group.syncAll()
            for item in try second.vault.list() {
                try second.vault.remove(item.name, expecting: nil, permanently: true)
            }
            try second.edit(id) { $0.priority = .high }
            try group.syncAll()
            #expect(try second.text(id).name == "name")
            #expect(try first.text(id).name == "name")
        }
    }
}
