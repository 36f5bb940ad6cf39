public import SecretMemory
internal import SecureStorage

/// The token by which the server recognises this machine and its last account. It survives the end
/// of a session, and is no credential.
extension CredentialCache {
    private static let accountKey = "account"

    /// Reads the device token; nil if there is none for this account.
    public func deviceToken(of account: AccountName) throws -> SecretBytes? {
        guard let item = try store.item(deviceName),
            item.attributes[Self.accountKey].flatMap({ AccountName($0) }) == account
        else { return nil }
        return item.value
    }

    /// Stores a device token, or replaces the previous one.
    public func store(device token: borrowing SecretBytes, of account: AccountName) throws {
        try store.put(
            token, as: deviceName, [ExtraAttribute(key: Self.accountKey, text: account.text)])
    }
}
