@testable import AuthServer
import HTTPServer
import SecretMemory
import Testing

/// The content of requests as forms.
@Suite("Forms")
struct FormTests {
    private func form(_ text: String, limit: Int = 32) throws -> Form {
        try Form(RequestBody(Array(text.utf8)), limit: limit)
    }

    @Test func fieldsAreDecoded() throws {
        let form = try form(
            "grant_type=password&username=ada%40example.org&a+b=%C3%A4+%2B&empty=&&bare")
        #expect(try form.text("grant_type") == "password")
        #expect(try form.text("username") == "ada@example.org")
        #expect(try form.unicodeText("a b") == "ä +")
    }

    /// A Unicode text can take a second to compare, so none is compared but the user's name.
    @Test func onlyTheUsersNameIsUnicode() throws {
        let marks = String(repeating: "%CC%81%CC%A3", count: 1_000)
        for text in ["client_id=\(marks)", "client_id=é"] {
            let form = try form(text)
            #expect(throws: ContentError.malformed) { _ = try form.text("client_id") }
            #expect(try form.unicodeText("client_id") != nil)
        }
        for name in [marks, "é"] {
            #expect(throws: ContentError.malformed) { _ = try form("\(name)=x") }
        }
    }

    @Test func emptyIsMissing() throws {
        let form = try form("empty=&bare")
        #expect(try form.text("empty") == nil)
        #expect(try form.text("bare") == nil)
        #expect(try form.text("other") == nil)
        let secret = try form.secret("empty") == nil
        #expect(secret)
    }

    @Test func aSecretGoesIntoGuardedMemory() throws {
        let form = try form("password=p%25+%C3%A4%00")
        guard let secret = try form.secret("password") else {
            Issue.record("no secret")
            return
        }
        let bytes = secret.withBytes { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } }
        #expect(bytes == Array("p% ä\0".utf8))
    }

    @Test(arguments: [
        "a=%", "a=%4", "a=%4g", "a=%ZZ", "%GG=1", "a=%00", "a=%0d%0a", "a=\u{7F}", "a=%FF", "a=%C3",
    ])
    func otherContentIsRefused(_ text: String) throws {
        #expect(throws: ContentError.malformed) { _ = try form(text).text("a") }
    }

    @Test func aRepeatedFieldIsRefused() {
        #expect(throws: ContentError.repeated("a")) { _ = try form("a=1&b=2&a=1") }
        #expect(throws: ContentError.repeated("a")) { _ = try form("a=1&%61=2") }
    }

    @Test func tooManyFieldsAreRefused() throws {
        let names = (0..<33).map { "f\($0)=1" }
        #expect(throws: ContentError.malformed) { _ = try form(names.joined(separator: "&")) }
        #expect(try form(names.dropLast().joined(separator: "&")).text("f31") == "1")
        #expect(try form(names.joined(separator: "&"), limit: 0).text("f32") == "1")
    }
}

/// The content of requests as JSON.
@Suite("Members of an object")
struct JSONMembersTests {
    private func members(_ text: String) throws -> JSONMembers {
        try JSONMembers(RequestBody(Array(text.utf8)), known: ["email", "password"], limit: 16)
    }

    private func secret(_ text: String) throws -> [UInt8]? {
        guard let secret = try members(text).secret("password") else { return nil }
        return secret.withBytes { unsafe $0.withUnsafeBytes { unsafe [UInt8]($0) } }
    }

    @Test func tooManyMembersAreRefused() throws {
        let names = (0..<17).map { "m\($0)" }
        let object = "{" + names.map { "\"\($0)\":\"1\"" }.joined(separator: ",") + "}"
        func members(limit: Int) throws -> JSONMembers {
            try JSONMembers(RequestBody(Array(object.utf8)), known: names, limit: limit)
        }
        #expect(throws: ContentError.malformed) { _ = try members(limit: 16) }
        #expect(try members(limit: 17).text("m16") == "1")
        #expect(try members(limit: 0).text("m16") == "1")
    }

    @Test func membersAreRead() throws {
        let members = try members(#" { "password" : "a\"b" , "email":"ada@example.org" } "#)
        #expect(members.text("email") == "ada@example.org")
        #expect(members.text("password") == #"a"b"#)
    }

    @Test func escapesOfASecretAreResolved() throws {
        let text = #"{"password":"\u0041\n\\\/ü\ud83d\ude00\u0000"}"#
        #expect(try secret(text) == Array("A\n\\/ü😀\0".utf8))
        #expect(try secret(#"{"password":""}"#) == [])
        #expect(try secret("{}") == nil)
    }

    @Test(arguments: [
        "", " ", "[]", "null", "1", #""text""#, "{", #"{"email"}"#, #"{"email":1}"#,
        #"{"email":null}"#, #"{"email":{}}"#, #"{"email":"a"} x"#,
        #"{"email":"a",}"#, #"{"password":"\ud83d"}"#, #"{"password":"\x"}"#, #"{"password":"a"#,
        "{\"password\":\"a\nb\"}",
    ])
    func otherContentIsRefused(_ text: String) {
        #expect(throws: ContentError.malformed) {
            _ = try members(text).text("email")
        }
    }

    @Test func invalidUTF8IsRefused() {
        let bytes = Array(#"{"password":""#.utf8) + [0xFF] + Array(#""}"#.utf8)
        #expect(throws: ContentError.malformed) {
            _ = try JSONMembers(RequestBody(bytes), known: ["password"], limit: 16)
        }
    }

    @Test func aRepeatedMemberIsNamed() {
        #expect(throws: ContentError.repeated("email")) {
            _ = try members(#"{"email":"a","email":"b"}"#)
        }
    }

    @Test func anUnknownMemberIsNamed() {
        #expect(throws: ContentError.unknown("admin")) {
            _ = try members(#"{"email":"a","admin":"true"}"#)
        }
    }

    @Test func aLongNameThatIsNotASCIIIsMalformed() {
        for (name, error) in [
            (String(repeating: "\u{301}", count: 32), ContentError.unknown("")),
            (String(repeating: "\u{301}", count: 33), .malformed),
            (String(repeating: "\u{301}\u{323}", count: 4_000), .malformed),
            (String(repeating: "a", count: 8_000), .unknown("")),
        ] as [(String, ContentError)] {
            let expected = error == .malformed ? error : .unknown(name)
            #expect(throws: expected) { _ = try members(#"{"\#(name)":"x"}"#) }
        }
    }

    @Test func deepNestingIsRefusedAtOnce() {
        let text = #"{"email":"# + String(repeating: "[", count: 8_000)
        #expect(throws: ContentError.malformed) { _ = try members(text) }
    }
}
