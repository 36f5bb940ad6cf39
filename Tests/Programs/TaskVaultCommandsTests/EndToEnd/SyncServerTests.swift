import Foundation
import Testing
import TestSupport

/// Two homes that sync through the account's server, by commands alone.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncServerTests {
    @Test func secretsAndTasksTravelBothWays() throws {
        let homes = try TwoAccountHomes(isJoined: false)
        let (first, second) = (homes.first, homes.second)
        try first.save("hunter2", "mail.example")
        try second.save("correct horse", "bank.example")
        _ = try first.add("buy milk", "--list", "home")
        _ = try second.add("call the plumber")
        // Before there is a group.
        try second.unlock()
        let early = try TerminalSession(second, ["sync", "join"])
        #expect(try early.finish() == 5)
        #expect(early.screen.contains("the account at \(homes.server.issuer) has no group"))
        let enabled = try first.run("sync enable --name first --json")
        #expect(enabled.exitCode == 0, "\(enabled.errorText)")
        #expect(enabled.object["server"] as? String == homes.server.issuer)
        let again = try second.run("sync enable")
        #expect(again.exitCode == 6)
        #expect(again.errorText.contains("has a group already"))
        try homes.join()
        try homes.sync()
        for home in [first, second] {
            #expect(try home.value("mail.example") == "hunter2")
            #expect(try home.value("bank.example") == "correct horse")
            #expect(try Set(home.tasks().texts("name")) == ["buy milk", "call the plumber"])
            #expect(try home.syncStatus["server"] as? String == homes.server.issuer)
        }
        try first.save("new", "first.example")
        try homes.sync()
        #expect(try second.value("first.example") == "new")
        #expect(try second.syncStatus["unsent"] as? Int == 0)
        // Nothing readable is at the server.
        let search = ByteSearch(
            for: ["hunter2", "correct horse", "buy milk", "call the plumber", "mail.example"])
        #expect(try search.findings(below: homes.server.folder).isEmpty)
    }

    @Test func aRoundWithoutChangesAsksOnce() throws {
        let homes = try TwoAccountHomes()
        try homes.sync()
        let relay = homes.server.relay
        let before = relay.requests.count
        try homes.second.syncNow()
        #expect(relay.requests.dropFirst(before).count { $0.contains("/sync/") } == 1)
    }

    @Test func anUnlockOnATerminalStartsARound() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        try first.save("hunter2")
        expect(try first.ask("lock"), ends: 0)
        let session = try TerminalSession(first, ["unlock"])
        try session.answer("Passphrase", TestHome.passphrase)
        #expect(try session.finish() == 0, "\(session.screen)")
        try eventually("what was changed without a terminal comes") {
            try second.syncNow()
            return try second.run("secret get mail.example ada").outputText == "hunter2"
        }
    }

    /// Commands on a terminal begin such rounds, with ten seconds.
    @Test func aRoundInTheBackgroundEndsInItsTime() throws {
        let homes = try TwoAccountHomes()
        try homes.sync()
        _ = try homes.first.add("buy milk")
        let relay = homes.server.relay
        relay.holdNext("GET ", .beforeTheAnswer)
        #expect(try homes.first.ask("sync now --within 1").exitCode == 1)
        try relay.waitUntilHeld()
        relay.release()
        try homes.first.syncNow()
        try homes.second.syncNow()
        #expect(try homes.second.tasks().texts("name") == ["buy milk"])
    }

    @Test func bothMoveToAFolderAndBack() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        try first.save("hunter2")
        try homes.sync()
        let folder = first.folder + "/shared"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        for home in [first, second] {
            try expectDone(home.run("sync move --folder \(folder)"))
            #expect(try home.syncStatus["folder"] as? String == folder)
        }
        try first.save("new", "moved.example")
        try homes.sync()
        #expect(try second.value("moved.example") == "new")
        try second.save("back", "account.example")
        for home in [second, first] {
            try expectDone(home.run("sync move"))
            #expect(try home.syncStatus["server"] as? String == homes.server.issuer)
        }
        try FileManager.default.removeItem(atPath: folder)
        try homes.sync()
        #expect(try first.value("account.example") == "back")
        #expect(try first.value() == "hunter2")
    }

    @Test func aFetchShowsItsProgress() throws {
        let homes = try TwoAccountHomes()
        let (first, second, relay) = (homes.first, homes.second, homes.server.relay)
        let bytes = FileContent.bytes(3 * SyncFileTests.mebibyte)
        try SyncFileTests.add("film.bin", bytes, first)
        try second.syncNow()
        try second.unlock()
        let put = try #require(relay.requests.first { $0.contains("/files/") })
        let files = try #require(put.range(of: "/files/")).upperBound
        relay.holdNext("GET " + put[..<files].drop { $0 != "/" }, .beforeTheAnswer)
        second.environment["TERM"] = "xterm"
        let path = second.folder + "/film.bin"
        let session = try TerminalSession(
            second, ["file", "get", "film.bin", "--output", path], rows: 24)
        try relay.waitUntilHeld()
        // It is shown after a second.
        Thread.sleep(forTimeInterval: 1.1)
        relay.release(unbroken: true)
        try session.waitFor("fetching film.bin ")
        try session.waitFor("B/s")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(try Files.read(path) == bytes)
    }

    @Test func theListSyncsWhileTheVaultIsLocked() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        _ = try first.add("water the plants")
        try first.save("hunter2")
        try first.syncNow()
        expect(try second.ask("lock"), ends: 0)
        let locked = try second.ask("sync now --json")
        #expect(locked.exitCode == 0, "\(locked.errorText)")
        #expect(locked.object["scope"] as? String == "list")
        #expect(try second.tasks().texts("name") == ["water the plants"])
        // The file has a token for blobs and nothing else of the sign-in.
        let folder = second.folder + "/state/taskvault/sync"
        let file = folder + "/" + (Files.names(in: folder).first ?? "") + "/sync"
        #expect(Files.mode(file) & 0o777 == 0o600)
        let text = String(decoding: try Files.read(file), as: UTF8.self)
        #expect(text.contains("tvy_") && !text.contains("tva_") && !text.contains("tvr_"))
        #expect(try second.ask("sync disable --yes").exitCode == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func withoutTheServerChangesStayHere() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        homes.server.stop()
        _ = try first.add("buy milk")
        let offline = try first.run("sync now")
        #expect(offline.exitCode == 9, "\(offline.errorText)")
        #expect(offline.errorText.contains("changes stay here until the server answers again"))
        let problems = try #require(try first.syncStatus["problems"] as? [[String: Any]])
        #expect(problems.map { $0["code"] as? String } == ["server_unreachable"])
        // Both work without the other: that is no fault, and no command warns of it.
        #expect(problems.map { $0["fault"] as? Bool } == [false])
        #expect(try first.run("secret list").errorText.contains("reach") == false)
        try homes.server.start()
        try homes.sync()
        #expect(try second.tasks().texts("name") == ["buy milk"])
    }

    @Test func anEndedSessionEndsSync() throws {
        let homes = try TwoAccountHomes()
        let (first, second) = (homes.first, homes.second)
        try homes.sync()
        // The owner ends the session of the second machine from the first.
        let listed = try first.ask("account sessions --json")
        let sessions = try #require(listed.json as? [[String: Any]])
        let other = try #require(sessions.first { $0["current"] as? Bool == false })
        let id = try #require(other["id"] as? String)
        try expectDone(first.ask("account end-session \(id)"))
        _ = try second.add("buy milk")
        for isLocked in [false, true] {
            if isLocked { expect(try second.ask("lock"), ends: 0) }
            let refused = try second.ask("sync now")
            #expect(refused.exitCode == 10, "\(refused.errorText)")
            #expect(refused.errorText.contains("taskvault login"))
        }
        // What was changed stays, and travels after the next sign-in.
        try second.unlock()
        try homes.login()
        try homes.sync()
        #expect(try first.tasks().texts("name") == ["buy milk"])
    }

    @Test func aFullAccountIsNamed() throws {
        let homes = try TwoAccountHomes(options: ["--sync-quota", "8"])
        let first = homes.first
        let value = String(repeating: "0123456789abcdef", count: 60_000)
        for number in 1...8 { try first.save(value + "\(number)", "large-\(number).example") }
        let full = try first.run("sync now")
        #expect(full.exitCode == 8, "\(full.errorText)")
        #expect(full.errorText.contains("the account has no room for more"))
        // Members can still be changed: room is kept for that. And changes of others still come.
        try homes.second.syncNow()
        try expectDone(first.run("device remove second --yes"))
        #expect(try homes.second.run("sync now").errorText.contains("was removed from the group"))
        let status = try first.syncStatus
        let problems = try #require(status["problems"] as? [[String: Any]])
        #expect(problems.contains { $0["code"] as? String == "sync_full" })
        #expect(status["unsent"] as? Int ?? 0 > 0)
        #expect(try first.value("large-8.example") == value + "8")
    }

    @Test(arguments: [true, false])
    func theLastDeviceMayRemoveTheGroup(isRemoved: Bool) throws {
        let place = try AccountHome()
        let home = place.home
        try home.surround()
        try expectDone(home.run("sync enable --name first"))
        try home.save("hunter2")
        try home.syncNow()
        try home.unlock()
        let session = try TerminalSession(home, ["sync", "disable"], columns: 200)
        try session.answer("What was not sent yet stays here only [y/N]", "y")
        try session.answer(
            "has of it, too? Nothing can be fetched from there afterwards [y/N]",
            isRemoved ? "y" : "n")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(session.screen.contains("This is the last device. Remove all that the account at"))
        // The next group begins where there is none.
        let again = try home.run("sync enable --name again")
        #expect(again.exitCode == (isRemoved ? 0 : 6), "\(again.errorText)")
        #expect(try home.value() == "hunter2")
    }

    @Test func aScriptCanHaveTheGroupRemovedOfTheLastDeviceAlone() throws {
        let homes = try TwoAccountHomes()
        try homes.sync()
        let ending = "sync disable --yes --remove-group"
        let refused = try homes.second.run(ending)
        expect(
            refused, ends: 8,
            "error: this is not the last device of an account: nothing was removed",
            "hint: taskvault sync disable without --remove-group")
        expect(try homes.first.ask("lock"), ends: 0)
        #expect(try homes.first.ask(ending).exitCode == 3)
        // Nothing has ended.
        try homes.sync()
        try expectDone(homes.first.run("device remove second --yes"))
        try expectDone(homes.first.run(ending))
        try expectDone(homes.first.run("sync enable --name again"))
    }

    @Test func aDeviceThatIsNotTheLastLeavesTheGroup() throws {
        let homes = try TwoAccountHomes()
        try homes.sync()
        try homes.second.unlock()
        let session = try TerminalSession(homes.second, ["sync", "disable"], columns: 200)
        try session.answer("What was not sent yet stays here only [y/N]", "y")
        #expect(try session.finish() == 0, "\(session.screen)")
        #expect(!session.screen.contains("last device"))
        _ = try homes.first.add("buy milk")
        try homes.first.syncNow()
    }

    @Test func withoutASignInTheCommandSaysSo() throws {
        let home = try TestHome()
        try home.unlock()
        let unset = try home.ask("sync enable")
        #expect(unset.exitCode == 5)
        #expect(unset.errorText.contains("no auth server is set"))
        let place = try AccountHome(isSignedIn: false)
        let signedOut = try place.home.ask("sync enable")
        #expect(signedOut.exitCode == 5, "\(signedOut.errorText)")
        #expect(signedOut.errorText.contains("taskvault login"))
    }
}
