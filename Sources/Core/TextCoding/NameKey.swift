internal import CUTF8Proc
internal import Platform

/// The case-folded NFC of a text, for sorting and searching.
///
/// The corresponding C function is `utf8proc_map` with `UTF8PROC_CASEFOLD` and `UTF8PROC_COMPOSE` (Unicode, default caseless matching).
package struct NameKey: Sendable, Hashable, Comparable {
    /// The maximum number of bytes that a database sorts by.
    package static let sortingSize = 256

    /// The key in UTF-8.
    package let bytes: [UInt8]

    /// Computes the key of a text.
    package init(_ text: String) {
        var bytes: [UInt8] = []
        Self.append(text, to: &bytes)
        self.bytes = bytes
    }

    /// Appends the key of a text to other bytes.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        append(utf8: text.utf8Span.span, to: &bytes)
    }

    /// Appends the key of a text of valid UTF-8 to other bytes.
    package static func append(utf8 text: Span<UInt8>, to bytes: inout [UInt8]) {
        unsafe text.withUnsafeBufferPointer { utf8 in
            let start = bytes.count
            unsafe bytes.append(contentsOf: utf8)
            let isASCII = unsafe bytes.withUnsafeMutableBufferPointer { bytes in
                var seen: UInt8 = 0
                for place in start..<bytes.count {
                    let byte = unsafe bytes[place]
                    seen |= byte
                    unsafe bytes[place] = byte &- 0x41 < 26 ? byte | 0x20 : byte
                }
                return seen < 0x80
            }
            if !isASCII { bytes.replaceSubrange(start..., with: unsafe fold(utf8)) }
        }
    }

    private static func fold(_ utf8: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        var result: UnsafeMutablePointer<UInt8>?
        let options =
            UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue | UTF8PROC_CASEFOLD.rawValue
        let count = unsafe utf8proc_map(
            utf8.baseAddress, utf8.count, &result, utf8proc_option_t(options))
        defer { unsafe free(result) }
        // The text is valid UTF-8, so only a lack of memory causes a failure.
        guard count >= 0, let result = unsafe result else { return unsafe Array(utf8) }
        return unsafe [UInt8](UnsafeBufferPointer(start: result, count: count))
    }

    /// The first ``sortingSize`` bytes.
    package var forSorting: [UInt8] { Array(bytes.prefix(Self.sortingSize)) }

    /// Whether the key contains another key.
    package func contains(_ other: NameKey) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe other.firstOffset(in: $0) != nil }
    }

    /// The offset of the first occurrence of the key in some bytes, or nil.
    ///
    /// The corresponding C function is `memmem`.
    package func firstOffset(in text: UnsafeRawBufferPointer) -> Int? {
        guard let begin = text.baseAddress else { return bytes.isEmpty ? 0 : nil }
        return unsafe platform_find(begin, text.count, bytes, bytes.count).map { found in
            unsafe found - begin
        }
    }

    /// Orders by the bytes.
    package static func < (left: NameKey, right: NameKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
