@testable import Passkeys

/// Properties that any bytes have; `CBORTests`, `AuthenticatorDataTests` and `Tests/Fuzz` look for bytes without them.
///
/// Each function returns what is wrong, or nil, and tells through `isAccepted` whether the bytes were read at all.
enum PasskeyProperties {
    /// One encoding for each value: what is read is written the same, by the rules of RFC 8949, section 4.2.1.
    static func cbor(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        guard let value = try? CBORValue(bytes) else { return nil }
        isAccepted = true
        guard encoded(value) == bytes else { return "a value is written otherwise than read" }
        guard depth(of: value) <= 4 else { return "a value that is too deep is read" }
        return nil
    }

    /// Authenticator data, or an attestation object with it.
    static func authenticatorData(_ bytes: [UInt8], isAccepted: inout Bool) -> String? {
        if let data = try? AuthenticatorData(attestationObject: bytes) {
            isAccepted = true
            return fault(of: data, key: data.credential?.publicKey)
        }
        guard let data = try? AuthenticatorData(bytes) else { return nil }
        isAccepted = true
        guard encoded(data) == bytes else { return "data is written otherwise than read" }
        guard (try? AuthenticatorData(bytes.dropLast())) == nil,
            (try? AuthenticatorData(bytes + [0])) == nil
        else { return "data with another end is read, too" }
        return fault(of: data, key: data.credential?.publicKey)
    }

    private static func fault(of data: AuthenticatorData, key: [UInt8]?) -> String? {
        if data.flags.contains(.backedUp), !data.flags.contains(.backupEligible) {
            return "data that breaks its rules is read"
        }
        guard let key, (try? CredentialKey(key)) != nil else { return nil }
        guard let value = try? CBORValue(key), encoded(value) == key else {
            return "a key is written otherwise than read"
        }
        return nil
    }

    /// The bytes of authenticator data.
    static func encoded(_ data: AuthenticatorData) -> [UInt8] {
        var bytes = data.relyingPartyHash + [data.flags.rawValue]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: data.counter >> (24 - 8 * $0)) }
        if let credential = data.credential {
            let count = credential.id.count
            bytes += credential.model + [UInt8(count >> 8), UInt8(count & 0xFF)]
            bytes += credential.id + credential.publicKey
        }
        return bytes + (data.extensions.map { encoded($0) } ?? [])
    }

    /// The bytes of a value.
    static func encoded(_ value: CBORValue) -> [UInt8] {
        switch value {
        case .unsigned(let number): return head(0, number)
        case .negative(let number): return head(1, number)
        case .bytes(let bytes): return head(2, UInt64(bytes.count)) + bytes
        case .text(let text): return head(3, UInt64(text.utf8.count)) + text.utf8
        case .array(let elements):
            return elements.reduce(head(4, UInt64(elements.count))) { $0 + encoded($1) }
        case .map(let entries):
            // Sorted, and empty for a key twice, so that such maps are seen.
            guard Set(entries.map(\.key)).count == entries.count else { return [] }
            let pairs = entries.map { (encoded($0.key), encoded($0.value)) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
            return pairs.reduce(head(5, UInt64(pairs.count))) { $0 + $1.0 + $1.1 }
        case .boolean(let isTrue): return [isTrue ? 0xF5 : 0xF4]
        case .null: return [0xF6]
        }
    }

    private static func head(_ type: UInt8, _ argument: UInt64) -> [UInt8] {
        let widths: [(UInt64, Int)] = [
            (23, 0), (0xFF, 1), (0xFFFF, 2), (0xFFFF_FFFF, 4), (.max, 8),
        ]
        for (code, (largest, width)) in widths.enumerated() where argument <= largest {
            let first = width == 0 ? UInt8(argument) : 23 + UInt8(code)
            let bytes = (0..<width).map {
                UInt8(truncatingIfNeeded: argument >> UInt64(8 * (width - 1 - $0)))
            }
            return [type << 5 | first] + bytes
        }
        return []
    }

    private static func depth(of value: CBORValue) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map { depth(of: $0) }.max() ?? 0)
        case .map(let entries): 1 + (entries.map { depth(of: $0.value) }.max() ?? 0)
        default: 0
        }
    }
}
