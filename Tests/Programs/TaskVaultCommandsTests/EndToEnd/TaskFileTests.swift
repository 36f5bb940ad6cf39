import Foundation
import Platform
import Testing
import TestSupport
import VaultStorage

/// Files that belong to tasks.
@Suite(.waitsForProcesses) struct TaskFilesTests {
    private func home() throws -> TestHome {
        let home = try TestHome.forTasks()
        try home.unlock()
        try home.make("contract.pdf", Array("%PDF-1.7".utf8))
        return home
    }

    @Test func aTaskShowsItsFiles() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf")
        #expect(try home.files().first?["task"] as? String == id)
        let files = try #require(try home.shown(id)["files"] as? [[String: Any]])
        #expect(files.texts("name") == ["contract.pdf"])
        #expect(try home.task("show", id).outputText.contains("contract.pdf (8 B)"))
        #expect(try home.ask("file list").outputText.contains(id))
        // Where the vault is locked the task is shown, and its files are not known.
        try home.ask("lock")
        #expect(try home.shown(id)["files"] is NSNull)
        #expect(try home.task("show", id).exitCode == 0)
    }

    @Test func filesAreProtectedAsTheirTaskIs() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf")
        func isProtected() throws -> Bool {
            try home.files().allSatisfy { $0["protected"] as? Bool == true }
        }
        #expect(try !isProtected())
        try home.doTask("protect", id)
        #expect(try isProtected())
        try home.doFile("add", "--task", id, "contract.pdf", "--name", "second.pdf")
        #expect(try isProtected())
        #expect(try home.shown(id)["files"] as? [Any] != nil)
        try home.closeWindow()
        #expect(try home.file("get", "second.pdf", "--output", "-").exitCode == 8)
        try home.unlock()
        try home.doTask("unprotect", id)
        #expect(try home.files().allSatisfy { $0["protected"] as? Bool == false })
    }

    @Test func aFileIsAddedToATaskWithoutAnAgent() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf", via: .noAgent)
        #expect(try home.files().first?["task"] as? String == id)
    }

    @Test func aFileIsAttachedAndDetached() throws {
        let home = try home()
        let id = try home.add("--protected", input: "sign the contract\n")
        try home.doFile("add", "contract.pdf")
        try home.doFile("attach", "contract.pdf", id)
        func file() throws -> [String: Any] { try #require(try home.files().first) }
        #expect(try file()["task"] as? String == id)
        #expect(try file()["protected"] as? Bool == true)
        expect(
            try home.file("unprotect", "contract.pdf"), ends: 8,
            "error: file contract.pdf belongs to task \(id), which is protected",
            "hint: taskvault task unprotect \(id)")
        try home.doFile("detach", "contract.pdf")
        #expect(try file()["task"] is NSNull)
        try home.doFile("unprotect", "contract.pdf")
        #expect(try file()["protected"] as? Bool == false)
        #expect(try home.file("attach", "contract.pdf", "zzzzzz").exitCode == 5)
    }

    @Test func aRestoredFileIsProtectedAsItsTask() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf")
        try home.doFile("remove", "contract.pdf")
        try home.doTask("protect", id)
        try home.doFile("restore", "contract.pdf")
        #expect(try home.files().first?["protected"] as? Bool == true)
    }

    @Test func whatTheOwnerRemovedStaysRemoved() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf")
        try home.doFile("remove", "contract.pdf")
        try home.doTask("remove", "--yes", id)
        try home.doTask("undo")
        #expect(try home.files().isEmpty)
        #expect(try home.files("--removed").texts("name") == ["contract.pdf"])
    }

    @Test func damagedFilesDoNotHideATask() throws {
        let home = try home()
        let id = try home.add("sign the contract")
        try home.doFile("add", "--task", id, "contract.pdf")
        // The agent sees a vault that another program damaged.
        let storage = try VaultDatabase.open(.file(home.vault), mode: .readWrite)
        try storage.write { writer in
            var items: [ItemRecord] = []
            try writer.forEachItem { items.append($0) }
            for item in items { try writer.removeItem(tag: item.tag) }
        }
        storage.close()
        // A session that has verified its list reads it again after others' changes only.
        try home.ask("lock")
        try home.unlock()
        let shown = try home.task("show", id)
        #expect(shown.exitCode == 0)
        #expect(
            shown.errorText.contains("warning: its files cannot be listed: "),
            "\(shown.errorText)")
        let removed = try home.task("remove", "--yes", id)
        #expect(removed.exitCode == 0)
        #expect(
            removed.errorText.contains("warning: the files of task \(id) stay: "),
            "\(removed.errorText)")
    }

    @Test(arguments: [false, true])
    func filesGoAndComeBackWithTheirTask(isProtected: Bool) throws {
        let home = try home()
        let id =
            try isProtected
            ? home.add("--protected", input: "sign the contract\n") : home.add("sign the contract")
        try home.doFile("add", "contract.pdf", "--name", "of no task")
        try home.doFile("add", "--task", id, "contract.pdf")
        try home.doFile("add", "--task", id, "contract.pdf", "--name", "second.pdf")
        try home.doFile("add", "--task", id, "contract.pdf", "--name", "unwanted.pdf")
        try home.doFile("remove", "unwanted.pdf")
        try home.doTask("remove", "--yes", id)
        #expect(try home.files().texts("name") == ["of no task"])
        #expect(
            Set(try home.files("--removed").texts("name"))
                == ["contract.pdf", "second.pdf", "unwanted.pdf"])
        try home.doFile("add", "contract.pdf")
        let undone = try home.doTask("undo")
        #expect(
            undone.errorText.contains(
                "these files stay removed, because their names are taken: contract.pdf"))
        #expect(
            try home.files().texts("name") == ["contract.pdf", "of no task", "second.pdf"])
        let files = try #require(try home.shown(id)["files"] as? [[String: Any]])
        #expect(files.texts("name") == ["second.pdf"])
    }
}
