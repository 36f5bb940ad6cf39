internal import Platform
internal import SecretMemory
package import SignIn
internal import TextCoding

// Signing in on a page of the server.
extension SignInAccess {
    /// Signs in with the stored refresh token alone.
    ///
    /// - Returns: Whether the server accepted it; if not, the person must sign in on its page.
    /// - Throws: The reason why the server gave no verdict.
    package func continueSession(_ account: AccountName, _ place: SignInPlace) throws -> Bool {
        var login = LoginFlow(context(account, place))
        switch try login.run({ _, _ in nil }) {
        case .signedIn:
            if place.settings.account != account { try noteAccount(account, place) }
            return true
        case .noVerdict(let error): throw error
        case .needsBrowser, .needsPassword, .rejected, .signedOut: return false
        }
    }

    /// Begins a sign-in on the server's page: in a browser of this machine, or on any device if
    /// there is none here.
    ///
    /// - Parameters:
    ///   - account: The account that the person named.
    ///   - isOnDevice: Whether the person wants the sign-in on any device.
    ///   - hasBrowser: Whether a browser of this machine is known to be there; nil to find out.
    ///   - place: The vault and the server.
    /// - Returns: The sign-in, which waits for the person.
    /// - Throws: A failure if the server does not offer it; ``SignInError``.
    package func beginWebSignIn(
        _ account: AccountName?, onDevice isOnDevice: Bool = false, hasBrowser: Bool? = nil,
        _ place: SignInPlace
    ) throws -> any WebSignIn {
        let methods = try place.client.methods()
        if isOnDevice, !methods.contains(.device) {
            throw Failure(
                .refused, code: "not_supported",
                "\(place.server) does not offer a sign-in on another device")
        }
        let prefersBrowser = hasBrowser ?? AppPage.canOpenBrowser(environment)
        let isInBrowser =
            methods.contains(.browser) && !isOnDevice
            && (prefersBrowser || !methods.contains(.device))
        guard isInBrowser else { return try DeviceSignIn(place.client, date: now) }
        return try BrowserSignIn(
            place.client, redirect: place.settings.redirect, account: account, date: now)
    }

    /// Stores the tokens of a sign-in on the server's page, and revokes those of another account.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - account: The account that the person named.
    ///   - place: The vault and the server.
    /// - Returns: The account that the server names, or else the named one, or the last one.
    /// - Throws: `settingsChanged`; an error of the vault.
    package func finishWebSignIn(
        _ tokens: consuming GrantedTokens, of account: AccountName?, _ place: SignInPlace
    ) throws -> AccountName {
        try requireSameSettings(place)
        let known = tokens.account ?? account ?? place.settings.account
        guard let name = known ?? AccountName("unnamed account") else {
            preconditionFailure("the text is a name")
        }
        let hasRefreshToken = tokens.canBeRefreshed
        let other = try withCache(place) { cache -> SecretBytes? in
            guard let session = try cache.session(), session.account != name else { return nil }
            return try cache.token(.refresh)
        }
        var login = LoginFlow(context(name, place))
        _ = try login.accept(tokens)
        if place.settings.account != name { try noteAccount(name, place) }
        switch consume other {
        case .some(let token): revoke(token, place)
        case .none: break
        }
        if !hasRefreshToken, place.settings.cachesCredentials {
            owner.warn(
                "no_refresh_token",
                "\(place.server) granted no refresh token, so each start asks again; with some servers, \(errors.command("settings set scope 'openid offline_access'")) helps"
            )
        }
        return name
    }
}
