import Foundation
import Inbox
import Platform
import SecretMemory
import Testing
import TestSupport
import VaultAgent

/// Work of a person with messages that are in the vault, in commands.
@Suite("Messages from others, in the vault", .timeLimit(.minutes(60)), .waitsForProcesses)
struct InboxCommandTests {
    private static func sample(_ name: String) -> String {
        Checkout.path("Docs/Examples/" + name)
    }

    @Test("S5: the sample file is accepted as a task with its due date and its reminder on")
    func accept() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        try home.doInbox("receive", Self.sample("task.apns"))
        let message = try #require(try home.messages().first)
        #expect(message["state"] as? String == "new" && message["task"] is NSNull)
        let id = try #require(message["id"] as? String)
        let accepted = try home.doInbox("accept", "--json", String(id.prefix(6)))
        let added = try #require((accepted.json as? [[String: Any]])?.first)
        let task = try home.shown(try #require(added["id"] as? String))
        #expect(task["name"] as? String == "Return the library books")
        #expect(task["due"] as? String == "2027-03-05T17:00:00Z")
        #expect(task["reminder"] as? String == "2027-03-05T17:00:00Z")
        #expect(task["list"] as? String == "errands")
        #expect((task["notes"] as? String)?.hasPrefix("Three books are due.\n") == true)
        let subtasks = task["subtasks"] as? [[String: Any]]
        #expect(subtasks?.texts("name") == ["find the books", "bring the card"])
        let after = try #require(try home.messages().first)
        #expect(after["state"] as? String == "accepted")
        #expect(after["task"] as? String == task["id"] as? String)
        // Once.
        let again = try home.inbox("accept", id)
        expectError(again, ends: 6, "accepted before as task \(task["id"] as? String ?? "")")
        #expect(try home.tasks().count == 1)
        expectError(try home.inbox("receive", Self.sample("task.apns")), ends: 6, "received before")
    }

    @Test("S5: several messages become tasks at once, and their JSON is one array")
    func several() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let ids = try ["a", "b"].map { try home.receive(#"{"title":"\#($0)"}"#) }
        let accepted = try home.doInbox("accept", "--json", ids[0], ids[1])
        #expect((accepted.json as? [[String: Any]])?.texts("name") == ["a", "b"])
        // One that fails does not hide those before it.
        let third = try home.receive(#"{"title":"c"}"#)
        let partly = try home.inbox("accept", third, ids[0])
        expectError(partly, ends: 6, "accepted before")
        #expect(partly.outputText.hasPrefix("added "))
        #expect(try home.tasks().count == 3)
    }

    @Test("S5: what one command accepted is one change of the list, which is undone at once")
    func undo() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let ids = try ["a", "b", "c"].map { try home.receive(#"{"title":"\#($0)"}"#) }
        try home.doInbox("accept", ids[0])
        try home.doInbox("accept", ids[1], ids[2])
        #expect(try home.tasks().count == 3)
        let undone = try home.doTask("undo", "--json").object
        #expect((undone["removed"] as? [String])?.count == 2)
        #expect(try home.tasks().texts("name") == ["a"])
    }

    /// A message that a crash left between the steps of its acceptance: it names a task, and is new.
    private static func interrupted(
        _ home: TestHome, _ id: String, naming task: String
    ) throws {
        let agent = try AgentClient(
            AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test")
        let inbox = InboxStore(agent)
        let message = try #require(try inbox.messages().first { $0.id == id })
        _ = try inbox.setState(of: message, to: .new, task: task)
    }

    @Test("A crash before the message is marked makes no second task")
    func crashAfterTask() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"once"}"#)
        try home.doInbox("accept", id)
        let task = try #require(try home.tasks().first?["id"] as? String)
        try Self.interrupted(home, id, naming: task)
        let before = try #require(try home.messages().first)
        #expect(before["state"] as? String == "new" && before["task"] is NSNull)
        try home.doInbox("accept", id)
        #expect(try home.tasks().texts("id") == [task])
        let after = try #require(try home.messages().first)
        #expect(after["state"] as? String == "accepted" && after["task"] as? String == task)
    }

    @Test("A crash before the task is made loses nothing: the next call makes it")
    func crashBeforeTask() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"once"}"#)
        // The id of a task that is no longer there.
        let task = try home.add("other")
        try home.doTask("remove", "--yes", task)
        try Self.interrupted(home, id, naming: task)
        try home.doInbox("accept", id)
        #expect(try home.tasks().texts("name") == ["once"])
        #expect(try home.messages().first?["state"] as? String == "accepted")
    }

