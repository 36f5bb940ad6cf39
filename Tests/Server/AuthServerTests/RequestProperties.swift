import Accounts
@testable import AuthServer
import HTTPServer
import SecretMemory
import TextCoding

/// Properties of all contents and header fields. `RequestPropertyTests` and `Tests/Fuzz` search for a counterexample.
///
/// Each function describes a violation, or returns nil.
enum RequestProperties {
    private static let names = ["a", "email", "grant_type", "password", "token"]

    /// A field has the same value as text and as a secret, and no text has a control character.
    static func form(_ bytes: [UInt8]) -> String? {
        guard let form = try? Form(RequestBody(bytes), limit: 32) else { return nil }
        for name in names {
            guard let text = try? form.text(name) else { continue }
            guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                return "a text of a form has a control character, or none at all"
            }
            guard secret({ try form.secret(name) }) == Array(text.utf8) else {
                return "a secret of a form is another one than its text"
            }
        }
        return nil
    }

    /// A member has the same value as text and as a secret.
    static func members(_ bytes: [UInt8]) -> String? {
        guard let members = try? JSONMembers(RequestBody(bytes), known: names, limit: 16) else {
            return nil
        }
        for name in names {
            guard let text = members.text(name) else {
                guard secret({ try members.secret(name) }) == nil else {
                    return "a member has a secret and no text"
                }
                continue
            }
            guard secret({ try members.secret(name) }) == Array(text.utf8) else {
                return "a secret of an object is another one than its text"
            }
        }
        return nil
    }

    /// A canonical name stays the same, a header field has a bounded size, no key signs nothing, and a parameter is one part of a path; that of
    /// blobs has several.
    static func text(_ bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        if let name = EmailAddress(text) {
            guard EmailAddress(name.text) == name, name.text.utf8.count <= 254 else {
                return "a canonical name has another canonical form"
            }
        }
        let request = HTTPRequest(
            method: "POST", path: text, headers: HTTPHeaders([.init("Authorization", text)]),
            id: "0")
        if case .bearer(let token) = Authorization(of: request) {
            guard (1...512).contains(token.utf8.count), token.utf8.allSatisfy({ $0 < 0x7F }) else {
                return "a token has characters that tokens do not have"
            }
        }
        _ = MediaType.json.isContent(of: request)
        let noKey: [UInt8] = [4] + [UInt8](repeating: 1, count: 64)
        if let signature = SenderSignature(of: request) {
            guard (try? signature.isValid(by: noKey, at: "", PointInTime(seconds: 0))) != true
            else { return "a signature by no key is valid" }
        }
        if let found = Route.find(text), found.route != .blob, found.route != .blobs,
            found.parameter.utf8.contains(UInt8(ascii: "/"))
        {
            return "a parameter of a path has a slash"
        }
        return nil
    }

    private static func secret(_ body: () throws -> SecretBytes?) -> [UInt8]? {
        guard let secret = try? body() else { return nil }
        return secret.withBytes { span in unsafe span.withUnsafeBytes { unsafe Array($0) } }
    }
}
