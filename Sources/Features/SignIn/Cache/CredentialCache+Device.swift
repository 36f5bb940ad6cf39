public import SecretMemory
internal import SecureStorage

/// The token by which a server knows this machine, of the account that signed in last. It stays when a session ends, and is no credential.
extension CredentialCache {
    private static let accountKey = "account"

    /// Reads the token; nil if there is none for this account.
    public func deviceToken(of account: AccountName) throws -> SecretBytes? {
        guard let item = try store.item(deviceName),
            item.attributes[Self.accountKey].flatMap({ AccountName($0) }) == account
        else { return nil }
        return item.value
    }

    /// Stores a token in place of an earlier one.
    public func store(device token: borrowing SecretBytes, of account: AccountName) throws {
        try store.put(
            token, as: deviceName, [ExtraAttribute(key: Self.accountKey, text: account.text)])
    }
}
