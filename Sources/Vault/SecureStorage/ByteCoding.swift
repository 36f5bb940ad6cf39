/// Writes the canonical encoding: little-endian integers, `bytes` with a u32 length (`Docs/Format.md`, section 1).
package struct ByteWriter {
    package private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: The number of bytes for which memory is reserved.
    package init(capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    package mutating func raw(_ source: [UInt8]) { bytes += source }
    package mutating func raw(_ source: RawSpan) {
        unsafe source.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
    }
    package mutating func magic(_ text: StaticString) { text.withUTF8Buffer { unsafe bytes += $0 } }

    // One function per width: other modules would call a generic function's additions through a witness table.
    package mutating func integer(_ value: UInt8) { bytes.append(value) }
    package mutating func integer(_ value: UInt32) { append(value) }
    package mutating func integer(_ value: UInt64) { append(value) }
    package mutating func integer(_ value: Int64) { append(value) }

    private mutating func append(_ value: some FixedWidthInteger) {
        unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    /// Overwrites an integer at an offset.
    package mutating func overwrite(_ value: UInt32, at offset: Int) {
        let encoded = unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) }
        bytes.replaceSubrange(offset..<(offset + encoded.count), with: encoded)
    }

    /// Writes a u32 length and the bytes.
    package mutating func sized(_ source: [UInt8]) {
        integer(UInt32(source.count))
        raw(source)
    }

    package mutating func text(_ text: String) {
        integer(UInt32(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }
}

/// Reads the canonical encoding from memory that the caller keeps alive. Each function returns nil if the bytes end too early.
@safe package struct ByteReader {
    private let bytes: UnsafeRawBufferPointer
    private let size: Int
    /// The number of bytes read.
    package private(set) var offset = 0

    private init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
        size = bytes.count
    }

    /// Calls `body` with a reader of `bytes`, which must not outlive the call.
    package static func reading<Result, Failure: Error>(
        _ bytes: RawSpan, _ body: (inout ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try unsafe bytes.withUnsafeBytes { (buffer) throws(Failure) -> Result in
            var reader = unsafe ByteReader(buffer)
            return try body(&reader)
        }
    }

    /// Calls `body` with a reader of `bytes`, which must not outlive the call.
    package static func reading<Result, Failure: Error>(
        _ bytes: [UInt8], _ body: (inout ByteReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try reading(unsafe bytes.span.bytes, body)
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { offset == size }

    package mutating func raw(_ count: Int) -> [UInt8]? {
        guard count <= size - offset else { return nil }
        defer { offset += count }
        return unsafe [UInt8](bytes[offset..<(offset + count)])
    }

    /// Skips bytes without copying them.
    ///
    /// - Returns: `false`, with no change, if fewer bytes are left.
    package mutating func skip(_ count: Int) -> Bool {
        guard count <= size - offset else { return false }
        offset += count
        return true
    }

    package mutating func magic(_ text: StaticString) -> Bool? {
        guard let found = raw(text.utf8CodeUnitCount) else { return nil }
        return text.withUTF8Buffer { unsafe found.elementsEqual($0) }
    }

    package mutating func integer(_ type: UInt8.Type = UInt8.self) -> UInt8? { load() }
    package mutating func integer(_ type: UInt32.Type = UInt32.self) -> UInt32? { load() }
    package mutating func integer(_ type: UInt64.Type = UInt64.self) -> UInt64? { load() }
    package mutating func integer(_ type: Int64.Type = Int64.self) -> Int64? { load() }

    private mutating func load<Integer: FixedWidthInteger>() -> Integer? {
        let width = Integer.bitWidth / 8
        guard width <= size - offset else { return nil }
        defer { offset += width }
        return unsafe Integer(
            littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Integer.self))
    }

    /// Reads a u32 length and the bytes.
    package mutating func sized() -> [UInt8]? { integer(UInt32.self).flatMap { raw(Int($0)) } }

    /// Reads a text without copying it; nil also for one that is not UTF-8 or breaks a rule.
    package mutating func place(ofText rule: TextRule) -> Range<Int>? {
        guard let count = integer(UInt32.self), Int(count) <= size - offset else { return nil }
        let place = offset..<(offset + Int(count))
        let text = unsafe UnsafeBufferPointer(
            rebasing: bytes.assumingMemoryBound(to: UInt8.self)[place])
        guard unsafe rule.allows(text.span) else { return nil }
        offset = place.upperBound
        return place
    }

    /// Reads UTF-8 text; nil also for invalid UTF-8.
    package mutating func text() -> String? {
        guard let count = integer(UInt32.self), Int(count) <= size - offset else { return nil }
        defer { offset += Int(count) }
        let part = unsafe UnsafeBufferPointer<UInt8>(
            rebasing: bytes.assumingMemoryBound(to: UInt8.self)[offset..<(offset + Int(count))])
        // The validating initialiser of `String` takes three times as long.
        guard let text = unsafe try? UTF8Span(validating: part.span) else { return nil }
        return String(copying: text)
    }
}
