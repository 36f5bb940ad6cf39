import Foundation
import Testing
import TestSupport

/// Changes that a home had not sent, when it joins again or a backup takes its place; and damage that a device mends itself.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncRejoinTests {
    private func update(
        _ value: String, _ home: TestHome, _ service: String = "mail.example"
    ) throws {
        let updated = try home.run(
            ["secret", "update", service, "ada"], input: Array(value.utf8))
        #expect(updated.exitCode == 0, "\(updated.errorText)")
    }

    private func run(_ home: TestHome, _ command: String) throws {
        let result = try home.run(command)
        #expect(result.exitCode == 0, "\(command): \(result.errorText)")
    }

    private func earlier(_ home: TestHome, _ service: String = "mail.example") throws -> Set<String>
    {
        let history = try home.run("secret history \(service) ada --show --json")
        let values = try #require(history.json as? [[String: Any]])
        return Set(
            values.compactMap {
                ($0["value_base64"] as? String).flatMap { Data(base64Encoded: $0) }
                    .map { String(decoding: $0, as: UTF8.self) }
            })
    }

    private func id(_ name: String, _ home: TestHome) throws -> String {
        try #require(
            try home.tasks().first { $0["name"] as? String == name }?["id"] as? String)
    }

    @Test("a device that is behind takes over what the group has", arguments: [false, true])
    func theNewestStaysWhenADeviceIsBehind(isLocked: Bool) throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        for service in ["mail.example", "old.example", "gone.example", "mine.example"] {
            try first.save("one", service)
        }
        let gone = try first.add("gone")
        _ = try first.add("changed")
        _ = try first.add("mine")
        try homes.sync()
        try update("two", first)
        try run(first, "secret edit old.example ada --service new.example")
        try run(first, "secret remove gone.example ada --yes")
        try first.doTask("remove", gone, "--yes")
        try first.doTask("edit", id("changed", first), "--name", "newer")
        try first.syncNow()
        // Not sent: a removal of each kind.
        try run(second, "secret remove mine.example ada --yes")
        try second.doTask("remove", id("mine", second), "--yes")
        if isLocked {
            expect(try second.ask("lock"), ends: 0)
            #expect(try second.ask("sync disable --yes").exitCode == 0)
        } else {
            try run(second, "sync disable --yes")
        }
        try homes.join()
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "two")
            #expect(try earlier(home) == ["one"])
            #expect(try home.entries() == ["mail.example": false, "new.example": false])
            #expect(try home.tasks().texts("name") == ["newer"])
        }
        let own = try second.ownItems().map { $0["service"] as? String ?? "" }
        #expect(!own.contains("taskvault.sync-former"))
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: second.folder + "/state")
                .filter { $0.contains("former-") }.isEmpty)
    }

    @Test func aRestoredDeviceKeepsWhatItHadNotSent() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        let backup = second.folder + "/backup"
        try run(second, "backup \(backup)")
        try second.unlock()
        expect(
            try second.runBare(
                ["secret", "update", "mail.example", "ada"], input: Array("unsent".utf8)),
            ends: 0)
        _ = try second.add("unsent")
        let restored = try second.ask(
            "restore \(backup) --replace --passphrase-file \(second.passphraseFile)")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(!restored.errorText.contains("only in"), "\(restored.errorText)")
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "unsent")
            #expect(try home.tasks().texts("name") == ["unsent"])
        }
    }

    @Test func aRestoreOfALockedVaultSaysWhereUnsentSecretsAre() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        let backup = second.folder + "/backup"
        try run(second, "backup \(backup)")
        try update("unsent", second)
        _ = try second.add("unsent")
        if second.agentProcess != nil { expect(try second.ask("lock"), ends: 0) }
        let restored = try second.run("restore \(backup) --replace")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        let command = try #require(
            restored.errorText.firstMatch(
                of:
                    /since the last round of sync, are as changed only in (\S+): taskvault (restore --to DIR \S+)/
            ))
        #expect(FileManager.default.fileExists(atPath: String(command.output.1)))
        try homes.sync()
        #expect(try first.tasks().texts("name") == ["unsent"])
        #expect(try second.value() == "one")
        // The command that it names reads them.
        let look = second.folder + "/look"
        try run(second, String(command.output.2).replacingOccurrences(of: "DIR", with: look))
        let value = try second.run("secret get mail.example ada --home \(look)")
        #expect(value.outputText == "unsent", "\(value.errorText)")
    }

    @Test func theRestoredDeviceKeepsWhatItReplacedEverywhere() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        let backup = first.folder + "/backup"
        try run(first, "backup \(backup)")
        try update("two", first)
        try first.save("new", "later.example")
        try update("newer", first, "later.example")
        try homes.sync()
        let session = try TerminalSession(
            first,
            ["restore", backup, "--no-agent", "--passphrase-file", first.passphraseFile],
            columns: 200)
        try session.waitFor("A copy is kept beside it [y/N]: ")
        try session.type("y\n")
        try session.answer(
            "Make the backup the state of all devices? Otherwise what they changed since comes back [y/N]",
            "y")
        #expect(try session.finish() == 0, "\(session.screen)")
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "one")
            #expect(try earlier(home).contains("two"))
            #expect(try home.entries() == ["mail.example": false])
            let trash = try home.run("secret list --removed --json").json as? [[String: Any]]
            #expect(trash?.texts("service") == ["later.example"])
            try run(home, "secret restore later.example ada")
            #expect(try home.value("later.example") == "newer")
            try run(home, "secret remove later.example ada --yes")
        }
    }

    @Test func aDamagedChangeIsPutAgain() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try first.syncNow()
        let group = try #require(Files.names(in: homes.folder).first)
        let files = FileManager.default
        let segments = try files.subpathsOfDirectory(atPath: "\(homes.folder)/\(group)").filter {
            UInt64($0.split(separator: "/").last ?? "") != nil
        }.map { "\(homes.folder)/\(group)/\($0)" }
        let whole = try segments.map { try Files.read($0) }
        for path in segments {
            var bytes = try Files.read(path)
            bytes[bytes.count / 2] ^= 1
            try Files.write(bytes, to: path)
        }
        let synced = try second.run("sync now --json")
        #expect(synced.exitCode == 0, "\(synced.errorText)")
        #expect(try second.run("secret get mail.example ada").exitCode == 5)
        try first.syncNow()
        let problems = try first.syncStatus["problems"] as? [[String: Any]]
        #expect(problems?.texts("code").contains("changes_repaired") == true)
        #expect(try first.run("sync status").outputText.contains("were put again"))
        try homes.sync()
        #expect(try second.value() == "one")
        for (path, bytes) in zip(segments, whole) { #expect(try Files.read(path) == bytes) }
        #expect((try first.syncStatus["problems"] as? [Any])?.isEmpty == true)
    }

    @Test func aDeviceThatRefusesTheDigitsIsNoMember() throws {
        let homes = try TwoHomes(isJoined: false)
        try homes.enable()
        let (joining, approving) = try homes.sessions()
        try joining.waitFor("type these digits on the other device: ")
        try approving.answer("Digits of the new device", TwoHomes.digits(joining))
        try approving.waitFor("type these digits on the new device: ")
        let shown = try TwoHomes.digits(approving)
        try joining.answer(
            "Digits of the other device", shown == "000 000" ? "000 001" : "000 000")
        #expect(try joining.finish() == 8)
        #expect(try approving.finish() == 8, "\(approving.screen)")
        #expect(approving.screen.contains("did not accept the digits, and was removed again"))
        #expect((try homes.first.syncStatus["devices"] as? [Any])?.count == 1)
        try homes.join()
        #expect((try homes.first.syncStatus["devices"] as? [Any])?.count == 2)
    }
}
