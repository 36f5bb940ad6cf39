import Foundation
import Testing
import TestSupport

/// An upload of a file to the server that ends in its middle, while several parts are on their way.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct SyncUploadTests {
    enum Ending: CaseIterable {
        /// The person presses Ctrl-C.
        case interrupted
        /// The server dies.
        case withoutServer
        /// Another machine ends the session of this one.
        case signedOut
    }

    private static let count = 12
    private static let put = "POST /sync/blobs/"

    private static func removed(_ requests: ArraySlice<String>) -> Int {
        requests.count { $0 == "POST /sync/remove" }
    }

    @Test(arguments: Ending.allCases)
    func anUploadGoesOn(_ ending: Ending) throws {
        let homes = try TwoAccountHomes()
        let (first, second, relay) = (homes.first, homes.second, homes.server.relay)
        try homes.sync()
        let bytes = FileContent.bytes(Self.count * SyncFileTests.mebibyte)
        let path = try first.make("film.bin", bytes)
        try first.unlock()
        expect(try first.ask("file add \(path)"), ends: 0)
        let before = relay.requests.count
        relay.holdAll(Self.put, .beforeTheAnswer, after: 5)
        let session = try TerminalSession(first, ["sync", "now"])
        try relay.waitUntilHeld()
        switch ending {
        case .interrupted:
            try session.type("\u{3}")
            #expect(try session.finish() == 130)
            relay.release()
        case .withoutServer:
            homes.server.stop()
            relay.release()
            // No fault: the next round goes on.
            #expect(try session.finish() == 0, "\(session.screen)")
        case .signedOut:
            let listed = try second.ask("account sessions --json").json as? [[String: Any]]
            let other = try #require(listed?.first { $0["current"] as? Bool == false })
            let id = try #require(other["id"] as? String)
            try expectDone(second.ask("account end-session \(id)"))
            relay.release(unbroken: true)
            #expect(try session.finish() == 10, "\(session.screen)")
        }
        // What is not whole there is announced to nobody.
        if ending == .withoutServer { try homes.server.start() }
        try second.syncNow()
        #expect(try SyncFileTests.here(second)["film.bin"] == nil)
        if ending == .signedOut {
            try expectDone(
                first.ask(
                    "login \(AccountHome.account) --password-file -",
                    input: homes.place.password + "\n"))
        }
        try first.syncNow()
        // Parts that the server had are not sent again: at most those that were on their way.
        let puts = relay.requests.dropFirst(before).filter {
            $0.hasPrefix(Self.put) && $0.contains("/files/")
        }
        #expect(Set(puts).count == Self.count)
        #expect(puts.count <= Self.count + 2 * 3, "\(puts)")
        try second.syncNow()
        #expect(try SyncFileTests.content("film.bin", second).bytes == bytes)
        try SyncFileTests.expectSound(second)
    }

    /// While the upload is held, the other device takes the room that was there when it began.
    @Test func anUploadThatFillsTheAccountComesOnceThereIsRoom() throws {
        let homes = try TwoAccountHomes(options: ["--sync-quota", "18"])
        let (first, second, server) = (homes.first, homes.second, homes.server)
        try homes.sync()
        let bytes = FileContent.bytes(Self.count * SyncFileTests.mebibyte)
        let path = try first.make("film.bin", bytes)
        try first.unlock()
        expect(try first.ask("file add \(path)"), ends: 0)
        _ = try first.add("buy milk")
        let before = server.relay.requests.count
        let put = try #require(server.relay.requests.first { $0.hasPrefix(Self.put) })
        let group = put.dropFirst(Self.put.count).prefix(32)
        server.relay.holdAll("\(Self.put)\(group)/files/", .beforeTheAnswer, after: 5)
        let session = try TerminalSession(first, ["sync", "now"], columns: 200)
        try server.relay.waitUntilHeld()
        // 17 MiB are open to both. Nine of these leave room for eight parts, and for a change.
        let value = String(repeating: "0123456789abcdef", count: 60_000)
        for number in 1...9 { try second.save(value + "\(number)", "large-\(number).example") }
        try second.syncNow()
        server.relay.release(unbroken: true)
        #expect(try session.finish() == 8, "\(session.screen)")
        // If the round looked again, what was there of the file has given way to changes.
        let gaveWay = Self.removed(server.relay.requests.dropFirst(before)) > 5
        let message =
            gaveWay
            ? "no room at the remote for 1 file (13 MB), kept on this machine only"
            : "the account has no room for more"
        #expect(session.screen.contains(message), "\(session.screen)")
        // Nothing else is kept back, and the file is announced to nobody.
        try second.syncNow()
        #expect(try second.tasks().texts("name") == ["buy milk"])
        #expect(try SyncFileTests.here(second).isEmpty)
        server.stop()
        server.options = ["--sync-quota", "64"]
        try server.start()
        let full = server.relay.requests.count
        try first.syncNow()
        func puts(_ requests: ArraySlice<String>) -> [String] {
            requests.filter { $0.hasPrefix(Self.put) && $0.contains("/files/") }
        }
        let all = puts(server.relay.requests.dropFirst(before))
        let later = puts(server.relay.requests.dropFirst(full))
        #expect(Set(all).count == Self.count)
        #expect(
            gaveWay ? later.count == Self.count : (1...Self.count - 6).contains(later.count),
            "\(later)")
        #expect(try first.value("large-9.example") == value + "9")
        try second.syncNow()
        #expect(try SyncFileTests.content("film.bin", second).bytes == bytes)
        try SyncFileTests.expectSound(second)
    }
}
