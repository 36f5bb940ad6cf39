@testable import AuthServer
import Foundation
import HTTPServer
import Testing

extension HTTPRequest {
    /// A form, in the order of the names; with `secret` from the confidential client.
    static func form(
        _ path: String, _ fields: [String: String], secret: String? = nil,
        client: ClientAddress = .loopback
    ) -> HTTPRequest {
        let content = fields.sorted { $0.key < $1.key }
            .map { escaped($0.key) + "=" + escaped($0.value) }.joined(separator: "&")
        var headers = HTTPHeaders([
            HTTPHeaders.Field("Content-Type", "application/x-www-form-urlencoded")
        ])
        if let secret {
            let credentials = Data("billing:\(escaped(secret))".utf8).base64EncodedString()
            headers.append("Authorization", "Basic " + credentials)
        }
        return HTTPRequest(
            method: "POST", path: path, headers: headers, body: RequestBody(Array(content.utf8)),
            client: client, id: "0123456789abcdef")
    }

    /// An object.
    static func json(
        _ path: String, _ members: [String: String], token: String? = nil
    ) -> HTTPRequest {
        let content = try? JSONEncoder().encode(members)
        var headers = HTTPHeaders([HTTPHeaders.Field("Content-Type", "application/json")])
        if let token { headers.append("Authorization", "Bearer " + token) }
        return HTTPRequest(
            method: "POST", path: path, headers: headers,
            body: RequestBody(Array(content ?? Data())),
            id: "0123456789abcdef")
    }

    /// A request without content.
    static func get(
        _ path: String, _ fields: [HTTPHeaders.Field] = [], method: String = "GET",
        client: ClientAddress = .loopback
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, path: path, headers: HTTPHeaders(fields), client: client,
            id: "0123456789abcdef")
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.map { byte in
            isalnum(Int32(byte)) != 0
                ? String(UnicodeScalar(byte)) : String(format: "%%%02X", Int(byte))
        }.joined()
    }
}

extension HTTPResponse {
    /// The content as an object.
    var object: [String: any Sendable] {
        get throws {
            try #require(
                JSONSerialization.jsonObject(with: Data(body)) as? [String: any Sendable])
        }
    }

    /// A string of the object.
    func text(_ name: String) throws -> String {
        try #require(object[name] as? String)
    }

    /// The value of a header field.
    func field(_ name: String) -> String? { headers.values(name).first }
}
