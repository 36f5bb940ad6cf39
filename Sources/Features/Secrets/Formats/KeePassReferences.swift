internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// Replaces the references of KeePass, such as `{REF:P@I:46C9B1FFBD4ABC4BBB260C6190BAD20C}`, by the
/// values of the entries that they name.
///
/// A value may refer to a value that refers on. The work for a file is limited, because references can
/// multiply at each level; what exceeds the limit stays as it is.
struct KeePassReferences {
    /// An entry, with the value of each of its fields.
    private struct Entry {
        var id: [UInt8] = []
        var strings: [String: ImportedValue] = [:]
    }

    /// A reference within a value.
    private struct Reference {
        let range: Range<Int>
        let wanted: UInt8
        let searched: UInt8
        /// The text that the entry is searched for.
        let text: Range<Int>
    }

    /// The maximum number of references from one to the next. KeePass has a similar limit.
    private static let maximumDepth = 10
    private static let fields: [UInt8: String] = [
        UInt8(ascii: "T"): "Title", UInt8(ascii: "U"): "UserName", UInt8(ascii: "P"): "Password",
        UInt8(ascii: "A"): "URL", UInt8(ascii: "N"): "Notes",
    ]

    private var entries: [Entry] = []
    private var places: [[UInt8]: Int] = [:]
    /// The number of bytes that may still be searched and copied.
    private var budget = 1 << 28

    /// Reads all entries, if the file has references.
    init(_ bytes: RawSpan) throws {
        let hasReferences = (0..<max(0, bytes.byteCount - 4)).contains { place in
            bytes[place] == UInt8(ascii: ":") && place >= 3
                && zip(1..., "fer".utf8).allSatisfy { bytes[place - $0] | 0x20 == $1 }
        }
        guard hasReferences else { return }
        var reader = XMLReader(bytes)
        _ = try reader.nextChild(in: bytes)
        try readChildren(&reader, in: bytes)
    }

    /// Reads groups and entries in the open element.
    private mutating func readChildren(_ reader: inout XMLReader, in bytes: RawSpan) throws {
        while let child = try reader.nextChild(in: bytes) {
            switch child {
            case "Root", "Group": try readChildren(&reader, in: bytes)
            case "Entry": try readEntry(&reader, in: bytes)
            default: try reader.skip(in: bytes)
            }
        }
    }

    private mutating func readEntry(_ reader: inout XMLReader, in bytes: RawSpan) throws {
        var entry = Entry()
        while let child = try reader.nextChild(in: bytes) {
            switch child {
            case "UUID": entry.id = Base64.bytes(of: try reader.text(in: bytes), .any) ?? []
            case "String":
                var (key, value) = ("", ImportedValue())
                while let part = try reader.nextChild(in: bytes) {
                    switch part {
                    case "Key": key = try reader.text(in: bytes)
                    case "Value": value = try reader.value(in: bytes)
                    default: throw reader.invalid(in: bytes)
                    }
                }
                entry.strings[key] = value
            default: try reader.skip(in: bytes)
            }
        }
        if entry.id.count == 16, places[entry.id] == nil { places[entry.id] = entries.count }
        entries.append(entry)
    }

    /// The value without references; unchanged if an entry of one is missing, or if the references have no end.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isVisible: Whether the value becomes a name or an address. Those take no passwords, notes and own fields.
    ///   - bytes: The file.
    /// - Returns: The value.
    /// - Throws: `SecretMemoryError`.
    mutating func resolved(
        _ value: ImportedValue, visible isVisible: Bool, in bytes: RawSpan
    ) throws -> ImportedValue {
        if entries.isEmpty { return value }
        return try resolve(value, isVisible, depth: 0, in: bytes) ?? value
    }

