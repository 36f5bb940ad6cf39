package import SecretMemory

/// The members of a JSON object (RFC 8259) by name.
///
/// The initializer validates the whole object and rejects repeated names. Values stay encoded until they are read, so secrets are decoded
/// only into guarded memory. The result is nil for a missing member and for a value of another kind; ``kind(of:)`` distinguishes them.
///
/// The object stores offsets and no bytes. Every call needs the same bytes as the initializer.
package struct JSONObject: Sendable {
    private struct Malformed: JSONReadingFailure {
        static func invalidJSON(line: Int) -> Malformed { Malformed() }
    }

    /// The maximum size of a name that is not ASCII, in bytes. Combining marks make longer ones slow to compare.
    private static let maximumNameSize = 64

    private struct Member {
        let kind: JSONKind
        let range: Range<Int>
    }

    private var members: [String: Member] = [:]
    /// The names, in their order in the object.
    package private(set) var names: [String] = []

    /// Parses an object; nil for any other text, and for a repeated name.
    ///
    /// - Parameters:
    ///   - bytes: The object; only white space surrounds it.
    ///   - limit: The maximum number of members.
    package init?(_ bytes: RawSpan, limit: Int = .max) {
        do {
            try self.init(bytes, limit: limit, Malformed.self)
        } catch {
            return nil
        }
    }

    /// Parses an object.
    ///
    /// - Parameters:
    ///   - bytes: The object; only white space surrounds it.
    ///   - limit: The maximum number of members.
    ///   - failure: The type of the errors.
    /// - Throws: `repeatedMember` for a repeated name; `invalidJSON` for any other text, and for a name beyond ASCII of more than 64 bytes.
    package init<Failure: JSONReadingFailure>(
        _ bytes: RawSpan, limit: Int = .max, _ failure: Failure.Type
    ) throws {
        var reader = JSONReader<Failure>(bytes)
        var repeated: Failure?
        while let name = try reader.nextKey(in: bytes, isFirst: names.isEmpty) {
            guard names.count < limit,
                name.utf8.count <= Self.maximumNameSize || name.isASCII(in: 0...0x7F)
            else { throw reader.unexpected(in: bytes) }
            names.append(name)
            let kind = try reader.nextKind(in: bytes)
            let member = Member(kind: kind, range: try reader.rangeOfValue(in: bytes))
            if members.updateValue(member, forKey: name) != nil, repeated == nil {
                repeated = .repeatedMember(name, line: reader.currentLine(in: bytes))
            }
        }
        try reader.expectEnd(in: bytes)
        if let repeated { throw repeated }
    }

    /// Whether a text begins with an object, unlike any CSV header.
    package static func isObject(_ bytes: RawSpan) -> Bool {
        var reader = JSONReader<Malformed>(bytes)
        return (try? reader.nextKind(in: bytes)) == .object
    }

    /// The kind of a member; nil if it is missing.
    package func kind(of name: String) -> JSONKind? { members[name]?.kind }

    /// Whether a member exists and is not null.
    package func has(_ name: String) -> Bool { ![nil, .null].contains(kind(of: name)) }

    /// The range of a value, for a string with its quotation marks; nil if the member is missing.
    package func range(of name: String) -> Range<Int>? { members[name]?.range }

    /// A string.
    package func text(_ name: String, in bytes: RawSpan) -> String? {
        value(name, .string, in: bytes) { try $0.text(in: $1) }
    }

    /// A number in its original spelling.
    package func numberText(_ name: String, in bytes: RawSpan) -> String? {
        value(name, .number, in: bytes) { try $0.numberText(in: $1) }
    }

    /// An integer in the range of `Int64`.
    package func number(_ name: String, in bytes: RawSpan) -> Int64? {
        numberText(name, in: bytes).flatMap { Int64($0) }
    }

    /// A boolean.
    package func flag(_ name: String, in bytes: RawSpan) -> Bool? {
        value(name, .boolean, in: bytes) { try $0.boolean(in: $1) }
    }

    /// A string in guarded memory.
    ///
    /// - Throws: `SecretMemoryError.outOfMemory`.
    package func secret(_ name: String, in bytes: RawSpan) throws -> SecretBytes? {
        guard let member = members[name], member.kind == .string else { return nil }
        let part = bytes.extracting(member.range)
        var reader = JSONReader<Malformed>(part)
        var secret = try SecretBytes(count: part.byteCount)
        try reader.secret(in: part, into: &secret)
        return secret
    }

    /// The ranges of an array's elements.
    package func elements(_ name: String, in bytes: RawSpan) -> [Range<Int>]? {
        guard let start = members[name]?.range.lowerBound else { return nil }
        return value(name, .array, in: bytes) { reader, part in
            var ranges: [Range<Int>] = []
            while try reader.nextElement(in: part, isFirst: ranges.isEmpty) {
                let range = try reader.rangeOfValue(in: part)
                ranges.append((start + range.lowerBound)..<(start + range.upperBound))
            }
            return ranges
        }
    }

    /// An array of strings; nil if an element is of another kind.
    package func texts(_ name: String, in bytes: RawSpan) -> [String]? {
        guard let ranges = elements(name, in: bytes) else { return nil }
        let texts = ranges.compactMap { Self.text(at: $0, in: bytes) }
        return texts.count == ranges.count ? texts : nil
    }

    /// The string in a range; nil for a value of another kind.
    package static func text(at range: Range<Int>, in bytes: RawSpan) -> String? {
        let part = bytes.extracting(range)
        var reader = JSONReader<Malformed>(part)
        return try? reader.text(in: part)
    }

    private func value<Value>(
        _ name: String, _ kind: JSONKind, in bytes: RawSpan,
        _ read: (inout JSONReader<Malformed>, RawSpan) throws -> Value
    ) -> Value? {
        guard let member = members[name], member.kind == kind else { return nil }
        let part = bytes.extracting(member.range)
        var reader = JSONReader<Malformed>(part)
        return try? read(&reader, part)
    }
}
