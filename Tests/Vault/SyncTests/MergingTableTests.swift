import Sealing
import SecretMemory
@testable import Sync
import Testing
import TestSupport

/// The rows of the table of `Docs/Sync.md`, section 7, each between devices that changed the same object apart.
@Suite("Merging")
struct MergingTableTests {
    /// Runs a body with devices that have one item, one task, or both.
    private func group(
        _ count: Int = 2, _ body: (TestGroup, [TestDevice], ObjectID, ObjectID) throws -> Void
    ) throws {
        try withTemporaryFolder { folder in
            let group = try TestGroup(at: folder, count: count)
            let (item, task) = (group.object(), group.object())
            try group.devices[0].replica.change { _ in
                try Draft.item(item, name: "bank", value: "old")
                    + Draft.task(task, name: "rent", due: 100)
            }
            try group.exchangeAll()
            group.wait(1_000)
            try body(group, group.devices, item, task)
        }
    }

    @Test(
        "value of a secret: the newest is shown, the other is an earlier one, marked until a person looks"
    )
    func values() throws {
        try group { group, devices, item, _ in
            try devices[0].change(.secret(item, .value, .whileUnlocked, "first"))
            group.wait(5)
            let stamp = try devices[1].change(.secret(item, .value, .whileUnlocked, "second"))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(item) == ["second", "first!", "old"])
            }
            let looked = try #require(
                try devices[0].state(item)?.fields[.value]?.earlier.first { $0.isConcurrent })
            #expect(looked.version.stamp < stamp)
            try devices[0].change(
                Draft(item, .looked, .whileUnlocked, RecordContent.stamps([looked.version.stamp])))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(item) == ["second", "first", "old"])
            }
        }
    }

    @Test("equal values made apart leave no mark")
    func equalValues() throws {
        try group { group, devices, item, _ in
            for device in devices {
                try device.change(.secret(item, .value, .whileUnlocked, "same"))
            }
            try group.exchangeAll()
            #expect(try devices[0].texts(item) == ["same", "same", "old"])
        }
    }

    @Test("equal contents of which one came in the open leave no mark")
    func equalContentsInTheOpen() throws {
        try group { group, devices, item, task in
            try devices[0].change(
                .protection(item, true, .whileUnlocked),
                try .secret(item, .value, .afterVerification, "same"))
            try devices[0].change(
                .protection(task, true, .list),
                try .secret(task, .notes, .afterVerification, "same"),
                try .secret(task, .taskName, .afterVerification, "one"))
            group.wait(5)
            try devices[1].change(try .secret(item, .value, .whileUnlocked, "same"))
            try devices[1].change(
                .text(task, .notes, "same", .list), .text(task, .taskName, "two", .list))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(item) == ["same", "same", "old"])
                #expect(try device.texts(task, .notes) == ["same", "same"])
                // Of the same size, and different.
                #expect(try device.texts(task, .taskName) == ["two", "one!", "rent"])
            }
        }
    }

    @Test("one after the other, changes leave no mark")
    func sequence() throws {
        try group { group, devices, item, _ in
            for (round, text) in ["a", "b", "c", "d"].enumerated() {
                try devices[round % 2].change(.secret(item, .value, .whileUnlocked, text))
                try group.exchangeAll()
            }
            #expect(try devices[0].texts(item) == ["d", "c", "b", "a", "old"])
        }
    }

    @Test("text of a task: as a value")
    func texts() throws {
        try group { group, devices, _, task in
            try devices[1].change(.text(task, .taskName, "pay rent", .list))
            group.wait(5)
            try devices[0].change(.text(task, .taskName, "rent of May", .list))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(task, .taskName) == ["rent of May", "pay rent!", "rent"])
            }
        }
    }

    @Test("other fields: the newest of each field, field by field")
    func fields() throws {
        try group { group, devices, item, _ in
            try devices[0].change(.text(item, .label, "one", .whileUnlocked))
            group.wait(5)
            try devices[1].change(
                .text(item, .label, "two", .whileUnlocked),
                .text(item, .attribute("url"), "example.org", .whileUnlocked))
            try devices[0].change(.text(item, .attribute("user"), "ada", .whileUnlocked))
            try group.exchangeAll()
            for device in devices {
                let fields = try #require(try device.state(item)?.fields)
                #expect(try fields[.label].map { try device.text($0.current) } == "two")
                #expect(fields[.label]?.earlier.count == 2)
                #expect(fields[.attribute("url")] != nil && fields[.attribute("user")] != nil)
            }
        }
    }

    @Test("same name made twice: one item with both values, in each order of arrival")
    func names() throws {
        try group(3) { group, devices, _, _ in
            let ids = devices.map { _ in group.object() }
            for (index, device) in devices.enumerated() {
                try device.replica.change { _ in
                    try Draft.item(ids[index], name: "mail", value: "value \(index)")
                }
                group.wait(5)
            }
            try group.exchangeAll()
            for device in devices {
                for id in ids {
                    #expect(try device.texts(id) == ["value 2", "value 1!", "value 0!"])
                    #expect(try device.state(id)?.object == ids.min())
                }
            }
            // A change of any of the ids is a change of the item, and a remove of any removes it.
            try devices[1].change(Draft(ids[2], .remove, .whileUnlocked))
            try group.exchangeAll()
            #expect(try devices[0].state(ids[0])?.isRemoved == true)
        }
    }

    @Test("a name that was free after all joins nothing")
    func renamed() throws {
        try group { group, devices, item, _ in
            try devices[0].change(.text(item, .itemName, "old bank", .whileUnlocked))
            let new = group.object()
            try devices[0].replica.change { _ in try Draft.item(new, name: "bank", value: "new") }
            try group.exchangeAll()
            #expect(try devices[1].texts(item) == ["old"])
            #expect(try devices[1].texts(new) == ["new"])
        }
    }

    @Test("repeating task: an occurrence that two completed counts once")
    func completedTwice() throws {
        try group { group, devices, _, task in
            let done = Completion.done(next: 200, date: [2]).bytes
            for device in devices { try device.change(Draft(task, .completion(100), .list, done)) }
            try group.exchangeAll()
            for device in devices {
                let state = try #require(try device.state(task))
                #expect(state.completed == [100])
                #expect(state.due?.occurrence == 200 && state.due?.date == [2])
            }
            // One that is undone counts no more, if the person saw all completions.
            try devices[1].change(Draft(task, .completion(100), .list, Completion.undone.bytes))
            try group.exchangeAll()
            #expect(try devices[0].state(task)?.completed == [])
            #expect(try devices[0].state(task)?.due?.occurrence == 100)
        }
    }

    @Test("repeating task: an undone that had not seen a completion does not undo it")
    func undoneApart() throws {
        try group { group, devices, _, task in
            let done = Completion.done(next: 200, date: []).bytes
            try devices[0].change(Draft(task, .completion(100), .list, done))
            try devices[0].change(Draft(task, .completion(100), .list, Completion.undone.bytes))
            try devices[1].change(Draft(task, .completion(100), .list, done))
            try group.exchangeAll()
            for device in devices { #expect(try device.state(task)?.completed == [100]) }
        }
    }

    @Test(
        "repeating task: moving the due date keeps the occurrence, and a completion outranks a move of the one before"
    )
    func moved() throws {
        try group { group, devices, _, task in
            try devices[0].change(
                Draft(task, .completion(100), .list, Completion.done(next: 200, date: []).bytes))
            group.wait(5)
            try devices[1].change(
                Draft(task, .due, .list, DueDate(occurrence: 100, isEdited: true, date: [9]).bytes))
            try group.exchangeAll()
            for device in devices {
                #expect(
                    try device.state(task)?.due
                        == DueDate(occurrence: 200, isEdited: false, date: []))
            }
            try devices[0].change(
                Draft(task, .due, .list, DueDate(occurrence: 200, isEdited: true, date: [7]).bytes))
            try group.exchangeAll()
            #expect(try devices[1].state(task)?.due?.date == [7])
        }
    }

    @Test("remove against a change: the change that was not seen brings the object back, marked")
    func removedAgainstChange() throws {
        try group { group, devices, item, _ in
            try devices[1].change(.secret(item, .value, .whileUnlocked, "new"))
            group.wait(5)
            try devices[0].change(Draft(item, .remove, .whileUnlocked))
            #expect(try devices[0].state(item)?.isRemoved == true)
            try group.exchangeAll()
            for device in devices {
                let state = try #require(try device.state(item))
                #expect(!state.isRemoved && state.hasReturned)
                #expect(try device.texts(item) == ["new", "old"])
            }
            let remove = try #require(
                devices[0].store.state.versions[item]?.keys.first { $0.field == .remove })
            try devices[1].change(
                Draft(item, .looked, .whileUnlocked, RecordContent.stamps([remove.stamp])))
            try group.exchangeAll()
            #expect(try devices[0].state(item)?.hasReturned == false)
        }
    }

    @Test("remove against done and snooze: the object stays in the trash")
    func removedAgainstDone() throws {
        try group { group, devices, _, task in
            try devices[1].change(Draft(task, .done, .list, RecordContent.flag(true)))
            try devices[1].change(Draft(task, .snooze, .list, [1]))
            try devices[1].change(Draft(task, .reminderShown, .list, [1]))
            try devices[1].change(
                Draft(task, .completion(100), .list, Completion.done(next: 200, date: []).bytes))
            try devices[0].change(Draft(task, .remove, .list))
            try group.exchangeAll()
            for device in devices { #expect(try device.state(task)?.isRemoved == true) }
        }
    }

    @Test("restore repeats the whole object with its stamps, also where it was erased")
    func restored() throws {
        try group(3) { group, devices, item, _ in
            let stamp = try devices[0].state(item)?.fields[.value]?.current.stamp
            try devices[0].change(Draft(item, .remove, .whileUnlocked))
            try group.exchangeAll()
            for device in devices { try device.replica.acknowledge() }
            try group.exchangeAll()
            #expect(try devices[2].replica.erase(item))
            #expect(try devices[2].state(item) == nil)
            try devices[1].replica.restore(item)
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(item) == ["old"])
                #expect(try device.state(item)?.fields[.value]?.current.stamp == stamp)
                #expect(try device.state(item)?.hasReturned == false)
            }
        }
    }

    @Test("restore without the key V repeats the values at the next verification")
    func restoredUnverified() throws {
        try group { group, devices, _, _ in
            let item = group.object()
            try devices[0].replica.change { _ in
                try Draft.item(item, name: "safe", value: "deep", isProtected: true)
            }
            try devices[0].change(Draft(item, .remove, .whileUnlocked))
            try group.exchangeAll()
            for device in devices { try device.replica.acknowledge() }
            try group.exchangeAll()
            #expect(try devices[0].replica.erase(item))
            devices[1].level = .whileUnlocked
            try devices[1].replica.restore(item)
            try group.exchangeAll()
            #expect(try devices[0].texts(item) == [])
            devices[1].level = .afterVerification
            try group.exchangeAll()
            #expect(try devices[0].texts(item) == ["deep"])
        }
    }

    @Test("erasing waits until the heads of all members are past the object")
    func erased() throws {
        try group(3) { group, devices, item, _ in
            #expect(try !devices[0].replica.erase(item), "not in the trash")
            try devices[0].change(Draft(item, .remove, .whileUnlocked))
            _ = try devices[0].replica.exchange()
            _ = try devices[1].replica.exchange()
            try devices[1].replica.acknowledge()
            try group.exchangeAll()
            #expect(try !devices[0].replica.erase(item), "the third has said nothing")
            try devices[2].replica.acknowledge()
            try group.exchangeAll()
            #expect(try devices[0].replica.erase(item))
            let kept = devices[0].store.state.versions[item]?.keys.map(\.field)
            #expect(kept == [.remove])
        }
    }

    @Test("tags: each by itself")
    func tags() throws {
        try group { group, devices, _, task in
            try devices[0].change(Draft(task, .tag("home"), .list, RecordContent.flag(true)))
            try devices[1].change(Draft(task, .tag("work"), .list, RecordContent.flag(true)))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.state(task)?.tags == [.tag("home"), .tag("work")])
            }
            try devices[1].change(Draft(task, .tag("home"), .list, RecordContent.flag(false)))
            try group.exchangeAll()
            #expect(try devices[0].state(task)?.tags == [.tag("work")])
        }
    }

    @Test("subtasks: each by itself, in the order that both made")
    func subtasks() throws {
        try group { group, devices, _, task in
            var ids: [SubtaskID] = []
            func add(_ device: TestDevice, after place: Int) throws -> SubtaskID {
                let id = SubtaskID.random(from: group.random)
                try device.replica.change { stamp in
                    let rows = try device.state(task)?.subtasks.map(\.position) ?? []
                    let lower = place > 0 ? rows[place - 1] : nil
                    let upper = place < rows.count ? rows[place] : nil
                    return [
                        .text(task, .subtaskName(id), id.text, .list),
                        Draft(
                            task, .subtaskPosition(id), .list,
                            Position.between(lower, upper, stamp: stamp).bytes),
                    ]
                }
                return id
            }
            ids = [try add(devices[0], after: 0), try add(devices[0], after: 1)]
            try group.exchangeAll()
            // Both put two between the same ones.
            var own: [SubtaskID] = [try add(devices[0], after: 1)]
            own.append(try add(devices[0], after: 2))
            var others: [SubtaskID] = [try add(devices[1], after: 1)]
            others.append(try add(devices[1], after: 2))
            try group.exchangeAll()
            let order = try devices[0].state(task)?.subtasks.map(\.id) ?? []
            #expect(order.first == ids[0] && order.last == ids[1] && order.count == 6)
            #expect(order.filter { own.contains($0) } == own)
            #expect(order.filter { others.contains($0) } == others)
            #expect(try devices[1].state(task)?.subtasks.map(\.id) == order)
            // A remove against a new name keeps the subtask; against done it does not.
            try devices[0].change(Draft(task, .subtaskRemove(ids[0]), .list))
            try devices[1].change(.text(task, .subtaskName(ids[0]), "new", .list))
            try devices[0].change(Draft(task, .subtaskRemove(ids[1]), .list))
            try devices[1].change(
                Draft(task, .subtaskDone(ids[1]), .list, RecordContent.flag(true)))
            try group.exchangeAll()
            let left = try devices[0].state(task)?.subtasks.map(\.id) ?? []
            #expect(left.contains(ids[0]) && !left.contains(ids[1]))
        }
    }

    @Test("class of an item: lowering counts only if it had seen each raising")
    func protection() throws {
        try group { group, devices, item, _ in
            func set(_ device: TestDevice, _ isProtected: Bool) throws {
                try device.change(.protection(item, isProtected, .whileUnlocked))
            }
            try set(devices[0], true)
            try set(devices[0], false)
            #expect(try devices[0].state(item)?.isProtected == false)
            try set(devices[1], true)
            group.wait(5)
            try set(devices[0], false)
            try group.exchangeAll()
            for device in devices { #expect(try device.state(item)?.isProtected == true) }
            try set(devices[0], false)
            try group.exchangeAll()
            #expect(try devices[1].state(item)?.isProtected == false)
        }
    }

    @Test("what comes in the open for something protected marks what it replaces")
    func openText() throws {
        try group { group, devices, item, task in
            try devices[0].change(
                .protection(item, true, .whileUnlocked),
                try .secret(item, .value, .afterVerification, "hidden"))
            try devices[0].change(
                .protection(task, true, .list),
                try .secret(task, .notes, .afterVerification, "hidden"))
            try group.exchangeAll()
            try devices[1].change(try .secret(item, .value, .whileUnlocked, "forged"))
            try devices[1].change(.text(task, .notes, "forged", .list))
            try group.exchangeAll()
            for device in devices {
                #expect(try device.texts(item).prefix(2) == ["forged", "hidden!"])
                #expect(try device.texts(task, .notes) == ["forged", "hidden!"])
            }
            // After the end of protection there is nothing to mark.
            for (object, field) in [(item, RecordField.value), (task, .notes)] {
                try devices[0].change(
                    try .secret(object, field, .afterVerification, "hidden again"))
                try devices[0].change(
                    .protection(object, false, .list))
            }
            try devices[0].change(try .secret(item, .value, .whileUnlocked, "open"))
            try devices[0].change(.text(task, .notes, "open", .list))
            try group.exchangeAll()
            #expect(try devices[1].texts(item).prefix(2) == ["open", "hidden again"])
            #expect(try devices[1].texts(task, .notes).prefix(2) == ["open", "hidden again"])
        }
    }

    @Test("protection ends only by a record of the level after verification")
    func protectionOfThieves() throws {
        try group { group, devices, item, task in
            try devices[0].change(.protection(item, true, .whileUnlocked))
            try devices[0].change(.protection(task, true, .list))
            try group.exchangeAll()
            for (object, level) in [(item, SyncLevel.whileUnlocked), (task, .list)] {
                try devices[1].change(
                    Draft(object, .protection, level, RecordContent.flag(false)))
                try group.exchangeAll()
                for device in devices { #expect(try device.state(object)?.isProtected == true) }
                try devices[1].change(.protection(object, false, level))
                try group.exchangeAll()
                for device in devices { #expect(try device.state(object)?.isProtected == false) }
            }
        }
    }

    @Test(
        "protection of a task: an edit of protected text that unprotect had not seen keeps it protected"
    )
    func protectedText() throws {
        try group { group, devices, _, task in
            try devices[0].change(
                Draft(task, .protection, .list, RecordContent.flag(true)),
                try .secret(task, .notes, .afterVerification, "hidden"))
            try group.exchangeAll()
            try devices[1].change(try .secret(task, .notes, .afterVerification, "hidden too"))
            group.wait(5)
            try devices[0].change(
                .protection(task, false, .list),
                .text(task, .notes, "open", .list))
            #expect(try devices[0].state(task)?.isProtected == false)
            try group.exchangeAll()
            for device in devices { #expect(try device.state(task)?.isProtected == true) }
        }
    }

    @Test("an unknown field and an unknown kind are kept and given back")
    func unknown() throws {
        try group(3) { group, devices, item, _ in
            let other = group.object()
            try devices[0].change(
                Draft(item, RecordField(900, [1, 2]), .whileUnlocked, [3, 4, 5]),
                Draft(other, .create, .whileUnlocked, [77]))
            try group.exchangeAll()
            let state = try #require(try devices[1].state(item))
            #expect(state.fields[RecordField(900, [1, 2])]?.current.content == .open([3, 4, 5]))
            #expect(try devices[1].state(other)?.kind == 77)
            try devices[1].change(Draft(item, .remove, .whileUnlocked))
            try devices[1].replica.restore(item)
            try group.exchangeAll()
            #expect(try devices[2].state(item)?.fields[RecordField(900, [1, 2])] != nil)
        }
    }
}
