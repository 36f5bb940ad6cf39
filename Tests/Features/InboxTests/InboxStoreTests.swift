import HTTPClient
@testable import Inbox
import LibCrypto
import Platform
import SecretMemory
import SecureStorage
import Testing
import TestSupport
import TextCoding

@Suite("The inbox of a vault", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct InboxStoreTests {
    @Test("has each message once, the newest first, by the name of its sender")
    func once() throws {
        let test = try TestInbox()
        let first = test.delivered(try test.sealed(#"{"title":"first"}"#), at: 1_000)
        let second = test.delivered(try test.sealed(#"{"title":"second"}"#), at: 2_000)
        let taken = try test.take(second, first)
        #expect(taken.count == 2)
        #expect(try test.titles() == ["second", "first"])
        #expect(try test.inbox.messages().map(\.sender) == ["Bob", "Bob"])
        // The server repeats and reorders; so does another machine on the vault.
        #expect(try test.take(first, second, first) == [.known, .known, .known])
        #expect(try InboxStore(test.store).messages().count == 2)
        #expect(try test.inbox.messages().allSatisfy { $0.state == .new })
    }

    @Test("counts a message for a lost key once")
    func lostKey() throws {
        let test = try TestInbox()
        let body = try test.sealed(#"{"title":"a"}"#)
        let other = String(repeating: "b2", count: 16)
        let lost = test.delivered(body, from: other)
        #expect(try test.take(lost) == [.unreadable])
        #expect(try test.take(lost) == [.known])
        #expect(try test.inbox.counts()[.unreadable] == 1)
        #expect(try test.titles() == [])
    }

    @Test("counts what cannot be opened, or is no message")
    func unreadable() throws {
        let test = try TestInbox()
        var changed = try test.sealed(#"{"title":"a"}"#)
        changed[100] ^= 1
        #expect(try test.take(test.delivered(changed)) == [.unreadable])
        #expect(try test.take(test.delivered(try test.sealed("no JSON"))) == [.unreadable])
        #expect(try test.take(test.delivered([])) == [.unreadable])
        #expect(try test.take(test.delivered(Array(changed.prefix(90)))) == [.unreadable])
        #expect(try test.inbox.counts() == [.unreadable: 4])
    }

    @Test("refuses a repetition of a message that was removed")
    func removed() throws {
        let test = try TestInbox()
        let message = test.delivered(try test.sealed(#"{"title":"a"}"#))
        _ = try test.take(message)
        try test.inbox.remove(try #require(try test.inbox.messages().first))
        #expect(try test.titles() == [])
        #expect(try test.take(message) == [.known])
        #expect(try test.inbox.counts() == [.removed: 1])
        // Nothing of the content is left, also not as an earlier value.
        let items = try test.store.list().filter { $0.name.service == "taskvault.message" }
        #expect(try items.map { try test.store.value(of: $0.name).count } == [0])
        #expect(try items.flatMap { try test.store.history(of: $0.name) } == [])
    }

    @Test("keeps messages of a revoked sender, and opens no more of them")
    func revoked() throws {
        let test = try TestInbox()
        let kept = test.delivered(try test.sealed(#"{"title":"kept"}"#))
        let removed = test.delivered(try test.sealed(#"{"title":"removed"}"#), at: 2_000)
        _ = try test.take(kept, removed)
        try test.inbox.remove(try #require(try test.inbox.messages().first))
        try test.inbox.remove(try #require(try test.inbox.senders().first))
        #expect(try test.inbox.senders() == [])
        #expect(try test.titles() == ["kept"])
        #expect(try test.inbox.messages().map(\.sender) == ["Bob"])
        #expect(try test.take(removed) == [.unreadable])
        #expect(try test.take(test.delivered(try test.sealed("{}"))) == [.unreadable])
    }

    @Test("S5: marks messages, with the time, and refuses a change between two machines")
    func marks() throws {
        let test = try TestInbox()
        _ = try test.take(test.delivered(try test.sealed(#"{"title":"a"}"#)))
        let message = try #require(try test.inbox.messages().first)
        let time = PointInTime(milliseconds: 5_000)
        let declined = try test.inbox.setState(of: message, to: .declined, at: time)
        #expect(declined.state == .declined && declined.decided == time)
        #expect(try test.inbox.messages() == [declined])
        #expect(try test.titles() == ["a"])
        #expect(throws: SecureStoreError.conflict(found: 2)) {
            try test.inbox.setState(of: message, to: .accepted, at: time, task: "abcdef")
        }
        let accepted = try test.inbox.setState(
            of: declined, to: .accepted, at: time, task: "abcdef")
        #expect(accepted.task == "abcdef" && accepted.received == message.received)
    }

    @Test("remembers no more than a thousand messages that it cannot read")
    func flood() throws {
        let test = try TestInbox()
        let messages = (0..<1_010).map { number in
            test.delivered(Array("message \(number)".utf8))
        }
        try test.inbox.receive(messages) { #expect($1 == .unreadable) }
        #expect(try test.inbox.counts() == [.unreadable: 1_000])
    }

    @Test("is closed with the vault")
    func locked() throws {
        let test = try TestInbox()
        let message = test.delivered(try test.sealed(#"{"title":"a"}"#))
        test.store.lock()
        #expect(throws: SecureStoreError.locked) { try test.take(message) }
        test.store.unlock()
        test.store.endVerification()
        // A message comes at any time.
        #expect(try test.take(message).count == 1)
        #expect(try test.titles() == ["a"])
    }

    @Test("S5: takes a file once")
    func file() throws {
        let test = try TestInbox()
        let text = Checkout.text("Docs/Examples/task.apns")
        let time = PointInTime(milliseconds: 7)
        let message = try test.inbox.receive(SecretBytes(text), from: "task.apns", at: time)
        #expect(message?.sender == "task.apns" && message?.subscription == nil)
        #expect(throws: SecureStoreError.duplicate) {
            try test.inbox.receive(SecretBytes(text), from: "again", at: time)
        }
        #expect(try test.inbox.receive(SecretBytes("{}"), from: "x", at: time) == nil)
    }

    @Test("keeps pictures of several values, by their first bytes, and no SVG")
    func pictures() throws {
        let test = try TestInbox()
        _ = try test.take(test.delivered(try test.sealed(#"{"title":"a"}"#)))
        let message = try #require(try test.inbox.messages().first)
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        for size in [8, 1_048_576, 1_048_577, 5_242_880] {
            let bytes = png + [UInt8](repeating: 9, count: size - 8)
            try test.inbox.store(Picture(SecretBytes(bytes)), of: message)
            guard let kept = try test.inbox.picture(of: message) else {
                Issue.record("no picture of \(size) bytes")
                continue
            }
            #expect(kept.mediaType == "image/png")
            let isSame = kept.content.plain() == bytes
            #expect(isSame)
        }
        // What an interrupted command leaves: the first part comes last.
        let first = try #require(
            try test.store.list().first {
                $0.name.service == "taskvault.message-picture" && $0.name.field == "1"
            })
        try test.store.remove(first.name, expecting: nil, permanently: true)
        let isGone = try test.inbox.picture(of: message) == nil
        #expect(isGone)
        try test.inbox.remove(message)
        for text in ["<svg xmlns='http://www.w3.org/2000/svg'/>", "<html>", "", "%PDF-1.7"] {
            #expect(throws: PictureError.notAPicture) { _ = try Picture(SecretBytes(text)) }
        }
        let names = try test.store.list().map(\.name.service)
        #expect(!names.contains("taskvault.message-picture"))
    }

    @Test("loads pictures of 5 MiB at most, within 10 seconds, from public addresses")
    func pictureLimits() {
        let before = BootTime.now
        let options = Picture.options(allowingPrivate: false)
        let after = BootTime.now
        #expect(Picture.maximumSize == 5 * 1_024 * 1_024)
        #expect(options.maximumContentSize == Picture.maximumSize)
        #expect(options.onlyPublicAddresses)
        #expect(!Picture.options(allowingPrivate: true).onlyPublicAddresses)
        let (earliest, latest) = (before + .seconds(10), after + .seconds(10))
        #expect(options.deadline.map { (earliest...latest).contains($0) } == true)
    }

    @Test("keeps the tokens of an inbox, and replaces only those that it is told to")
    func tokens() throws {
        let test = try TestInbox()
        let issuer = "https://auth.example.org"
        let isMissing = try test.inbox.tokens(of: issuer) == nil
        #expect(isMissing)
        for number in 1...2 {
            let inbox = InboxClient.Inbox(
                id: "\(number)", receiveToken: try SecretBytes("tvl_\(number)"),
                acknowledgeToken: try SecretBytes("tvk_\(number)"))
            let old = number == 1 ? nil : "\(number - 1)"
            // Another process has replaced it: its tokens stay.
            let isReplaced = try test.inbox.store(inbox, at: issuer, replacing: "other")
            #expect(!isReplaced)
            let isKept = try test.inbox.store(inbox, at: issuer, replacing: old)
            #expect(isKept)
            let isKeptAgain = try test.inbox.store(inbox, at: issuer, replacing: nil)
            #expect(!isKeptAgain)
            guard let tokens = try test.inbox.tokens(of: issuer) else {
                Issue.record("no tokens")
                continue
            }
            #expect(tokens.inbox == "\(number)")
            let texts = [tokens.receive.plainText(), tokens.acknowledge.plainText()]
            #expect(texts == ["tvl_\(number)", "tvk_\(number)"])
        }
        try test.inbox.removeTokens(of: issuer)
        try test.inbox.removeTokens(of: issuer)
    }
}

@Suite("Saved checklists")
struct SavedChecklistTests {
    private static func json(_ id: String, _ title: String) -> String {
        """
        {"format":"taskvault-checklist","version":1,"id":"\(id)","revision":3,"title":"\(title)","summary":"s","picture":"https://p.example/x.jpg",
        "items":[{"title":"Passport","details":"Valid."},{"title":"Keys","details":""}]}
        """
    }

    private let store = MemorySecureStore(now: { 0 })
    private var inbox: InboxStore { InboxStore(store) }

    private func save(_ id: String, _ title: String) throws {
        let text = try SecretBytes(Self.json(id, title))
        let checklist = try #require(text.withBytes { Checklist($0) })
        let isSaved = try inbox.save(
            text, checklist, server: "https://auth.example.org", etag: "\"3\"")
        #expect(isSaved)
    }

    @Test("S16: have every detail, and are listed by title")
    func saved() throws {
        try save("b", "Before")
        try save("a", "After")
        try save("b", "Before a journey")
        #expect(try inbox.savedChecklists().map(\.title) == ["After", "Before a journey"])
        let saved = try #require(try inbox.savedChecklist("b"))
        #expect(saved.etag == "\"3\"" && saved.checklist.items.count == 2)
        #expect(saved.checklist.items[0] == .init(title: "Passport", details: "Valid."))
        #expect(saved.checklist.picture?.host == "p.example")
        try inbox.removeChecklist("b")
        #expect(try inbox.savedChecklist("b") == nil)
        #expect(throws: SecureStoreError.notFound) { try inbox.removeChecklist("b") }
    }

    @Test("S17: are erased when saving is not allowed any more, and nothing else")
    func wipe() throws {
        try save("a", "A")
        try save("b", "B")
        try store.save(
            SecretBytes("x"), as: SecretName(service: "mail", account: "ada"), SecretAttributes())
        #expect(try inbox.settings() == InboxSettings())
        try inbox.changeSettings { $0.loadsPictures = true }
        #expect(try inbox.savedChecklists().count == 2)
        try inbox.changeSettings { $0.allowsSaving = false }
        let settings = try inbox.settings()
        #expect(settings.loadsPictures && !settings.allowsSaving)
        #expect(try inbox.savedChecklists() == [])
        #expect(try store.list().contains { $0.name.service == "mail" })
        #expect(try store.removed() == [])
        // A process that asked whether it may save before it was forbidden.
        let text = try SecretBytes(Self.json("c", "C"))
        let checklist = try #require(text.withBytes { Checklist($0) })
        let isSaved = try inbox.save(text, checklist, server: "https://a.example", etag: nil)
        #expect(!isSaved)
        #expect(try inbox.savedChecklists() == [])
    }

    @Test("do not come back by a setting that another process changes at once")
    func settingsAtOnce() throws {
        try save("a", "A")
        var tries = 0
        try inbox.changeSettings { settings in
            tries += 1
            // The other process is done after this one has read them.
            if tries == 1 { try inbox.changeSettings { $0.allowsSaving = false } }
            settings.loadsPictures = true
        }
        #expect(tries == 2)
        let settings = try inbox.settings()
        #expect(settings.loadsPictures && !settings.allowsSaving)
        #expect(try inbox.savedChecklists() == [])
    }

    @Test(
        "are checklists and nothing else",
        arguments: [
            "", "{}", "[]", #"{"format":"x","version":1,"id":"a","title":"t","items":[]}"#,
            #"{"format":"taskvault-checklist","version":2,"id":"a","title":"t","items":[]}"#,
            #"{"format":"taskvault-checklist","version":1,"id":"A/..","title":"t","items":[]}"#,
            #"{"format":"taskvault-checklist","version":1,"id":"a","title":"t","items":[{}]}"#,
            #"{"format":"taskvault-checklist","version":1,"id":"a","title":"t"}"#,
        ])
    func none(text: String) throws {
        let isNone = try SecretBytes(text).withBytes { Checklist($0) == nil }
        #expect(isNone)
    }
}
