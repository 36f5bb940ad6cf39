internal import Synchronization
package import SignIn

/// The sign-in that a page of the local app has begun. A further one replaces it. Thread-safe.
package final class PendingSignIn: Sendable {
    /// That of this process.
    package static let shared = PendingSignIn()

    private let state = Mutex<(signIn: any WebSignIn, settings: SignInSettings)?>(nil)

    private init() {}

    /// Keeps a sign-in until it is over.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in; nil ends the current one.
    ///   - place: The server, with its settings.
    package func keep(_ signIn: (any WebSignIn)?, _ place: SignInPlace) {
        let pending = signIn.map { (signIn: $0, settings: place.settings) }
        state.withLock { $0 = pending }
    }

    /// Waits for the person.
    ///
    /// - Parameters:
    ///   - time: The maximum wait.
    ///   - place: The server, with its current settings.
    /// - Returns: The tokens; nil if the person needs more time.
    /// - Throws: ``SignInError``: `notCompleted` also without a sign-in, `settingsChanged` if the
    ///   settings are not those of its beginning.
    package func wait(atMost time: Duration, _ place: SignInPlace) throws -> GrantedTokens? {
        guard let (signIn, settings) = state.withLock({ $0 }) else {
            throw SignInError.notCompleted
        }
        func end() {
            state.withLock { if $0?.signIn === signIn { $0 = nil } }
        }
        guard settings == place.settings else {
            end()
            throw SignInError.settingsChanged
        }
        do {
            let tokens = try signIn.wait(atMost: time)
            switch tokens {
            case .some: end()
            case .none: break
            }
            return tokens
        } catch {
            end()
            throw error
        }
    }
}
