internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

extension CommandContext {
    /// Asks the server with an access token: the cached one where it is still good, otherwise one that a sign-in brings.
    ///
    /// - Parameters:
    ///   - account: Whose token.
    ///   - place: The vault and the server.
    ///   - passwords: Who is asked where the sign-in needs that.
    ///   - isAskedFor: Whether whoever signed out may be signed in for it.
    ///   - body: Asks the server; `rejected` means that the token is not good any more.
    /// - Returns: What the server answered; nil where it has nothing for such a question.
    /// - Throws: Why nobody is signed in, or what the server has against it.
    func withAccessToken<Value>(
        of account: AccountName, _ place: SignInPlace,
        asking passwords: borrowing AccountPasswords, isAskedFor: Bool = true,
        _ body: (borrowing SecretBytes) throws -> Value
    ) throws(CommandFailure) -> Value? {
        switch try cachedToken(place) {
        case .some(let token):
            do {
                return try body(token)
            } catch AuthClientError.unsupported {
                return nil
            } catch AuthClientError.rejected {
                // A sign-in brings another token.
            } catch {
                throw CommandFailure(asking: place, error, folders)
            }
        case .none: break
        }
        let token = try signIn(account, place, asking: passwords, isAskedFor: isAskedFor)
        do {
            return try body(token)
        } catch AuthClientError.unsupported {
            return nil
        } catch {
            throw CommandFailure(asking: place, error, folders)
        }
    }

    /// The cached access token, if it lives long enough for one question.
    private func cachedToken(_ place: SignInPlace) throws(CommandFailure) -> SecretBytes? {
        let soon = surroundings.now().advanced(by: .seconds(30))
        return try withCache(place) { cache -> SecretBytes? in
            guard let expires = try cache.session()?.accessExpires, soon < expires else {
                return nil
            }
            return try cache.token(.access)
        }
    }
}
