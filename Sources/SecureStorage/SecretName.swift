/// The name of a secret: a service and an account.
///
/// Names are compared by their exact UTF-8 bytes, unlike `String`, for which composed and decomposed letters are equal.
public struct SecretName: Sendable, Hashable, Comparable {
    /// The largest size of a service or an account, in bytes of UTF-8.
    public static let maximumSize = 1_024

    /// The service, such as a host name.
    public let service: String
    /// The account at the service, such as a user name.
    public let account: String

    /// Creates a name.
    ///
    /// - Throws: `SecureStoreError.invalidName` if a part is empty, exceeds ``maximumSize`` or holds a control character.
    public init(service: String, account: String) throws(SecureStoreError) {
        try TextRule.name.check(service, "service")
        try TextRule.name.check(account, "account")
        self.service = service
        self.account = account
    }

    /// Compares the UTF-8 bytes.
    public static func == (left: SecretName, right: SecretName) -> Bool {
        left.service.hasSameBytes(as: right.service)
            && left.account.hasSameBytes(as: right.account)
    }

    /// Orders by service and then by account, both by UTF-8 bytes.
    public static func < (left: SecretName, right: SecretName) -> Bool {
        left.service.hasSameBytes(as: right.service)
            ? left.account.precedesInBytes(right.account)
            : left.service.precedesInBytes(right.service)
    }

    /// Feeds the UTF-8 bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        for part in [service, account] {
            var text = part
            text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
            hasher.combine(UInt8(0xFF))  // A byte that UTF-8 never has ends the part.
        }
    }
}