    @Test("S5: a declined message makes no task, and stays in the list, marked with the time")
    func decline() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"buy a boat"}"#)
        try home.doInbox("decline", id)
        #expect(try home.tasks().isEmpty)
        let message = try #require(try home.messages().first)
        #expect(message["state"] as? String == "declined" && message["decided"] is String)
        let listed = try home.doInbox("list").outputText
        #expect(listed.contains("declined") && listed.contains("buy a boat"))
        try home.doInbox("decline", id)
        try home.doInbox("accept", id)
        #expect(try home.tasks().count == 1)
        expectError(try home.inbox("decline", id), ends: 8, "was accepted before")
    }

    @Test("S14: the newest is first, with title and at most 3 lines; the detail has the whole text")
    func list() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        _ = try home.receive(#"{"title":"older","body":"one line"}"#)
        let text = (1...6).map { "line \($0)" }.joined(separator: "\\n")
        let id = try home.receive(#"{"title":"newer","body":"\#(text)"}"#)
        #expect(try home.messages().texts("title") == ["newer", "older"])
        let lines = try home.doInbox("list").outputLines.map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(lines.count == 8)
        #expect(lines[1...4] == ["newer", "line 1", "line 2", "line 3…"])
        #expect(lines[6...] == ["older", "one line"])
        let shown = try home.doInbox("show", id).outputText
        #expect(shown.contains("newer") && shown.contains("line 6"))
        // They are in the vault, encrypted, and closed with it.
        let bytes = String(decoding: try Files.read(home.vault), as: UTF8.self)
        #expect(!bytes.contains("older"))
        try home.ask("lock")
        expectError(try home.inbox("list"), ends: 3, "locked")
        try home.unlock()
        #expect(try home.messages().count == 2)
    }

    @Test("S14: without a picture, the picture of a message is not there; none is loaded unasked")
    func pictures() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        expectError(try home.inbox("picture"), ends: 5, "no message has a picture")
        try home.doInbox("receive", Self.sample("picture.apns"))
        let id = try #require(try home.messages().first?["id"] as? String)
        let shown = try home.doInbox("show", id).outputText
        #expect(shown.contains("https://pictures.example.org/corridor.jpg (not loaded: "))
        #expect(try home.ask("settings get inbox-pictures").outputText == "ask\n")
        let local = try home.receive(
            #"{"title":"inside","picture":"https://127.0.0.1:9/router.png"}"#)
        let refused = try home.inbox("picture", local)
        expectError(
            refused, ends: 8, "127.0.0.1 is an address of this machine", "--private-network")
        try home.ask("settings set inbox-pictures always")
        let always = try home.doInbox("show", local).outputText
        #expect(always.contains("router.png (127.0.0.1 is an address of this machine"))
        expectError(
            try home.inbox("picture", local, "--private-network"), ends: 9,
            "cannot load the picture from 127.0.0.1: connection refused")
        // A proxy would resolve the name; this one could not even be asked.
        home.environment["https_proxy"] = "http://127.0.0.1:9"
        let unknown = try home.receive(
            #"{"title":"nowhere","picture":"https://pictures.invalid/x.png"}"#)
        expectError(try home.inbox("picture", unknown), ends: 9, "pictures.invalid")
    }

    @Test("The picture goes into a pipe as it is; its type and size go there with --json")
    func pictureInPipe() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"a","picture":"https://p.example/a.png"}"#)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let agent = try AgentClient(
            AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test")
        let inbox = InboxStore(agent)
        let message = try #require(try inbox.messages().first)
        let content = unsafe try SecretBytes(copying: png.span.bytes)
        try inbox.store(Picture(content), of: message)
        #expect(try home.doInbox("picture", id).output == png)
        let shown = try home.doInbox("picture", id, "--json").object
        #expect(shown["media_type"] as? String == "image/png" && shown["size"] as? Int == 8)
        // A file has the picture in any case.
        let file = home.folder + "/a.png"
        let written = try home.doInbox("picture", id, "--json", "--output", file).object
        #expect(written["path"] as? String == file)
        #expect(try Files.read(file) == png)
    }

    #if os(Linux)
        @Test("S16: a client that watches the vault learns of each change of saved checklists")
        func savedChecklistsChangeLive() throws {
            let home = try TestHome.forTasks()
            try home.unlock()
            let place = try AgentPlace(vaultFile: home.vault, runtimeFolder: nil)
            let inbox = InboxStore(try AgentClient(place, programVersion: "test"))
            let other = InboxStore(try AgentClient(place, programVersion: "test"))
            #expect(try other.savedChecklists() == [])
            let watch = try FileWatch([home.vault, home.vault + "-wal"])
            // The second one and the third replace the one before.
            for title in ["A journey", "Another journey", "The last journey"] {
                let json =
                    #"{"format":"taskvault-checklist","version":1,"id":"a","title":"\#(title)","items":[]}"#
                let bytes = Array(json.utf8)
                let text = unsafe try SecretBytes(copying: bytes.span.bytes)
                let checklist = try #require(text.withBytes { Checklist($0) })
                _ = try watch.readEvents()
                let isSaved = try inbox.save(
                    text, checklist, server: "https://auth.example.org", etag: nil)
                #expect(isSaved)
                #expect(try watch.readEvents())
                #expect(try other.savedChecklists().map(\.title) == [title])
            }
            _ = try watch.readEvents()
            try inbox.removeChecklist("a")
            #expect(try watch.readEvents())
            #expect(try other.savedChecklists() == [])
        }
    #endif

    @Test("A message whose task was removed is accepted as another one, or declined")
    func removedTask() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"once"}"#)
        try home.doInbox("accept", id)
        let first = try #require(try home.tasks().first?["id"] as? String)
        try home.doTask("remove", "--yes", first)
        // Ids count without case.
        try home.doInbox("accept", id.uppercased())
        #expect(try home.tasks().texts("name") == ["once"])
        let second = try #require(try home.tasks().first?["id"] as? String)
        #expect(second != first)
        expectError(
            try home.inbox("decline", id), ends: 8, "accepted before", "task remove \(second)")
        try home.doTask("remove", "--yes", second)
        try home.doInbox("decline", id)
        let message = try #require(try home.messages().first)
        #expect(message["state"] as? String == "declined" && message["task"] is NSNull)
    }

    @Test("The sender of a file is the last part of its path, safe and short enough for a name")
    func fileNames() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let json = #"{"title":"a"}"#
        let path = home.folder + "/a" + String(repeating: "\u{7}", count: 240) + ".json"
        try Files.write(json, to: path)
        try home.doInbox("receive", path)
        let sender = try #require(try home.messages().first?["sender"] as? String)
        #expect(sender.hasPrefix("a\\u{7}\\u{7}") && sender.utf8.count <= 1_024)
        expectError(
            try home.inbox("receive", "-", input: json), ends: 6, "the message was received before")
    }

    @Test("A removed message is gone, and is not taken again; clear erases the decided ones")
    func remove() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let json = #"{"title":"a canary that sings"}"#
        let id = try home.receive(json)
        expectError(try home.inbox("remove", id), ends: 2, "cannot ask", "--yes")
        let removed = try home.doInbox("remove", "--yes", "--json", id).json as? [[String: Any]]
        #expect(removed?.texts("state") == ["removed"])
        #expect(try home.messages().isEmpty)
        expectError(try home.inbox("receive", "-", input: json), ends: 6, "received before")
        let declined = try home.receive(#"{"title":"b"}"#)
        let accepted = try home.receive(#"{"title":"c"}"#)
        _ = try home.receive(#"{"title":"d"}"#)
        try home.doInbox("decline", declined)
        try home.doInbox("accept", accepted)
        try home.doInbox("clear", "--yes")
        #expect(try home.messages().texts("title") == ["d"])
        #expect(try home.tasks().texts("name") == ["c"])
        expectError(try home.inbox("show", declined), ends: 5, "there is no message")
    }

    @Test("Control and direction characters of a message are escaped")
    func characters() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"a\u001b[31m\u202eb","body":"\u0007c"}"#)
        for output in [try home.doInbox("list"), try home.doInbox("show", id)] {
            #expect(!output.output.contains(0x1B) && !output.output.contains(7))
            #expect(output.outputText.contains("a\\u{1B}[31m\\u{202E}b"))
        }
    }

    @Test(
        "What is no message is refused",
        arguments: ["", "{}", "[1]", #"{"title":""}"#, #"{"title":"a""#, "title: a"])
    func noMessage(text: String) throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        expectError(
            try home.inbox("receive", "-", input: text), ends: 2,
            "standard input is not a message: ")
        #expect(try home.messages().isEmpty)
    }

    @Test("A due date in the past is accepted, and said to be over")
    func past() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"late","due":"2001-01-01T00:00:00Z"}"#)
        let accepted = try home.doInbox("accept", id)
        #expect(accepted.errorText.contains("the time of its reminder has passed"))
        #expect(try home.tasks().first?["overdue"] as? Bool == true)
    }

    @Test("Secrets, searches and exports have nothing of messages")
    func apart() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let id = try home.receive(#"{"title":"hidden"}"#)
        #expect(try home.ask("secret list").output.isEmpty)
        expectError(
            try home.ask("secret get taskvault.message \(id)"), ends: 8, "belongs to the inbox")
    }

    @Test("Without an agent, the same commands work")
    func withoutAgent() throws {
        let home = try TestHome.forTasks()
        let received = try home.run(["inbox", "receive", Self.sample("task.apns")])
        #expect(received.exitCode == 0, "\(received.errorText)")
        let listed = try home.run("inbox list --json").json as? [[String: Any]]
        let id = try #require(listed?.first?["id"] as? String)
        #expect(try home.run("inbox accept \(id)").exitCode == 0)
        #expect(try home.tasks().count == 1)
    }
}
