import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing

@Suite("Authentication of clients")
struct ClientAuthenticationTests {
    private static let secret = "tvc_0123456789abcdef"
    private static let secretOfMail = "tvc_fedcba9876543210"

    private let clients = ClientAuthentication(
        [
            RegisteredClient(name: "billing", secret: TokenHash(of: secret)),
            RegisteredClient(name: "mail", secret: TokenHash(of: secretOfMail)),
        ], issuer: "https://auth.example.org")

    /// The authenticated client of a request; nil if it is refused.
    private func client(_ name: String, _ secret: String?, byHeader: Bool) throws -> String? {
        var headers = HTTPHeaders()
        var fields = "client_id=\(name)"
        if byHeader {
            let credentials = Data("\(name):\(secret ?? "")".utf8).base64EncodedString()
            headers.append("Authorization", "Basic " + credentials)
        } else if let secret {
            fields += "&client_secret=\(secret)"
        }
        let body = RequestBody(Array(fields.utf8))
        let request = HTTPRequest(
            method: "POST", path: "/oauth/introspect", headers: headers, body: body, id: "0")
        let form = try Form(body, limit: 0)
        do {
            return try clients.client(of: request, form).name
        } catch let error as RequestError {
            #expect(error.response.status == 401)
            #expect(try error.response.text("error") == "invalid_client")
            return nil
        }
    }

    @Test(arguments: [true, false])
    func aClientHasItsOwnSecret(byHeader: Bool) throws {
        #expect(try client("billing", Self.secret, byHeader: byHeader) == "billing")
        #expect(try client("mail", Self.secretOfMail, byHeader: byHeader) == "mail")
        let wrong = [
            // Equal length, a prefix, a longer text, an empty text.
            "tvc_0123456789abcdeF", String(Self.secret.dropLast()), Self.secret + "0", "", nil,
            // Another client's secret, and the hash in the configuration.
            Self.secretOfMail,
            TokenHash(of: Self.secret).bytes.map { String($0, radix: 16) }.joined(),
        ]
        for secret in wrong {
            let found = try client("billing", secret, byHeader: byHeader)
            #expect(found == nil, "\(secret ?? "-")")
        }
        #expect(try client("mail", Self.secret, byHeader: byHeader) == nil)
    }

    @Test(arguments: [true, false])
    func aPublicClientHasNoSecret(byHeader: Bool) throws {
        #expect(try client("taskvault", nil, byHeader: byHeader) == "taskvault")
        #expect(try client("taskvault", Self.secret, byHeader: byHeader) == nil)
        for secret in [nil, "", Self.secret] {
            #expect(try client("nobody", secret, byHeader: byHeader) == nil)
        }
    }

    /// More than 256 secrets, so that some hashes begin or end like the right one's.
    @Test func everyByteOfTheSecretCounts() throws {
        for position in Self.secret.indices.dropFirst(4) {
            for letter in "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
                var secret = Self.secret
                secret.replaceSubrange(position...position, with: [letter])
                let found = try client("billing", secret, byHeader: false)
                #expect((found == "billing") == (secret == Self.secret), "\(secret)")
            }
        }
    }
}
