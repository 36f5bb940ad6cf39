internal import Platform
public import SecretMemory
public import SecureStorage
internal import TextCoding

/// A text with references to secrets, such as `password = {{ taskvault://mail.example/ada }}`.
///
/// Spaces within the braces are ignored. Other text in double braces is kept.
public struct SecretTemplate: ~Copyable {
    /// A reference and its range in the text.
    private struct Place {
        let range: Range<Int>
        let name: SecretName
    }

    private let text: SecretBytes
    private let places: [Place]

    /// The referenced secrets, each once, in order of their first occurrence.
    public var names: [SecretName] { places.map(\.name).distinct() }

    /// Finds the references in a text. The text may contain any bytes.
    ///
    /// - Throws: ``SecretReferenceError/open(line:)`` or ``SecretReferenceError/malformed(line:)``.
    public init(_ text: consuming SecretBytes) throws {
        places = try text.withBytes { try Self.places(in: $0) }
        self.text = text
    }

    private static func places(in text: RawSpan) throws -> [Place] {
        var places: [Place] = []
        var (position, line) = (0, 1)
        while position < text.byteCount {
            if text[position] == Byte.lineFeed { line += 1 }
            guard text.hasText("{{", at: position) else {
                position += 1
                continue
            }
            var start = position + 2
            while start < text.byteCount, isBlank(text[start]) { start += 1 }
            guard text.hasText("taskvault://", at: start) else {
                // With three braces, the pair may start at the second one.
                position += 1
                continue
            }
            var end = start
            while end < text.byteCount, text[end] != Byte.lineFeed, !text.hasText("}}", at: end) {
                end += 1
            }
            guard text.hasText("}}", at: end) else { throw SecretReferenceError.open(line: line) }
            let range = position..<(end + 2)
            while isBlank(text[end - 1]) { end -= 1 }
            guard let part = text.extracting(start..<end).text(),
                let reference = try? SecretReference(part)
            else { throw SecretReferenceError.malformed(line: line) }
            places.append(Place(range: range, name: reference.name))
            position = range.upperBound
        }
        return places
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Replaces the references with values. References within a value are not replaced.
    ///
    /// - Parameter values: The values of ``names``.
    /// - Returns: The resulting text.
    /// - Throws: `SecretMemoryError.outOfMemory`.
    public borrowing func render(_ values: [SecretName: HeldSecret]) throws -> SecretBytes {
        var size = text.count
        for place in places {
            size += (values[place.name]?.value.count ?? 0) - place.range.count
        }
        var filled = try SecretBytes(count: size)
        var (written, read) = (0, 0)
        filled.withMutableBytes { target in
            text.withBytes { text in
                for place in places {
                    target.copy(text.extracting(read..<place.range.lowerBound), at: written)
                    written += place.range.lowerBound - read
                    read = place.range.upperBound
                    values[place.name]?.value.withBytes { target.copy($0, at: written) }
                    written += values[place.name]?.value.count ?? 0
                }
                target.copy(text.extracting(read..<text.byteCount), at: written)
            }
        }
        platform_wipe_vector_registers()
        return filled
    }
}

extension Sequence where Element: Hashable {
    /// The elements, each once, in order of their first occurrence.
    func distinct() -> [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}

/// A secret with shared ownership, because a collection cannot hold a `SecretBytes`. The last
/// release wipes it.
public final class HeldSecret: Sendable {
    /// The secret.
    public let value: SecretBytes

    /// Takes a secret.
    public init(_ value: consuming SecretBytes) { self.value = value }
}
