import Foundation
import Inbox
import Platform
import SecretMemory
import Synchronization
import Testing
import TestSupport

/// Messages from a sender through the real server to the real client.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses)
struct InboxDeliveryTests {
    /// A home that receives, and the address of a sender.
    private struct Place {
        let place: AccountHome
        let address: String

        var home: TestHome { place.home }

        /// The folder of the service of this machine.
        var folder: String {
            let folder = home.folder + "/state/taskvault/inbox"
            return folder + "/" + (Files.names(in: folder).first ?? "")
        }

        init(_ options: [String] = [], sender: String = "Bobadilla") throws {
            place = try AccountHome(options: options)
            try place.home.doInbox("enable")
            address = try Self.newAddress(place.home, for: sender)
        }

        /// Writes the address of a new sender into a file.
        static func newAddress(_ home: TestHome, for sender: String) throws -> String {
            let made = try home.doInbox("address", "--for", sender)
            let path = home.folder + "/address-\(sender).json"
            try Files.write(made.output, to: path)
            return path
        }

        /// Another machine on the vault, which receives.
        func machine() throws -> TestHome {
            let other = try TestHome(withVault: false)
            other.environment = home.environment
            other.environment["XDG_STATE_HOME"] = other.folder + "/state"
            try other.doInbox("enable")
            return other
        }

        /// Starts `taskvault-services` of a machine on a bus, with standard error in a file perhaps.
        func service(
            on bus: String, of machine: TestHome? = nil, saying log: String? = nil
        ) throws -> Process {
            let service = Process()
            service.executableURL = URL(
                fileURLWithPath: BuiltExecutable.path(of: "taskvault"))
            service.arguments = ["services"]
            var environment = (machine ?? home).environment
            environment["DBUS_SESSION_BUS_ADDRESS"] = bus
            service.environment = environment
            service.standardInput = FileHandle.nullDevice
            service.standardOutput = FileHandle.nullDevice
            service.standardError = FileHandle.nullDevice
            if let log {
                try Files.write("", to: log)
                service.standardError = FileHandle(forWritingAtPath: log)
            }
            try service.run()
            return service
        }

        @discardableResult
        func send(
            _ words: String..., input: String = "", beneath wrapper: [String] = []
        ) throws -> RunResult {
            try place.home.runBare(
                ["inbox", "send", address] + words, input: Array(input.utf8), beneath: wrapper)
        }
    }

