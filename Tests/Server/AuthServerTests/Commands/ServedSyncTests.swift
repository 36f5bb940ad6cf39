import Foundation
import Synchronization
import Testing
import TestSupport

/// Blobs of sync at two servers of one database, by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct ServedSyncTests {
    private static let cheap = ["--password-passes", "2", "--password-memory", "19"]
    private static let group = String(repeating: "a", count: 32)
    private static let chain = String(repeating: "b", count: 32)
    /// The number of bytes that a blob counts beside its own.
    private static let overhead = 512

    /// The status of a put of ASCII.
    private static func put(
        _ number: Int, _ content: String, _ token: String, _ port: UInt16
    ) -> Substring {
        Connection.request(
            "POST /sync/blobs/\(group)/\(chain)/\(number)", port: port,
            fields: ["Content-Type: application/octet-stream", "Authorization: Bearer " + token],
            body: content
        ).prefix(12).suffix(3)
    }

    private func expectOneAccount(_ home: ServerHome) throws {
        let servers = try (0..<2).map { _ in try ServingProcess(home, Self.cheap) }
        let owner = try ServedInbox(home, servers[0])
        let issued = ServedInbox.post("/sync/token", owner.access, servers[1].port)
        let token = try #require(try ServedInbox.object(issued)["sync_token"] as? String)
        // A change at one server ends the poll at the other, which waits for 300 seconds by itself.
        var last = 0
        for number in 1...4 {
            let (waiting, changed) = (servers[number % 2], servers[(number + 1) % 2])
            let poll = try ServedInbox.poll(
                "/sync/changes/" + Self.group, token, waiting.port, after: last)
            #expect(Self.put(number, "abc", token, changed.port) == "201")
            let next = try #require(try ServedInbox.object(poll.readAll())["next"] as? Int)
            #expect(next > last)
            last = next
        }
        // One segment, put at both at once: stored once, with the bytes of one of them.
        for number in 11...30 {
            let contents = number > 20 ? ["one", "two"] : ["one", "one"]
            let ports = servers.map(\.port)
            let statuses = Mutex<[Substring]>([])
            DispatchQueue.concurrentPerform(iterations: 2) { each in
                let status = Self.put(number, contents[each], token, ports[each])
                statuses.withLock { $0.append(status) }
            }
            #expect(
                statuses.withLock { $0 }.sorted() == [
                    number > 20 ? "201" : "200", number > 20 ? "409" : "201",
                ])
        }
        func used(_ server: ServingProcess) throws -> Int? {
            let groups = Connection.request(
                "GET /sync/groups", port: server.port, fields: ["Authorization: Bearer " + token])
            return try ServedInbox.object(groups)["used"] as? Int
        }
        for server in servers { #expect(try used(server) == 24 * (3 + Self.overhead)) }
        let removed = ServedInbox.post(
            "/sync/groups/remove", owner.access, servers[0].port, #"{"group":"\#(Self.group)"}"#)
        #expect(removed.hasPrefix("HTTP/1.1 204"), "\(removed)")
        for server in servers {
            #expect(try used(server) == 0)
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
            #expect(!server.log.contains("signals_failed"), "\(server.log)")
        }
    }

    @Test func storedAndRefusedBlobsAreCounted() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home, Self.cheap + ["--sync-quota", "8"])
        let owner = try ServedInbox(home, server)
        let issued = ServedInbox.post("/sync/token", owner.access, server.port)
        let token = try #require(try ServedInbox.object(issued)["sync_token"] as? String)
        func counted() -> [String: Int] {
            let page = Connection.request("GET /metrics", port: server.port)
            #expect(page.hasPrefix("HTTP/1.1 200"))
            let lines = page.split(whereSeparator: \.isNewline)
            return Dictionary(
                uniqueKeysWithValues: ["sync_blob_stored", "sync_quota_exceeded"].map { name in
                    let line = lines.first { $0.contains(#"{event="\#(name)"}"#) }
                    return (name, line?.split(separator: " ").last.flatMap { Int($0) } ?? -1)
                })
        }
        #expect(counted() == ["sync_blob_stored": 0, "sync_quota_exceeded": 0])
        #expect(Self.put(1, "abc", token, server.port) == "201")
        // The same again is not stored again.
        #expect(Self.put(1, "abc", token, server.port) == "200")
        let large = String(repeating: "a", count: 1_100_000)
        // 7 MiB are open to chains.
        for number in 2...7 { #expect(Self.put(number, large, token, server.port) == "201") }
        for number in 8...9 { #expect(Self.put(number, large, token, server.port) == "507") }
        #expect(counted() == ["sync_blob_stored": 7, "sync_quota_exceeded": 2])
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
    }

    @Test func twoServersOfAFileServeOneAccount() throws {
        #if os(Linux)
            try expectOneAccount(ServerHome())
        #endif
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func twoServersOfADatabaseServeOneAccount() throws {
        try withPostgreSQLDatabase { address in
            let home = try ServerHome()
            home.environment["TASKVAULT_AUTHD_DATABASE"] = address
            try expectOneAccount(home)
        }
    }
}
