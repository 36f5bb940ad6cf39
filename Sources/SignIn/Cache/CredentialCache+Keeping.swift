internal import SecureStorage

extension CredentialCache {
    /// Runs `body` where the settings of the vault still let be kept what it stores.
    ///
    /// Whoever changes them does so while no process of this machine signs in, so they are looked at before. Another machine does not wait, and
    /// so they are looked at again: either it finds what was stored here, or it is found out here.
    ///
    /// - Parameters:
    ///   - account: Whose credentials are stored.
    ///   - options: What was allowed when it began.
    ///   - body: Asks the server, and stores.
    /// - Returns: What `body` returns.
    /// - Throws: `settingsChanged`; `store` with what `body` throws.
    func keeping<Value>(
        for account: AccountName, _ options: SignInOptions,
        _ body: () throws(SecureStoreError) -> Value
    ) throws(SignInError) -> Value {
        guard try isStillAllowed(options) else { throw .settingsChanged }
        let value: Value
        do throws(SecureStoreError) {
            value = try body()
        } catch {
            throw .store(error)
        }
        guard try isStillAllowed(options) else {
            _ = try forgetEverything(of: account)
            throw .settingsChanged
        }
        return value
    }

    private func isStillAllowed(_ options: SignInOptions) throws(SignInError) -> Bool {
        do throws(SecureStoreError) {
            guard let settings = try SignInSettings.stored(store)?.settings else { return true }
            return settings.server == issuer
                && (settings.cachesCredentials || !options.cachesCredentials)
        } catch {
            throw .store(error)
        }
    }
}
