import Accounts
@testable import AuthServer
import Foundation
import HTTPServer
import Testing
import TestSupport
import TextCoding

/// The identification of senders (VAPID, RFC 8292).
@Suite("Signatures of senders")
struct SenderSignatureTests {
    /// The example of RFC 8292, section 2.4.
    private enum Example {
        static let token =
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3"
            + "B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1ha"
            + "Wx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_H"
            + "LGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
        static let key =
            "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dR"
            + "uU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        static let origin = "https://push.example.net"
        static let expires: Int64 = 1_453_523_768
    }

    private func isValid(
        _ authorization: String, key: String = Example.key, at origin: String = Example.origin,
        _ seconds: Int64 = Example.expires - 60
    ) throws -> Bool {
        let request = HTTPRequest.push("/push/x", [1], ["Authorization": authorization])
        let bound = try #require(Base64.bytes(of: key, .url))
        return try SenderSignature(of: request)?
            .isValid(by: bound, at: origin, PointInTime(seconds: seconds)) ?? false
    }

    @Test func theExampleOfTheStandardIsValid() throws {
        let (token, key) = (Example.token, Example.key)
        for form in [
            "vapid t=\(token), k=\(key)", "vapid k=\(key),t=\(token)", "VAPID t=\(token),k=\(key)",
            "vapid  t = \(token) ,\tk=\"\(key)\"",
            "vapid t=\(token), k=\(key)" + (0..<6).map { ", x\($0)=y" }.joined(),
        ] {
            #expect(try isValid(form), "\(form.prefix(20))")
        }
        for wrong in [
            "vapid t=\(token)", "vapid k=\(key)", "Bearer \(token)", "vapid", "vapid ",
            "WebPush \(token)", "vapid t=\(token).a, k=\(key)", "vapid t=\(token), k=\(key)=",
            "vapid t=\(token.dropLast(2))AA, k=\(key)", "vapid t=a\(token), k=\(key)",
            "vapid t=a, t=\(token), k=\(key)", "vapid t=\(token), k=a, K=\(key)",
            "vapid t=\(token), k=\(key), \(String(repeating: "x=y,", count: 2_000))",
            "vapid t=\(token), k=\(key)" + (0..<7).map { ", x\($0)=y" }.joined(),
            "vapid t=\(token), k=\(key), ", "vapid t=\(token), k", "vapid =", "vapid ,",
        ] {
            #expect(try !isValid(wrong), "\(wrong.prefix(20))")
        }
    }

    @Test func theTimeIsChecked() throws {
        let form = "vapid t=\(Example.token), k=\(Example.key)"
        let day: Int64 = 86_400
        for (seconds, isExpected) in [
            (Example.expires - 1, true), (Example.expires + 59, true),
            (Example.expires + 60, false), (Example.expires - day - 60, true),
            (Example.expires - day - 61, false), (0, false),
        ] {
            #expect(try isValid(form, seconds) == isExpected, "\(seconds)")
        }
    }

    @Test func theOriginAndTheKeyAreChecked() throws {
        let form = "vapid t=\(Example.token), k=\(Example.key)"
        #expect(try isValid(form))
        for origin in ["https://push.example.net/", "http://push.example.net", "https://x.example"]
        {
            #expect(try !isValid(form, at: origin))
        }
        let other = try Sender()
        #expect(try !isValid(form, key: other.key))
        #expect(try !isValid("vapid t=\(Example.token), k=\(other.key)", key: other.key))
    }

    @Test(
        .enabled(if: OpenSSL.isAvailable),
        arguments: [
            ("{\"alg\":\"ES256\"}", "", true),
            ("{\"typ\":\"JWT\",\"alg\":\"none\"}", "", false), ("{\"typ\":\"JWT\"}", "", false),
            ("{\"alg\":\"ES256\",\"alg\":\"none\"}", "", false), ("[]", "", false), ("", "", false),
            ("{\"alg\":\"ES256\"}", ",\"aud\":\"https://auth.example.org\"", false),
            ("{\"alg\":\"ES256\"}", ",\"x\":[{\"y\":null}]", true),
        ])
    func theHeaderIsChecked(_ header: String, _ more: String, _ isExpected: Bool) throws {
        let sender = try Sender()
        let claims = String(sender.claims(Self.now).dropLast()) + more + "}"
        #expect(try isValid(sender, header, claims) == isExpected)
    }

