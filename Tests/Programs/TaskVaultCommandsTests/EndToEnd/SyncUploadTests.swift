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
}
