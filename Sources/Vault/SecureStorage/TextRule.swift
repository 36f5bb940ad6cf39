/// The rules for text in a secret's attributes (`Docs/Format.md`, section 5).
package struct TextRule: Sendable {
    let sizes: ClosedRange<Int>
    let allowsControlCharacters: Bool

    /// Creates a rule.
    package init(sizes: ClosedRange<Int>, allowsControlCharacters: Bool) {
        self.sizes = sizes
        self.allowsControlCharacters = allowsControlCharacters
    }

    /// The rule for service, account, field and keys of further attributes.
    package static let name = TextRule(
        sizes: 1...SecretName.maximumSize, allowsControlCharacters: false)
    /// The rule for a label.
    package static let label = TextRule(
        sizes: 0...SecretName.maximumSize, allowsControlCharacters: false)
    /// The rule for the text of a further attribute.
    package static let attribute = TextRule(
        sizes: 0...SecretAttributes.maximumSize, allowsControlCharacters: true)

    /// The first violated rule, or nil.
    package func violation(_ text: String) -> InvalidNameReason? {
        let bytes = text.utf8Span.span
        let size = bytes.count
        if size < sizes.lowerBound { return .empty }
        if size > sizes.upperBound { return .tooLong(maximum: sizes.upperBound) }
        return allowsControlCharacters || !Self.holdsControlCharacter(bytes)
            ? nil : .controlCharacter
    }

    /// Whether bytes are UTF-8 and follow the rule.
    package func allows(_ bytes: Span<UInt8>) -> Bool {
        guard sizes.contains(bytes.count) else { return false }
        var seen: UInt8 = 0
        var isControlled = false
        for index in bytes.indices {
            let byte = bytes[index]
            seen |= byte
            isControlled = isControlled || byte < 0x20 || byte == 0x7F
        }
        // Most texts are ASCII, which needs no further look.
        guard seen >= 0x80 else { return allowsControlCharacters || !isControlled }
        guard (try? UTF8Span(validating: bytes)) != nil else { return false }
        return allowsControlCharacters || !Self.holdsControlCharacter(bytes)
    }

    package func check(_ text: String, _ field: String) throws {
        if let reason = violation(text) {
            throw SecureStoreError.invalidName(field: field, reason)
        }
    }

    /// Whether the text has U+0000 to U+001F, U+007F, or U+0080 to U+009F (in UTF-8: C2, then a byte below A0).
    private static func holdsControlCharacter(_ bytes: Span<UInt8>) -> Bool {
        var previous: UInt8 = 0
        for index in bytes.indices {
            let byte = bytes[index]
            if byte < 0x20 || byte == 0x7F || (previous == 0xC2 && byte < 0xA0) { return true }
            previous = byte
        }
        return false
    }
}
