@testable import AuthServer
import HTTPServer
import SecretMemory
import Testing

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

    @Test func membersAreFew() throws {
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
        #expect(try members.text("email") == "ada@example.org")
        #expect(try members.text("password") == #"a"b"#)
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
    func everythingElseIsRefused(_ text: String) {
        #expect(throws: ContentError.malformed) {
            _ = try members(text).text("email")
        }
    }

    @Test func whatIsNotUTF8IsRefused() {
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

    @Test func deepNestingIsRefusedAtOnce() {
        let text = #"{"email":"# + String(repeating: "[", count: 8_000)
        #expect(throws: ContentError.malformed) { _ = try members(text) }
    }
}
