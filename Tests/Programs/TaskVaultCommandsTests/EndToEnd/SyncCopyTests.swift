import Foundation
import Testing
import TestSupport

/// Machines whose disk was copied, or put back: one of the two becomes a device of its own, and nothing is lost.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncCopyTests {
    private func update(_ value: String, _ home: TestHome) throws {
        let updated = try home.run(
            ["secret", "update", "mail.example", "ada"], input: Array(value.utf8))
        #expect(updated.exitCode == 0, "\(updated.errorText)")
    }

    private func names(_ home: TestHome) throws -> Set<String> {
        let listed = try home.ask("device list --json").object["devices"]
        return Set((listed as? [[String: Any]] ?? []).texts("name"))
    }

    private func codes(_ report: [String: Any]) -> [String] {
        ((report["problems"] as? [[String: Any]])?.texts("code") ?? []).sorted()
    }

    /// The content that both halves have before they are apart, and the changes of each.
    private func changeHalves(
        _ first: TestHome, _ second: TestHome, _ copy: CopiedHome, _ task: String
    ) throws {
        _ = try second.add("of the original")
        try second.save("original", "original.example")
        try update("of the original", second)
        try second.doTask("edit", task, "--list", "original")
        try second.syncNow()
        try copy.exchange()
        // Not sent, and later than all of the other half.
        _ = try second.add("of the copy")
        try second.save("copy", "copy.example")
        try update("of the copy", second)
        try second.doTask("edit", task, "--notes", "of the copy")
        #expect(try second.run("secret remove gone.example ada --yes").exitCode == 0)
    }

    /// Both halves and the other device have the same: all that was different, and of what was the same the newer, with the other marked.
    private func expectEverything(
        _ homes: [TestHome], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for home in homes {
            #expect(
                try home.tasks().texts("name").sorted()
                    == ["of both", "of the copy", "of the original"],
                sourceLocation: sourceLocation)
            let both = try #require(try home.tasks().first { $0["name"] as? String == "of both" })
            #expect(both["list"] as? String == "original", sourceLocation: sourceLocation)
            #expect(both["notes"] as? String == "of the copy", sourceLocation: sourceLocation)
            #expect(
                try home.entries() == [
                    "mail.example": true, "original.example": false, "copy.example": false,
                ], sourceLocation: sourceLocation)
            let history = try home.run("secret history mail.example ada --show --json --no-agent")
            #expect(history.exitCode == 0 || history.exitCode == 2)
        }
    }

    private func begin(_ first: TestHome, _ second: TestHome) throws -> String {
        try first.save("one")
        try first.save("never changed", "gone.example")
        return try first.add("of both")
    }

    @Test func bothHalvesOfACopiedDiskCount() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let task = try begin(first, second)
        try homes.sync()
        let copy = try CopiedHome(second)
        try changeHalves(first, second, copy, task)
        // Without a verification the copy is named, and sends nothing.
        expect(try second.ask("lock"), ends: 0)
        let locked = try second.ask("sync now --json")
        #expect(locked.exitCode == 7)
        #expect(locked.failure["code"] as? String == "sync_cloned", "\(locked.errorText)")
        #expect((locked.failure["hint"] as? String)?.contains("verify") == true)
        #expect(try names(second) == ["first", "second"])
        // With one it becomes a device of its own, and a person is told, here and there.
        #expect(codes(try second.syncNow()) == ["device_copied"])
        #expect(try names(second) == ["first", "second", "second copy"])
        try homes.sync()
        #expect(codes(try first.syncNow()) == ["device_copied"])
        try expectEverything([first, second])
        try copy.exchange()
        #expect(codes(try second.syncNow()) == ["device_copied"])
        // The original is the device that it was, and both write on.
        #expect(try second.syncStatus["group"] as? String == first.syncStatus["group"] as? String)
        _ = try second.add("later, of the original")
        try homes.sync()
        try copy.exchange()
        _ = try second.add("later, of the copy")
        try homes.sync()
        try copy.exchange()
        try homes.sync()
        for home in [first, second] {
            #expect(
                try Set(home.tasks().texts("name")).isSuperset(of: [
                    "later, of the original", "later, of the copy",
                ]))
        }
        // A name ends the message.
        #expect(try first.run(["device", "rename", "second copy", "laptop"]).exitCode == 0)
        #expect(codes(try second.syncNow()).isEmpty)
        #expect(try names(second) == ["first", "second", "laptop"])
    }

    @Test func theWordsOfTheHalvesAreEqualAfterwards() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let task = try begin(first, second)
        try homes.sync()
        let copy = try CopiedHome(second)
        try changeHalves(first, second, copy, task)
        try homes.sync()
        let words = try second.run("sync check").outputText
        try copy.exchange()
        try second.syncNow()
        #expect(try second.run("sync check").outputText == words)
        #expect(try first.run("sync check").outputText == words)
        try expectEverything([first, second])
    }

    /// Each half has a folder of its own, and a program that copies makes two files of one number.
    @Test func halvesWithFoldersOfTheirOwnAreToldApart() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.second, homes.first)
        let task = try begin(first, second)
        try homes.sync()
        let copy = try CopiedHome(second, with: ["shared"])
        _ = try second.add("of the original")
        try second.save("original", "original.example")
        try update("of the original", second)
        try second.doTask("edit", task, "--list", "original")
        try second.syncNow()
        try copy.exchange()
        _ = try second.add("of the copy")
        try second.save("copy", "copy.example")
        try update("of the copy", second)
        try second.doTask("edit", task, "--notes", "of the copy")
        #expect(try second.run("secret remove gone.example ada --yes").exitCode == 0)
        // It is not known yet that there are two.
        #expect(codes(try second.syncNow()).isEmpty)
        try merge(homes.folder, into: copy.other("shared"))
        try FileManager.default.removeItem(atPath: homes.folder)
        try FileManager.default.copyItem(atPath: copy.other("shared"), toPath: homes.folder)
        // The others wait, and the copy becomes a device of its own.
        let waiting = try first.run("sync now --json")
        #expect(waiting.failure["code"] as? String == "sync_forked", "\(waiting.errorText)")
        #expect(codes(try second.syncNow()) == ["device_copied"])
        try first.syncNow()
        try second.syncNow()
        try expectEverything([first, second])
        // The original sees the same folder.
        try FileManager.default.removeItem(atPath: copy.other("shared"))
        try FileManager.default.copyItem(atPath: homes.folder, toPath: copy.other("shared"))
        try copy.exchange()
        #expect(codes(try second.syncNow()) == ["device_copied"])
        try expectEverything([second])
    }

    /// As Syncthing: of two files with one name, the second gets another name.
    private func merge(_ folder: String, into other: String) throws {
        for path in FileManager.default.subpaths(atPath: folder) ?? [] {
            let (source, target) = ("\(folder)/\(path)", "\(other)/\(path)")
            if (try? FileManager.default.contentsOfDirectory(atPath: source)) != nil {
                try FileManager.default.createDirectory(
                    atPath: target, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            } else if !FileManager.default.fileExists(atPath: target) {
                try FileManager.default.copyItem(atPath: source, toPath: target)
            } else if try Files.read(source) != Files.read(target) {
                try FileManager.default.copyItem(
                    atPath: source, toPath: target + ".sync-conflict-20261130-120000-ABCDEFG")
            }
        }
    }

    @Test func aDiskThatWasPutBackLosesNothing() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        let image = try CopiedHome(second)
        _ = try second.add("sent before the image came back")
        try update("two", second)
        try homes.sync()
        try image.putBack()
        _ = try second.add("of the image")
        #expect(codes(try second.syncNow()) == ["device_copied"])
        try homes.sync()
        for home in [first, second] {
            #expect(
                try home.tasks().texts("name").sorted()
                    == ["of the image", "sent before the image came back"])
            #expect(try home.value() == "two")
            #expect(try home.entries() == ["mail.example": false])
        }
        // The device that it was is no more.
        #expect(try first.run("device remove second --yes").exitCode == 0)
        _ = try second.add("later")
        try homes.sync()
        #expect(try first.tasks().texts("name").contains("later"))
        #expect(try names(first) == ["first", "second copy"])
    }

    @Test func theHalvesOfACopySyncThroughTheServer() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        let task = try begin(first, second)
        try homes.sync()
        let copy = try CopiedHome(second)
        try changeHalves(first, second, copy, task)
        #expect(codes(try second.syncNow()) == ["device_copied"])
        try homes.sync()
        try expectEverything([first, second])
        try copy.exchange()
        try homes.sync()
        try expectEverything([first, second])
    }

    /// A succession that ends at any step is ended by the next round.
    @Test func aKilledSuccessionIsContinued() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        let task = try begin(first, second)
        try homes.sync()
        let copy = try CopiedHome(second)
        try changeHalves(first, second, copy, task)
        for step in 1...12 {
            let session = try TerminalSession(
                second, ["sync", "now", "--no-agent", "--passphrase-file", second.passphraseFile])
            usleep(useconds_t(25_000 * step))
            kill(session.process, SIGKILL)
            _ = try session.finish()
        }
        try homes.sync()
        try expectEverything([first, second])
        try copy.exchange()
        try homes.sync()
        try expectEverything([first, second])
    }
}
