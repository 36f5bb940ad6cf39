/// What a person allows.
public struct SignInOptions: Sendable, Hashable {
    /// Whether passwords and tokens may be kept in the vault.
    public var cachesCredentials: Bool
    /// For how long after the last success somebody counts as signed in while the server cannot be asked.
    public var offlineLimit: Duration

    /// Makes options. Seven days offline, unless told otherwise.
    public init(cachesCredentials: Bool = true, offlineLimit: Duration = .seconds(604_800)) {
        self.cachesCredentials = cachesCredentials
        self.offlineLimit = offlineLimit
    }
}
