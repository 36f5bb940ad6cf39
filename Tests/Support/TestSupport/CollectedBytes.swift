internal import TextCoding

/// A sink that keeps everything.
package struct CollectedBytes: ByteSink {
    package var bytes: [UInt8] = []

    package init() {}

    package mutating func write(_ bytes: RawSpan) throws {
        unsafe bytes.withUnsafeBytes { unsafe self.bytes.append(contentsOf: $0) }
    }

    package mutating func write(secret bytes: RawSpan) throws { try write(bytes) }
}
