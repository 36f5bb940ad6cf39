import Sync
@testable import SyncMirrors
import Tasks
import TestSupport
import Testing

/// A list that leaves the group and joins it again as another device.
@Suite("Task mirror: joining again")
struct TaskMirrorAgainTests {
    @Test("it takes over what the group changed meanwhile, removals included")
    func takesOver() throws {
        try withTaskHomes { group, first, second in
            let removed = try first.add("removed")
            let changed = try first.add("changed")
            _ = try first.add("same")
            try group.syncAll()
            group.wait(.seconds(60))
            try first.list.remove(first.task(removed), from: nil)
            try first.editText(changed) { $0.name = "new" }
            try first.sync()
            try second.joinAgain()
            try group.syncAll()
            for home in [first, second] {
                #expect(try home.tasks().compactMap(\.plainText?.name).sorted() == ["new", "same"])
                #expect(try home.mirror().markedIDs().isEmpty)
            }
            #expect(try first.described() == second.described())
        }
    }

    @Test("the end of protection that it did not send marks nothing")
    func unsentEndOfProtection() throws {
        try withTaskHomes { group, first, second in
            let id = try first.add("old")
            try group.syncAll()
            for name in ["older", "newer"] {
                group.wait(.seconds(60))
                try first.editText(id) { $0.name = name }
                if !(try first.task(id).isProtected) {
                    try first.list.protect(first.task(id), in: first.vault)
                }
                try group.syncAll()
            }
            group.wait(.seconds(60))
            try first.list.unprotect(first.task(id), from: first.vault)
            group.wait(.seconds(60))
            try first.joinAgain()
            group.wait(.seconds(60))
            try group.syncAll(most: 5)
            for home in group.homes {
                #expect(try home.task(id).plainText?.name == "newer")
                #expect(try home.mirror().markedIDs().isEmpty)
            }
        }
    }

    @Test("what it changed and did not send is a change of its time", arguments: [true, false])
    func unsentChanges(isCapturing: Bool) throws {
        try withTaskHomes { group, first, second in
            let mine = try first.add("mine")
            let theirs = try first.add("theirs")
            let steps = try first.add("steps")
            for step in ["one", "two"] { try first.addSubtask(step, to: steps) }
            try group.syncAll()
            group.wait(.seconds(60))
            try second.editText(theirs) { $0.name = "theirs, older" }
            try first.editText(mine) { $0.name = "mine, older" }
            try first.edit(steps) { $0.priority = .high }
            try first.sync()
            group.wait(.seconds(60))
            try second.editText(mine) { $0.name = "mine, newer" }
            try second.editText(steps) { $0.subtasks.removeFirst() }
            group.wait(.seconds(60))
            try first.editText(theirs) { $0.name = "theirs, newer" }
            try first.sync()
            group.wait(.seconds(60))
            try second.joinAgain(capturing: isCapturing)
            try group.syncAll()
            for home in [first, second] {
                #expect(try home.text(mine).name == "mine, newer")
                #expect(try home.text(theirs).name == "theirs, newer")
                #expect(try home.text(steps).subtasks.map(\.name) == ["two"])
                #expect(try home.task(steps).priority == .high)
                #expect(try home.mirror().markedIDs() == [mine, theirs])
            }
            #expect(try first.described() == second.described())
        }
    }

    @Test(
        "a removal that was not sent stays, unless the group changed the task",
        arguments: [true, false])
    func unsentRemovals(isCapturing: Bool) throws {
        try withTaskHomes { group, first, second in
            let removed = try first.add("removed")
            let changed = try first.add("changed")
            let back = try first.add("back")
            try group.syncAll()
            try second.list.remove(second.task(back), from: nil)
            try group.syncAll()
            group.wait(.seconds(60))
            _ = try second.list.undo(in: second.vault)
            for id in [removed, changed] { try second.list.remove(second.task(id), from: nil) }
            try first.editText(changed) { $0.name = "new" }
            try first.sync()
            try second.joinAgain(capturing: isCapturing)
            try group.syncAll()
            for home in [first, second] {
                #expect(try home.tasks().compactMap(\.plainText?.name).sorted() == ["back", "new"])
                #expect(try home.mirror().markedIDs() == [changed])
                _ = try home.task(back)
            }
        }
    }

    @Test("what the others removed and erased goes here, too")
    func erased() throws {
        try withTaskHomes { group, first, second in
            let ids = try ["removed", "kept"].map { try first.add($0) }
            try group.syncAll()
            for id in ids { try first.list.remove(first.task(id), from: nil) }
            try first.sync()
            let former = second.device
            try second.joinAgain()
            // The second home has not begun yet, and is not waited for.
            group.absent = [former, second.device]
            group.wait(.seconds(40 * 86_400))
            try second.editText(ids[1]) { $0.name = "new" }
            #expect(try first.mirror().expire() == 2)
            #expect(try first.replica.makeSnapshot())
            for _ in 0..<2 { try first.sync() }
            #expect(try first.replica.remote.list(first.device).first?.dot.number ?? 1 > 1)
            group.absent = []
            try group.syncAll()
            for home in [first, second] {
                #expect(try home.tasks().compactMap(\.plainText?.name) == ["new"])
            }
        }
    }
}