    @Test(
        .enabled(if: OpenSSL.isAvailable),
        arguments: [
            (#"{"aud":"https://auth.example.org","exp":E,"sub":"mailto:a@b.c"}"#, true),
            (#"{"aud":"https://auth.example.org","exp":E.5,"sub":"https://b.c"}"#, true),
            (#"{"aud":"https://auth.example.org","exp":E}"#, false),
            (#"{"aud":"https://auth.example.org","exp":E,"sub":"a@b.c"}"#, false),
            (#"{"aud":"https://auth.example.org","exp":E,"sub":1}"#, false),
            (#"{"aud":"https://auth.example.org","sub":"mailto:a@b.c"}"#, false),
            (#"{"aud":"https://auth.example.org","exp":"E","sub":"mailto:a@b.c"}"#, false),
            (#"{"aud":"https://auth.example.org","exp":1e400,"sub":"mailto:a@b.c"}"#, false),
            (#"{"aud":"https://auth.example.org","exp":-E,"sub":"mailto:a@b.c"}"#, false),
            (#"{"aud":["https://auth.example.org"],"exp":E,"sub":"mailto:a@b.c"}"#, false),
            (#"{"exp":E,"sub":"mailto:a@b.c"}"#, false),
            (#"{"aud":"https://other.example","exp":E,"sub":"mailto:a@b.c"}"#, false),
        ])
    func theClaimsAreChecked(_ claims: String, _ isExpected: Bool) throws {
        let end = String(Self.now + 3_600)
        let text = claims.replacing(#""E""#, with: "\"\(end)\"").replacing("E", with: end)
        #expect(
            try isValid(Sender(), "{\"alg\":\"ES256\"}", text) == isExpected, "\(text)")
    }

    private static let now: Int64 = 1_800_000_000

    private func isValid(_ sender: Sender, _ header: String, _ claims: String) throws -> Bool {
        try isValid(
            "vapid t=\(sender.token(header, claims)), k=\(sender.key)", key: sender.key,
            at: "https://auth.example.org", Self.now)
    }

    @Test(.enabled(if: OpenSSL.isAvailable))
    func aBoundSubscriptionNeedsTheSignatureOfItsKey() throws {
        let fixture = try InboxFixture()
        let (sender, other) = (try Sender(), try Sender())
        let bound = try fixture.subscribe(sender.key)
        let now = fixture.server.now.seconds
        func push(_ path: String, _ authorization: String?) throws -> HTTPResponse {
            fixture.push(path, [1], ["Authorization": authorization])
        }
        let unsigned = try push(bound.path, nil)
        #expect(unsigned.status == 401)
        #expect(try unsigned.text("code") == "vapid_required")
        #expect(unsigned.field("WWW-Authenticate") == "vapid")
        let foreign = try push(bound.path, try other.authorization(now))
        #expect(foreign.status == 403)
        #expect(try foreign.text("code") == "vapid_refused")
        #expect(try push(bound.path, try sender.authorization(now)).status == 201)
        let free = try fixture.subscribe().path
        // A token is good until it expires, and no longer.
        let old = try sender.authorization(now)
        fixture.server.wait(.seconds(3_600 + 60))
        #expect(try push(bound.path, old).status == 403)
        // Without a key, whatever is sent does not matter.
        #expect(try push(free, nil).status == 201)
        #expect(try push(free, old).status == 201)
        #expect(try push(free, "Bearer x").status == 201)
        let token = try fixture.server.signIn().text("access_token")
        let list = fixture.server.send(
            .get(
                "/inboxes",
                [.init("Authorization", "Bearer " + token)]))
        #expect(String(decoding: list.body, as: UTF8.self).contains(sender.key))
    }

    @Test func onlyAPointOfTheCurveIsAKey() throws {
        let fixture = try InboxFixture()
        let bytes = try #require(Base64.bytes(of: Example.key, .url))
        var outside = bytes
        outside[64] ^= 1
        let compressed = [2] + Array(bytes[1..<33])
        let origin = [4] + [UInt8](repeating: 0, count: 64)
        for wrong in [outside, compressed, bytes + [0], origin, []] {
            let text = Base64.urlText(of: wrong)
            let answer = fixture.server.send(
                .json(
                    "/subscriptions", ["inbox": fixture.inbox, "vapid_key": text],
                    token: fixture.access))
            #expect(answer.status == 422)
            #expect(try answer.text("code") == "invalid_vapid_key")
        }
        for text in [Example.key + "=", "!", Example.key.replacing("-", with: "+")] {
            let answer = fixture.server.send(
                .json(
                    "/subscriptions", ["inbox": fixture.inbox, "vapid_key": text],
                    token: fixture.access))
            #expect(answer.status == 422, "\(text)")
        }
        #expect(try fixture.subscribe(Example.key).path.isEmpty == false)
    }
}

/// A sender with a key of its own, which openssl keeps.
struct Sender: Sendable {
    /// The public key, as a subscription has it.
    let key: String
    private let secret: String
    private let folder: SenderFolder

    init() throws {
        folder = try SenderFolder()
        secret = folder.path + "/key.pem"
        try OpenSSL.run(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", secret])
        let point = try OpenSSL.run(["ec", "-in", secret, "-pubout", "-outform", "DER"])
        key = Base64.urlText(of: Array(point.suffix(65)))
    }

    /// Usual claims, valid for an hour.
    func claims(_ now: Int64) -> String {
        #"{"aud":"https://auth.example.org","exp":\#(now + 3_600),"sub":"mailto:sender@example.com"}"#
    }

    /// The header field of a usual push.
    func authorization(_ now: Int64) throws -> String {
        "vapid t=\(try token("{\"typ\":\"JWT\",\"alg\":\"ES256\"}", claims(now))), k=\(key)"
    }

    /// A signed token.
    func token(_ header: String, _ claims: String) throws -> String {
        func text(_ bytes: [UInt8]) -> String {
            Base64.urlText(of: bytes)
        }
        let message = text(Array(header.utf8)) + "." + text(Array(claims.utf8))
        let file = folder.path + "/message"
        try Data(message.utf8).write(to: URL(fileURLWithPath: file))
        let der = try OpenSSL.run(["dgst", "-sha256", "-sign", secret, file])
        return message + "." + text(try Self.raw(der))
    }

    /// The two numbers of a signature in DER, 32 bytes each.
    private static func raw(_ der: [UInt8]) throws -> [UInt8] {
        var rest = der.dropFirst(2)
        var numbers: [UInt8] = []
        for _ in 0..<2 {
            let size = Int(try #require(rest.dropFirst().first))
            let number = rest.dropFirst(2).prefix(size).drop { $0 == 0 }
            numbers += [UInt8](repeating: 0, count: 32 - number.count) + number
            rest = rest.dropFirst(2 + size)
        }
        return numbers
    }
}

/// A folder that is removed at the end.
private final class SenderFolder: Sendable {
    let path: String

    init() throws {
        path = TemporaryFolder.base + "/taskvault-sender-\(UUID())"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}
