import Foundation
import Platform
import Testing
import TestSupport

/// Two homes that share a folder, by commands alone.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncCommandTests {
    @Test func secretsAndTasksTravelBothWays() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        try first.save("hunter2", "mail.example")
        try second.save("correct horse", "bank.example")
        _ = try first.add("buy milk", "--list", "home")
        _ = try second.add("call the plumber")
        try homes.enable()
        try homes.join()
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value("mail.example") == "hunter2")
            #expect(try home.value("bank.example") == "correct horse")
            #expect(
                try Set(home.tasks().texts("name")) == ["buy milk", "call the plumber"])
            #expect(try !home.entries().values.contains(true))
        }
        // Both change something else while apart.
        try first.save("new", "first.example")
        #expect(
            try second.run(
                ["secret", "update", "mail.example", "ada"], input: Array("changed".utf8)
            ).exitCode == 0)
        let milk = try #require(
            try second.tasks().first { $0["name"] as? String == "buy milk" }?["id"] as? String)
        try second.doTask("done", milk)
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value("first.example") == "new")
            #expect(try home.value("mail.example") == "changed")
            let task = try #require(
                try home.tasks("--done").first { $0["name"] as? String == "buy milk" })
            #expect(task["list"] as? String == "home")
            #expect(try !home.entries().values.contains(true))
        }
        // A removal travels, too.
        #expect(try first.run("secret remove bank.example ada --yes").exitCode == 0)
        try homes.sync()
        #expect(try second.run("secret get bank.example ada").exitCode == 5)
        #expect(try second.syncStatus["unsent"] as? Int == 0)
    }

    @Test func bothMoveToAnotherFolder() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("hunter2")
        try homes.sync()
        let other = first.folder + "/other"
        try FileManager.default.createDirectory(
            atPath: other, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        #expect(try first.run("sync move --folder \(other)").exitCode == 0)
        try first.save("new", "moved.example")
        #expect(try first.run("sync now").exitCode == 0)
        #expect(try second.run("sync move --folder \(other)").exitCode == 0)
        try FileManager.default.removeItem(atPath: homes.folder)
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value("mail.example") == "hunter2")
            #expect(try home.value("moved.example") == "new")
        }
        #expect(try second.syncStatus["folder"] as? String == other)
        // Without an account there is no other place.
        #expect(try first.run("sync move").exitCode == 5)
    }

    @Test func concurrentValuesAreBothKeptAndMarked() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        try homes.sync()
        for (home, value) in [(first, "two"), (second, "three")] {
            #expect(
                try home.run(
                    ["secret", "update", "mail.example", "ada"], input: Array(value.utf8)
                ).exitCode == 0)
        }
        try homes.sync()
        let values = try [first, second].map { try $0.value() }
        #expect(values == ["three", "three"])
        for home in [first, second] {
            #expect(try home.entries() == ["mail.example": true])
            let history = try home.run("secret history mail.example ada --show --json")
            let earlier = try #require(history.json as? [[String: Any]])
            let texts = earlier.compactMap {
                ($0["value_base64"] as? String).flatMap { Data(base64Encoded: $0) }
                    .map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(Set(texts).isSuperset(of: ["two", "one"]))
            if home === first { continue }
        }
        // Looking at it on one device clears the mark on both.
        try homes.sync()
        for home in [first, second] { #expect(try home.entries() == ["mail.example": false]) }
    }

    @Test func aLockedMachineGetsTheListAlone() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        _ = try first.add("water the plants")
        try first.save("hunter2")
        try first.save("very secret", "bank.example")
        #expect(
            try first.run("secret edit bank.example ada --class after-verification").exitCode == 0)
        try first.syncNow()
        expect(try second.ask("lock"), ends: 0)
        let locked = try second.ask("sync now --json")
        #expect(locked.exitCode == 0, "\(locked.errorText)")
        #expect(locked.object["scope"] as? String == "list")
        #expect(try second.tasks().texts("name") == ["water the plants"])
        // Unlocked without a verification, it gets secrets that need none.
        try second.unlock()
        try second.closeWindow()
        #expect(try second.ask("sync now --json").object["scope"] as? String == "unlocked")
        try second.expectValue("hunter2")
        #expect(try second.syncStatus["waiting_for_verify"] as? Int ?? 0 > 0)
        #expect(try second.ask("secret get bank.example ada").exitCode != 0)
        try second.syncNow()
        #expect(try second.value("bank.example") == "very secret")
        #expect(try second.syncStatus["waiting_for_verify"] as? Int == 0)
    }

    @Test func textOfAProtectedTaskTravels() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.unlock()
        let secret = SecretText()
        let id = try first.add("--protected", input: secret.name)
        expect(try first.ask("sync now"), ends: 0)
        try second.syncNow()
        try second.unlock()
        let found = try second.ask("task list --reveal --json")
        let tasks = try #require(found.json as? [[String: Any]])
        #expect(tasks.texts("name") == [secret.name])
        #expect(tasks.texts("id") == [id])
        // Neither the folder nor this machine's records have the text in the clear.
        try expectNowhere(secret, below: first, "sent")
        try expectNowhere(secret, below: second, "received")
    }

    @Test func wrongDigitsEndTheJoiningOnBothSides() throws {
        let homes = try TwoHomes(isJoined: false)
        try homes.enable()
        let (joining, approving) = try homes.sessions()
        try joining.waitFor("type these digits on the other device: ")
        let shown = try TwoHomes.digits(joining)
        try approving.answer("Digits of the new device", shown == "000 000" ? "000 001" : "000 000")
        #expect(try approving.finish() == 8)
        #expect(approving.screen.contains("the digits are wrong"))
        kill(joining.process, SIGINT)
        #expect(try joining.finish() == 130)
        let status = try homes.first.syncStatus
        #expect((status["devices"] as? [Any])?.count == 1)
        // The next attempt has other digits, and works.
        try homes.join()
        #expect((try homes.first.syncStatus["devices"] as? [Any])?.count == 2)
    }

    @Test func aRemovedDeviceGetsNothingNewAndSaysSo() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("old")
        try homes.sync()
        let removed = try first.run("device remove second --yes --json")
        #expect(removed.exitCode == 0, "\(removed.errorText)")
        #expect(removed.object["name"] as? String == "second")
        try first.save("new", "later.example")
        _ = try first.add("only here")
        try first.syncNow()
        let refused = try second.run("sync now --json")
        #expect(refused.exitCode == 8)
        #expect(refused.failure["code"] as? String == "device_removed")
        #expect(try second.value() == "old")
        #expect(try second.run("secret get later.example ada").exitCode == 5)
        #expect(try second.tasks().isEmpty)
        // What it writes from now on has no effect.
        _ = try second.add("from the removed one")
        _ = try second.run("sync now")
        try first.syncNow()
        #expect(try first.tasks().texts("name") == ["only here"])
    }

    @Test func aDeviceIsRenamedEverywhere() throws {
        let homes = try TwoHomes()
        try homes.sync()
        #expect(try homes.first.run("device rename second laptop").exitCode == 0)
        try homes.sync()
        for home in [homes.first, homes.second] {
            let listed = try home.ask("device list --json").object["devices"]
            let names = (listed as? [[String: Any]] ?? []).texts("name")
            #expect(Set(names) == ["first", "laptop"])
        }
    }

    @Test func aFolderThatIsMissingOrReadOnlyIsNamed() throws {
        let homes = try TwoHomes()
        let first = homes.first
        try first.save("hunter2")
        try FileManager.default.moveItem(atPath: homes.folder, toPath: homes.folder + "-away")
        let missing = try first.run("sync now --json")
        #expect(missing.exitCode == 5)
        #expect(missing.failure["code"] as? String == "no_folder")
        try FileManager.default.moveItem(atPath: homes.folder + "-away", toPath: homes.folder)
        // Nothing was lost meanwhile.
        try homes.sync()
        #expect(try homes.second.value() == "hunter2")
    }

    @Test func oddNamesInTheFolderAreIgnored() throws {
        let homes = try TwoHomes()
        let group = try #require(Files.names(in: homes.folder).first)
        let device = try #require(Files.names(in: homes.folder + "/" + group).first)
        for folder in ["", "/" + group, "/" + group + "/" + device] {
            for name in [".stfolder", "7.sync-conflict-x", "notes.txt", "-1", "éè", "999999"] {
                try Files.write("odd", to: homes.folder + folder + "/" + name)
            }
            try FileManager.default.createSymbolicLink(
                atPath: homes.folder + folder + "/link", withDestinationPath: "/etc/passwd")
        }
        try homes.first.save("hunter2")
        try homes.sync()
        #expect(try homes.second.value() == "hunter2")
    }

    @Test func enablingTwiceAndJoiningNothingAreExplained() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        expect(
            try first.run("sync now"), ends: 5, "error: this home does not sync",
            "hint: taskvault sync enable or taskvault sync join, with --folder DIR or an account")
        expect(
            try first.run("sync enable"), ends: 5, "error: no auth server is set",
            "hint: taskvault settings set server https://auth.example.org, or give --folder DIR")
        #expect(try first.run("sync enable --folder \(homes.folder)/none").exitCode == 5)
        try homes.enable()
        let twice = try first.run("sync enable --folder \(homes.folder) --json")
        #expect(twice.exitCode == 6)
        #expect(twice.failure["code"] as? String == "sync_enabled")
        let other = try second.run("sync enable --folder \(homes.folder) --json")
        #expect(other.exitCode == 6)
        #expect(other.failure["code"] as? String == "group_exists")
        #expect((other.failure["hint"] as? String)?.contains("sync join --folder") == true)
    }

    @Test func aDatabaseOnAServerAndSyncExcludeEachOther() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        try homes.enable()
        let address = "postgresql://localhost/tasks"
        for words in [
            "settings set database \(address)", "settings set vault \(address)",
            "task move-database \(address)",
        ] {
            expect(
                try first.ask(words), ends: 8,
                "error: this home syncs, and sync needs vault and list in files",
                "hint: taskvault sync disable")
        }
        try Files.write("database = \(address)\n", to: second.settingsFile)
        let refused = try second.run("sync enable --folder \(homes.folder)")
        #expect(refused.exitCode == 8)
        #expect(refused.errorText.contains("error: the setting database names a server"))
        #expect(refused.errorText.contains("hint: taskvault task move-database sqlite"))
        // One whose settings were written by hand meanwhile.
        try Files.write("vault = \(address)\n", to: first.settingsFile)
        let stopped = try first.ask("sync now")
        expect(
            stopped, ends: 8, "error: the setting vault names a server, and sync needs files",
            "hint: use a vault in a file: taskvault settings unset vault")
    }

    @Test func disablingLeavesEverythingHere() throws {
        let homes = try TwoHomes()
        let second = homes.second
        try homes.first.save("hunter2")
        try homes.sync()
        let disabled = try second.run("sync disable --yes --json")
        #expect(disabled.exitCode == 0, "\(disabled.errorText)")
        #expect(disabled.object["keys_removed"] as? Bool == true)
        #expect(try second.value() == "hunter2")
        #expect(try second.ask("sync status").exitCode == 5)
        let own = try second.ownItems().map { $0["service"] as? String ?? "" }
        #expect(!own.contains("taskvault.sync"))
    }

    /// A round can be killed at any time; the next one goes on.
    @Test func killedRoundsLoseNothing() throws {
        let homes = try TwoHomes()
        for number in 1...8 {
            try homes.first.save("value \(number)", "service\(number).example")
            _ = try homes.second.add("task \(number)")
            for home in [homes.first, homes.second] {
                let session = try TerminalSession(
                    home,
                    ["sync", "now", "--no-agent", "--passphrase-file", home.passphraseFile])
                usleep(useconds_t(20_000 * number))
                kill(session.process, SIGKILL)
                _ = try session.finish()
            }
        }
        try homes.sync()
        for home in [homes.first, homes.second] {
            #expect(try home.entries().count == 8)
            #expect(try home.tasks().count == 8)
        }
        #expect(
            try homes.first.tasks().texts("name").sorted()
                == homes.second.tasks().texts("name").sorted())
    }

    @Test func aChangeOnATerminalStartsARound() throws {
        let homes = try TwoHomes()
        try homes.sync()
        let session = try TerminalSession(homes.first, ["task", "add", "water", "the", "plants"])
        #expect(try session.finish() == 0, "\(session.screen)")
        let hasCome = try Processes.wait {
            _ = try homes.second.ask("sync now")
            return try homes.second.tasks().texts("name") == ["water the plants"]
        }
        #expect(hasCome)
    }

    /// After a restore, old content is no change: the others' newer values come back, and nothing that was sent is lost.
    @Test func aRestoredBackupTakesNothingBack() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("one")
        _ = try first.add("before")
        try homes.sync()
        let backup = first.folder + "/backup"
        #expect(try first.run("backup \(backup)").exitCode == 0)
        #expect(
            try first.run(["secret", "update", "mail.example", "ada"], input: Array("two".utf8))
                .exitCode == 0)
        try first.save("new", "later.example")
        _ = try first.add("after")
        try homes.sync()
        let restored = try first.run("restore --replace \(backup)")
        #expect(restored.exitCode == 0, "\(restored.errorText)")
        #expect(restored.errorText.contains("the next round of sync brings back"))
        #expect(try first.value() == "one")
        // A round without the vault changes nothing yet.
        expect(try first.ask("lock"), ends: 0)
        let waiting = try first.ask("sync now --json").object["problems"] as? [[String: Any]]
        #expect(waiting?.texts("code") == ["restored"])
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value() == "two")
            #expect(try home.value("later.example") == "new")
            #expect(try Set(home.tasks().texts("name")) == ["before", "after"])
            #expect(try home.entries() == ["mail.example": false, "later.example": false])
        }
    }

    @Test func aLostGroupIsJoinedByTheRecoveryCode() throws {
        let homes = try TwoHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        try homes.enable()
        try first.save("hunter2")
        let shown = try first.run("recovery show-new")
        #expect(shown.exitCode == 0, "\(shown.errorText)")
        let code = try TestHome.recoveryCode(in: shown.outputText)
        try first.syncNow()
        let join = "sync join --folder \(homes.folder) --name second --recovery-code --json"
        let wrong = try second.run(
            join, input: "MCHP-4SYX-HOX3-774E-DZ4U-KFYJ-XXUQ-GCAA-GGCI-TWKR-BNLH-CYQV-OXNQ-BAP7\n")
        #expect(wrong.exitCode == 4)
        #expect(wrong.failure["code"] as? String == "wrong_recovery_code")
        let joined = try second.run(join, input: code + "\n")
        #expect(joined.exitCode == 0, "\(joined.errorText)")
        #expect(joined.object["name"] as? String == "second")
        #expect(try second.value() == "hunter2")
        #expect(try second.run("device remove first --yes").exitCode == 0)
        #expect(try first.run("sync now").exitCode == 8)
    }

    @Test func losingFieldsAreListed() throws {
        let homes = try TwoHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("hunter2")
        let task = try first.add("buy milk")
        try homes.sync()
        for (home, label) in [(first, "from first"), (second, "from second")] {
            #expect(
                try home.run(["secret", "edit", "mail.example", "ada", "--label", label]).exitCode
                    == 0)
            try home.doTask("edit", task, "--list", label)
        }
        try homes.sync()
        for home in [first, second] {
            let entries = try #require(
                try home.run("sync log --json").json as? [[String: Any]])
            #expect(Set(entries.texts("kind")) == ["secret", "task"])
            #expect(Set(entries.texts("value")) == ["from first"])
            #expect(Set(entries.texts("field")) == ["label", "list"])
            #expect(try home.tasks().texts("list") == ["from second"])
        }
    }

    #if os(Linux)
        @Test(.enabled(if: WallClock.isAvailable, "libfaketime is missing"))
        func losingFieldsAreListedForNinetyDays() throws {
            let homes = try TwoHomes()
            let (first, second) = (homes.first, homes.second)
            let task = try first.add("buy milk")
            try homes.sync()
            for (home, list) in [(first, "shop"), (second, "market")] {
                try home.doTask("edit", task, "--list", list)
            }
            try homes.sync()
            for (days, count) in [(89, 1), (91, 0)] {
                let listed = try first.later("+\(days)d") {
                    try first.run("sync log --json").json as? [[String: Any]]
                }
                #expect(listed?.count == count, "\(days) days")
            }
        }
    #endif

    @Test func theWordsOfBothAreEqual() throws {
        let homes = try TwoHomes()
        try homes.first.save("hunter2")
        try homes.sync()
        let words = try [homes.first, homes.second].map {
            try $0.run("sync check").outputText
        }
        #expect(words[0] == words[1])
        #expect(words[0].split(separator: " ").count == 6)
        try homes.first.save("another", "bank.example")
        try homes.first.syncNow()
        #expect(try homes.first.run("sync check").outputText != words[0])
    }
}
