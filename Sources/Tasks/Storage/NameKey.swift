internal import CUTF8Proc
internal import Platform

/// The case-folded NFC of a text, for order and search.
///
/// The corresponding C function is `utf8proc_map` with `UTF8PROC_CASEFOLD` and `UTF8PROC_COMPOSE` (Unicode, default caseless matching).
public struct NameKey: Sendable, Hashable, Comparable {
    /// The most bytes that a database sorts by.
    public static let sortingSize = 256

    /// UTF-8.
    public let bytes: [UInt8]

    /// Makes the key of a text.
    public init(_ text: String) {
        if text.utf8.allSatisfy({ $0 < 0x80 }) {
            bytes = text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        } else {
            bytes = Self.fold(text)
        }
    }

    private static func fold(_ text: String) -> [UInt8] {
        var source = text
        return source.withUTF8 { (utf8) -> [UInt8] in
            var result: UnsafeMutablePointer<UInt8>?
            let options =
                UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue
                | UTF8PROC_CASEFOLD.rawValue
            let count = unsafe utf8proc_map(
                utf8.baseAddress, utf8.count, &result, utf8proc_option_t(options))
            defer { unsafe free(result) }
            // The text is UTF-8, so this fails only without memory.
            guard count >= 0, let result = unsafe result else { return unsafe Array(utf8) }
            return unsafe [UInt8](UnsafeBufferPointer(start: result, count: count))
        }
    }

    /// The first ``sortingSize`` bytes.
    public var forSorting: [UInt8] { Array(bytes.prefix(Self.sortingSize)) }

    /// Whether the key contains another one.
    ///
    /// The corresponding C functions are `memchr` and `memcmp`.
    public func contains(_ other: NameKey) -> Bool {
        guard let first = other.bytes.first else { return true }
        return unsafe bytes.withUnsafeBytes { bytes in
            var rest = unsafe bytes
            while rest.count >= other.bytes.count, let start = rest.baseAddress,
                let found = unsafe memchr(
                    start, Int32(first), rest.count - other.bytes.count + 1)
            {
                if unsafe memcmp(found, other.bytes, other.bytes.count) == 0 { return true }
                unsafe rest = UnsafeRawBufferPointer(
                    rebasing: rest[(UnsafeRawPointer(found) - start + 1)...])
            }
            return false
        }
    }

    /// Orders by the bytes.
    public static func < (left: NameKey, right: NameKey) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
