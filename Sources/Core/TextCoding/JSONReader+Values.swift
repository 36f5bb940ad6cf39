/// The kind of a JSON value.
package enum JSONKind: Sendable {
    case string, number, object, array, boolean, null
}

extension JSONReader {
    /// The kind of the next value; does not advance the reader.
    package mutating func nextKind(in bytes: RawSpan) throws -> JSONKind {
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
    package mutating func boolean(in bytes: RawSpan) throws -> Bool {
        guard try nextKind(in: bytes) == .boolean else { throw unexpected(in: bytes) }
        if take("true", in: bytes) { return true }
        if take("false", in: bytes) { return false }
        throw unexpected(in: bytes)
    }

    /// Skips a null if it is the next value.
    package mutating func skipNull(in bytes: RawSpan) throws -> Bool {
        guard try nextKind(in: bytes) == .null else { return false }
        guard take("null", in: bytes) else { throw unexpected(in: bytes) }
        return true
    }

    /// A number in its original spelling.
    package mutating func numberText(in bytes: RawSpan) throws -> String {
        guard try nextKind(in: bytes) == .number else { throw unexpected(in: bytes) }
        var text: [UInt8] = []
        while let byte = byteHere(in: bytes), "+-.0123456789Ee".utf8.contains(byte) {
            text.append(byte)
            advance()
        }
        guard Self.isNumber(text) else { throw unexpected(in: bytes) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Skips the next value of any kind, of at most 512 levels, without copying its strings.
    package mutating func skipValue(in bytes: RawSpan) throws {
        // For each open value: whether it is an object, and whether its first member has not been
        // read.
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
            case let kind:
                // No program nests deeper, and each level costs time.
                guard levels.count < Self.maximumDepth else { throw unexpected(in: bytes) }
                levels.append((kind == .object, true))
            }
        } while !levels.isEmpty
    }

    /// The largest number of levels in a value that is skipped.
    private static var maximumDepth: Int { 512 }

    /// Skips the next value like ``skipValue(in:)``, and returns its range, including the quotation
    /// marks of a string.
    package mutating func rangeOfValue(in bytes: RawSpan) throws -> Range<Int> {
        _ = try nextKind(in: bytes)
        let start = offset
        try skipValue(in: bytes)
        return start..<offset
    }

    /// Copies the next value of any kind without white space. Strings have the form of
    /// ``JSONWriter``.
    package mutating func canonicalText(in bytes: RawSpan) throws -> String {
        var result: [UInt8] = []
        var levels: [(isObject: Bool, isFirst: Bool)] = []
        repeat {
            if let level = levels.last {
                let key = level.isObject ? try nextKey(in: bytes, isFirst: level.isFirst) : nil
                let goesOn =
                    level.isObject
                    ? key != nil : try nextElement(in: bytes, isFirst: level.isFirst)
                guard goesOn else {
                    result += (level.isObject ? "}" : "]").utf8
                    levels.removeLast()
                    continue
                }
                if !level.isFirst { result.append(Byte.comma) }
                if let key {
                    JSONEscaping.append(quoted: key, to: &result)
                    result.append(Byte.colon)
                }
                levels[levels.count - 1].isFirst = false
            }
            switch try nextKind(in: bytes) {
            case .string: JSONEscaping.append(quoted: try text(in: bytes), to: &result)
            case .number: result += try numberText(in: bytes).utf8
            case .boolean: result += (try boolean(in: bytes) ? "true" : "false").utf8
            case .null:
                _ = try skipNull(in: bytes)
                result += "null".utf8
            case .object:
                levels.append((true, true))
                result += "{".utf8
            case .array:
                levels.append((false, true))
                result += "[".utf8
            }
        } while !levels.isEmpty
        return String(decoding: result, as: UTF8.self)
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
