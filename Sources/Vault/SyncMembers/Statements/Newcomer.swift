internal import Sealing
internal import SecureStorage
package import Sync

/// The part of a member in its group.
package enum MemberRole: UInt8, Sendable {
    /// A home, which has chains of segments.
    case device = 1
    /// The keys that a recovery code opens. They sign statements only.
    case recovery = 2
}

/// The keys of one who joins, with its consent: a signature of its member key over group, role and keys.
package struct Newcomer: Hashable, Sendable {
    package let role: MemberRole
    package let keys: DeviceKeys
    private let consent: [UInt8]

    /// Signs the consent of a device or a recovery member.
    package init(_ secrets: DeviceSecrets, as role: MemberRole, to group: GroupID) {
        self.role = role
        keys = secrets.keys
        consent = secrets[.afterVerification].signing.signature(
            of: Self.message(group, role, secrets.keys))
    }

    fileprivate init(role: MemberRole, keys: DeviceKeys, consent: [UInt8]) {
        self.role = role
        self.keys = keys
        self.consent = consent
    }

    /// The id of the newcomer.
    package var id: DeviceID { keys.id }

    /// Whether the consent is that of these keys to this group.
    package func consents(to group: GroupID) -> Bool {
        SigningKeyPair.isSignature(
            consent, of: Self.message(group, role, keys), by: keys.memberKey)
    }

    private static func message(
        _ group: GroupID, _ role: MemberRole, _ keys: DeviceKeys
    ) -> [UInt8] {
        Array("TVJN".utf8) + group.bytes + [role.rawValue] + keys.bytes
    }

    fileprivate var fields: [UInt8] { [role.rawValue] + keys.bytes + consent }
}

extension ByteWriter {
    mutating func newcomer(_ newcomer: Newcomer) { raw(newcomer.fields) }
}

extension ByteReader {
    mutating func newcomer() -> Newcomer? {
        guard let role = integer(UInt8.self).flatMap(MemberRole.init), let keys = deviceKeys(),
            let consent = raw(SigningKeyPair.signatureSize)
        else { return nil }
        return Newcomer(role: role, keys: keys, consent: consent)
    }
}
