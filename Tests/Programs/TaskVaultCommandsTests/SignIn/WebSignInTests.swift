import Foundation
import Platform
import Synchronization
import Testing
import TestSupport

/// Signing in on a page of a server that takes no passwords, with the real executable.
@Suite(.timeLimit(.minutes(60)), .waitsForProcesses)
struct WebSignInTests {
    /// A server whose person acts when the test says so.
    private final class PageServer: Sendable {
        struct State {
            var address = ""
            var hasSignedIn = false
            var isOver = false
        }

        /// The state, which the thread of the server reads.
        private final class Board: Sendable {
            let state = Mutex(State())
        }

        private let board = Board()
        private let server: AnsweringServer

        init(_ members: String) throws {
            server = try AnsweringServer { [board] request in
                let now = board.state.withLock { $0 }
                switch request {
                case "GET /.well-known/oauth-authorization-server":
                    return (
                        "200 OK",
                        #"{"issuer":"\#(now.address)","token_endpoint":"\#(now.address)/token",\#(members.replacing("ADDRESS", with: now.address))}"#
                    )
                case "POST /device":
                    return (
                        "200 OK",
                        #"{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":"\#(now.address)/page","verification_uri_complete":"\#(now.address)/page?code=WDJB-MJHT","expires_in":600,"interval":1}"#
                    )
                case "POST /token urn" where !now.hasSignedIn:
                    return ("400 Bad Request", #"{"error":"authorization_pending"}"#)
                case "POST /token refresh" where now.isOver:
                    return ("400 Bad Request", #"{"error":"invalid_grant"}"#)
                case "POST /token urn", "POST /token authorization", "POST /token refresh":
                    return (
                        "200 OK",
                        #"{"token_type":"Bearer","access_token":"a","refresh_token":"r1"}"#
                    )
                default: return ("404 Not Found", "")
                }
            }
            update { $0.address = "http://127.0.0.1:\(server.port)" }
        }

        var address: String { board.state.withLock { $0.address } }
        var requests: [String] { server.requests }

        func update(_ change: (inout State) -> Void) { board.state.withLock { change(&$0) } }
    }

    private static let account = "ada@example.org"
    private static let device = #""device_authorization_endpoint":"ADDRESS/device""#
    private static let page = #""authorization_endpoint":"ADDRESS/authorize""#

    /// A home that is told of the server.
    private func home(_ server: PageServer) throws -> TestHome {
        let home = try TestHome()
        try home.unlock()
        expectDone(try home.ask("settings set server \(server.address)"))
        return home
    }

    private func start(_ home: TestHome) throws -> [String] {
        let unlocked = try home.runBare(["unlock", "--passphrase-file", home.passphraseFile])
        #expect(unlocked.exitCode == 0)
        return unlocked.errorLines
    }

    @Test func aCodeAndAQRCodeAreShownWithoutADisplayAndTheStartIsSilent() throws {
        let server = try PageServer(Self.device + "," + Self.page)
        let home = try home(server)
        let session = try TerminalSession(home, ["login", Self.account])
        try session.waitFor(
            "open \(server.address)/page on any device, and enter the code WDJB-MJHT")
        try session.waitFor("waiting for the sign-in at \(server.address)")
        server.update { $0.hasSignedIn = true }
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("signed in as \(Self.account) at \(server.address)"))
        // libqrencode is a package that may be missing. The code of the page is in the QR code, so a
        // phone needs no typing.
        if !session.screen.contains("no QR code: apt install") {
            let code = try #require(QRReader(session.screen), "\(session.screen)")
            #expect(code.text == "\(server.address)/page?code=WDJB-MJHT")
        }
        #expect(
            try start(home) == ["taskvault: signed in as \(Self.account) at \(server.address)"])
        // No password is kept, or was asked for.
        #expect(
            try home.ownItems().allSatisfy {
                ($0["service"] as? String)?.hasPrefix("taskvault.password") != true
            })
        #expect(!session.screen.contains("Password"))
        expectDone(try home.ask("login --json"))
        // A session that the server ended leads to the page again.
        server.update { state in
            state.isOver = true
            state.hasSignedIn = false
        }
        #expect(
            try start(home) == [
                "taskvault: warning: not signed in: \(server.address) ended the session of \(Self.account) (taskvault login)"
            ])
        let again = try TerminalSession(home, ["login"])
        try again.waitFor("enter the code WDJB-MJHT")
        server.update { $0.hasSignedIn = true }
        #expect(try again.finish() == 0)
        #expect(!server.requests.contains("POST /token password"))
    }

    /// With a desktop the page opens by itself, also where a code could be shown.
    @Test(
        .enabled(
            if: FileManager.default.isExecutableFile(atPath: "/usr/bin/xdg-open"), "needs xdg-open")
    )
    func theBrowserOpensWhereThereIsADisplay() throws {
        let server = try PageServer(Self.device + "," + Self.page)
        let home = try home(server)
        // The test's own browser, and no other one for xdg-open to find.
        let browser = home.folder + "/browser"
        let file = home.folder + "/opened"
        try Files.write(
            "#!/bin/sh\nprintf '%s' \"$1\" >\(file).new && mv \(file).new \(file)\n", to: browser,
            mode: 0o700)
        home.environment["XDG_DATA_DIRS"] = home.folder + "/none"
        home.environment["BROWSER"] = browser
        for (variable, display) in [("DISPLAY", ":59999"), ("WAYLAND_DISPLAY", "wayland-59999")] {
            home.environment[variable] = display
            defer { home.environment[variable] = nil }
            let session = try TerminalSession(home, ["login"])
            try session.waitFor("opened \(server.address) in the browser")
            try session.waitFor("waiting up to")
            // The opener may still be running.
            try #require(Processes.wait { FileManager.default.fileExists(atPath: file) })
            let opened = String(decoding: try Files.read(file), as: UTF8.self)
            try FileManager.default.removeItem(atPath: file)
            #expect(opened.hasPrefix("http://127.0.0.1:") && opened.hasSuffix("/start"))
            #expect(session.screen.contains("if you do not see it, open \(opened)"))
            #expect(!session.screen.contains("WDJB-MJHT") && !session.screen.contains("█"))
            let location = try #require(TestBrowser.get(opened)?.field("Location"))
            let query = try #require(URLComponents(string: location)?.queryItems)
            func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
            let redirect = try #require(value("redirect_uri"))
            let state = try #require(value("state"))
            #expect(TestBrowser.get("\(redirect)?code=c&state=\(state)")?.status == 200)
            #expect(try session.finish() == 0)
            expectDone(try home.ask("logout"))
        }
        // The person may still want another device.
        home.environment["DISPLAY"] = ":59999"
        let onDevice = try TerminalSession(home, ["login", Self.account, "--device"])
        try onDevice.waitFor("enter the code WDJB-MJHT")
        server.update { $0.hasSignedIn = true }
        #expect(try onDevice.finish() == 0)
        #expect(!FileManager.default.fileExists(atPath: file))
    }

    @Test func aBrowserOfThisMachineBringsTheAnswer() throws {
        let server = try PageServer(Self.page)
        let home = try home(server)
        let session = try TerminalSession(home, ["login"])
        try session.waitFor("in a browser of this machine")
        let match = try #require(
            session.screen.firstMatch(of: /open (http:\/\/127\.0\.0\.1:[0-9]+\/start)/))
        let page = try #require(TestBrowser.get(String(match.output.1)))
        let location = try #require(page.field("Location"))
        #expect(location.hasPrefix(server.address + "/authorize?"))
        // What other users of the machine can see has no state.
        #expect(!session.screen.contains("state="))
        let query = try #require(URLComponents(string: location)?.queryItems)
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        let redirect = try #require(value("redirect_uri"))
        let state = try #require(value("state"))
        let shown = TestBrowser.get("\(redirect)?code=c&state=\(state)")
        #expect(shown?.body.contains("You can close this tab.") == true)
        #expect(try session.finish() == 0)
        #expect(session.screen.contains("signed in as unnamed account at \(server.address)"))
        expectDone(try home.ask("whoami"))
    }

    @Test func aWrongStateEndsIt() throws {
        let server = try PageServer(Self.page)
        let home = try home(server)
        let session = try TerminalSession(home, ["login"])
        try session.waitFor("in a browser of this machine")
        let match = try #require(
            session.screen.firstMatch(of: /open (http:\/\/127\.0\.0\.1:[0-9]+)\/start/))
        #expect(TestBrowser.get("\(match.output.1)/callback?code=c&state=a")?.status == 400)
        #expect(try session.finish() == 9)
        #expect(session.screen.contains("the answer of the browser is for another sign-in"))
        #expect(!server.requests.contains { $0.hasPrefix("POST") })
    }

    @Test func nothingIsAskedWhereNobodyCanAnswer() throws {
        let server = try PageServer(Self.device + "," + Self.page)
        let home = try home(server)
        #expect(try home.ask("login --json").failure["code"] as? String == "needs_browser")
        let file = try home.ask("login \(Self.account) --password-file -", input: "a password\n")
        #expect(file.exitCode == 2)
        #expect(file.errorText.contains("takes no password from this program"))
        #expect(try home.ask("login \(Self.account) --code").exitCode == 2)
        // A password is not asked for either by what the server does not have.
        for words in ["account create \(Self.account)", "account password", "account remove --yes"]
        {
            #expect(try home.ask(words).exitCode != 0)
        }
        #expect(!server.requests.contains { $0.hasPrefix("POST") })
    }

    @Test func otherEndpointsGetNoCredentialOfTheEarlierOnes() throws {
        let server = try PageServer(Self.device)
        let home = try home(server)
        server.update { $0.hasSignedIn = true }
        let session = try TerminalSession(home, ["login", Self.account])
        #expect(try session.finish() == 0)
        let stranger = try PageServer(Self.device)
        expectDone(
            try home.runBare([
                "settings", "set", "server-endpoints",
                "token=\(stranger.address)/token device=\(stranger.address)/device",
            ]))
        _ = try start(home)
        #expect(stranger.requests.isEmpty)
        #expect(try home.ask("login --json").failure["code"] as? String == "needs_browser")
        #expect(stranger.requests.isEmpty)
        stranger.update { $0.hasSignedIn = true }
        let other = try TerminalSession(home, ["login", Self.account])
        #expect(try other.finish() == 0)
        #expect(stranger.requests == ["POST /device", "POST /token urn"])
    }
}
