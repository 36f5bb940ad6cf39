import HTTPClient
@testable import Inbox
import SecretMemory
import SecureStorage
import Synchronization
import TextCoding

extension SecretBytes {
    init(_ bytes: [UInt8]) throws {
        try unsafe self.init(copying: bytes.span.bytes)
    }

    init(_ text: String) throws { try self.init(Array(text.utf8)) }

    /// The bytes in ordinary memory.
    borrowing func plain() -> [UInt8] { withBytes { $0.array } }

    borrowing func plainText() -> String { String(decoding: plain(), as: UTF8.self) }
}

/// Bytes of a text in Base64 for URLs.
func decoded(_ text: String) throws -> [UInt8] {
    Base64.bytes(of: text, .url) ?? []
}

/// An owner with a vault in memory and one sender, and what the sender makes.
final class TestInbox: Sendable {
    static let subscription = String(repeating: "a1", count: 16)

    let store: MemorySecureStore
    let inbox: InboxStore
    private let address: [UInt8]
    private let counter = Atomic<Int>(0)

    init(subscription: String = TestInbox.subscription, name: String = "Bob") throws {
        store = MemorySecureStore(now: { 1_800_000_000_000 })
        inbox = InboxStore(store)
        let keys = try SubscriptionKeys.draw()
        let endpoint = try TestInbox.endpoint()
        try inbox.add(
            keys, subscription: subscription, name: name, server: "https://auth.example.org",
            endpoint: endpoint, vapidKey: nil)
        address = try PushAddress.text(endpoint: endpoint, keys).plain()
    }

    /// Seals a message as its sender does.
    func sealed(_ text: String) throws -> [UInt8] {
        let bytes = address
        return try (unsafe PushAddress(bytes.span.bytes)).seal(SecretBytes(text))
    }

    /// A message as the server delivers it.
    func delivered(
        _ body: [UInt8], from subscription: String = TestInbox.subscription, at time: Int64 = 1_000
    ) -> SealedMessage {
        let number = counter.add(1, ordering: .relaxed).newValue
        return SealedMessage(
            id: "\(number)", subscription: subscription,
            received: PointInTime(milliseconds: time), body: body)
    }

    /// Takes messages, and returns what became of each.
    func take(_ messages: SealedMessage...) throws -> [InboxStore.Receipt] {
        var taken: [InboxStore.Receipt] = []
        try inbox.receive(messages) { taken.append($1) }
        return taken
    }

    /// The titles of all messages, the newest first.
    func titles() throws -> [String] {
        try inbox.read(inbox.messages()).map(\.content.title)
    }
}

extension TestInbox {
    static func endpoint() throws -> WebURL {
        try WebURL("https://auth.example.org/push/tvp_" + String(repeating: "x", count: 43))
    }
}
