@testable import Inbox
import LibCrypto
import SecretMemory
import Testing
import TextCoding

@Suite("Web Push", .enabled(if: CryptoLibrary.isInstalled, "needs libcrypto"))
struct WebPushTests {
    // RFC 8291, appendix A.
    private static let plaintext = "When I grow up, I want to be a watermelon"
    private static let receiverKey = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
    private static let receiverPoint =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let senderKey = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
    private static let authentication = "BTBZMqHH6r4Tts7J_aSIgg"
    private static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
    private static let body =
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
        + "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
        + "gSxsj_Qulcy4a-fN"

    private static func keys() throws -> SubscriptionKeys {
        let secrets = try SecretBytes(decoded(receiverKey) + decoded(authentication))
        guard let keys = try SubscriptionKeys(secrets) else { throw PushError.header }
        return keys
    }

    private static func address() throws -> PushAddress {
        let text = try PushAddress.text(endpoint: TestInbox.endpoint(), keys())
        return try text.withBytes { (bytes) throws in try PushAddress(bytes) }
    }

    /// Expects a message to be refused for a reason.
    private func expectRefusal(
        _ error: PushError, _ body: [UInt8], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let keys = try Self.keys()
        var found: PushError?
        do {
            _ = try keys.open(body)
        } catch let error as PushError {
            found = error
        }
        #expect(found == error, sourceLocation: sourceLocation)
    }

    @Test("RFC 8291, appendix A: the example is opened, and made")
    func example() throws {
        let keys = try Self.keys()
        let point = try decoded(Self.receiverPoint)
        #expect(keys.publicKey == point)
        let text = try keys.open(decoded(Self.body)).plainText()
        #expect(text == Self.plaintext)
        let made = try Self.address().seal(
            SecretBytes(Self.plaintext), with: SecretBytes(decoded(Self.senderKey)),
            salt: decoded(Self.salt), padding: 0)
        let expected = try decoded(Self.body)
        #expect(made == expected)
    }

    @Test("A message that pywebpush 2.5.0 made is opened")
    func foreignSender() throws {
        let secrets =
            try decoded("EjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8")
            + decoded("AAECAwQFBgcICQoLDA0ODw")
        let body = try decoded(
            "_N9Ok8KsEfuqK-K59jyUAQAAEABBBCH95ms3sbjy6t6NzLw5TD5GX4hg-"
                + "0DtAiWUnRuWRmjt5QUIeXqCcJ3L_PKfpfTh4n1nwz42pVFd2Rtp3Qw40d46HMma3pVRetdgTO8uhkwBuVdscszCb"
                + "mUE4E2y5GtJMYnTdPhgyum-dJNpZk2mlaCHu7dYs9elDegnKYqBYvqR2qPKkxabOWRvfhZcpg")
        guard let keys = try SubscriptionKeys(SecretBytes(secrets)) else {
            Issue.record("the number is that of a key")
            return
        }
        let content = try #require(try keys.open(body).withBytes { MessageContent($0) })
        #expect(content.title == "Feed the cat" && content.subtasks == ["wet food", "water"])
    }

