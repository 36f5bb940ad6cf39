import Foundation
import Testing
import TestSupport

/// Homes that were put back, or join again.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncAgainTests {
    private func rename(_ name: String, to other: String, _ home: TestHome) throws {
        let task = try #require(
            try home.tasks().first { $0["name"] as? String == name }?["id"] as? String)
        try home.doTask("edit", task, "--name", other)
    }

    private func update(
        _ value: String, _ home: TestHome, _ service: String = "mail.example"
    ) throws {
        let updated = try home.run(
            ["secret", "update", service, "ada"], input: Array(value.utf8))
        #expect(updated.exitCode == 0, "\(updated.errorText)")
    }

    @Test func joiningAgainKeepsUnsentChangesAndDoublesNothing() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        for name in ["mine", "theirs", "same"] { _ = try first.add(name, "--list", "home") }
        let steps = try first.add("with steps")
        try first.doTask("subtask", "add", steps, "a step")
        try first.save("one")
        try homes.sync()
        // Unsent, while the other device goes on.
        try rename("mine", to: "mine, unsent", second)
        _ = try second.add("new, unsent")
        try update("two, unsent", second)
        try rename("theirs", to: "theirs, newer", first)
        try first.syncNow()
        #expect(try second.run("sync disable --yes").exitCode == 0)
        #expect(try first.run("device remove second --yes").exitCode == 0)
        try homes.join()
        try homes.sync()
        for home in [first, second] {
            #expect(
                try home.tasks().texts("name").sorted() == [
                    "mine, unsent", "new, unsent", "same", "theirs, newer", "with steps",
                ])
            #expect(try home.value() == "two, unsent")
            let task = try home.tasks().first { $0["name"] as? String == "with steps" }
            #expect((task?["subtasks"] as? [[String: Any]])?.count == 1)
        }
    }

    @Test(arguments: [[], ["--new-lineage"]])
    func aRestoredBackupBecomesTheStateOfAllOnDemand(_ options: [String]) throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        _ = try first.add("before")
        let gone = try first.add("removed since")
        _ = try first.add("second")
        try first.save("a", "second.example")
        try homes.sync()
        let backup = first.folder + "/backup"
        #expect(try first.run("backup \(backup)").exitCode == 0)
        try update("two", first)
        try first.save("new", "later.example")
        _ = try first.add("after")
        try rename("before", to: "changed since", first)
        try rename("second", to: "second, changed", first)
        try update("b", first, "second.example")
        try first.doTask("remove", gone, "--yes")
        try homes.sync()
        let session = try TerminalSession(
            first,
            ["restore", backup, "--no-agent", "--passphrase-file", first.passphraseFile] + options,
            columns: 200)
        try session.waitFor("A copy is kept beside it [y/N]: ")
        try session.type("y\n")
        try session.answer(
            "Make the backup the state of all devices? Otherwise what they changed since comes back [y/N]",
            "y")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.screen.contains("makes this the state of all devices"))
        // A change before the round, which may have the number of a change that the restore took back.
        try rename("second", to: "second, after the restore", first)
        try update("c", first, "second.example")
        // Not without a verification.
        expect(try first.ask("lock"), ends: 0)
        let waiting = try first.ask("sync now --json").object["problems"] as? [[String: Any]]
        #expect(waiting?.texts("code") == ["restored"])
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "one")
            #expect(
                try home.tasks().texts("name").sorted() == [
                    "before", "removed since", "second, after the restore",
                ])
            #expect(try home.value("second.example") == "c")
            #expect(try home.entries() == ["mail.example": false, "second.example": false])
        }
        // What it replaced is an earlier value.
        let history = try second.run("secret history mail.example ada --show --json")
        let earlier = try #require(history.json as? [[String: Any]]).compactMap {
            ($0["value_base64"] as? String).flatMap { Data(base64Encoded: $0) }
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(earlier.contains("two"))
    }

    @Test func twoHomesOfOneUserAreTwoDevices() throws {
        let homes = try TwoHomes(isJoined: false)
        let first = homes.first
        try homes.enable()
        let shown = try first.run("recovery show-new --json")
        let code = try #require(shown.object["recovery_code"] as? String)
        let other = first.folder + "/other-home"
        func run(_ words: String, input: String = "") throws -> RunResult {
            try first.run(words + " --home \(other)", input: input)
        }
        #expect(try run("init " + TestHome.cheap.joined(separator: " ")).exitCode == 0)
        let joined = try run(
            "sync join --folder \(homes.folder) --name other --recovery-code --json",
            input: code + "\n")
        #expect(joined.exitCode == 0, "\(joined.errorText)")
        try first.save("hunter2")
        _ = try first.add("buy milk")
        try first.syncNow()
        #expect(try run("sync now").exitCode == 0)
        #expect(try run("secret get mail.example ada").outputText == "hunter2")
        let listed = try run("task list --json").json as? [[String: Any]]
        #expect(listed?.texts("name") == ["buy milk"])
        #expect(try run("task add of the other").exitCode == 0)
        #expect(try run("sync now").exitCode == 0)
        try first.syncNow()
        #expect(try Set(first.tasks().texts("name")) == ["buy milk", "of the other"])
        // Ending one leaves the other.
        #expect(try run("sync disable --yes").exitCode == 0)
        #expect(try first.run("sync status").exitCode == 0)
    }

    @Test func twoFullVaultsWithEqualNamesBecomeOne() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        for (home, value) in [(first, "older"), (second, "newer")] {
            try home.save(value)
            try home.save("same", "equal.example")
        }
        try homes.enable()
        try homes.join()
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "newer")
            #expect(try home.entries() == ["mail.example": true, "equal.example": false])
        }
    }
}
