/// The name of a secret: the service that it is for, and the account there.
///
/// Names are compared by their exact UTF-8 bytes, unlike `String`, for which composed and decomposed letters are equal.
public struct SecretName: Sendable, Hashable, Comparable {
    /// The largest size of a service or an account, in bytes of UTF-8.
    public static let maximumSize = 1_024

    /// What the secret is for, such as a host name.
    public let service: String
    /// Whose secret it is there, such as a user name.
    public let account: String

    /// Makes a name.
    ///
    /// - Throws: `SecureStoreError.invalidName` if a part is empty, larger than ``maximumSize`` or holds a control character.
    public init(service: String, account: String) throws(SecureStoreError) {
        try TextRule.name.check(service, "service")
        try TextRule.name.check(account, "account")
        self.service = service
        self.account = account
    }

    /// Compares the bytes of UTF-8.
    public static func == (left: SecretName, right: SecretName) -> Bool {
        left.service.hasSameBytes(as: right.service)
            && left.account.hasSameBytes(as: right.account)
    }

    /// Orders by service and then by account, each by the bytes of UTF-8.
    public static func < (left: SecretName, right: SecretName) -> Bool {
        left.service.hasSameBytes(as: right.service)
            ? left.account.precedesInBytes(right.account)
            : left.service.precedesInBytes(right.service)
    }

    /// Feeds the bytes of UTF-8 to the hasher.
    public func hash(into hasher: inout Hasher) {
        for part in [service, account] {
            var text = part
            text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
            hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        }
    }
}
