import SecureStorage
import Testing

@Suite("Names")
struct SecretNameTests {
    @Test(
        "that cannot be are refused",
        arguments: [
            ("", InvalidNameReason.empty), ("a\nb", .controlCharacter),
            ("a\u{0}", .controlCharacter),
            ("\u{7F}", .controlCharacter), ("\u{9F}", .controlCharacter),
            ("\u{1B}[2J", .controlCharacter),
            (String(repeating: "é", count: 513), .tooLong(maximum: 1_024)),
        ])
    func refused(text: String, reason: InvalidNameReason) {
        #expect(throws: SecureStoreError.invalidName(field: "service", reason)) {
            try SecretName(service: text, account: "a")
        }
        #expect(throws: SecureStoreError.invalidName(field: "account", reason)) {
            try SecretName(service: "s", account: text)
        }
        #expect(throws: SecureStoreError.invalidName(field: "field", reason)) {
            try SecretName(service: "s", account: "a", field: text)
        }
    }

    @Test(
        "may have 1 to 1,024 bytes of any other text",
        arguments: ["a", " ", String(repeating: "é", count: 512), "\u{202E}x"])
    func accepted(text: String) throws {
        let name = try SecretName(service: text, account: text, field: text)
        #expect(name.service == text)
        #expect(name.field == text)
    }

    @Test("are equal when their bytes are")
    func bytes() throws {
        let composed = try SecretName(service: "\u{E9}", account: "a")
        let decomposed = try SecretName(service: "e\u{301}", account: "a")
        #expect(composed.service == decomposed.service, "Swift itself takes them for equal")
        #expect(composed != decomposed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect((composed < decomposed) != (decomposed < composed))
        let fields = try [composed.service, decomposed.service].map {
            try SecretName(service: "s", account: "a", field: $0)
        }
        #expect(fields[0] != fields[1])
        #expect(Set(fields).count == 2)
    }

    @Test("have the field password unless another is given, and are ordered by it last")
    func fields() throws {
        let name = try SecretName(service: "s", account: "b")
        #expect(name.field == "password")
        let others = try ["z", "notes"].map {
            try SecretName(service: "s", account: "b", field: $0)
        }
        let first = try SecretName(service: "s", account: "a", field: "zz")
        #expect(
            ([name, first] + others).sorted().map(\.field) == ["zz", "notes", "password", "z"])
    }
}
