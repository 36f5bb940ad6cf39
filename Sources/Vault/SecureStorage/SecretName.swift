/// The name of a secret: a service, an account, and a field of that account's entry.
///
/// Names are compared by their UTF-8 bytes. `String` compares composed and decomposed letters as equal.
public struct SecretName: Sendable, Hashable, Comparable {
    /// The maximum size of a service, an account or a field, in bytes of UTF-8.
    public static let maximumSize = 1_024
    /// The default field: `password`.
    public static let standardField = "password"

    /// The service, such as a host name.
    public let service: String
    /// The account at the service, such as a user name.
    public let account: String
    /// The field, such as `password` or `notes`.
    public let field: String

    /// Creates a name.
    ///
    /// - Throws: `SecureStoreError.invalidName` if a part is empty, exceeds ``maximumSize`` or holds a control character.
    public init(
        service: String, account: String, field: String = SecretName.standardField
    ) throws(SecureStoreError) {
        if let reason = TextRule.name.violation(service) {
            throw .invalidName(field: "service", reason)
        }
        if let reason = TextRule.name.violation(account) {
            throw .invalidName(field: "account", reason)
        }
        if let reason = TextRule.name.violation(field) {
            throw .invalidName(field: "field", reason)
        }
        self.service = service
        self.account = account
        self.field = field
    }

    /// Compares the UTF-8 bytes.
    public static func == (left: SecretName, right: SecretName) -> Bool {
        left.service.hasSameBytes(as: right.service)
            && left.account.hasSameBytes(as: right.account)
            && left.field.hasSameBytes(as: right.field)
    }

    /// Orders by service, account and field, each by UTF-8 bytes.
    public static func < (left: SecretName, right: SecretName) -> Bool {
        guard left.service.hasSameBytes(as: right.service) else {
            return left.service.precedesInBytes(right.service)
        }
        return left.account.hasSameBytes(as: right.account)
            ? left.field.precedesInBytes(right.field)
            : left.account.precedesInBytes(right.account)
    }

    /// Feeds the UTF-8 bytes to the hasher.
    public func hash(into hasher: inout Hasher) {
        for part in [service, account, field] {
            var text = part
            text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
            hasher.combine(UInt8(0xFF))  // Ends the part: no UTF-8 text contains this byte.
        }
    }
}

extension SecretName {
    /// The prefix of the services of TaskVault's own items, such as the text of protected tasks (`Docs/Format.md`, section 5).
    ///
    /// A store treats them like all others. The commands for the owner's secrets reject them.
    package static let reservedPrefix = "taskvault."

    /// The service of secrets that other programs stored (`Docs/Format.md`, section 13).
    package static let programService = "taskvault.secret-service"
    /// The service of secrets that the agent keeps in memory until it locks; they are never in a vault.
    package static let sessionService = "taskvault.secret-service-session"

    /// The account of ``sessionService`` for the key under which the Secret Service keeps the names of entries.
    package static let namesKeyAccount = "names"

    /// Whether the secret is the key under which the Secret Service keeps the names of entries.
    package var isNamesKey: Bool { isSessionOnly && account.hasSameBytes(as: Self.namesKeyAccount) }

    /// Whether a program made the item, and the vault keeps it.
    package var isOfProgram: Bool { service.hasSameBytes(as: Self.programService) }

    /// Whether the secret exists only in the agent's memory.
    package var isSessionOnly: Bool { service.hasSameBytes(as: Self.sessionService) }

    /// Whether the item belongs to a part of TaskVault.
    package var isReserved: Bool { service.utf8.starts(with: Self.reservedPrefix.utf8) }
}

extension String {
    /// Whether two strings have the same UTF-8 bytes; `==` treats composed and decomposed letters as equal.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether this string precedes another in the order of UTF-8 bytes.
    package func precedesInBytes(_ other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}
