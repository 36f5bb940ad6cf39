import Foundation
import Testing
import TestSupport

/// Messages and checklists by the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses) struct ServedInboxTests {
    private static let cheap = ["--password-passes", "2", "--password-memory", "19"]

    /// A message that one server accepts ends the poll at the other one, which waits for 300 seconds by itself.
    private func expectDelivery(_ home: ServerHome, _ options: [String]) throws {
        let first = try ServingProcess(home, Self.cheap + options)
        let second = try ServingProcess(home, Self.cheap + options)
        let inbox = try ServedInbox(home, first, options: options)
        for (number, (receiver, accepter)) in [(first, second), (second, first)].enumerated() {
            let poll = try inbox.poll(receiver.port, after: number)
            #expect(inbox.push("abc", accepter.port).hasPrefix("HTTP/1.1 201"))
            let answer = poll.readAll()
            #expect(answer.contains(#""number":\#(number + 1),"#), "\(answer)")
            #expect(answer.contains(#""body_base64":"YWJj""#))
        }
        for server in [first, second] {
            server.signal(SIGTERM)
            #expect(server.finish() == 0)
            #expect(!server.log.contains("signals_failed"), "\(server.log)")
        }
    }

    @Test func aMessageWakesThePollAtAnotherServerOfTheFile() throws {
        #if os(Linux)
            try expectDelivery(ServerHome(), [])
        #endif
    }

    @Test(.enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    func aMessageWakesThePollAtAnotherServerOfTheDatabase() throws {
        try withPostgreSQLDatabase { address in
            let home = try ServerHome()
            home.environment["TASKVAULT_AUTHD_DATABASE"] = address
            try expectDelivery(home, [])
        }
    }

    @Test func aStopEndsPolls() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home, Self.cheap)
        let inbox = try ServedInbox(home, server)
        let poll = try inbox.poll(server.port)
        server.signal(SIGTERM)
        let answer = poll.readAll()
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains(#"{"messages":[],"next":0}"#))
        #expect(server.finish() == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: home.folder + "/data")
        #expect(files == ["accounts.db"])
    }

    @Test func messagesSurviveTheServer() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home, Self.cheap)
        let inbox = try ServedInbox(home, server)
        #expect(inbox.push("abc", server.port).hasPrefix("HTTP/1.1 201"))
        server.signal(SIGKILL)
        #expect(server.finish() == -SIGKILL)
        let next = try ServingProcess(home, Self.cheap)
        let answer = Connection.request(
            "GET /messages", port: next.port,
            fields: ["Authorization: Bearer " + inbox.receiving])
        let messages = try #require(try ServedInbox.object(answer)["messages"] as? [[String: Any]])
        let id = try #require(messages.first?["id"] as? String)
        let acknowledged = ServedInbox.post(
            "/messages/acknowledge", inbox.acknowledging, next.port, #"{"messages":["\#(id)"]}"#)
        #expect(acknowledged.contains(#"{"acknowledged":1}"#))
    }

    @Test func neitherDatabaseNorLogHasAnEndpointOrAToken() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home, Self.cheap)
        let inbox = try ServedInbox(home, server)
        #expect(inbox.push("abcdefghijklmnop", server.port).hasPrefix("HTTP/1.1 201"))
        _ = inbox.push(String(repeating: "x", count: 5_000), server.port)
        let poll = Connection.request(
            "GET /messages", port: server.port,
            fields: ["Authorization: Bearer " + inbox.receiving])
        #expect(poll.hasPrefix("HTTP/1.1 200"))
        let folder = home.folder + "/data/"
        var stored = Data()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            stored += try Data(contentsOf: URL(fileURLWithPath: folder + name))
        }
        server.signal(SIGTERM)
        #expect(server.finish() == 0)
        stored += try Data(contentsOf: URL(fileURLWithPath: home.database))
        stored += Data(server.log.utf8)
        // Stored bytes are found, so the search works.
        for control in ["abcdefghijklmnop", inbox.inbox, #""path":"/push/{endpoint}""#] {
            #expect(stored.range(of: Data(control.utf8)) != nil)
        }
        for secret in [inbox.path, inbox.receiving, inbox.acknowledging, inbox.access] {
            let text = String(secret.dropFirst(4))
            let base64 = text.replacing("-", with: "+").replacing("_", with: "/") + "="
            let bytes = try #require(Data(base64Encoded: base64))
            for form in [Data(text.utf8), bytes, bytes.prefix(16), Data(text.utf8).suffix(20)] {
                #expect(stored.range(of: form) == nil)
            }
        }
    }

    @Test func checklistsArePublishedListedReadAndRemoved() throws {
        let home = try ServerHome()
        let server = try ServingProcess(home, Self.cheap)
        let inbox = try ServedInbox(home, server)
        func get(_ path: String, _ fields: [String] = []) -> String {
            Connection.request(
                "GET " + path, port: server.port,
                fields: ["Authorization: Bearer " + inbox.access] + fields)
        }
        #expect(try home.run("checklist list").output == "")
        let file = try home.write(
            "journey.json",
            #"""
            {"format": "taskvault-checklist", "version": 1, "id": "journey", "title": "Before a journey",
             "summary": "At the door.\nNot later.", "picture": "https://example.org/suitcase.jpg",
             "items": [{"title": "Passport", "details": "Valid for \"six\" months"}, {"title": "Keys"}]}
            """#)
        expect(
            try home.run(["checklist", "publish", file]), ends: 0,
            "published journey, revision 1, 2 items")
        expect(try home.run("checklist list"), ends: 0, "journey", "Before a journey", "2")
        let list = get("/checklists")
        let entry = try #require(
            try (ServedInbox.object(list)["checklists"] as? [[String: Any]])?.first)
        #expect(entry["items"] as? Int == 2)
        #expect(entry["picture"] as? String == "https://example.org/suitcase.jpg")
        let read = get("/checklists/journey")
        let checklist = try ServedInbox.object(read)
        #expect(checklist["summary"] as? String == "At the door.\nNot later.")
        let items = try #require(checklist["items"] as? [[String: String]])
        #expect(items.map { $0["title"] } == ["Passport", "Keys"])
        #expect(items.map { $0["details"] } == [#"Valid for "six" months"#, ""])
        // It is not sent again while it is the same.
        let tag = try #require(read.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") })
            .dropFirst(6)
        #expect(read.contains("Cache-Control: private, no-cache\r\n"))
        for known in ["\(tag)", "W/\(tag)", "\"x\", \(tag)", "*"] {
            let again = get("/checklists/journey", ["If-None-Match: \(known)"])
            #expect(again.hasPrefix("HTTP/1.1 304"))
            #expect(again.contains("ETag: \(tag)\r\n"))
            #expect(again.hasSuffix("\r\n\r\n"))
        }
        #expect(get("/checklists", ["If-None-Match: \(tag)"]).hasPrefix("HTTP/1.1 200"))
        let other = try home.write(
            "journey.json",
            #"{"format":"taskvault-checklist","version":1,"id":"journey","title":"T","items":[{"title":"A"}]}"#
        )
        let published = try home.run(["checklist", "publish", other, "--json"]).object()
        #expect(published["revision"] as? Int == 2)
        let changed = get("/checklists/journey", ["If-None-Match: \(tag)"])
        #expect(changed.contains(#""picture":null"#))
        // Reading needs an account.
        for path in ["/checklists", "/checklists/journey", "/checklists/none"] {
            #expect(
                Connection.request("GET " + path, port: server.port).hasPrefix("HTTP/1.1 401"))
        }
        for path in ["/checklists/none", "/checklists/", "/checklists/A", "/checklists/a/b"] {
            #expect(get(path).hasPrefix("HTTP/1.1 404"), "\(path)")
        }
        expect(try home.run("checklist remove journey"), ends: 0, "removed journey")
        expect(
            try home.run("checklist remove journey"), ends: 5, "checklist not found",
            "checklist list")
        #expect(get("/checklists/journey").hasPrefix("HTTP/1.1 404"))
    }

    @Test(arguments: [
        ("", "line 1 is not JSON"), ("[]", "line 1"), ("{}", "format is not"),
        (#"{"format":"taskvault-tasks"}"#, "format is not"),
        (#"{"format":"taskvault-checklist","version":2}"#, "version is not"),
        (#"{"format":"taskvault-checklist","version":"1"}"#, "line 1"),
        (#"{"format":"taskvault-checklist","version":1,"id":"a","title":"t"}"#, "items is not"),
        (#"{"format":"taskvault-checklist","version":1,"id":"a","id":"b"}"#, "id is not"),
        (#"{"format":"taskvault-checklist","version":1,"other":1}"#, "other is not"),
        (#"{"F","id":"A","title":"t","items":[{"title":"i"}]}"#, "id is not"),
        (#"{"F","id":"a/b","title":"t","items":[{"title":"i"}]}"#, "id is not"),
        (#"{"F","id":"a","title":"","items":[{"title":"i"}]}"#, "title is not"),
        (#"{"F","id":"a","title":"a\nb","items":[{"title":"i"}]}"#, "title is not"),
        (#"{"F","id":"a","title":"\u001b[2J","items":[{"title":"i"}]}"#, "title is not"),
        (
            #"{"F","id":"a","title":"t","summary":"\u0000","items":[{"title":"i"}]}"#,
            "summary is not"
        ),
        (
            #"{"F","id":"a","title":"t","picture":"http://x.example","items":[{"title":"i"}]}"#,
            "picture is not"
        ),
        (#"{"F","id":"a","title":"t","items":[]}"#, "items is not"),
        (#"{"F","id":"a","title":"t","items":[{"details":"d"}]}"#, "items.title is not"),
        (#"{"F","id":"a","title":"t","items":[{"title":"i","x":1}]}"#, "items.x is not"),
        (#"{"F","id":"a","title":"t","items":[{"title":"i"}]} x"#, "line 1"),
    ])
    func anInvalidChecklistIsRefused(_ content: String, _ reason: String) throws {
        let home = try ServerHome()
        let head = #""format":"taskvault-checklist","version":1"#
        let file = try home.write("a.json", content.replacing(#""F""#, with: head))
        expect(
            try home.run(["checklist", "publish", file]), ends: 2, "cannot publish", reason,
            "hint: taskvault-authd help checklist publish")
        // Nothing was made.
        #expect(!FileManager.default.fileExists(atPath: home.database))
    }

    /// Escapes double a text that the file has as it is.
    @Test func aChecklistThatNoVaultCanKeepIsRefused() throws {
        let home = try ServerHome()
        expect(try home.run("account invite ada@example.org"), ends: 0)
        let details = String(repeating: "\u{202E}", count: 2_730)
        let item = #"{"title":"t","details":"\#(details)"}"#
        func file(_ count: Int) throws -> String {
            let items = Array(repeating: item, count: count).joined(separator: ",")
            return try home.write(
                "a.json",
                #"{"format":"taskvault-checklist","version":1,"id":"a","title":"T","items":[\#(items)]}"#
            )
        }
        expect(
            try home.run(["checklist", "publish", file(62)]), ends: 8,
            "larger than 1,000,000 bytes")
        expect(try home.run("checklist list"), ends: 0)
        expect(
            try home.run(["checklist", "publish", file(60)]), ends: 0,
            "published a, revision 1, 60 items")
    }

    @Test func aMissingOrForeignChecklistIsExplained() throws {
        let home = try ServerHome()
        expect(try home.run("checklist publish none.json"), ends: 5, "none.json does not exist")
        let file = try home.write("a.json", "{}", mode: 0o666)
        expect(try home.run(["checklist", "publish", file]), ends: 8, "other users can write it")
        // Without the server's configuration, no other database is made.
        let valid = try home.write(
            "b.json",
            #"{"format":"taskvault-checklist","version":1,"id":"b","title":"T","items":[{"title":"A"}]}"#
        )
        expect(
            try home.run(["checklist", "publish", valid]), ends: 5, "does not exist",
            "--configuration")
        #expect(!FileManager.default.fileExists(atPath: home.database))
        expect(try home.run("checklist remove a"), ends: 5, "does not exist")
        expect(try home.run("checklist list"), ends: 5, "does not exist")
    }
}
