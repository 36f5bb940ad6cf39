import Foundation
import HTTPClient
import HTTPServer
import Inbox
import Synchronization
import Testing
import TestSupport
import VaultAgent

/// Has one picture, one that is too large, and one that moved, and counts requests.
private final class PictureHandler: HTTPHandler {
    let picture: [UInt8]
    private let count = Mutex(0)

    init(_ picture: [UInt8]) { self.picture = picture }

    var requests: Int { count.withLock { $0 } }

    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        count.withLock { $0 += 1 }
        switch request.path {
        case "/a.png": return .now(HTTPResponse(status: 200, body: picture))
        case "/large.png":
            let rest = [UInt8](
                repeating: 9, count: Picture.maximumSize + 1 - picture.count)
            return .now(HTTPResponse(status: 200, body: picture + rest))
        case "/moved.png":
            return .now(
                HTTPResponse(
                    status: 302, headers: HTTPHeaders([HTTPHeaders.Field("Location", "/a.png")])))
        default: return .now(HTTPResponse(status: 404))
        }
    }

    func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse {
        HTTPResponse(status: status)
    }

    func didAnswer(_ exchange: HTTPExchange) {}
}

@Suite(
    "A picture of a message, from a server with TLS",
    .enabled(if: OpenSSL.isAvailable, "needs openssl"), .timeLimit(.minutes(60)),
    .waitsForProcesses)
struct PictureTests {
    /// The commands trust only the authorities of the system, so the test loads the picture as they do, and trusts one more.
    private static func options(
        _ authority: CertificateAuthority, allowingPrivate isPrivateAllowed: Bool = true
    ) -> HTTPClientOptions {
        var options = Picture.options(allowingPrivate: isPrivateAllowed)
        options.authorities = .file(authority.certificate)
        return options
    }

    @Test("is loaded once, and then found in the encrypted cache, without the server")
    func cached() throws {
        let home = try TestHome.forTasks()
        try home.unlock()
        let word = AccountHome.word("picture")
        let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        let png = signature + Array(String(repeating: word, count: 100).utf8)
        let handler = PictureHandler(png)
        let authority = try CertificateAuthority(in: home.folder)
        let files = try authority.issue()
        let identity = TLSIdentity(
            certificate: try Files.read(files.certificate),
            key: RequestBody(try Files.read(files.key)))
        let server = try HTTPServer(HTTPServerOptions(identity: identity), handler)
        defer { server.stop(within: .zero) }
        let place = "https://127.0.0.1:\(server.port)"
        let id = try home.receive(#"{"title":"a","picture":"\#(place)/a.png"}"#)
        // Its address is not public, and its authority none of the system.
        expectError(
            try home.inbox("picture", id), ends: 8, "is an address of this machine",
            "--private-network")
        #expect(try home.inbox("picture", id, "--private-network").exitCode != 0)
        #expect(handler.requests == 0)
        #expect(throws: HTTPClientError.notPublic) {
            _ = try Picture.load(
                try WebURL(place + "/a.png"), Self.options(authority, allowingPrivate: false))
        }
        #expect(handler.requests == 0)
        #expect(throws: HTTPClientError.contentTooLarge) {
            _ = try Picture.load(try WebURL(place + "/large.png"), Self.options(authority))
        }
        #expect(throws: PictureError.status(404)) {
            _ = try Picture.load(try WebURL(place + "/none.png"), Self.options(authority))
        }
        let before = handler.requests
        let picture = try Picture.load(
            try WebURL(place + "/moved.png"), Self.options(authority))
        #expect(handler.requests == before + 2)
        let inbox = InboxStore(
            try AgentClient(
                AgentPlace(vaultFile: home.vault, runtimeFolder: nil), programVersion: "test"))
        let message = try #require(try inbox.messages().first)
        try inbox.store(picture, of: message)

        try home.ask("settings set inbox-pictures always")
        #expect(try home.doInbox("show", id).outputText.contains("image/png"))
        #expect(try home.doInbox("picture", id).output == png)
        #expect(handler.requests == before + 2)
        server.stop(within: .zero)
        #expect(try home.doInbox("picture", id).output == png)
        #expect(try home.doInbox("show", id).outputText.contains("image/png"))
        // Nothing of it is on the disk.
        let names = try #require(FileManager.default.enumerator(atPath: home.folder))
        var isVaultRead = false
        for case let name as String in names {
            guard names.fileAttributes?[.type] as? FileAttributeType == .typeRegular else {
                continue
            }
            let path = home.folder + "/" + name
            if path == home.vault { isVaultRead = true }
            #expect(Data(try Files.read(path)).range(of: Data(word.utf8)) == nil, "\(name)")
        }
        #expect(isVaultRead)
    }
}
