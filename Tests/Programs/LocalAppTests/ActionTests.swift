import Foundation
import HTTPServer
import Passkeys
import Platform
import TestSupport
import Testing
import TextCoding

@testable import LocalApp

/// Actions of pages, over HTTP, with a real agent, vault and list.
@Suite("Actions of pages", .waitsForProcesses, .timeLimit(.minutes(60)))
struct ActionTests {
    @Test func aNewUserMakesAVault() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        func state() throws -> String? {
            (try home.ask("GET", "state").fields["session"] as? [String: Any])?["state"] as? String
        }
        #expect(try state() == "none")
        let rated = try home.ask("POST", "vault/strength", #"{"passphrase":"password"}"#)
        #expect(rated.fields["level"] as? String == "weak")
        let short = try home.ask("POST", "vault/create", #"{"passphrase":"abc"}"#)
        #expect(short.code == "passphrase_too_short")
        let made = try home.ask(
            "POST", "vault/create", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(made.status == 200)
        #expect(made.fields["recovery_code"] is String)
        let session = made.fields["session"] as? [String: Any]
        #expect(session?["state"] as? String == "unlocked")
        #expect(session?["verified"] as? Bool == true)
        let again = try home.ask(
            "POST", "vault/create", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(again.code == "vault_exists")
        #expect(try home.ask("POST", "session/lock").fields["state"] as? String == "locked")
        #expect(try state() == "locked")
        #expect(try home.ask("GET", "secrets").code == "locked")
    }

    @Test func anAgentThatEndedIsNotInTheListOfProcesses() throws {
        let home = try AppHome()
        try home.unlock()
        let session = try home.ask("GET", "state").fields["session"] as? [String: Any]
        let agent = pid_t(try #require(session?["process_id"] as? Int))
        kill(agent, SIGTERM)
        #expect(until { kill(agent, 0) == -1 && errno == ESRCH })
    }

    @Test func aWrongPassphraseIsRefused() throws {
        let home = try AppHome()
        try home.open()
        let wrong = try home.ask("POST", "session/unlock", #"{"passphrase":"not this one"}"#)
        #expect(wrong.code == "wrong_passphrase")
        #expect(wrong.status == 403)
        let changed = try home.ask(
            "POST", "vault/passphrase",
            #"{"passphrase":"\#(AppHome.passphrase)","new_passphrase":"another of these"}"#)
        #expect(changed.fields["state"] as? String == "unlocked")
        let old = try home.ask(
            "POST", "session/verify", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(old.code == "wrong_passphrase")
        let new = try home.ask("POST", "session/verify", #"{"passphrase":"another of these"}"#)
        #expect(new.fields["verified"] as? Bool == true)
    }

    @Test func tasksAreThoseOfTheCommandLine() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let made = try home.ask(
            "POST", "tasks",
            #"{"name":"- milk --all","notes":"two\nlines","due":"tomorrow 9:00","remind":true,"tags":["a","b"],"list":"home"}"#
        )
        #expect(made.status == 200, "\(made.object)")
        let id = try #require(made.fields["id"] as? String)
        #expect(made.fields["name"] as? String == "- milk --all")
        #expect(made.fields["notes"] as? String == "two\nlines")
        #expect(made.fields["reminder"] as? String == made.fields["due"] as? String)
        #expect(made.fields["tags"] as? [String] == ["a", "b"])

        let edited = try home.ask(
            "PATCH", "tasks/\(id)",
            #"{"name":"-","notes":null,"due":null,"list":null,"untags":["a"],"priority":"high"}"#)
        #expect(edited.fields["name"] as? String == "-")
        #expect(edited.fields["notes"] as? String == "")
        #expect(edited.fields["due"] is NSNull)
        #expect(edited.fields["reminder"] is NSNull)
        #expect(edited.fields["list"] is NSNull)
        #expect(edited.fields["tags"] as? [String] == ["b"])
        #expect(edited.fields["priority"] as? String == "high")

        let added = try home.ask("POST", "tasks/\(id)/subtasks", #"{"name":"--step"}"#)
        #expect(added.status == 200, "\(added.object)")
        let shown = try home.ask("GET", "tasks/\(id)")
        let subtask = try #require((shown.fields["subtasks"] as? [[String: Any]])?.first)
        #expect(subtask["name"] as? String == "--step")
        let step = try #require(subtask["id"] as? String)
        #expect(try home.ask("POST", "tasks/\(id)/subtasks/\(step)/done").status == 200)

        #expect(try home.ask("POST", "tasks/done", #"{"ids":["\#(id)"]}"#).status == 200)
        let statistics = try home.ask("GET", "statistics?days=14")
        #expect(statistics.fields["completed_past_24_hours"] as? Int == 1)
        #expect((statistics.fields["days"] as? [Any])?.count == 14)
        #expect(try home.ask("GET", "tasks?open=1").rows.isEmpty)
        #expect(try home.ask("POST", "tasks/undone", #"{"ids":["\#(id)"]}"#).status == 200)
        #expect(try home.ask("GET", "tasks?open=1&tag=b").rows.count == 1)
        #expect(try home.ask("POST", "tasks/remove", #"{"ids":["\#(id)"]}"#).status == 200)
        #expect(try home.ask("GET", "tasks/\(id)").code == "unknown_task")
        #expect(try home.ask("POST", "tasks/undo").status == 200)
        #expect(try home.ask("GET", "tasks").rows.count == 1)
        #expect(try home.ask("POST", "tasks/done-all").status == 200)
        #expect(try home.ask("GET", "tasks?open=1").rows.isEmpty)
    }

    @Test func aChangeTransfersWhatChanged() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let count = 1_000
        let lines = (0..<count).map { "task \($0) +work\n" }.joined()
        #expect(try home.command(["task", "import", "--format=todo.txt", "-"], input: lines) == 0)
        // What a page keeps: the tasks by their ids, and the digests of their groups.
        var tasks: [String: [String: Any]] = [:]
        var groups: [String: String] = [:]
        func update() throws -> (tasks: Int, bytes: Int) {
            let known = groups.map { $0 + $1 }.joined()
            let answer = try home.ask("GET", "tasks/changes?known=\(known)")
            let found = try #require(answer.fields["tasks"] as? [[String: Any]], "\(answer.object)")
            for (prefix, digest) in try #require(answer.fields["groups"] as? [String: Any]) {
                groups[prefix] = digest as? String
                tasks = tasks.filter { !$0.key.hasPrefix(prefix) }
            }
            for var task in found {
                #expect(task.removeValue(forKey: "made") is Int)
                tasks[try #require(task["id"] as? String)] = task
            }
            return (found.count, answer.body.count)
        }
        let whole = try update()
        #expect(whole.tasks == count)
        #expect(try update().tasks == 0)
        let id = try #require(tasks.keys.sorted().first)
        func isSame() throws -> Bool {
            // The page does not show the marks of sync yet.
            let listed = try home.ask("GET", "tasks").rows.map { task in
                task.filter { $0.key != "concurrent" }
            }
            return listed.count == tasks.count
                && listed.allSatisfy { task in
                    (task["id"] as? String).flatMap { tasks[$0] }.map {
                        NSDictionary(dictionary: $0)
                    }
                        == NSDictionary(dictionary: task)
                }
        }
        #expect(try home.ask("POST", "tasks/done", #"{"ids":["\#(id)"]}"#).status == 200)
        let marked = try update()
        #expect(tasks[id]?["done"] as? Bool == true)
        // Those of the same group come, too: about one in 1,024.
        #expect((1..<20).contains(marked.tasks), "\(marked)")
        #expect(marked.bytes < whole.bytes / 20, "\(marked) of \(whole)")
        #expect(try home.ask("POST", "tasks/remove", #"{"ids":["\#(id)"]}"#).status == 200)
        #expect(try update().bytes < whole.bytes / 20)
        #expect(tasks[id] == nil)
        #expect(try home.ask("POST", "tasks/undo").status == 200)
        #expect(try update().bytes < whole.bytes / 20)
        #expect(try isSame())
        let made = try home.ask("POST", "tasks", #"{"name":"new","list":"home"}"#)
        #expect(made.status == 200)
        let answer = try home.ask("GET", "tasks/changes?known=\(groups.map { $0 + $1 }.joined())")
        let lists = answer.fields["lists"] as? [[String: Any]]
        #expect(lists?.map { $0["name"] as? String } == ["home", "work"])
        #expect(answer.fields["tags"] is [Any])
        #expect(answer.fields["completed_past_24_hours"] as? Int == 1)
        _ = try update()
        #expect(try isSame())
        // Tasks that wait are among them.
        _ = try home.ask("POST", "tasks", #"{"name":"later","wait":"2099-05-04"}"#)
        _ = try update()
        #expect(tasks.values.contains { $0["waiting"] as? Bool == true })
        #expect(try home.ask("GET", "tasks/changes?known=ab").code == "usage")
    }

    @Test func aTaskIsTypedInOneLine() throws {
        let home = try AppHome()
        try home.open()
        let text = #"{"text":"buy 😀 milk 2099-05-04 #home !high"}"#
        let seen = try home.ask("POST", "tasks/understand", text)
        #expect(seen.status == 200, "\(seen.object)")
        #expect(seen.fields["name"] as? String == "buy 😀 milk")
        #expect(seen.fields["priority"] as? String == "high")
        let parts = seen.fields["understood"] as? [[String: Any]] ?? []
        #expect(parts.compactMap { $0["part"] as? String } == ["tag", "priority", "due"])
        #expect(parts.compactMap { $0["start"] as? Int } == [23, 29, 12])
        #expect(try home.ask("GET", "tasks").rows.isEmpty, "nothing was added")
        let added = try home.ask("POST", "tasks/typed", text)
        #expect(added.fields["due"] as? String == seen.fields["due"] as? String)
        #expect(added.fields["tags"] as? [String] == ["home"])
        // The name of the form is the name.
        let named = try home.ask("POST", "tasks", #"{"name":"due:tomorrow +x"}"#)
        #expect(named.fields["name"] as? String == "due:tomorrow +x")
        #expect(try home.ask("POST", "tasks/understand", #"{"text":"x due:so"}"#).status == 200)
    }

    @Test func protectedTextNeedsVerification() throws {
        let home = try AppHome()
        try home.unlock()
        let made = try home.ask(
            "POST", "tasks", #"{"name":"hidden name","notes":"hidden notes","protected":true}"#)
        let id = try #require(made.fields["id"] as? String, "\(made.object)")
        #expect(made.fields["name"] is NSNull)
        #expect(try home.ask("GET", "tasks").rows.first?["name"] is NSNull)
        let revealed = try home.ask("GET", "tasks?reveal=1").rows.first
        #expect(revealed?["name"] as? String == "hidden name")
        #expect(revealed?["notes"] as? String == "hidden notes")
        let window = ["settings", "set", "verification-window"]
        #expect(try home.command(window + ["1s"]) == 0)
        // A status is no use, so the window ends.
        let hasEnded = try until {
            let session = try home.ask("GET", "state").fields["session"] as? [String: Any]
            return session?["verified"] as? Bool == false
        }
        #expect(hasEnded)
        let longer = window + ["1h", "--no-agent", "--passphrase-file", "-"]
        #expect(try home.command(longer, input: AppHome.passphrase + "\n") == 0)
        #expect(try home.ask("GET", "tasks/\(id)").code == "not_verified")
        let edited = try home.ask("PATCH", "tasks/\(id)", #"{"name":"other"}"#)
        #expect(edited.code == "not_verified")
        let verified = try home.ask(
            "POST", "session/verify", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(verified.fields["verified"] as? Bool == true)
        #expect(
            try home.ask("PATCH", "tasks/\(id)", #"{"name":"other"}"#).status == 200)
        #expect(try home.ask("GET", "tasks/\(id)").fields["name"] as? String == "other")
        #expect(try home.ask("POST", "session/lock").status == 200)
        #expect(try home.ask("GET", "tasks/\(id)").code == "locked")
    }

    @Test func secretsAreSetFoundAndRemoved() throws {
        let home = try AppHome()
        try home.unlock()
        let name = #""service":"mail.example","account":"--ada""#
        let set = try home.ask(
            "POST", "secrets/set", "{\(name),\"value\":\"s\\u00e9cret\\n\",\"tags\":[\"x\"]}")
        #expect(set.status == 200, "\(set.object)")
        #expect(!String(decoding: set.body, as: UTF8.self).contains("cret"))
        #expect(try home.ask("POST", "secrets/set", "{\(name),\"value\":\"b\"}").status == 409)
        #expect(try home.ask("GET", "secrets?search=MAIL").rows.count == 1)
        let got = try home.ask("POST", "secrets/get", "{\(name)}")
        #expect(try AppHome.bytes(got.fields["value_base64"]) == Array("sécret\n".utf8))
        let seed = try home.ask(
            "POST", "secrets/set", "{\(name),\"field\":\"totp\",\"value\":\"JBSWY3DPEHPK3PXP\"}")
        #expect(seed.status == 200, "\(seed.object)")
        let code = try home.ask("POST", "secrets/code", "{\(name)}")
        #expect((code.fields["code"] as? String)?.count == 6)
        #expect(code.fields["seconds_left"] is Int)
        #expect(
            try home.ask("POST", "secrets/get", "{\(name),\"clip\":true}").code == "no_clipboard")
        let edited = try home.ask("POST", "secrets/edit", "{\(name),\"new_account\":\"bob\"}")
        #expect(edited.status == 200, "\(edited.object)")
        let bob = #"{"service":"mail.example","account":"bob"}"#
        #expect(try home.ask("POST", "secrets/show", bob).fields["account"] as? String == "bob")
        #expect(try home.ask("POST", "secrets/remove", bob).status == 200)
        #expect(try home.ask("GET", "secrets").rows.isEmpty)
        #expect(try !home.ask("GET", "secrets/removed").rows.isEmpty)
        #expect(try home.ask("POST", "secrets/restore", bob).status == 200)
        #expect(try home.ask("GET", "secrets").rows.count == 1)
        let made = try home.ask("POST", "secrets/generate", #"{"digits":true,"length":6}"#)
        #expect(try AppHome.bytes(made.fields["value_base64"]).count == 6)
    }

    @Test func severalTasksAreChangedInOneStep() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let ids = try ["2099-05-04 09:30", "2099-05-05"].map { due in
            let made = try home.ask("POST", "tasks", #"{"name":"x","due":"\#(due)"}"#)
            return try #require(made.fields["id"] as? String)
        }
        let list = ids.map { #""\#($0)""# }.joined(separator: ",")
        let moved = try home.ask(
            "POST", "tasks/edit", #"{"ids":[\#(list)],"due_day":"2099-07-01","tags":["t"]}"#)
        #expect(moved.status == 200, "\(moved.object)")
        func due() throws -> Set<String?> {
            Set(try home.ask("GET", "tasks").rows.map { $0["due"] as? String })
        }
        // The time of day stays; so does a whole day.
        #expect(try due() == ["2099-07-01T09:30:00Z", "2099-07-01"])
        #expect(try home.ask("POST", "tasks/undo").status == 200)
        #expect(try due() == ["2099-05-04T09:30:00Z", "2099-05-05"])
        #expect(try home.ask("GET", "tasks").rows.allSatisfy { ($0["tags"] as? [String]) == [] })
    }

    @Test func aReminderIsTakenOnce() throws {
        let home = try AppHome(withVault: false)
        try home.open()
        let due = Timestamp.rfc3339(milliseconds: PointInTime.now.milliseconds - 60_000)
        let made = try home.ask(
            "POST", "tasks", #"{"name":"water","due":"\#(due)","remind":true}"#)
        #expect(made.status == 200, "\(made.object)")
        func taken() throws -> [[String: Any]] {
            try home.ask("POST", "reminders").fields["reminders"] as? [[String: Any]] ?? []
        }
        let first = try taken()
        #expect(first.map { $0["name"] as? String } == ["water"])
        #expect(first.first?["task"] as? String == made.fields["id"] as? String)
        #expect(try taken().isEmpty)
        #expect(try home.ask("POST", "reminders").fields["services"] as? Bool == false)
        // What another program has announced is not taken.
        _ = try home.ask("POST", "tasks", #"{"name":"feed","due":"\#(due)","remind":true}"#)
        #expect(try home.command(["remind", "--once"]) == 0)
        #expect(try taken().isEmpty)
    }

    @Test func importsExportsAndTheAudit() throws {
        let home = try AppHome()
        try home.unlock()
        func send(_ body: String, _ content: String) throws -> AppHome.Answer {
            let begun = try home.ask("POST", "imports", body)
            let id = try #require(begun.fields["upload"] as? String, "\(begun.object)")
            _ = try home.ask(
                "PUT", "uploads/\(id)?offset=0", bytes: Array(content.utf8),
                "application/octet-stream")
            return try home.ask("POST", "uploads/\(id)/finish")
        }
        let file = "name,url,username,password\nA,https://a.example,u,password\n"
        let tried = try send(#"{"dry_run":true}"#, file)
        #expect(tried.fields["would_import"] as? Int == 1, "\(tried.object)")
        #expect(try home.ask("GET", "secrets").rows.isEmpty)
        let done = try send("{}", file)
        #expect(done.fields["imported"] as? Int == 1, "\(done.object)")
        #expect(try send("{}", "nonsense").code == "not_importable")
        // A weak password is a finding, and no failure.
        let findings = try home.ask("GET", "secrets/audit")
        #expect(findings.rows.map { $0["problem"] as? String } == ["weak"], "\(findings.object)")
        let look = try send(
            #"{"tasks":true,"format":"todo.txt","dry_run":true}"#, "call Ada\n")
        #expect(look.fields["would_import"] as? Int == 1, "\(look.object)")
        #expect(try home.ask("GET", "tasks").rows.isEmpty)
        let tasks = try send(#"{"tasks":true,"format":"todo.txt"}"#, "call Ada\n")
        #expect(tasks.fields["imported"] as? Int == 1, "\(tasks.object)")

        let wrong = try home.ask("POST", "secrets/export", #"{"passphrase":"not this one"}"#)
        #expect(wrong.code == "wrong_passphrase")
        let exported = try home.ask(
            "POST", "secrets/export", #"{"format":"csv","passphrase":"\#(AppHome.passphrase)"}"#)
        let path = try #require(exported.fields["path"] as? String, "\(exported.object)")
        #expect(path == home.folder + "/taskvault-secrets.csv")
        #expect(
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                == 0o600)
        let database = try home.ask(
            "POST", "secrets/export",
            #"{"format":"keepassxc","passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(database.fields["path"] as? String == home.folder + "/taskvault-secrets.xml")
        let list = try home.ask("POST", "tasks/export", #"{"format":"icalendar"}"#)
        #expect(list.fields["path"] as? String == home.folder + "/taskvault-tasks.ics")
        let backup = try home.ask("POST", "backup")
        let copy = try #require(backup.fields["path"] as? String, "\(backup.object)")
        #expect(copy.hasSuffix(".backup") && FileManager.default.fileExists(atPath: copy))

        // It is restored over a vault that lacks the entry.
        _ = try home.ask("POST", "secrets/remove", #"{"service":"A","account":"u"}"#)
        let begun = try home.ask("POST", "restore/upload", "{}")
        let id = try #require(begun.fields["upload"] as? String, "\(begun.object)")
        let content = try Data(contentsOf: URL(filePath: copy))
        let limit = Uploads.largestPiece
        for offset in stride(from: 0, to: content.count, by: limit) {
            _ = try home.ask(
                "PUT", "uploads/\(id)?offset=\(offset)",
                bytes: Array(content[offset..<min(offset + limit, content.count)]),
                "application/octet-stream")
        }
        #expect(try home.ask("POST", "uploads/\(id)/finish").status == 200)
        let refused = try home.ask(
            "POST", "restore", #"{"passphrase":"not this one","replace":true}"#)
        #expect(refused.code == "wrong_passphrase", "\(refused.object)")
        let restored = try home.ask(
            "POST", "restore", #"{"passphrase":"\#(AppHome.passphrase)","replace":true}"#)
        #expect(restored.status == 200, "\(restored.object)")
        #expect(
            !FileManager.default.fileExists(atPath: home.folder + "/state/taskvault-app/backup"))
        _ = try home.ask(
            "POST", "session/unlock", #"{"passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(try home.ask("GET", "secrets").rows.map { $0["service"] as? String } == ["A"])
    }

    @Test func filesComeInPiecesAndGoOutWhole() throws {
        let home = try AppHome()
        try home.unlock()
        func upload(_ name: String, _ size: Int, _ pieces: [[UInt8]]) throws -> AppHome.Answer {
            let begun = try home.ask("POST", "uploads", #"{"name":"\#(name)","size":\#(size)}"#)
            let id = try #require(begun.fields["upload"] as? String)
            var offset = 0
            for piece in pieces {
                let sent = try home.ask(
                    "PUT", "uploads/\(id)?offset=\(offset)", bytes: piece,
                    "application/octet-stream")
                offset += piece.count
                #expect(sent.fields["received"] as? Int == offset)
            }
            let wrong = try home.ask(
                "PUT", "uploads/\(id)?offset=\(offset + 1)", bytes: [1], "application/octet-stream")
            #expect(wrong.code == "bad_request")
            return try home.ask("POST", "uploads/\(id)/finish")
        }
        let pieces = (0..<3).map { number in
            [UInt8](repeating: UInt8(number), count: number < 2 ? Uploads.largestPiece : 5)
        }
        let content = pieces.flatMap { $0 }
        let stored = try upload("a.bin", content.count, pieces)
        #expect(stored.status == 200, "\(stored.object)")
        // One that ends too early is not stored.
        #expect(try upload("b.bin", 10, [[1, 2, 3]]).code == "file_changed")
        let begun = try home.ask("POST", "uploads", #"{"name":"c.bin","size":10}"#)
        let id = try #require(begun.fields["upload"] as? String)
        #expect(try home.ask("DELETE", "uploads/\(id)").status == 200)
        #expect(try home.ask("POST", "uploads/\(id)/finish").code == "not_found")
        #expect(try home.ask("GET", "files").rows.map { $0["name"] as? String } == ["a.bin"])

        let read = try home.ask("GET", "files/content?name=a.bin")
        #expect(read.body == content)
        #expect(read.head.contains("Content-Type: application/octet-stream"))
        let saved = try home.ask("POST", "files/save", #"{"name":"a.bin"}"#)
        let path = try #require(saved.fields["path"] as? String)
        #expect(path == home.folder + "/a.bin")
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(content))
        let again = try home.ask("POST", "files/save", #"{"name":"a.bin"}"#)
        #expect(again.fields["path"] as? String == home.folder + "/a (2).bin")
        #expect(
            try home.ask("POST", "files/rename", #"{"name":"a.bin","new":"ä.bin"}"#).status == 200)
        #expect(
            try home.ask("GET", "files/content?name=%C3%A4.bin").body.count == content.count)
        #expect(try home.ask("POST", "files/remove", #"{"names":["ä.bin"]}"#).status == 200)
        #expect(try home.ask("GET", "files").rows.isEmpty)
        #expect(try home.ask("POST", "files/restore", #"{"name":"ä.bin"}"#).status == 200)
    }

    @Test func passkeysOpenAndVerify() throws {
        let home = try AppHome()
        try home.unlock()
        let passkey = AppPasskey(TestPasskey(page: home.page))
        let begun = try home.ask("POST", "passkeys/challenge", #"{"purpose":"register"}"#)
        #expect(begun.fields["rp_id"] as? String == "taskvault.localhost")
        let registered = try home.ask(
            "POST", "passkeys/register", try passkey.registration(begun.fields))
        #expect(registered.status == 200, "\(registered.object)")
        let added = try home.ask(
            "POST", "passkeys/add",
            try passkey.assertion(
                registered.fields, #","label":"phone","passphrase":"\#(AppHome.passphrase)""#))
        let keys = try #require(added.fields["keys"] as? [[String: Any]], "\(added.object)")
        #expect(keys.first?["kind"] as? String == "passkey")
        #expect(keys.first?["label"] as? String == "phone")
        for (purpose, path) in [("verify", "passkeys/verify"), ("unlock", "passkeys/unlock")] {
            if purpose == "unlock" { _ = try home.ask("POST", "session/lock") }
            let asked = try home.ask("POST", "passkeys/challenge", #"{"purpose":"\#(purpose)"}"#)
            #expect((asked.fields["credentials"] as? [Any])?.count == 1)
            let used = try home.ask("POST", path, try passkey.assertion(asked.fields))
            #expect(used.fields["verified"] as? Bool == true, "\(used.object)")
            // A challenge is for one use.
            #expect(
                try home.ask("POST", path, try passkey.assertion(asked.fields)).code == "passkey")
        }
        let askedAgain = try home.ask("POST", "passkeys/challenge", #"{"purpose":"verify"}"#)
        let renamed = try home.ask(
            "POST", "passkeys/rename",
            try passkey.assertion(askedAgain.fields, #","label":"tablet""#))
        let labels = (renamed.fields["keys"] as? [[String: Any]])?.map { $0["label"] as? String }
        #expect(labels == ["tablet"], "\(renamed.object)")
        // A page of another start has another origin, also at the same port.
        let other = AppPasskey(TestPasskey(page: PageOrigin(port: home.port)))
        let asked = try home.ask("POST", "passkeys/challenge", #"{"purpose":"verify"}"#)
        #expect(
            try home.ask("POST", "passkeys/verify", try other.assertion(asked.fields)).code
                == "passkey")
        let kept = try home.ask("GET", "passkeys").fields["keys"] as? [[String: Any]]
        let id = try #require(kept?.first?["id"] as? String)
        let removed = try home.ask(
            "POST", "passkeys/remove",
            #"{"id":"\#(id)","passphrase":"\#(AppHome.passphrase)"}"#)
        #expect(
            (removed.fields["session"] as? [String: Any])?["state"] as? String == "unlocked",
            "\(removed.object)")
        #expect((try home.ask("GET", "passkeys").fields["keys"] as? [Any])?.isEmpty == true)
    }

    /// The value is the secret itself: no file of this name is read.
    @Test func aPageGivesTheClientSecretAndNoFile() throws {
        let home = try AppHome()
        try home.unlock()
        func set(_ name: String, _ value: String) throws -> AppHome.Answer {
            try home.ask("POST", "settings", #"{"name":"\#(name)","value":\#(value)}"#)
        }
        let file = home.folder + "/private"
        let line = "the first line of a file"
        try Data((line + "\n").utf8).write(to: URL(filePath: file))
        let evil = TokenServer()
        let server = try HTTPServer(HTTPServerOptions(), evil)
        defer { server.stop(within: .zero) }
        #expect(try set("server", #""http://127.0.0.1:\#(server.port)""#).status == 200)
        let given = try set("client-secret", #""\#(file)""#)
        #expect(given.fields["client_secret"] as? String == "set", "\(given.object)")
        func signIn() throws -> String {
            _ = try home.ask(
                "POST", "account/sign-in", #"{"email":"ada@example.org","password":"lorem ipsum"}"#)
            return evil.takeRequests()
        }
        // The form says who gets the password.
        let method = try home.ask("GET", "account/method")
        #expect(method.fields["method"] as? String == "password_grant", "\(method.object)")
        let received = try signIn()
        #expect(received.contains("grant_type=password"), "\(received)")
        #expect(received.contains("private") && !received.contains(line))
        #expect(try set("client-secret", #""two\nlines""#).code == "bad_request")
        #expect(try set("client-secret", "7").code == "bad_request")
        let removed = try set("client-secret", "null")
        #expect(removed.status == 200, "\(removed.object)")
        #expect(try !signIn().contains("private"))
    }

    @Test func settingsMessagesAndAccount() throws {
        let home = try AppHome()
        try home.unlock()
        let set = try home.ask("POST", "settings", #"{"name":"file-sort","value":"-name"}"#)
        #expect(set.fields["file_sort"] as? String == "-name", "\(set.object)")
        #expect(try home.ask("GET", "settings").fields["file_sort"] as? String == "-name")
        // Theme and language come with the state, while the vault is open.
        for (name, value) in [("theme", "dark"), ("language", "uk")] {
            let set = try home.ask("POST", "settings", #"{"name":"\#(name)","value":"\#(value)"}"#)
            #expect(set.fields[name] as? String == value, "\(set.object)")
            #expect(try home.ask("GET", "state").fields[name] as? String == value)
        }
        #expect(
            try home.ask("POST", "settings", #"{"name":"language","value":"de"}"#).code == "usage")
        #expect(
            try home.command(["inbox", "receive", "-"], input: #"{"title":"Water the plants"}"#)
                == 0)
        let message = try #require(try home.ask("GET", "inbox").rows.first)
        let id = try #require(message["id"] as? String)
        #expect(message["state"] as? String == "new")
        #expect(try home.ask("GET", "inbox/\(id)/picture").code == "no_picture")
        #expect(try home.ask("POST", "inbox/accept", #"{"ids":["\#(id)"]}"#).status == 200)
        #expect(try home.ask("GET", "inbox/\(id)").fields["state"] as? String == "accepted")
        #expect(try home.ask("GET", "tasks").rows.first?["name"] as? String == "Water the plants")
        #expect(try home.ask("GET", "account").code == "no_server")
        #expect(try home.ask("POST", "account/sign-in", "{}").code == "no_server")
        #expect(try home.ask("GET", "account/method").code == "no_server")
        #expect(try home.ask("GET", "checklists/saved").rows.isEmpty)
    }
}

/// A server that accepts no sign-in, and keeps what it receives.
private final class TokenServer: HTTPHandler {
    private let requests = Monitor("")

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        let place = "http://\(request.host ?? "")"
        guard request.method == "POST" else {
            let metadata =
                #"{"issuer":"\#(place)","token_endpoint":"\#(place)/token","response_types_supported":[]}"#
            return .now(response(200, metadata))
        }
        let credentials = request.headers.values("Authorization").map { value in
            let decoded = Data(base64Encoded: String(value.dropFirst("Basic ".count)))
            return String(decoding: decoded ?? Data(), as: UTF8.self)
        }
        let form = request.body.withBytes { $0.text() } ?? ""
        requests.update { $0 += "\(credentials) \(form)\n" }
        return .now(response(400, #"{"error":"invalid_grant"}"#))
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse { response(status, "{}") }

    func didAnswer(_ exchange: HTTPExchange) {}

    /// The events since the last call.
    func takeRequests() -> String {
        requests.update { requests in
            defer { requests = "" }
            return requests
        }
    }

    private func response(_ status: Int, _ content: String) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: HTTPHeaders([.init("Content-Type", "application/json")]),
            body: Array(content.utf8))
    }
}
