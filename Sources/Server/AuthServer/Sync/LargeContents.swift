internal import Accounts
internal import HTTPServer
internal import Synchronization

/// The places for content that is larger than other requests may have: blobs of sync. Thread-safe.
///
/// Content is in memory before its token is looked up, so strangers share few places. Each answered request with a token makes it known here, and
/// a client lists before it puts.
final class LargeContents: Sendable {
    /// How many requests of known tokens, and of strangers, are read at once. Each may take ``SyncLimits/maximumSize``.
    static let places = (known: 64, strangers: 16)
    /// The number of known tokens; beyond it all are forgotten.
    private static let most = 100_000

    private struct State {
        var known: Set<TokenHash> = []
        var ofKnown = 0
        var ofStrangers = 0
    }

    private let state = Mutex(State())

    /// Notes that a token was accepted.
    func note(_ token: TokenHash) {
        state.withLock { state in
            if state.known.count >= Self.most { state.known = [] }
            state.known.insert(token)
        }
    }

    /// Notes that a token was refused.
    func forget(_ token: TokenHash) {
        state.withLock { _ = $0.known.remove(token) }
    }

    /// A place for the holder of a token; nil if all are taken.
    func place(for token: TokenHash) -> HTTPPlace? {
        let isKnown = state.withLock { state -> Bool? in
            if state.known.contains(token) {
                guard state.ofKnown < Self.places.known else { return nil }
                state.ofKnown += 1
                return true
            }
            guard state.ofStrangers < Self.places.strangers else { return nil }
            state.ofStrangers += 1
            return false
        }
        return isKnown.map { isKnown in
            HTTPPlace { [self] in
                state.withLock { if isKnown { $0.ofKnown -= 1 } else { $0.ofStrangers -= 1 } }
            }
        }
    }
}
