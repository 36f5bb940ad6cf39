import SecureStorage
import Tasks
import Testing
import TestSupport

@Suite("A program that ends between database and vault")
struct InterruptedTests {
    private static let text = {
        var text = TaskText(name: "Büro kündigen", notes: "line\nline")
        text.addSubtask("write")
        return text
    }()
    private static let now = PointInTime(seconds: 1_800_000_000)

    /// A database and a vault with one task, protected or not, as they are between two programs.
    private struct Stores {
        let tasks: MortalTasks
        var repository: TaskRepository { tasks.repository }
        let vault = MemorySecureStore { 0 }
        let task: TodoTask

        init(protected isProtected: Bool) throws {
            tasks = try MortalTasks()
            let list = TaskList(tasks.repository) { InterruptedTests.now }
            task =
                isProtected
                ? try list.addProtected(InterruptedTests.text, in: vault)
                : try list.add(InterruptedTests.text)
        }

        var list: TaskList { TaskList(repository) { InterruptedTests.now } }

        /// The list of a program that runs after the others had time to finish.
        var later: TaskList {
            TaskList(repository) { InterruptedTests.now.advanced(by: .seconds(61)) }
        }

        /// Makes sure that the next program finds everything in its place.
        func requireOrder(after steps: Int) throws {
            let before = try repository.tasks(TaskSelection())
            vault.endVerification()
            let recovered = try later.finishInterrupted(in: vault)
            vault.unlock()
            #expect(try repository.intents().isEmpty, "after \(steps) steps")
            let tasks = try repository.tasks(TaskSelection())
            #expect(tasks.count == before.count + recovered.count, "after \(steps) steps")
            let items = Set(try vault.list().map(\.name))
            let needed = Set(tasks.compactMap(\.textID).map { ProtectedText.name(of: $0) })
            #expect(items == needed, "after \(steps) steps")
            for task in tasks {
                #expect(
                    try list.text(of: task, from: vault).text == InterruptedTests.text,
                    "after \(steps) steps")
            }
        }
    }

    /// Runs a change with every number of steps until it is done.
    private func interrupt(
        protected isProtected: Bool,
        _ change: (TaskList, MortalVault, TodoTask) throws -> Void,
        _ check: (Stores, _ isDone: Bool, _ textsLeft: Int) throws -> Void
    ) throws {
        for steps in 0..<20 {
            let stores = try Stores(protected: isProtected)
            let life = Life(steps: steps)
            let vault = MortalVault(base: stores.vault, life: life)
            let isDone: Bool
            do {
                try stores.tasks.live(life) { try change(stores.list, vault, stores.task) }
                isDone = true
            } catch {
                isDone = false
            }
            let textsLeft = try stores.vault.list().count
            try stores.requireOrder(after: steps)
            try check(stores, isDone, textsLeft)
            if !life.hasEnded {
                #expect(isDone && steps >= 2, "a change of both stores takes several steps")
                return
            }
        }
        Issue.record("it never ends")
    }

    @Test(
        "that adds a protected task leaves all of it or nothing, and never its text in the database"
    )
    func add() throws {
        try interrupt(
            protected: false,
            { list, vault, _ in try list.addProtected(Self.text, in: vault) },
            { stores, isDone, textsLeft in
                let added = try stores.repository.tasks(TaskSelection()).filter(\.isProtected)
                #expect(added.count == 1 || !isDone)
                // Text that reached the vault comes back as a task.
                #expect(added.count == textsLeft)
                #expect(try stores.repository.tasks(TaskSelection()).count == 1 + textsLeft)
            })
    }

    @Test("that protects a task loses no text")
    func protect() throws {
        try interrupt(
            protected: false,
            { list, vault, task in try list.protect(task, in: vault) },
            { stores, isDone, _ in
                let task = try #require(try stores.repository.task(stores.task.id))
                #expect(task.isProtected || !isDone)
                // Nothing of the text stays in bytes that the row does not use any more.
                #expect(stores.tasks.isErased == task.isProtected)
            })
    }

    @Test("that cannot erase old bytes reports it, and the next one erases them")
    func erasingLater() throws {
        let stores = try Stores(protected: false)
        stores.tasks.allowErasing(false)
        #expect(try stores.list.protect(stores.task, in: stores.vault).isErased == false)
        #expect(try stores.list.interrupted().map(\.kind) == [.erasing])
        #expect(try stores.list.finishErasing() == false)
        stores.tasks.allowErasing(true)
        #expect(try stores.list.finishErasing() == true)
        #expect(try stores.list.interrupted().isEmpty)
        #expect(stores.tasks.isErased)
    }

    @Test("that unprotects a task loses no text")
    func unprotect() throws {
        try interrupt(
            protected: true,
            { list, vault, task in try list.unprotect(task, from: vault) },
            { stores, isDone, _ in
                let task = try #require(try stores.repository.task(stores.task.id))
                #expect(!task.isProtected || !isDone)
            })
    }

    @Test("that removes a protected task removes its text, too")
    func remove() throws {
        try interrupt(
            protected: true,
            { list, vault, task in try list.remove(task, from: vault) },
            { stores, isDone, _ in
                let isThere = try stores.repository.task(stores.task.id) != nil
                #expect(!isThere || !isDone)
            })
    }

    @Test("that purges cleared tasks leaves their text to the next one")
    func purge() throws {
        let stores = try Stores(protected: true)
        _ = try stores.list.mark([stores.task], done: true)
        #expect(try stores.list.clear() == 1)
        for seconds: Int64 in [90_000, 180_000] {
            let later = TaskList(stores.repository) { Self.now.advanced(by: .seconds(seconds)) }
            try later.clearOld(after: .seconds(86_400))
        }
        #expect(try stores.repository.task(stores.task.id) == nil)
        #expect(try stores.vault.list().count == 1)
        try stores.requireOrder(after: 1)
        #expect(try stores.vault.list().isEmpty)
    }

    @Test("whose failed commits are stored loses no text", arguments: 0..<5)
    func doubtful(steps: Int) throws {
        let changes: [(Bool, (TaskList, MemorySecureStore, TodoTask) throws -> Void)] = [
            (false, { list, vault, _ in try list.addProtected(Self.text, in: vault) }),
            (false, { list, vault, task in try list.protect(task, in: vault) }),
            (true, { list, vault, task in try list.unprotect(task, from: vault) }),
            (true, { list, vault, task in try list.remove(task, from: vault) }),
        ]
        for (isProtected, change) in changes {
            let stores = try Stores(protected: isProtected)
            try? stores.tasks.live(Life(steps: steps), commitsAndFails: true) {
                try change(stores.list, stores.vault, stores.task)
            }
            try stores.requireOrder(after: steps)
        }
    }

    @Test("gets an error if it was only slow, and nothing is lost")
    func slow() throws {
        let stores = try Stores(protected: false)
        let vault = HelpedVault(base: stores.vault, other: stores.later)
        #expect(throws: TaskListError.interrupted(stores.task.id)) {
            try stores.list.protect(stores.task, in: vault)
        }
        try stores.requireOrder(after: 0)
        #expect(try stores.repository.task(stores.task.id)?.isProtected == false)
    }

    @Test("that was only slow completes the task that another one recovered")
    func slowToAdd() throws {
        let stores = try Stores(protected: false)
        let vault = HelpedVault(base: stores.vault, other: stores.later)
        let added = try stores.list.addProtected(Self.text, due: Self.now, in: vault)
        #expect(try stores.repository.task(added.id)?.due == .moment(Self.now))
        try stores.requireOrder(after: 0)
    }

    @Test("is left alone by others for one minute")
    func atWork() throws {
        let stores = try Stores(protected: false)
        let vault = HelpedVault(base: stores.vault, other: stores.list)
        #expect(try stores.list.protect(stores.task, in: vault).task.isProtected)
        try stores.requireOrder(after: 0)
    }

    @Test("that edits protected text gives a conflict to one that unprotects the task")
    func editAgainstUnprotect() throws {
        let stores = try Stores(protected: true)
        let stored = try stores.list.text(of: stores.task, from: stores.vault)
        var text = stored.text
        text.name = "another name"
        try stores.list.edit(stores.task, stored, to: text, in: stores.vault)
        #expect(throws: TaskListError.conflict(stores.task.id, found: 2)) {
            try stores.list.unprotect(stores.task, from: stores.vault)
        }
        let now = try #require(try stores.repository.task(stores.task.id))
        #expect(try stores.list.text(of: now, from: stores.vault).text == text)
    }

    @Test("that changes a task meanwhile is a conflict, and the text stays in its place")
    func conflict() throws {
        let stores = try Stores(protected: false)
        var changed = stores.task
        changed.due = .moment(Self.now)
        try stores.list.replace(changed)
        #expect(throws: TaskListError.conflict(stores.task.id, found: 2)) {
            try stores.list.protect(stores.task, in: stores.vault)
        }
        #expect(try stores.vault.list().isEmpty)
        try stores.requireOrder(after: 0)
    }
}

/// A vault after whose saving another program finishes interrupted changes.
private struct HelpedVault: ForwardingStore {
    let base: any SecureStore
    let other: TaskList

    @discardableResult
    func save(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes
    ) throws(SecureStoreError) -> SecretItem {
        let item = try base.save(value, as: name, attributes)
        _ = try? other.finishInterrupted(in: base)
        return item
    }
}
