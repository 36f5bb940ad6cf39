internal import CSodium
internal import Platform
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// The tokens and reload keys that open pages, and the open pages. Thread-safe.
final class PageSessions: Sendable {
    /// The lifetime of a token in a file or form.
    static let shortLife = Duration.seconds(30)
    /// The lifetime of a token in a printed URL.
    static let longLife = Duration.seconds(300)
    /// The maximum number of pages. A further page closes the oldest one.
    static let maximumPages = 32

    /// An open page.
    final class Page: Sendable {
        /// The bearer token of the page's requests, in base64url.
        let bearer: String
        /// The key with which the app proves its identity to the page, 32 bytes.
        let key: [UInt8]
        /// The screen to show first, such as `inbox/ID`.
        let shown: String?
        /// The key with which a reload of the page opens it again, once, in base64url.
        let reloadKey: String
        /// Whether the page was reloaded and has not shown a passphrase or passkey since. It may
        /// only unlock: a person who reloads a page has not proved who they are.
        private let held: Monitor<Bool>

        fileprivate init(_ random: RandomSource, shown: String?, isHeld: Bool = false) {
            bearer = PageSessions.text(random.bytes(count: 32))
            key = random.bytes(count: 32)
            reloadKey = PageSessions.text(random.bytes(count: 32))
            self.shown = shown
            held = Monitor(isHeld)
        }

        var isHeld: Bool { held.read { $0 } }

        /// Permits all requests, after the vault was unlocked with the page.
        func release() { held.update { $0 = false } }

        /// The HMAC-SHA-256 of a challenge under ``key`` (RFC 2104).
        ///
        /// The corresponding C function is `crypto_auth_hmacsha256`.
        func proof(of challenge: [UInt8]) -> [UInt8] {
            var proof = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
            unsafe crypto_auth_hmacsha256(&proof, challenge, UInt64(challenge.count), key)
            return proof
        }
    }

    private struct Token {
        let text: String
        let end: MonotonicTime
        let shown: String?
    }

    private struct State {
        var tokens: [Token] = []
        var pages: [Page] = []
        var hasOpened = false
    }

    private let random: RandomSource
    private let now: @Sendable () -> MonotonicTime
    private let state = Monitor(State())

    /// Makes an empty list. `now` is the clock of token lifetimes.
    init(
        random: RandomSource = .system, now: @escaping @Sendable () -> MonotonicTime = { .now }
    ) {
        self.random = random
        self.now = now
    }

    /// Makes a token, which is valid once and for this time.
    func token(for life: Duration, shown: String?) -> String {
        let token = Token(
            text: Self.text(random.bytes(count: 32)), end: now() + life, shown: shown)
        state.update { $0.tokens.append(token) }
        return token.text
    }

    /// Exchanges a token for another one with a short lifetime; nil if it is unknown, used or
    /// expired.
    func exchange(_ text: String) -> String? {
        take(text).map { token(for: Self.shortLife, shown: $0.shown) }
    }

    /// Opens a page with a token; nil as in ``exchange(_:)``.
    func open(_ text: String) -> Page? {
        guard let token = take(text) else { return nil }
        let page = Page(random, shown: token.shown)
        state.update { state in
            if state.pages.count == Self.maximumPages { state.pages.removeFirst() }
            state.pages.append(page)
            state.hasOpened = true
        }
        return page
    }

    /// Opens a page again after its reload; nil if the key is unknown or used. The page before
    /// the reload is closed. The new one is held until it has unlocked the vault.
    func reopen(_ reloadKey: String) -> Page? {
        state.update { state in
            guard
                let index = state.pages.firstIndex(where: {
                    ConstantTime.areEqual($0.reloadKey, reloadKey)
                })
            else { return nil }
            let page = Page(random, shown: nil, isHeld: true)
            state.pages.remove(at: index)
            state.pages.append(page)
            return page
        }
    }

    /// Whether any page was opened so far.
    var hasOpened: Bool { state.read { $0.hasOpened } }

    /// The page of a bearer token.
    func page(_ bearer: String) -> Page? {
        state.read { state in
            state.pages.first { ConstantTime.areEqual($0.bearer, bearer) }
        }
    }

    func close(_ page: Page) {
        state.update { state in state.pages.removeAll { $0 === page } }
    }

    private func take(_ text: String) -> Token? {
        let now = now()
        return state.update { state in
            state.tokens.removeAll { $0.end <= now }
            guard
                let index = state.tokens.firstIndex(where: {
                    ConstantTime.areEqual($0.text, text)
                })
            else { return nil }
            return state.tokens.remove(at: index)
        }
    }

    private static func text(_ bytes: [UInt8]) -> String {
        Base64.urlText(of: bytes)
    }
}

extension ConstantTime {
    fileprivate static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }
}