    @Test("A message of each size is opened again, and hides its size in steps")
    func sizes() throws {
        let keys = try Self.keys()
        let address = try Self.address()
        var sizes: Set<Int> = []
        for size in [0, 1, 255, 256, 257, 3_992, 3_993] {
            let text = [UInt8](repeating: 7, count: size)
            let body = try address.seal(SecretBytes(text))
            sizes.insert(body.count)
            let opened = try keys.open(body).plain()
            #expect(opened == text)
            #expect(body.count <= 4_096)
        }
        #expect(sizes.count == 4)
        #expect(throws: PushError.tooLarge) {
            try address.seal(SecretBytes([UInt8](repeating: 7, count: 3_994)))
        }
    }

    @Test("A changed, cut or extended message is refused at each place")
    func changed() throws {
        let keys = try Self.keys()
        let body = try decoded(Self.body)
        for index in body.indices where !(16..<20).contains(index) {
            var changed = body
            changed[index] ^= 1
            #expect(throws: PushError.self, "byte \(index)") { _ = try keys.open(changed) }
        }
        for count in 0..<body.count {
            #expect(throws: PushError.self, "\(count) bytes") {
                _ = try keys.open(Array(body.prefix(count)))
            }
        }
        #expect(throws: PushError.notAuthentic) { _ = try keys.open(body + [0]) }
    }

    @Test("A key id of another size, or of no point, is refused")
    func keyID() throws {
        var body = try decoded(Self.body)
        body[20] = 64
        try expectRefusal(.header, body)
        body = try decoded(Self.body)
        body[21] = 2
        try expectRefusal(.header, body)
        body = try decoded(Self.body)
        // Not on the curve.
        body[85] ^= 1
        try expectRefusal(.header, body)
    }

    @Test("Several records, and a record size without room, are refused")
    func records() throws {
        var body = try decoded(Self.body)
        body.replaceSubrange(16..<20, with: [0, 0, 0, 57])
        try expectRefusal(.records, body)
        body.replaceSubrange(16..<20, with: [0, 0, 0, 17])
        try expectRefusal(.records, body)
        body.replaceSubrange(16..<20, with: [0, 0, 0, 58])
        let exact = try Self.keys().open(body).plainText()
        #expect(exact == Self.plaintext)
        try expectRefusal(.records, Array(try decoded(Self.body).prefix(86 + 16)))
        try expectRefusal(.tooLarge, [UInt8](repeating: 0, count: 4_097))
        try expectRefusal(.header, [])
    }

    /// A message whose record has this content, delimiter and padding included.
    private static func sealed(_ content: [UInt8]) throws -> [UInt8] {
        let keys = try keys()
        let number = try SecretBytes(decoded(senderKey))
        guard let sender = try P256.point(of: number),
            let shared = try P256.agree(number, with: keys.publicKey)
        else { throw PushError.header }
        let salt = try decoded(salt)
        let key = try RecordKey(
            shared, SecretBytes(decoded(authentication)), receiver: keys.publicKey,
            sender: sender, salt: salt)
        return try EncryptedContent.header(salt: salt, senderKey: sender)
            + key.seal(SecretBytes(content))
    }

    @Test(
        "Only the padding of a last record is accepted",
        arguments: [
            ([65, 2], "A"), ([65, 2, 0, 0], "A"), ([2], ""), ([65, 2, 2], "A\u{2}"),
            ([65, 1], nil),
            ([65, 1, 0], nil), ([0], nil), ([0, 0, 0], nil), ([65], nil), ([65, 2, 0, 3], nil),
        ] as [([UInt8], String?)])
    func padding(content: [UInt8], text: String?) throws {
        let body = try Self.sealed(content)
        guard let text else { return try expectRefusal(.padding, body) }
        let opened = try Self.keys().open(body).plainText()
        #expect(opened == text)
    }

    @Test("Other keys, or another authentication secret, open nothing")
    func otherKeys() throws {
        let other = try SubscriptionKeys.draw()
        let body = try decoded(Self.body)
        #expect(throws: PushError.notAuthentic) { _ = try other.open(body) }
        var secrets = try decoded(Self.receiverKey) + decoded(Self.authentication)
        secrets[47] ^= 1
        guard let almost = try SubscriptionKeys(SecretBytes(secrets)) else {
            Issue.record("the number is that of a key")
            return
        }
        #expect(throws: PushError.notAuthentic) { _ = try almost.open(body) }
    }

    @Test("Bytes that are no key are refused")
    func noKeys() throws {
        let order = try decoded("_____wAAAAD__________7zm-q2nF56E87nKwvxjJVE")
        let sixteen = [UInt8](repeating: 0, count: 16)
        var least = order
        least[31] -= 1
        let isLargest = try SubscriptionKeys(SecretBytes(least + sixteen)) != nil
        #expect(isLargest)
        for bytes in [
            [UInt8](repeating: 0, count: 48), [UInt8](repeating: 255, count: 48), order + sixteen,
            [UInt8](repeating: 1, count: 47), [],
        ] {
            let isKey = try SubscriptionKeys(SecretBytes(bytes)) != nil
            #expect(!isKey)
        }
    }

    @Test("One salt with two messages opens both: each has its own key")
    func repeatedSalt() throws {
        let keys = try Self.keys()
        let address = try Self.address()
        let salt = try decoded(Self.salt)
        for text in ["first", "second"] {
            let number = try RandomSource.system.secret(count: 32)
            guard
                let body = try address.seal(SecretBytes(text), with: number, salt: salt, padding: 0)
            else { continue }
            let opened = try keys.open(body).plainText()
            #expect(opened == text)
        }
    }

    @Test(
        "What is no address is refused",
        arguments: [
            "", "{}", "[]", #"{"endpoint":"https://a.example/","keys":{}}"#,
            #"{"endpoint":"ftp://a.example/","keys":{"p256dh":"BA","auth":"BA"}}"#,
            #"{"endpoint":"https://a.example/","keys":{"p256dh":"BA","auth":"BTBZMqHH6r4Tts7J_aSIgg"}}"#,
        ])
    func noAddress(text: String) throws {
        #expect(throws: PushError.address) {
            _ = try SecretBytes(text).withBytes { (bytes) throws in try PushAddress(bytes) }
        }
    }

    @Test("An address is that of the Push API, with letters for URLs and without padding")
    func form() throws {
        let text = try PushAddress.text(endpoint: TestInbox.endpoint(), Self.keys()).plainText()
        #expect(text.hasPrefix(#"{"endpoint":"https://auth.example.org/push/tvp_"#))
        #expect(text.contains(#""p256dh":"\#(Self.receiverPoint)""#))
        #expect(text.hasSuffix(#""auth":"\#(Self.authentication)"}}"#))
    }
}
