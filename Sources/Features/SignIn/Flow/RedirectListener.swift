internal import HTTPServer
internal import Platform
internal import Sealing
internal import TextCoding

/// Receives the redirect of a server's page on this machine, once (RFC 8252, section 7.3).
/// Thread-safe.
///
/// It listens at 127.0.0.1 and [::1] on one port: browsers try both for `localhost`, and another
/// user's program must not have the other one.
final class RedirectListener: Sendable {
    /// The redirect, and the browser that waits for a page.
    struct Answer: Sendable {
        /// The query of the redirect.
        let query: String
        fileprivate let browser: DeferredResponse

        /// Shows the result in the browser.
        func finish(isSignedIn: Bool) {
            browser.give(.page(isSignedIn ? .signedIn : .failed))
        }
    }

    private struct State {
        /// The address of the server's page; nil before it is known.
        var page: String?
        var answer: Answer?
        /// Whether a redirect was received.
        var isOver = false
    }

    /// The number of ports to try if another program has one at one of the two addresses.
    private static let attempts = 16
    /// The maximum time for sending the page to the browser.
    private static let stopTimeout = Duration.seconds(2)

    /// The redirect URI, with the port.
    let redirect: String
    /// The address that sends a browser to the server's page.
    let start: String
    private let servers: [HTTPServer]
    private let state: Monitor<State>

    /// Listens.
    ///
    /// - Parameters:
    ///   - address: The redirect URI. Without a port, any free one is used.
    ///   - admits: Decides by its descriptor whether to serve a connection.
    /// - Throws: `SignInError.noListener`.
    init(_ address: RedirectAddress, admits: @escaping @Sendable (Int32) -> Bool) throws {
        let state = Monitor(State())
        self.state = state
        do {
            let found = try Self.listen(address, admits, state)
            servers = found.servers
            let host = address.host == "127.0.0.1" ? found.host : address.host
            redirect = address.on(host: host).address(port: found.port)
            start = address.authority(of: host, port: found.port) + found.handler.startPath
        } catch HTTPServerError.libraryMissing {
            throw SignInError.noListener(.libraryMissing)
        } catch HTTPServerError.cannotListen(code: let code) {
            throw SignInError.noListener(
                code == EADDRINUSE && address.port != nil ? .portInUse : .system(code: code))
        } catch is HTTPServerError {
            throw SignInError.noListener(.system(code: EAGAIN))
        }
    }

    deinit { stop() }

    /// Sets the server's page.
    func sendBrowsers(to page: String) {
        state.update { $0.page = page }
    }

    /// Waits for the redirect; nil without one.
    func answer(within time: Duration) -> Answer? {
        state.wait(until: .now + time) { $0.answer.take() }
    }

    /// Stops listening. A page on its way is still sent.
    func stop() {
        state.update { state in
            state.isOver = true
            state.answer = nil
        }
        for server in servers { server.stop(within: Self.stopTimeout) }
    }