    @Test(
        .enabled(if: Tracer.isUsable, Tracer.reason))
    func aSentTaskArrivesAndBecomesATask() throws {
        let place = try Place()
        let title = AccountHome.word("title")
        let body = AccountHome.word("body")
        let trace = place.home.folder + "/trace"
        expectDone(
            try place.send(
                "--title", title, "--body", body, "--due", "2099-01-01T09:00+00:00", "--subtask",
                "one",
                "--subtask", "two", "--list", "home", "--picture", "https://p.example/a.png",
                beneath: [
                    Tracer.path, "-f", "-o", trace, "-s", "65536", "-e",
                    "trace=network,write,writev",
                ]))
        // Neither the connection nor the server, where the message waits, has words or the sender's name.
        let sent = String(decoding: try Files.read(trace), as: UTF8.self)
        #expect(sent.contains("POST /push/tvp_") && sent.contains("aes128gcm"))
        let server = place.place.server
        let stored = Files.names(in: server.folder).map {
            String(
                decoding: (try? Files.read(server.folder + "/" + $0)) ?? [], as: UTF8.self)
        }
        #expect(stored.contains { $0.contains("/push/{endpoint}") })
        for text in [sent] + stored {
            for word in [title, body, "Bobadilla"] { #expect(!text.contains(word)) }
        }
        #expect(!server.log.contains("tvp_"))
        let message = try #require(try place.home.messages().first)
        #expect(message["title"] as? String == title && message["sender"] as? String == "Bobadilla")
        #expect(message["due"] as? String == "2099-01-01T09:00:00Z")
        #expect(message["subtasks"] as? [String] == ["one", "two"])
        #expect(message["picture"] as? String == "https://p.example/a.png")
        try place.home.doInbox("accept", try #require(message["id"] as? String))
        let task = try #require(try place.home.tasks().first)
        #expect(task["name"] as? String == title && task["list"] as? String == "home")
        #expect(task["reminder"] as? String == "2099-01-01T09:00:00Z")
    }

    @Test func twoMachinesOnOneVaultBothSeeEachMessageOnce() throws {
        let place = try Place()
        let other = try place.machine()
        expectDone(try place.send("--title", "a"))
        #expect(try place.home.messages().count == 1)
        #expect(try place.home.messages().count == 1)
        let status = try place.home.doInbox("status", "--json").object
        #expect(status["new"] as? Int == 1 && status["waiting"] as? Int == 0)
        #expect(status["enabled"] as? Bool == true && status["senders"] as? Int == 1)
        #expect(try other.messages().texts("title") == ["a"])
        expectDone(try place.send("--title", "b"))
        #expect(try other.messages().texts("title") == ["b", "a"])
        #expect(try place.home.messages().texts("title") == ["b", "a"])
    }

    @Test func aCopyOfTheVaultGetsNoMessageThatTheOtherHasAcknowledged() throws {
        let place = try Place()
        let other = try place.place.copy()
        try other.unlock()
        expectDone(try place.send("--title", "a"))
        #expect(try place.home.messages().count == 1)
        #expect(try other.messages().isEmpty)
        expectDone(try place.send("--title", "b"))
        #expect(try other.messages().texts("title") == ["b"])
        #expect(try place.home.messages().texts("title") == ["a"])
    }

    @Test func aMessageFromStandardInputIsTextOrJSON() throws {
        let place = try Place()
        expectDone(try place.send(input: "the title\nfirst line\nsecond line\n"))
        expectDone(try place.send(input: #"{"title":"as JSON","due":"2099-01-01T00:00:00Z"}"#))
        let messages = try place.home.messages()
        #expect(messages.texts("title") == ["as JSON", "the title"])
        #expect(messages.last?["body"] as? String == "first line\nsecond line\n")
        expectError(try place.send(input: ""), ends: 2, "a title is missing")
        expectError(
            try place.send(input: #"{"title":"x",}"#), ends: 2, "it is not a valid JSON object")
        expectError(
            try place.send(input: String(repeating: "x", count: 4_097)), ends: 2,
            "the title is longer than 4096 bytes")
        expectError(try place.send("--body", "x"), ends: 2, "--body needs --title")
        expectError(
            try place.send("--title", "x", "--picture", "http://a.example/"), ends: 2, "https")
        let long = String(repeating: "x", count: 4_000)
        expectError(try place.send(input: "title\n" + long), ends: 8, "larger than 3,993 bytes")
    }

    @Test func moreMessagesThanOneAnswerHasAreAllTakenAndForgotten() throws {
        let place = try Place(["--sender-hourly", "0"])
        let other = try place.place.copy()
        try other.unlock()
        for number in 1...65 { expectDone(try place.send("--title", "\(number)")) }
        let listed = try place.home.doInbox("list")
        #expect(listed.outputLines.count == 2 * 65 && !listed.errorText.contains("more messages"))
        // The server gives none of them to another vault.
        #expect(try other.messages().isEmpty)
    }

    @Test(.enabled(if: OpenSSL.isAvailable, "needs openssl"))
    func aSenderIsToldWhichCertificatesAreTrusted() throws {
        let place = try AccountHome(isEncrypted: true)
        try place.home.doInbox("enable")
        let address = try Place.newAddress(place.home, for: "Bobadilla")
        expectError(
            try place.home.inbox("send", address, "--title", "a"), ends: 9, "is not trusted",
            "its certificate must be in the system's store")
    }

    @Test func aRevokedSenderIsRefusedAndItsMessagesStay() throws {
        let place = try Place()
        expectDone(try place.send("--title", "before"))
        #expect(try place.home.messages().count == 1)
        expectDone(try place.send("--title", "waits at the server"))
        expectError(try place.home.inbox("address", "--for", "Bobadilla"), ends: 6, "already")
        try place.home.doInbox("revoke", "Bobadilla")
        expectError(try place.send("--title", "after"), ends: 5, "no longer valid")
        #expect(try place.home.messages().texts("title") == ["before"])
        #expect(try place.home.doInbox("senders", "--json").json as? [String] == [])
        expectError(try place.home.inbox("revoke", "Bobadilla"), ends: 5, "there is no sender")
        // Another address for the same name is another one.
        let address = try Place.newAddress(place.home, for: "Bobadilla")
        expectDone(try place.home.inbox("send", address, "--title", "again"))
        #expect(try place.home.messages().count == 2)
    }

    @Test func aSenderIsRevokedInAnyFormOfUnicode() throws {
        let place = try Place(sender: "Rene\u{301}")
        expectError(
            try place.home.inbox("address", "--for", "Ren\u{E9}"), ends: 6, "already")
        try place.home.doInbox("revoke", "Ren\u{E9}")
        #expect(try place.home.doInbox("senders", "--json").json as? [String] == [])
        expectError(try place.send("--title", "after"), ends: 5, "no longer valid")
    }

    @Test func theSendersAreListedWithTheirKeys() throws {
        let place = try Place()
        // The key of the example in RFC 8292, section 2.4.
        let key =
            "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        try place.home.doInbox("address", "--for", "Ada\u{202E}", "--vapid", key)
        let senders = try #require(
            try place.home.doInbox("senders", "--json").json as? [[String: Any]])
        let bob = try #require(senders.first { $0["name"] as? String == "Bobadilla" })
        let ada = try #require(senders.first { $0["name"] as? String != "Bobadilla" })
        #expect(senders.count == 2 && bob["vapid_key"] is NSNull)
        #expect(ada["vapid_key"] as? String == key)
        for sender in [bob, ada] {
            #expect(sender["created"] is String && sender["id"] is String)
            #expect(sender["server"] as? String == place.place.server.issuer)
        }
        let table = try place.home.doInbox("senders").outputText
        let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.contains { $0.suffix(2) == ["no", "Bobadilla"] })
        // A direction character is shown as its number.
        #expect(rows.contains { $0.suffix(2) == ["yes", "Ada\\u{202E}"] })
    }

    @Test func anAddressIsAQRCodeOnATerminalAndJSONElsewhere() throws {
        let place = try AccountHome()
        try place.home.doInbox("enable")
        let piped = try place.home.doInbox("address", "--for", "Bobadilla")
        #expect(piped.object["endpoint"] is String)
        let session = try TerminalSession(
            place.home, ["inbox", "address", "--for", "Ada"], rows: 200, columns: 200)
        #expect(try session.finish() == 0)
        let lines = session.screen.split(separator: "\r\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.contains(#""endpoint""#) })
        let text = Array(lines[start].utf8)
        let object = try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any]
        #expect(object?["endpoint"] is String)
        let secret = unsafe try SecretBytes(copying: text.span.bytes)
        if let code = QRCode.lines(of: secret) {
            #expect(Array(lines[(start + 1)...].prefix(code.count)) == code)
        } else {
            #expect(session.screen.contains("no QR code: apt install libqrencode4"))
        }
        // A code that is cut would be none.
        let narrow = try TerminalSession(
            place.home, ["inbox", "address", "--for", "Eve"], rows: 200, columns: 40)
        #expect(try narrow.finish() == 0)
        #expect(narrow.screen.contains("no QR code: ") && !narrow.screen.contains("█"))
    }

    @Test func anInboxHasALimitedNumberOfSenders() throws {
        let place = try Place(["--maximum-subscriptions", "1"])
        expectError(
            try place.home.inbox("address", "--for", "Ada"), ends: 8, "too many senders",
            "inbox revoke NAME")
        try place.home.doInbox("revoke", "Bobadilla")
        try place.home.doInbox("address", "--for", "Ada")
    }

    @Test func aNewInboxEndsTheAddressesOfALostOne() throws {
        let place = try Place()
        expectDone(try place.send("--title", "before"))
        #expect(try place.home.messages().count == 1)
        // Another machine ends it; this vault does not know.
        let other = try place.place.copy()
        try other.unlock()
        try other.doInbox("disable", "--everywhere", "--yes")
        expectError(
            try place.home.inbox("address", "--for", "Zed"), ends: 5, "no longer has this inbox",
            "inbox enable")
        let enabled = try place.home.doInbox("enable")
        #expect(enabled.errorText.contains("1 address ended"))
        #expect(try place.home.doInbox("senders", "--json").json as? [String] == [])
        #expect(try place.home.messages().texts("title") == ["before"])
        // The new one is kept, with its addresses.
        let address = try Place.newAddress(place.home, for: "Bobadilla")
        #expect(try place.home.doInbox("enable").errorText.isEmpty)
        expectDone(try place.home.inbox("send", address, "--title", "after"))
        #expect(try place.home.messages().texts("title") == ["after", "before"])
    }

    /// The end of a session takes the token from a stolen machine, and the owner's vault gets another one.
    @Test func anEndedSessionEndsTheTokenAndLeavesTheAddresses() throws {
        let place = try Place()
        let account = AccountHome.account
        try place.place.server.run("account end-sessions \(account)")
        expectDone(try place.send("--title", "meanwhile"))
        let listed = try place.home.inbox("list")
        #expect(listed.errorText.contains("inbox enable"))
        #expect(!listed.outputText.contains("meanwhile"))
        expectDone(try place.place.ask("login \(account)", [place.place.password]))
        #expect(try place.home.doInbox("enable").errorText.isEmpty)
        #expect(try place.home.messages().texts("title") == ["meanwhile"])
        expectDone(try place.send("--title", "after"))
        #expect(try place.home.messages().texts("title") == ["after", "meanwhile"])
    }

    @Test func allInboxesOfAnAccountCanBeEnded() throws {
        let place = try AccountHome(options: ["--maximum-inboxes", "1"])
        let other = try place.copy()
        try other.unlock()
        let none = try place.home.doInbox("disable", "--everywhere").outputText
        #expect(none == "this vault had no inbox at \(place.server.issuer)\n")
        try place.home.doInbox("enable")
        expectError(
            try other.inbox("enable"), ends: 8, "too many inboxes", "inbox disable --all")
        expectError(try other.inbox("disable", "--all"), ends: 2, "end 1 inbox", "--yes")
        try place.home.doInbox("address", "--for", "Bobadilla")
        #expect(try other.doInbox("disable", "--all", "--yes").outputText == "ended 1 inbox\n")
        try other.doInbox("enable")
        try other.doInbox("address", "--for", "Ada")
        // With that of its own, the vault forgets the senders.
        try other.doInbox("disable", "--all", "--yes")
        #expect(try other.doInbox("senders", "--json").json as? [String] == [])
    }

    @Test func aVaultThatLostItsKeyCountsTheMessageOnce() throws {
        let place = try AccountHome()
        try place.home.doInbox("enable")
        // A copy from before the address was made.
        let other = try place.copy()
        try other.unlock()
        let address = try Place.newAddress(place.home, for: "Bobadilla")
        expectDone(try place.home.inbox("send", address, "--title", "a"))
        #expect(try other.messages().isEmpty)
        #expect(try other.messages().isEmpty)
        let status = try other.doInbox("status", "--json").object
        #expect(status["unreadable"] as? Int == 1 && status["new"] as? Int == 0)
        let listed = try other.doInbox("list")
        #expect(listed.errorText.contains("1 message could not be read") && listed.output.isEmpty)
    }

    @Test func aBoundAddressTakesOnlySignedMessages() throws {
        let place = try AccountHome()
        try place.home.doInbox("enable")
        let key =
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
        expectError(
            try place.home.inbox("address", "--for", "Eve", "--vapid", "short"), ends: 2, "--vapid")
        let made = try place.home.doInbox("address", "--for", "Eve", "--vapid", key)
        let path = place.home.folder + "/bound.json"
        try Files.write(made.output, to: path)
        expectError(try place.home.inbox("send", path, "--title", "a"), ends: 8, "VAPID")
        #expect(try place.home.messages().isEmpty)
    }

    @Test func withoutTheServerTheListIsThatOfTheVault() throws {
        let place = try Place()
        expectDone(try place.send("--title", "a"))
        #expect(try place.home.messages().count == 1)
        place.place.server.stop()
        #expect(try place.home.messages().texts("title") == ["a"])
        expectError(try place.send("--title", "b"), ends: 9, "cannot reach")
    }

    @Test func withoutAnInboxOrAnAccountThereIsNoAddress() throws {
        let place = try AccountHome(isSignedIn: false)
        expectError(try place.home.inbox("enable"), ends: 5, "no account has signed in")
        let signedIn = try AccountHome()
        expectError(
            try signedIn.home.inbox("address", "--for", "Bobadilla"), ends: 5, "inbox enable")
        expectError(try signedIn.home.inbox("address"), ends: 2, "--for")
        let home = try TestHome.forTasks()
        try home.unlock()
        expectError(try home.inbox("enable"), ends: 5, "no auth server is set")
    }

    @Test func theEndOfTheInboxEndsAllAddresses() throws {
        let place = try Place()
        expectError(try place.home.inbox("disable", "--everywhere"), ends: 2, "--yes")
        try place.home.doInbox("disable", "--everywhere", "--yes")
        expectError(try place.send("--title", "a"), ends: 5, "no longer valid")
        let status = try place.home.doInbox("status", "--json").object
        #expect(status["enabled"] as? Bool == false && status["senders"] as? Int == 0)
        // A new inbox can be made.
        try place.home.doInbox("enable")
        let address = try Place.newAddress(place.home, for: "Bobadilla")
        expectDone(try place.home.inbox("send", address, "--title", "b"))
        #expect(try place.home.messages().count == 1)
    }

    @Test func thisMachineKeepsOnlyATokenThatReads() throws {
        let place = try Place()
        let folder = place.home.folder + "/state/taskvault/inbox"
        let inner = folder + "/" + (Files.names(in: folder).first ?? "")
        #expect(Files.mode(inner) & 0o777 == 0o700)
        let receiver = inner + "/receiver"
        #expect(Files.mode(receiver) & 0o777 == 0o600)
        let text = String(decoding: try Files.read(receiver), as: UTF8.self)
        #expect(text.contains("tvl_") && !text.contains("tvk_") && !text.contains("tva_"))
        try place.home.doInbox("disable")
        #expect(!Files.exists(receiver))
        // Messages still come when they are asked for.
        let status = try place.home.doInbox("status").outputText
        #expect(status.contains("in the background; ask the server with taskvault inbox"))
        expectDone(try place.send("--title", "a"))
        #expect(try place.home.messages().count == 1)
        #expect(!Files.exists(receiver))
    }

    @Test func theServiceGetsANewAuthorityWithTheNextList() throws {
        let place = try Place()
        let receiver = place.folder + "/receiver"
        func hasAuthority() throws -> Bool {
            String(decoding: try Files.read(receiver), as: UTF8.self).contains("BEGIN CERTIFICATE")
        }
        #expect(try !hasAuthority())
        let authority = try CertificateAuthority(in: place.home.folder)
        expectDone(try place.home.ask("settings set server-ca \(authority.certificate)"))
        #expect(try place.home.messages().isEmpty)
        #expect(try hasAuthority())
        // A file that is as it should be stays: another one begins a new connection.
        let identity = try FileStatus.of(path: receiver)?.identity
        #expect(try place.home.messages().isEmpty)
        #expect(try FileStatus.of(path: receiver)?.identity == identity)
    }

    @Test func aFileOfThisMachineThatCannotBeUsedIsNamed() throws {
        let place = try Place()
        let receiver = place.folder + "/receiver"
        try Files.write("{}", to: receiver)
        expectError(try place.home.inbox("status"), ends: 8, "/receiver is not used: not a file")
        // The list needs it not.
        expectError(try place.home.inbox("list"), ends: 0, "the service keeps its earlier settings")
        try FileManager.default.removeItem(atPath: receiver)
        try FileManager.default.createDirectory(
            atPath: receiver, withIntermediateDirectories: false)
        expectError(
            try place.home.inbox("enable"), ends: 1, "cannot write ", "/receiver: is a directory")
    }

    #if os(Linux)
        @Test func aServiceReceivesWhileTheVaultIsLocked() throws {
            let place = try Place()
            try place.home.ask("lock")
            let command = "/bin/true"
            let set = try place.home.ask("settings set reminder-command \(command)")
            #expect(set.exitCode == 0)
            let service = try place.service(on: "unix:path=/nowhere")
            defer {
                service.terminate()
                service.waitUntilExit()
            }
            let title = AccountHome.word("title")
            expectDone(try place.send("--title", title))
            let folder = place.home.folder + "/state/taskvault/inbox"
            let inner = folder + "/" + (Files.names(in: folder).first ?? "")
            func waiting() -> [String] {
                Files.names(in: inner).filter { $0.hasSuffix(".message") }
            }
            #expect(Processes.wait { waiting().count == 1 })
            let file = inner + "/" + (waiting().first ?? "")
            #expect(Files.mode(file) & 0o777 == 0o600)
            let text = String(decoding: try Files.read(file), as: UTF8.self)
            #expect(!text.contains(title))
            let status = try place.home.doInbox("status", "--json").object
            #expect(status["waiting"] as? Int == 1 && status["new"] is NSNull)
            // The unlock puts it into the vault.
            let said = try place.place.unlock("--offline")
            #expect(said.contains { $0.contains("1 new message") })
            #expect(waiting().isEmpty)
            #expect(try place.home.messages().texts("title") == [title])
            // While the vault is unlocked, it puts them there at once.
            expectDone(try place.send("--title", "second"))
            let isThere = try Processes.wait {
                try place.home.doInbox("status", "--json").object["new"] as? Int == 2
            }
            #expect(isThere)
        }

        /// How often the threads of a process have begun to wait.
        private static func waits(of process: Process) throws -> Int {
            let folder = "/proc/\(process.processIdentifier)/task"
            return try Files.names(in: folder).reduce(0) { sum, thread in
                let status = String(
                    decoding: try Files.read("\(folder)/\(thread)/status"), as: UTF8.self)
                let line = status.split(separator: "\n").first {
                    $0.hasPrefix("voluntary_ctxt_switches:")
                }
                return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
            }
        }

        @Test func atRestAServiceNeitherAsksAgainNorWakes() throws {
            let place = try Place()
            try place.home.ask("lock")
            let set = try place.home.ask("settings set reminder-command /bin/true")
            #expect(set.exitCode == 0)
            func polls() -> Int {
                place.place.server.relay.requests.count { $0.hasPrefix("GET /messages?") }
            }
            let before = polls()
            let service = try place.service(on: "unix:path=/nowhere")
            defer {
                service.terminate()
                service.waitUntilExit()
            }
            #expect(Processes.wait { polls() > before })
            #expect(place.place.server.relay.requests.last?.contains("wait=240") == true)
            // At rest, which a busy machine reaches later: libcurl looks once in a second.
            let isAtRest = try Processes.wait {
                let waits = try Self.waits(of: service)
                usleep(1_000_000)
                return try Self.waits(of: service) - waits <= 4
            }
            #expect(isAtRest)
            #expect(polls() == before + 1)
        }

        @Test func afterAFailureAServiceBeginsAgainAndReportsEachReasonOnce() throws {
            let place = try Place()
            let set = try place.home.ask("settings set reminder-command /bin/true")
            #expect(set.exitCode == 0)
            try place.home.ask("lock")
            let id = String(repeating: "a", count: 32)
            let message = #"{"id":"\#(id)","subscription":"\#(id)","body_base64":"AAAA"}"#
            let failures = Mutex(0)
            let server = try AnsweringServer { request in
                guard request.contains("after=7&") else {
                    return ("200 OK", #"{"messages":[\#(message)],"next":7}"#)
                }
                let count = failures.withLock { count in
                    count += 1
                    return count
                }
                return (count < 3 ? "500 Internal Server Error" : "502 Bad Gateway", "{}")
            }
            let address = "http://localhost:\(server.port)"
            let receiver = place.folder + "/receiver"
            let text = String(decoding: try Files.read(receiver), as: UTF8.self)
            try Files.write(
                text.replacing(place.place.server.issuer, with: address), to: receiver)
            let log = place.home.folder + "/service.log"
            let service = try place.service(on: "unix:path=/nowhere", saying: log)
            defer {
                service.terminate()
                service.waitUntilExit()
            }
            func reports(_ status: Int) throws -> Int {
                String(decoding: try Files.read(log), as: UTF8.self).split(separator: "\n").count {
                    $0.contains("\(address) sent an invalid response")
                        && $0.contains("status \(status)")
                }
            }
            // The third failure has another reason than the two before.
            #expect(try Processes.wait { try reports(502) == 1 })
            #expect(try reports(500) == 1)
            #expect(server.requests.prefix(5).count { $0.contains("after=0&") } == 3)
            #expect(Files.names(in: place.folder).count { $0.hasSuffix(".message") } == 1)
        }

        @Test(.enabled(if: DesktopSession.isWanted, DesktopSession.reason))
        func aNotificationIsAnsweredOnTheDesktop() throws {
            let place = try Place()
            let folder = place.home.folder + "/desktop"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            let session = try DesktopSession(in: folder)
            defer { session.end() }
            try session.startDaemon()
            try session.tell("own")
            let service = try place.service(on: session.address)
            defer {
                service.terminate()
                service.waitUntilExit()
            }
            expectDone(
                try place.send(
                    "--title", "buy milk", "--body", "two bottles", "--due",
                    "2099-01-01T09:00+00:00"))
            let first = try #require(try session.shown(1).first)
            #expect(
                first.title == "buy milk" && first.body.hasPrefix("from Bobadilla\ntwo bottles"))
            try session.tell("act \(first.id) accept")
            #expect(try session.shown(2)[1].title.hasPrefix("added the task "))
            #expect(try place.home.tasks().texts("name") == ["buy milk"])
            #expect(try place.home.tasks().first?["reminder"] as? String == "2099-01-01T09:00:00Z")
            expectDone(try place.send("--title", "buy a boat"))
            let second = try session.shown(3)[2]
            try session.tell("act \(second.id) default")
            let shown = try session.shown(4)[3]
            #expect(shown.title == "buy a boat" && shown.body.contains("taskvault inbox show"))
            try session.tell("act \(second.id) delete")
            let isDeclined = try Processes.wait {
                try place.home.messages().first?["state"] as? String == "declined"
            }
            #expect(isDeclined)
            #expect(try place.home.tasks().count == 1)
            // Locked: only how many there are.
            try place.home.ask("lock")
            expectDone(try place.send("--title", "nothing of this"))
            let locked = try session.shown(5)[4]
            #expect(locked.title == "1 new message")
            #expect(!locked.body.contains("nothing of this") && locked.actions.isEmpty)
            // A choice that comes after the lock.
            try session.tell("act \(second.id) accept")
            let late = try session.shown(6)[5]
            #expect(late.title == "the vault is locked" && late.body.contains("taskvault unlock"))
            #expect(service.isRunning)
        }

        @Test(.enabled(if: DesktopSession.isWanted, DesktopSession.reason))
        func twoMachinesOnOneVaultBothAnnounceEachMessageOnce() throws {
            let place = try Place()
            let other = try place.machine()
            // Without a server in the settings no message is acknowledged: each service gets all of them at each start.
            expectDone(try place.home.ask("settings set server none"))
            let folder = place.home.folder + "/desktop"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            let session = try DesktopSession(in: folder)
            defer { session.end() }
            try session.startDaemon()
            try session.tell("own")
            var services: [Process] = []
            defer { for service in services { Self.end(service) } }
            services.append(try place.service(on: session.address))
            expectDone(try place.send("--title", "a"))
            #expect(try session.shown(1).map(\.title) == ["a"])
            // The vault has it when the other machine gets it.
            services.append(try place.service(on: session.address, of: other))
            #expect(try session.shown(2).map(\.title) == ["a", "a"])
            // After a start, what was announced is not announced again, nor what was declined meanwhile.
            while let service = services.popLast() { Self.end(service) }
            expectDone(try place.send("--title", "b"))
            services.append(try place.service(on: session.address))
            #expect(try session.shown(3).map(\.title) == ["a", "a", "b"])
            let id = try #require(try place.home.messages().first?["id"] as? String)
            try place.home.doInbox("decline", id)
            services.append(try place.service(on: session.address, of: other))
            expectDone(try place.send("--title", "c"))
            #expect(try session.shown(5).map(\.title) == ["a", "a", "b", "c", "c"])
        }

        private static func end(_ service: Process) {
            service.terminate()
            service.waitUntilExit()
        }
    #endif
}
