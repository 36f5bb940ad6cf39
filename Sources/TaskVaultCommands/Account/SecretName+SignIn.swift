internal import SecureStorage
internal import Tasks

extension SecretName {
    /// Whether it belongs to the sign-in: whom to trust with a password, and what was granted.
    ///
    /// A file that somebody sends must not bring such items into a vault.
    var isOfSignIn: Bool {
        service.hasPrefix("taskvault.") && service != ProtectedText.service
    }
}

extension SecureStoreError {
    /// What refuses an item of the sign-in in an imported file.
    static let ofSignIn = SecureStoreError.invalidName(field: "sign-in", .repeated)
}
