package import SecretMemory
package import SecureStorage
internal import TextCoding

/// An id of 16 random bytes. Each subject has its own type, so that ids cannot be confused. Ids are ordered as byte strings.
package struct SyncID<Subject>: Hashable, Comparable, Sendable {
    /// The size of every id, in bytes.
    package static var size: Int { 16 }

    private let high: UInt64
    private let low: UInt64

    /// Creates an id from its bytes; nil for another size.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        (high, low) = unsafe bytes.withUnsafeBytes { bytes in
            let parts = unsafe (
                bytes.loadUnaligned(as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
            return (UInt64(bigEndian: parts.0), UInt64(bigEndian: parts.1))
        }
    }

    /// Creates an id from hexadecimal digits, as in the names of a remote's folders; nil for any other text.
    package init?(text: String) {
        guard let bytes = Hexadecimal.bytes(text) else { return nil }
        self.init(bytes)
    }

    fileprivate init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The lowest id.
    package static var zero: SyncID { SyncID(high: 0, low: 0) }

    /// Creates a random id.
    package static func random(from source: RandomSource) -> SyncID {
        SyncID(source.bytes(count: size)) ?? zero
    }

    /// The 16 bytes.
    package var bytes: [UInt8] {
        unsafe withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { unsafe Array($0) }
    }

    /// 32 hexadecimal digits.
    package var text: String { Hexadecimal.text(bytes) }

    package static func < (left: SyncID, right: SyncID) -> Bool {
        left.high == right.high ? left.low < right.low : left.high < right.high
    }
}

/// The subjects of ids.
package enum SyncSubject {
    /// The homes that exchange changes.
    package enum Group {}
    /// One home.
    package enum Device {}
    /// One item or task.
    package enum Object {}
    /// One subtask.
    package enum Subtask {}
}

/// The id of a group.
package typealias GroupID = SyncID<SyncSubject.Group>
/// The id of a device.
package typealias DeviceID = SyncID<SyncSubject.Device>
/// The id of an item or a task, the *record id* of `Docs/Sync.md`.
package typealias ObjectID = SyncID<SyncSubject.Object>
/// The id of a subtask.
package typealias SubtaskID = SyncID<SyncSubject.Subtask>

extension ByteWriter {
    package mutating func id<Subject>(_ id: SyncID<Subject>) { raw(id.bytes) }
}

extension ByteReader {
    package mutating func id<Subject>(of subject: Subject.Type = Subject.self) -> SyncID<Subject>? {
        // Without an array: each transaction reads many. Integers are read as little-endian ones.
        guard let high = integer(UInt64.self), let low = integer(UInt64.self) else { return nil }
        return SyncID(high: high.byteSwapped, low: low.byteSwapped)
    }
}
