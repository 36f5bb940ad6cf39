/// The public key of a credential. The authenticator encodes it as a COSE_Key (RFC 9052) in the canonical form of CTAP: one encoding per
/// algorithm.
enum CredentialPublicKey: Equatable {
    /// ECDSA with P-256 and SHA-256: the coordinates x and y, 64 bytes.
    case es256([UInt8])
    /// Ed25519: 32 bytes.
    case edDSA([UInt8])

    private static let es256Start: [UInt8] = [0xA5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32]
    private static let es256Middle: [UInt8] = [0x22, 0x58, 32]
    private static let edDSAStart: [UInt8] = [0xA4, 1, 1, 3, 0x27, 0x20, 6, 0x21, 0x58, 32]

    /// Parses a COSE_Key.
    init?(encoded: [UInt8]) {
        let content = encoded.dropFirst(10)
        switch encoded.count {
        case 77: self = .es256(Array(content.prefix(32) + content.suffix(32)))
        case 42: self = .edDSA(Array(content))
        default: return nil
        }
        guard self.encoded == encoded else { return nil }
    }

    /// The encoding as a COSE_Key.
    var encoded: [UInt8] {
        switch self {
        case .es256(let point):
            Self.es256Start + point.prefix(32) + Self.es256Middle + point.dropFirst(32)
        case .edDSA(let key): Self.edDSAStart + key
        }
    }
}

/// The extension outputs in the authenticator data of a new credential (WebAuthn level 2, section 6.1).
struct CredentialExtensions: Equatable {
    /// Whether hmac-secret is enabled.
    let hasHMACSecret: Bool
    /// The granted credProtect level; 0 if there is none.
    let protection: UInt8

    init(hasHMACSecret: Bool, protection: UInt8) {
        self.hasHMACSecret = hasHMACSecret
        self.protection = protection
    }

    /// Parses authenticator data; nil unless it has this credential and the flags of a present, verified user.
    init?(_ data: [UInt8], id: [UInt8], publicKey: [UInt8]) {
        // rp id hash (32 bytes), flags, counter (4), AAGUID (16), size of the id (2).
        let userPresentAndVerified: UInt8 = 0x05
        let start = 55
        guard data.count > start, data[32] & userPresentAndVerified == userPresentAndVerified,
            Int(data[53]) << 8 | Int(data[54]) == id.count,
            data.dropFirst(start).starts(with: id + publicKey)
        else { return nil }
        var rest = data.dropFirst(start + id.count + publicKey.count)
        var found: [[UInt8]: UInt8] = [:]
        if let map = rest.popFirst() {
            guard map & 0xE0 == 0xA0 else { return nil }
            // Each extension output is one byte: a small number, false or true.
            for _ in 0..<(map & 0x1F) {
                guard let head = rest.popFirst(), (0x60..<0x78).contains(head) else { return nil }
                let name = Array(rest.prefix(Int(head & 0x1F)))
                rest = rest.dropFirst(name.count)
                guard let value = rest.popFirst(), value < 24 || value & 0xFE == 0xF4,
                    found.updateValue(value, forKey: name) == nil
                else { return nil }
            }
        }
        guard rest.isEmpty else { return nil }
        hasHMACSecret = found[Array("hmac-secret".utf8)] == 0xF5
        protection = found[Array("credProtect".utf8)] ?? 0
    }
}
