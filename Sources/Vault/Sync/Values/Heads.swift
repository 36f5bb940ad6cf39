package import SecureStorage

/// The newest segment of a device that was seen.
package struct Head: Hashable, Sendable {
    /// The size of a segment's hash, in bytes.
    package static let hashSize = 32
    /// The hash of the segment before the first.
    package static let noHash = [UInt8](repeating: 0, count: hashSize)

    /// The number of the segment.
    package let number: UInt64
    /// `hash(32, no key, segment)`, with its signature.
    package let hash: [UInt8]

    package init(number: UInt64, hash: [UInt8]) {
        self.number = number
        self.hash = hash
    }
}

/// The newest segments of several devices.
package typealias Heads = [DeviceID: Head]

extension ByteWriter {
    package mutating func heads(_ heads: Heads) {
        integer(UInt32(heads.count))
        for (device, head) in heads.sorted(by: { $0.key < $1.key }) {
            dot(Dot(device, head.number))
            raw(head.hash)
        }
    }
}

extension ByteReader {
    /// Reads heads; nil unless their devices ascend.
    package mutating func heads() -> Heads? {
        list(atMost: VersionVector.limit, by: { $0.0 }) { reader -> (DeviceID, Head)? in
            guard let dot = reader.dot(), let hash = reader.raw(Head.hashSize) else { return nil }
            return (dot.device, Head(number: dot.number, hash: hash))
        }.map { Dictionary(uniqueKeysWithValues: $0) }
    }
}
