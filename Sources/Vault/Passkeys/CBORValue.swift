internal import TextCoding

/// A data item of CBOR (RFC 8949) in the canonical form of CTAP2 (CTAP 2.1, section 8), which WebAuthn requires too.
///
/// Definite lengths, shortest forms, distinct keys in ascending order; depth at most 4. Keys are integers or texts. No tags and no
/// floating-point numbers; the simple values are false, true and null. So each value has one encoding.
package indirect enum CBORValue: Sendable, Hashable {
    case unsigned(UInt64)
    /// The number -1 - n.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBORValue])
    case map([Entry])
    case boolean(Bool)
    case null

    /// A key of a map and its value.
    package struct Entry: Sendable, Hashable {
        package let key: CBORValue
        package let value: CBORValue
    }

    /// Parses bytes that are exactly one data item.
    ///
    /// - Throws: ``PasskeyError/malformed``.
    package init(_ bytes: [UInt8]) throws {
        var reader = CBORReader(bytes)
        self = try reader.value()
        guard reader.isAtEnd else { throw PasskeyError.malformed }
    }

    /// The number if it fits `Int`; nil for another value.
    package var number: Int? {
        switch self {
        case .unsigned(let number): Int(exactly: number)
        case .negative(let number): Int(exactly: number).map { -1 - $0 }
        default: nil
        }
    }

    /// The content of a byte string; nil for another value.
    package var content: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The entries of a map; nil for another value.
    package var entries: [Entry]? {
        if case .map(let entries) = self { entries } else { nil }
    }
}

extension [CBORValue.Entry] {
    /// The value of a text key.
    subscript(key: String) -> CBORValue? {
        first { $0.key == .text(key) }?.value
    }

    /// The value of an integer key, which is not an index.
    subscript(label label: Int) -> CBORValue? {
        first { $0.key.number == label }?.value
    }
}

/// Reads ``CBORValue``. It allocates memory only for bytes that are present, not for claimed sizes.
package struct CBORReader {
    private static let maximumDepth = 4

    private let bytes: [UInt8]
    /// The number of bytes read.
    package private(set) var offset: Int

    /// Starts at an offset between 0 and the size.
    package init(_ bytes: [UInt8], from offset: Int = 0) {
        self.bytes = bytes
        self.offset = offset
    }

    /// Whether all bytes were read.
    package var isAtEnd: Bool { offset == bytes.count }

    /// Reads the next data item.
    ///
    /// - Throws: ``PasskeyError/malformed``; the reader is then unusable.
    package mutating func value() throws -> CBORValue {
        try value(depth: 0)
    }

    private mutating func value(depth: Int) throws -> CBORValue {
        let (type, argument) = try head()
        switch type {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try readBytes(argument)))
        case 3:
            guard let text = String(validating: try readBytes(argument), as: UTF8.self) else {
                throw PasskeyError.malformed
            }
            return .text(text)
        case 4:
            guard depth < Self.maximumDepth else { throw PasskeyError.malformed }
            var elements: [CBORValue] = []
            for _ in 0..<argument { elements.append(try value(depth: depth + 1)) }
            return .array(elements)
        case 5:
            guard depth < Self.maximumDepth else { throw PasskeyError.malformed }
            return .map(try entries(argument, depth: depth + 1))
        default:
            // 20, 21 and 22: `head()` rejected all other simple values.
            return argument == 22 ? .null : .boolean(argument == 21)
        }
    }

    private mutating func entries(_ count: UInt64, depth: Int) throws -> [CBORValue.Entry] {
        var entries: [CBORValue.Entry] = []
        var last: ArraySlice<UInt8> = []
        for _ in 0..<count {
            let start = offset
            let key = try value(depth: depth)
            switch key {
            case .unsigned, .negative, .text: break
            default: throw PasskeyError.malformed
            }
            // In shortest forms, a shorter key is also lower, so the order of CTAP2 is the order of the bytes.
            guard last.lexicographicallyPrecedes(bytes[start..<offset]) else {
                throw PasskeyError.malformed
            }
            last = bytes[start..<offset]
            entries.append(CBORValue.Entry(key: key, value: try value(depth: depth)))
        }
        return entries
    }

    /// Reads the major type and the argument, in its shortest form.
    private mutating func head() throws -> (type: UInt8, argument: UInt64) {
        guard let first = try readBytes(1).first else { throw PasskeyError.malformed }
        let (type, short) = (first >> 5, first & 0x1F)
        guard type < 6 || type == 7 && (20...22).contains(short) else {
            throw PasskeyError.malformed
        }
        if short < 24 || type == 7 { return (type, UInt64(short)) }
        guard short < 28 else { throw PasskeyError.malformed }
        let argument = try readBytes(1 << UInt64(short - 24)).reduce(UInt64(0)) {
            $0 << 8 | UInt64($1)
        }
        // The smallest number of each width; smaller ones have a shorter form.
        let minimum: [UInt64] = [24, 1 << 8, 1 << 16, 1 << 32]
        guard argument >= minimum[Int(short - 24)] else { throw PasskeyError.malformed }
        return (type, argument)
    }

    private mutating func readBytes(_ count: UInt64) throws -> ArraySlice<UInt8> {
        guard count <= UInt64(bytes.count - offset) else { throw PasskeyError.malformed }
        defer { offset += Int(count) }
        return bytes[offset..<(offset + Int(count))]
    }
}
