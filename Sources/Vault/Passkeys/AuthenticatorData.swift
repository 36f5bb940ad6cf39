/// The data that an authenticator signs about itself and its user (WebAuthn Level 3, section 6.1).
package struct AuthenticatorData: Sendable, Hashable {
    /// The flags; reserved bits are kept.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// UP: the user touched the authenticator.
        package static let userPresent = Flags(rawValue: 0x01)
        /// UV: the authenticator verified the user.
        package static let userVerified = Flags(rawValue: 0x04)
        /// BE: the credential can be on several devices.
        package static let backupEligible = Flags(rawValue: 0x08)
        /// BS: the credential is on several devices, or backed up.
        package static let backedUp = Flags(rawValue: 0x10)
        /// AT: a new credential follows.
        package static let hasCredential = Flags(rawValue: 0x40)
        /// ED: extensions follow.
        package static let hasExtensions = Flags(rawValue: 0x80)
    }

    /// A new credential.
    package struct Credential: Sendable, Hashable {
        /// The AAGUID, the model of the authenticator.
        package let model: [UInt8]
        /// The credential id, 1 to 1,023 bytes.
        package let id: [UInt8]
        /// The public key as a COSE_Key; not parsed here.
        package let publicKey: [UInt8]
    }

    /// The SHA-256 hash of the relying party's id.
    package let relyingPartyHash: [UInt8]
    package let flags: Flags
    /// The signature counter. It is never compared: synchronised passkeys have none, and a slot stores none.
    package let counter: UInt32
    package let credential: Credential?
    /// The extension outputs, a map.
    package let extensions: CBORValue?

    private static let idSizes = 1...1_023

    /// Parses authenticator data; all bytes must belong to it.
    ///
    /// - Throws: ``PasskeyError/malformed``.
    package init(_ bytes: [UInt8]) throws {
        guard bytes.count >= 37 else { throw PasskeyError.malformed }
        relyingPartyHash = Array(bytes[..<32])
        flags = Flags(rawValue: bytes[32])
        counter = bytes[33..<37].reduce(0) { $0 << 8 | UInt32($1) }
        guard !flags.contains(.backedUp) || flags.contains(.backupEligible) else {
            throw PasskeyError.malformed
        }
        var offset = 37
        if flags.contains(.hasCredential) {
            guard bytes.count >= 55 else { throw PasskeyError.malformed }
            let idEnd = 55 + (Int(bytes[53]) << 8 | Int(bytes[54]))
            guard Self.idSizes.contains(idEnd - 55), idEnd <= bytes.count else {
                throw PasskeyError.malformed
            }
            var reader = CBORReader(bytes, from: idEnd)
            guard try reader.value().entries != nil else { throw PasskeyError.malformed }
            offset = reader.offset
            credential = Credential(
                model: Array(bytes[37..<53]), id: Array(bytes[55..<idEnd]),
                publicKey: Array(bytes[idEnd..<offset]))
        } else {
            credential = nil
        }
        if flags.contains(.hasExtensions) {
            var reader = CBORReader(bytes, from: offset)
            let map = try reader.value()
            guard map.entries != nil else { throw PasskeyError.malformed }
            offset = reader.offset
            extensions = map
        } else {
            extensions = nil
        }
        guard offset == bytes.count else { throw PasskeyError.malformed }
    }

    /// Parses the authenticator data of an attestation object. The attestation statement is ignored: any manufacturer is accepted.
    ///
    /// - Throws: ``PasskeyError/malformed``.
    package init(attestationObject: [UInt8]) throws {
        guard let object = try CBORValue(attestationObject).entries, object.count == 3,
            case .text = object["fmt"], object["attStmt"]?.entries != nil,
            let data = object["authData"]?.content
        else { throw PasskeyError.malformed }
        try self.init(data)
    }
}
