internal import HTTPServer
internal import Passkeys
internal import Platform
internal import SecretMemory
package import Application

/// The servers of the local app: one port at `127.0.0.1` and at `[::1]`.
///
/// Browsers try `[::1]` first. Without a server there, another user's program could use the port.
package final class LocalAppServer: Sendable {
    /// The time without pages after which the app ends.
    package static let idleTimeout = Duration.seconds(60)
    /// The number of random ports to try, and after them the number of the system's.
    private static let attempts = 64

    /// The maximum size of a request's head, in bytes. Cookies are never read, but a page at another port and host below the same domain can
    /// set 180 of 4,096 bytes each, which Chromium and Firefox then send with each request of the page.
    private static let maximumHead = 1_048_576

    private let app: LocalApp
    private let servers: [HTTPServer]
    private let isStopped = Monitor(false)

    /// Listens, and starts to watch the vault.
    ///
    /// - Parameters:
    ///   - runner: Runs the commands.
    ///   - admits: Decides by its descriptor whether to serve a connection. The default accepts
    ///     this user's connections.
    /// - Throws: `HTTPServerError`; errors of ``AppWatch``.
    package init(
        _ runner: any OperationRunner,
        admits: @escaping @Sendable (Int32) -> Bool = { PeerUser.isThisUser(connection: $0) }
    ) throws {
        // The dynamic port range (RFC 6335, section 6).
        let listening = try Self.listen(in: 49_152...65_535, admits: admits) {
            LocalApp(runner, $0, PageSessions(), EventQueue())
        }
        app = listening.app
        servers = listening.servers
        try watch(runner)
    }

    deinit {
        stop()
    }

    /// Stops listening and watching.
    package func stop() {
        isStopped.update { $0 = true }
        for server in servers { server.stop(within: .zero) }
    }

    /// The text of the start file. It opens the page once, within 30 seconds, by posting a token in
    /// a form.
    package func openingFile(showing shown: String?) -> String {
        let token = app.sessions.token(for: PageSessions.shortLife, shown: shown)
        return """
            <!DOCTYPE html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <title>TaskVault</title>
            <form method="post" action="\(app.origin.text)/open">
            <input type="hidden" name="token" value="\(token)">
            <button>Open TaskVault</button>
            </form>
            <script>document.forms[0].submit()</script>

            """
    }

    /// A URL that opens the page once, within 5 minutes.
    package func address(showing shown: String?) -> String {
        let token = app.sessions.token(for: PageSessions.longLife, shown: shown)
        return "\(app.origin.text)/#token=\(token)"
    }

    /// Returns after a time without pages. Frees unused heap memory after half a second without
    /// requests.
    ///
    /// - Parameter first: The maximum wait for the first page.
    package func waitForEnd(first: Duration) {
        var isBusy = false
        while !isStopped.read({ $0 }) {
            let wasBusy = isBusy
            isBusy = app.hasAnswered.update { hasAnswered in
                defer { hasAnswered = false }
                return hasAnswered
            }
            if wasBusy, !isBusy { platform_rest() }
            let limit = app.sessions.hasOpened ? Self.idleTimeout : first
            if app.events.look() >= limit { return }
            SystemSleep.sleep(.milliseconds(500))
        }
    }

    /// Listens on a random port of a range. If none is free, the system chooses a port, so that
    /// another user who holds the range does not keep the owner from the page.
    static func listen(
        in range: ClosedRange<UInt16>, admits: @escaping @Sendable (Int32) -> Bool,
        _ make: (PageOrigin) -> LocalApp
    ) throws -> (app: LocalApp, servers: [HTTPServer]) {
        var attempt = 0
        while true {
            attempt += 1
            do {
                let offset = RandomSource.system.number(below: UInt32(range.count))
                let port =
                    try attempt <= attempts
                    ? range.lowerBound + UInt16(offset) : HTTPServer.freePort(at: "127.0.0.1")
                let app = make(PageOrigin(port: port))
                return (app, try Self.listen(app, admits))
            } catch HTTPServerError.cannotListen(code: EADDRINUSE) where attempt < 2 * attempts {
                continue
            }
        }
    }

    private static func listen(
        _ app: LocalApp, _ admits: @escaping @Sendable (Int32) -> Bool
    ) throws -> [HTTPServer] {
        var options = HTTPServerOptions(
            port: app.origin.port, threads: 1, lanes: [.storage: .init(workers: 0, waiting: 0)],
            maximumConnections: 64, maximumConnectionsOfOneAddress: 64,
            maximumHeadSize: maximumHead, maximumBodySize: Uploads.largestPiece,
            timeout: .seconds(60), admits: admits)
        let first = try HTTPServer(options, app)
        options.address = "::1"
        do {
            return [first, try HTTPServer(options, app)]
        } catch HTTPServerError.cannotListen(code: let code)
            where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(code)
        {
            // This machine has no IPv6, so browsers do not try it either.
            return [first]
        } catch {
            first.stop(within: .zero)
            throw error
        }
    }

    private func watch(_ runner: any OperationRunner) throws {
        let isStarted = DetachedThread.start { [events = app.events, isStopped] in
            guard let watch = try? AppWatch(runner) else { return }
            defer { watch.end() }
            while !isStopped.read({ $0 }) {
                guard let changes = try? watch.next() else {
                    SystemSleep.sleep(.seconds(1))
                    continue
                }
                if changes.tasks { events.post(#"{"event":"tasks"}"#) }
                if changes.vault { events.post(#"{"event":"vault"}"#) }
                if changes.sync { events.post(#"{"event":"sync"}"#) }
                if changes.settings { events.post(#"{"event":"settings"}"#) }
                if let session = changes.session {
                    events.post(#"{"event":"session","session":\#(session)}"#)
                }
            }
        }
        guard isStarted else { throw HTTPServerError.outOfResources }
    }
}
