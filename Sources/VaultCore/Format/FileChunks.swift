internal import SecureStorage

/// The chunks that the value of a file names (`Docs/Format.md`, section 13).
struct FileChunks: Sendable, Hashable {
    /// 4 GiB in chunks of 64 KiB.
    private static let mostChunks: UInt32 = 65_536

    /// The id of the file's version, 16 bytes.
    let version: [UInt8]
    /// The number of chunks; their numbers begin with 0.
    let count: Int64

    /// Reads them from the value of an item; nil if it is no file's. The key among it is not copied.
    init?(_ value: RawSpan) {
        let found = ByteReader.reading(value) { reader -> ([UInt8], UInt32)? in
            guard reader.integer(UInt32.self) == 1, let version = reader.raw(16),
                reader.skip(32 + 24 + 8), let count = reader.integer(UInt32.self)
            else { return nil }
            return (version, count)
        }
        guard let (version, count) = found, (1...Self.mostChunks).contains(count) else {
            return nil
        }
        self.version = version
        self.count = Int64(count)
    }
}
