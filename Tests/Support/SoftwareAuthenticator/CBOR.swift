/// A value of CBOR (RFC 8949), of the kinds that CTAP uses.
package indirect enum CBOR: Hashable, Sendable {
    case unsigned(UInt64)
    /// -1 minus the number.
    case negative(UInt64)
    case bytes([UInt8])
    case text(String)
    case array([CBOR])
    case map([CBOR: CBOR])
    case bool(Bool)
    case null

    /// A number.
    package static func number(_ value: Int) -> CBOR {
        value < 0 ? .negative(UInt64(-1 - value)) : .unsigned(UInt64(value))
    }

    // MARK: Reading

    /// The number; nil for another kind of value.
    package var number: Int? {
        switch self {
        case .unsigned(let value): Int(exactly: value)
        case .negative(let value): Int(exactly: value).map { -1 - $0 }
        default: nil
        }
    }

    /// The bytes; nil for another kind of value.
    package var bytes: [UInt8]? {
        if case .bytes(let bytes) = self { bytes } else { nil }
    }

    /// The text; nil for another kind of value.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The elements; nil for another kind of value.
    package var array: [CBOR]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The truth value; nil for another kind of value.
    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The member of a map; nil if there is none.
    package subscript(_ key: Int) -> CBOR? { self[.number(key)] }

    /// The member of a map; nil if there is none.
    package subscript(_ key: String) -> CBOR? { self[.text(key)] }

    private subscript(_ key: CBOR) -> CBOR? {
        if case .map(let members) = self { members[key] } else { nil }
    }

    // MARK: Encoding

    /// The canonical encoding.
    package var encoded: [UInt8] {
        switch self {
        case .unsigned(let value): Self.head(0, value)
        case .negative(let value): Self.head(1, value)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count)) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count)) + Array(text.utf8)
        case .array(let elements):
            Self.head(4, UInt64(elements.count)) + elements.flatMap(\.encoded)
        case .map(let members):
            Self.head(5, UInt64(members.count))
                + members.map { (key: $0.key.encoded, value: $0.value.encoded) }
                .sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .flatMap { $0.key + $0.value }
        case .bool(let value): [value ? 0xF5 : 0xF4]
        case .null: [0xF6]
        }
    }

    private static func head(_ kind: UInt8, _ value: UInt64) -> [UInt8] {
        func big(_ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
        }
        return switch value {
        case ..<24: [kind << 5 | UInt8(value)]
        case ...0xFF: [kind << 5 | 24] + big(1)
        case ...0xFFFF: [kind << 5 | 25] + big(2)
        case ...0xFFFF_FFFF: [kind << 5 | 26] + big(4)
        default: [kind << 5 | 27] + big(8)
        }
    }

    // MARK: Decoding

    /// Decodes one value; nil for anything but its canonical encoding.
    package init?(_ encoded: [UInt8]) {
        var rest = encoded[...]
        guard let value = Self.decode(&rest, 8), rest.isEmpty, value.encoded == encoded else {
            return nil
        }
        self = value
    }

    private static func decode(_ rest: inout ArraySlice<UInt8>, _ depth: Int) -> CBOR? {
        guard depth > 0, let head = rest.popFirst() else { return nil }
        if head >= 0xE0 {
            return switch head {
            case 0xF4: .bool(false)
            case 0xF5: .bool(true)
            case 0xF6: .null
            default: nil
            }
        }
        var value = UInt64(head & 0x1F)
        if value >= 24 {
            guard value <= 27 else { return nil }
            let count = 1 << (Int(value) - 24)
            guard rest.count >= count else { return nil }
            value = rest.prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(count)
        }
        switch head >> 5 {
        case 0: return .unsigned(value)
        case 1: return .negative(value)
        case 2, 3:
            guard value <= UInt64(rest.count) else { return nil }
            let bytes = Array(rest.prefix(Int(value)))
            rest = rest.dropFirst(Int(value))
            return head >> 5 == 2
                ? .bytes(bytes) : String(validating: bytes, as: UTF8.self).map(CBOR.text)
        case 4:
            var elements: [CBOR] = []
            guard value <= UInt64(rest.count) else { return nil }
            for _ in 0..<value {
                guard let element = decode(&rest, depth - 1) else { return nil }
                elements.append(element)
            }
            return .array(elements)
        case 5:
            var members: [CBOR: CBOR] = [:]
            guard value <= UInt64(rest.count) else { return nil }
            for _ in 0..<value {
                guard let key = decode(&rest, depth - 1), let member = decode(&rest, depth - 1),
                    members.updateValue(member, forKey: key) == nil
                else { return nil }
            }
            return .map(members)
        default: return nil
        }
    }
}
