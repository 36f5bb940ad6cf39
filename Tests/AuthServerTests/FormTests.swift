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
        #expect(try form.text("a b") == "ä +")
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
    func whatIsNoFormIsRefused(_ text: String) throws {
        #expect(throws: ContentError.malformed) { _ = try form(text).text("a") }
    }

    @Test func aFieldIsThereOnce() {
        #expect(throws: ContentError.repeated("a")) { _ = try form("a=1&b=2&a=1") }
        #expect(throws: ContentError.repeated("a")) { _ = try form("a=1&%61=2") }
    }

    @Test func fieldsAreFew() throws {
        let names = (0..<33).map { "f\($0)=1" }
        #expect(throws: ContentError.malformed) { _ = try form(names.joined(separator: "&")) }
        #expect(try form(names.dropLast().joined(separator: "&")).text("f31") == "1")
        #expect(try form(names.joined(separator: "&"), limit: 0).text("f32") == "1")
    }
}
