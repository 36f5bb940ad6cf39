internal import Sealing
internal import SecureStorage
package import Sync

/// The public keys of a device, or of a recovery member. Its id follows from them, so an id has one set of keys.
package struct DeviceKeys: Hashable, Sendable {
    /// The size of the encoding, in bytes.
    package static let size = SyncLevel.allCases.count * 2 * keySize
    private static let keySize = 32

    /// The X25519 and then the Ed25519 keys, each by ascending level.
    private let keys: [[UInt8]]

    init(boxKeys: [[UInt8]], signingKeys: [[UInt8]]) {
        keys = boxKeys + signingKeys
    }

    /// Parses canonical bytes; nil for another size, and for an X25519 key of small order, to which nothing can be sealed.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        keys = stride(from: 0, to: Self.size, by: Self.keySize).map {
            Array(bytes[$0..<($0 + Self.keySize)])
        }
        let nothing: [UInt8] = []
        for level in SyncLevel.allCases {
            guard BoxKeyPair.seal(unsafe nothing.span.bytes, to: boxKey(level)) != nil else {
                return nil
            }
        }
    }

    /// The canonical bytes: the X25519 keys for L, U and V, the segment keys of list and secrets, the member key.
    package var bytes: [UInt8] { keys.flatMap { $0 } }

    /// The id of the device, `hash(16, no key, "TVDI" ‖ keys)`.
    package var id: DeviceID { .hash("TVDI", bytes) }

    /// The key to which the epoch's key of a level is sealed.
    package func boxKey(_ level: SyncLevel) -> [UInt8] { keys[Int(level.rawValue)] }

    /// The Ed25519 key of a level: the segment keys of list and secrets, and the member key.
    package func signingKey(_ level: SyncLevel) -> [UInt8] {
        keys[SyncLevel.allCases.count + Int(level.rawValue)]
    }

    /// The key that verifies statements.
    package var memberKey: [UInt8] { signingKey(.afterVerification) }

    /// The key that verifies the segments of a chain.
    package func segmentKey(of chain: SyncChain) -> [UInt8] { signingKey(chain.signingLevel) }
}

extension ByteReader {
    mutating func deviceKeys() -> DeviceKeys? { raw(DeviceKeys.size).flatMap { DeviceKeys($0) } }
}
