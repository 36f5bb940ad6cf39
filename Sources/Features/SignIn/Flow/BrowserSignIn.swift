package import Platform
package import SecretMemory
package import TextCoding

/// A sign-in in a browser of this machine (RFC 8252): the server's page sends the browser to a
/// listener of this program.
package final class BrowserSignIn: WebSignIn {
    /// The time that the person has.
    package static let timeLimit = Duration.seconds(300)
    /// The interval of looks at the clock.
    private static let interval = Duration.milliseconds(200)

    private let client: OAuthClient
    private let request: AuthorizationRequest
    private let listener: RedirectListener
    private let end: MonotonicTime
    private let now: @Sendable () -> MonotonicTime
    private let date: @Sendable () -> PointInTime

    /// Listens on this machine.
    ///
    /// - Parameters:
    ///   - client: The server.
    ///   - redirect: The address on this machine.
    ///   - account: The account that the person named, as a hint for the page.
    ///   - random: The source of the random values.
    ///   - now: The clock of the time limit.
    ///   - date: The time for the expiry of an ID token.
    ///   - admits: Decides by its descriptor whether to serve a connection. The default accepts
    ///     this user's connections.
    /// - Throws: `noListener`, `unsupported`, or an error of the metadata.
    package init(
        _ client: OAuthClient, redirect: RedirectAddress = .standard, account: AccountName? = nil,
        random: RandomSource = .system, now: @escaping @Sendable () -> MonotonicTime = { .now },
        date: @escaping @Sendable () -> PointInTime = { .now },
        admits: @escaping @Sendable (Int32) -> Bool = { PeerUser.isThisUser(connection: $0) }
    ) throws {
        self.client = client
        self.now = now
        self.date = date
        request = try AuthorizationRequest(random)
        end = now() + Self.timeLimit
        listener = try RedirectListener(redirect, admits: admits)
        listener.sendBrowsers(
            to: try client.authorizationAddress(
                request, redirect: listener.redirect, account: account))
    }

    /// An address of this machine, which sends the browser to the server's page. The page's own
    /// address has the state of the request, and would be visible in the arguments of programs.
    package var address: String { listener.start }

    package var completeAddress: String? { nil }

    package var code: String? { nil }

    package func wait(atMost time: Duration) throws -> GrantedTokens? {
        let callEnd = now() + time
        while true {
            if let answer = listener.answer(within: Self.interval) { return try take(answer) }
            let time = now()
            guard time < end else {
                listener.stop()
                throw SignInError.notCompleted
            }
            guard time < callEnd else { return nil }
        }
    }

    private func take(_ answer: RedirectListener.Answer) throws -> GrantedTokens {
        defer { listener.stop() }
        do {
            let tokens = try client.exchange(
                answer.query, of: request, redirect: listener.redirect, at: date())
            answer.finish(isSignedIn: true)
            return tokens
        } catch {
            answer.finish(isSignedIn: false)
            throw error
        }
    }
}