    /// Returns nil if a reference cannot be replaced.
    private mutating func resolve(
        _ value: ImportedValue, _ isVisible: Bool, depth: Int, in bytes: RawSpan
    ) throws -> ImportedValue? {
        // Each value is read once in any case.
        if depth > 0 { budget -= value.maximumSize + 64 }
        guard budget > 0, depth <= Self.maximumDepth else { return nil }
        let (references, size) = try value.withSecret(in: bytes) { value in
            value.withBytes { (Self.references(in: $0), $0.byteCount) }
        }
        if references.isEmpty { return value }
        var result = ImportedValue()
        var end = 0
        for reference in references {
            guard
                let target = try target(of: reference, in: value, isVisible, bytes),
                let found = try resolve(target, isVisible, depth: depth + 1, in: bytes)
            else { return nil }
            let before = end..<reference.range.lowerBound
            if !before.isEmpty { result.pieces += value.part(before).pieces }
            result.pieces += found.pieces
            end = reference.range.upperBound
            budget -= found.maximumSize + 64 * found.pieces.count
            guard budget > 0, result.maximumSize <= SecretLimits.maximumValueSize else {
                return nil
            }
        }
        if end < size { result.pieces += value.part(end..<size).pieces }
        return result
    }

    /// The value that a reference names; nil if there is none, or if it must not be visible.
    private mutating func target(
        of reference: Reference, in value: ImportedValue, _ isVisible: Bool, _ bytes: RawSpan
    ) throws -> ImportedValue? {
        let wanted = reference.wanted
        if isVisible, wanted == UInt8(ascii: "P") || wanted == UInt8(ascii: "N") { return nil }
        guard let place = try search(value.part(reference.text), reference.searched, in: bytes)
        else { return nil }
        if wanted == UInt8(ascii: "I") {
            return ImportedValue(.literal(Hexadecimal.text(entries[place].id).uppercased()))
        }
        guard let field = Self.fields[wanted] else { return nil }
        return entries[place].strings[field] ?? ImportedValue()
    }

    /// The entry with this id, or else the first one whose field has the text: the whole field before a part of it.
    private mutating func search(
        _ text: ImportedValue, _ kind: UInt8, in bytes: RawSpan
    ) throws -> Int? {
        if kind == UInt8(ascii: "I") {
            guard let id = try text.text(in: bytes) else { return nil }
            return Hexadecimal.bytes(id.lowercased()).flatMap { places[$0] }
        }
        let field = Self.fields[kind]
        guard field != nil || kind == UInt8(ascii: "O"), !text.isEmpty else { return nil }
        var partial: Int?
        for (place, entry) in entries.enumerated() {
            for (name, value) in entry.strings
            where field.map({ $0 == name }) ?? !Self.fields.values.contains(name) {
                budget -= value.maximumSize + 64
                guard budget > 0 else { return nil }
                let (isWhole, isPart) = try text.withSecret(in: bytes) { text in
                    try text.withBytes { text in
                        try value.withSecret(in: bytes) { value in
                            value.withBytes { value in
                                let isPart = Self.contains(value, text, &budget)
                                return (isPart && value.byteCount == text.byteCount, isPart)
                            }
                        }
                    }
                }
                if isWhole { return place }
                if isPart, partial == nil { partial = place }
            }
        }
        return partial
    }

    /// Whether a value contains a text, ignoring the case of ASCII letters.
    private static func contains(_ value: RawSpan, _ text: RawSpan, _ budget: inout Int) -> Bool {
        func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
        guard text.byteCount <= value.byteCount else { return false }
        return (0...(value.byteCount - text.byteCount)).contains { start in
            guard budget > 0 else { return false }
            for place in 0..<text.byteCount {
                if lower(value[start + place]) != lower(text[place]) {
                    budget -= place
                    return false
                }
            }
            return true
        }
    }

    /// The references in a decoded value, in order.
    private static func references(in value: RawSpan) -> [Reference] {
        func upper(_ place: Int) -> UInt8 {
            (0x61...0x7A).contains(value[place]) ? value[place] & 0xDF : value[place]
        }
        var found: [Reference] = []
        var place = 0
        while place + 9 <= value.byteCount {
            guard value[place] == UInt8(ascii: "{"),
                zip(1..., "REF:".utf8).allSatisfy({ upper(place + $0) == $1 }),
                value[place + 6] == UInt8(ascii: "@"), value[place + 8] == UInt8(ascii: ":")
            else {
                place += 1
                continue
            }
            guard
                let end = ((place + 9)..<value.byteCount).first(where: {
                    value[$0] == UInt8(ascii: "}")
                })
            else { break }
            found.append(
                Reference(
                    range: place..<(end + 1), wanted: upper(place + 5),
                    searched: upper(place + 7), text: (place + 9)..<end))
            place = end + 1
        }
        return found
    }
}
