/// What a JSON value is.
package enum JSONKind: Sendable {
    case string, number, object, array, boolean, null
}

extension JSONReader {
    /// What the next value looks like; the reader stays before it.
    package mutating func nextKind(in bytes: RawSpan) throws(Failure) -> JSONKind {
        switch peek(in: bytes) ?? 0 {
        case Byte.quote: return .string
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .boolean
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: throw unexpected(in: bytes)
        }
    }

    /// Reads true or false.
    package mutating func boolean(in bytes: RawSpan) throws(Failure) -> Bool {
        guard try nextKind(in: bytes) == .boolean else { throw unexpected(in: bytes) }
        if take("true", in: bytes) { return true }
        if take("false", in: bytes) { return false }
        throw unexpected(in: bytes)
    }

    /// Passes null, if it is next.
    package mutating func skipNull(in bytes: RawSpan) throws(Failure) -> Bool {
        guard try nextKind(in: bytes) == .null else { return false }
        guard take("null", in: bytes) else { throw unexpected(in: bytes) }
        return true
    }

    /// A number as it is written.
    package mutating func numberText(in bytes: RawSpan) throws(Failure) -> String {
        guard try nextKind(in: bytes) == .number else { throw unexpected(in: bytes) }
        var text: [UInt8] = []
        while let byte = byteHere(in: bytes), "+-.0123456789Ee".utf8.contains(byte) {
            text.append(byte)
            advance()
        }
        guard Self.isNumber(text) else { throw unexpected(in: bytes) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Passes the next value, whatever it is, without copying its strings.
    package mutating func skipValue(in bytes: RawSpan) throws(Failure) {
        // Whether the open values are objects, and whether their first member is to come.
        var levels: [(isObject: Bool, isFirst: Bool)] = []
        repeat {
            if let level = levels.last {
                let goesOn =
                    level.isObject
                    ? try nextKey(in: bytes, isFirst: level.isFirst) != nil
                    : try nextElement(in: bytes, isFirst: level.isFirst)
                if !goesOn {
                    levels.removeLast()
                    continue
                }
                levels[levels.count - 1].isFirst = false
            }
            switch try nextKind(in: bytes) {
            case .string: try skipString(in: bytes)
            case .number: _ = try numberText(in: bytes)
            case .boolean: _ = try boolean(in: bytes)
            case .null: _ = try skipNull(in: bytes)
            case .object: levels.append((true, true))
            case .array: levels.append((false, true))
            }
        } while !levels.isEmpty
    }

    /// Whether a text is a number: `-`? whole (`.` digits)? (`e` sign? digits)?, without zeros before the whole part.
    private static func isNumber(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let startsWithZero = rest.first == Byte.zero
        let whole = digits()
        guard whole == 1 || whole > 1 && !startsWithZero else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() > 0 else { return false }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest = rest.dropFirst()
            }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
