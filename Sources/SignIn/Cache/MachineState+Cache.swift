public import SecureStorage

extension MachineState {
    /// Does something with what a vault has of the accounts at a server, while no other process of this machine does.
    ///
    /// - Parameters:
    ///   - issuer: The server.
    ///   - store: The vault.
    ///   - body: Gets what is cached.
    /// - Returns: What `body` returns.
    /// - Throws: `busy`, `system`, or what the vault has against it as `store`.
    public func withCache<Value: ~Copyable>(
        of issuer: Issuer, in store: any SecureStore,
        _ body: (CredentialCache) throws(SecureStoreError) -> Value
    ) throws(SignInError) -> Value {
        try exclusively { (machine) throws(SignInError) in
            do throws(SecureStoreError) {
                return try body(CredentialCache(store, issuer, machine))
            } catch {
                throw .store(error)
            }
        }
    }
}