    private static func listen(
        _ address: RedirectAddress, _ admits: @escaping @Sendable (Int32) -> Bool,
        _ state: Monitor<State>
    ) throws -> (servers: [HTTPServer], host: String, port: UInt16, handler: Handler) {
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try listenOnce(address, admits, state)
            } catch HTTPServerError.cannotListen(code: EADDRINUSE)
                where address.port == nil && attempt < attempts
            {
                continue
            }
        }
    }

    private static func listenOnce(
        _ address: RedirectAddress, _ admits: @escaping @Sendable (Int32) -> Bool,
        _ state: Monitor<State>
    ) throws -> (servers: [HTTPServer], host: String, port: UInt16, handler: Handler) {
        var servers: [HTTPServer] = []
        var hosts: [String] = []
        let handler = Handler(address, state)
        for host in ["127.0.0.1", "::1"] {
            var options = HTTPServerOptions(
                port: servers.first?.port ?? address.port ?? 0, threads: 1,
                lanes: [.storage: .init(workers: 1, waiting: 1)], maximumConnections: 64,
                maximumConnectionsOfOneAddress: 64, maximumBodySize: 1_024, timeout: .seconds(60),
                admits: admits)
            options.address = host
            do {
                servers.append(try HTTPServer(options, handler))
                hosts.append(host)
            } catch HTTPServerError.cannotListen(code: let code)
                where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(code)
            {
                // This machine lacks the protocol, so browsers do not use it either.
            } catch {
                for server in servers { server.stop(within: .zero) }
                throw error
            }
        }
        guard let port = servers.first?.port, let host = hosts.first,
            address.host != "::1" || hosts.contains("::1")
        else {
            for server in servers { server.stop(within: .zero) }
            throw HTTPServerError.cannotListen(code: EADDRNOTAVAIL)
        }
        handler.listen(on: port)
        return (servers, host, port, handler)
    }

    /// Answers the browser.
    private final class Handler: HTTPHandler {
        /// The path of the redirect URI.
        private let path: String
        /// The path that sends a browser to the server's page.
        let startPath: String
        private let state: Monitor<State>
        private let hosts = Monitor<[String]>([])

        init(_ address: RedirectAddress, _ state: Monitor<State>) {
            path = address.path
            startPath = address.path == "/start" ? "/" : "/start"
            self.state = state
        }

        func listen(on port: UInt16) {
            hosts.update { hosts in
                hosts = ["127.0.0.1", "[::1]", "localhost"].map { "\($0):\(port)" }
            }
        }

        func answer(_ request: HTTPRequest) -> HTTPAnswer {
            // A domain that an attacker points to this machine appears as another host.
            guard request.method == "GET", let host = request.host,
                hosts.read({ $0.contains(host.lowercased()) })
            else { return .now(.page(.unknown)) }
            switch request.path {
            case path: return receive(request.query ?? "")
            case startPath:
                let page = state.read { $0.isOver ? nil : $0.page }
                return .now(page.map(HTTPResponse.redirect) ?? .page(.unknown))
            default: return .now(.page(.unknown))
            }
        }

        /// Takes the first redirect.
        private func receive(_ query: String) -> HTTPAnswer {
            let isFirst = state.update { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            guard isFirst else { return .now(.page(.unknown)) }
            return .deferred { [state] browser in
                state.update { $0.answer = Answer(query: query, browser: browser) }
            }
        }

        func refuse(_ request: HTTPRequest, status: Int) -> HTTPResponse { .page(.unknown) }

        func didAnswer(_ exchange: HTTPExchange) {}
    }
}

/// A page for the browser.
private enum BrowserPage {
    case signedIn, failed, unknown

    /// The status, the title, and the text.
    var content: (status: Int, title: String, text: String) {
        switch self {
        case .signedIn: (200, "You are signed in", "You can close this tab.")
        case .failed:
            (400, "You are not signed in", "You can close this tab. TaskVault says why.")
        case .unknown: (404, "Nothing is here", "You can close this tab.")
        }
    }
}

extension HTTPResponse {
    private static let style =
        "body{font:18px/1.5 system-ui,sans-serif;margin:20vh auto 0;max-width:30em;padding:0 1em;text-align:center}:root{color-scheme:light dark}"
    /// Allows the style above, and nothing else.
    private static let policy =
        "default-src 'none'; style-src 'sha256-\(Base64.text(of: SHA256.hash(Array(style.utf8))))'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    fileprivate static func page(_ page: BrowserPage) -> HTTPResponse {
        let (status, title, text) = page.content
        var response = HTTPResponse(status: status, headers: common)
        response.headers.append("Content-Type", "text/html; charset=utf-8")
        response.body = Array(
            """
            <!DOCTYPE html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>TaskVault: \(title)</title>
            <style>\(style)</style>
            <h1>\(title)</h1>
            <p>\(text)</p>

            """.utf8)
        return response
    }

    fileprivate static func redirect(to page: String) -> HTTPResponse {
        var response = HTTPResponse(status: 303, headers: common)
        response.headers.append("Location", page)
        return response
    }

    /// The next page must not learn the query, which has the code.
    private static var common: HTTPHeaders {
        HTTPHeaders([
            .init("Cache-Control", "no-store"), .init("Content-Security-Policy", policy),
            .init("Referrer-Policy", "no-referrer"), .init("X-Content-Type-Options", "nosniff"),
            .init("Cross-Origin-Opener-Policy", "same-origin"),
        ])
    }
}
