package import SecretMemory
internal import TextCoding

/// A JSON object from a server. Members that are not read may have any value.
package struct AnswerObject {
    private struct Failure: JSONReadingFailure {
        static func invalidJSON(line: Int) -> Failure { Failure() }
    }

    /// The largest number of members.
    private static let maximumMembers = 256

    /// A reader before each value.
    private var members: [String: JSONReader<Failure>] = [:]

    /// Finds the members.
    ///
    /// - Returns: nil if the bytes are not one object, or if a member is there twice.
    package init?(_ bytes: RawSpan) {
        do {
            var reader = JSONReader<Failure>(bytes)
            guard try reader.nextKind(in: bytes) == .object else { return nil }
            while let name = try reader.nextKey(in: bytes, isFirst: members.isEmpty) {
                guard members.updateValue(reader, forKey: name) == nil,
                    members.count <= Self.maximumMembers
                else { return nil }
                try reader.skipValue(in: bytes)
            }
            try reader.expectEnd(in: bytes)
        } catch {
            return nil
        }
    }

    /// Whether there is a member that is not null.
    func has(_ name: String, in bytes: RawSpan) -> Bool {
        guard var reader = members[name] else { return false }
        return (try? reader.nextKind(in: bytes)) != .null
    }

    /// A text; nil if there is none.
    package func text(_ name: String, in bytes: RawSpan) -> String? {
        guard var reader = members[name] else { return nil }
        do {
            guard try reader.nextKind(in: bytes) == .string else { return nil }
            return try reader.text(in: bytes)
        } catch {
            return nil
        }
    }

    /// Whether a member is true.
    func flag(_ name: String, in bytes: RawSpan) -> Bool {
        guard let range = range(name, in: bytes), range.count == 4 else { return false }
        return zip(range, "true".utf8).allSatisfy { bytes[$0] == $1 }
    }

    /// The range of a value; nil if there is none.
    package func range(_ name: String, in bytes: RawSpan) -> Range<Int>? {
        guard var reader = members[name] else { return nil }
        return try? reader.rangeOfValue(in: bytes)
    }

    /// The values of a list, each as the range of its bytes; nil if there is no list.
    package func elements(_ name: String, in bytes: RawSpan) -> [Range<Int>]? {
        guard var reader = members[name] else { return nil }
        var ranges: [Range<Int>] = []
        do {
            guard try reader.nextKind(in: bytes) == .array else { return nil }
            while try reader.nextElement(in: bytes, isFirst: ranges.isEmpty) {
                ranges.append(try reader.rangeOfValue(in: bytes))
            }
        } catch {
            return nil
        }
        return ranges
    }

    /// A list of texts; nil if there is none.
    func texts(_ name: String, in bytes: RawSpan) -> [String]? {
        guard var reader = members[name] else { return nil }
        var texts: [String] = []
        do {
            guard try reader.nextKind(in: bytes) == .array else { return nil }
            var isFirst = true
            while try reader.nextElement(in: bytes, isFirst: isFirst) {
                guard try reader.nextKind(in: bytes) == .string else { return nil }
                texts.append(try reader.text(in: bytes))
                isFirst = false
            }
        } catch {
            return nil
        }
        return texts
    }

    /// A whole number of seconds; nil if there is none that fits.
    package func seconds(_ name: String, in bytes: RawSpan) -> UInt32? {
        guard var reader = members[name] else { return nil }
        do {
            // Some servers write a text, or a fraction.
            let text =
                try reader.nextKind(in: bytes) == .string
                ? try reader.text(in: bytes) : try reader.numberText(in: bytes)
            return Double(text).flatMap { UInt32(exactly: $0.rounded(.down)) }
        } catch {
            return nil
        }
    }

    /// A whole number; nil if there is none that fits.
    package func number(_ name: String, in bytes: RawSpan) -> Int64? {
        guard var reader = members[name] else { return nil }
        return (try? reader.numberText(in: bytes)).flatMap { Int64($0) }
    }

    /// A token in guarded memory; nil if there is none.
    package func token(_ name: String, in bytes: RawSpan) throws -> SecretBytes? {
        guard var reader = members[name] else { return nil }
        var token = try SecretBytes(count: bytes.byteCount)
        do {
            guard try reader.nextKind(in: bytes) == .string else { return nil }
            try reader.secret(in: bytes, into: &token)
        } catch {
            return nil
        }
        guard token.withBytes({ SessionTokens.isToken($0) }) else { return nil }
        return .some(token)
    }
}
