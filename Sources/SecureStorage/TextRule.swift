/// What a piece of text in a secret's attributes may look like (`Docs/Format.md`, section 5).
package struct TextRule: Sendable {
    let sizes: ClosedRange<Int>
    let allowsControlCharacters: Bool

    /// Service, account and the keys of further attributes.
    package static let name = TextRule(
        sizes: 1...SecretName.maximumSize, allowsControlCharacters: false)
    /// A label.
    package static let label = TextRule(
        sizes: 0...SecretName.maximumSize, allowsControlCharacters: false)
    /// The text of a further attribute.
    package static let attribute = TextRule(
        sizes: 0...SecretAttributes.maximumSize, allowsControlCharacters: true)

    /// Tells what is wrong with `text`, or nil.
    package func violation(_ text: String) -> InvalidNameReason? {
        let size = text.utf8.count
        if size < sizes.lowerBound { return .empty }
        if size > sizes.upperBound { return .tooLong(maximum: sizes.upperBound) }
        if !allowsControlCharacters, text.unicodeScalars.contains(where: Self.isControl) {
            return .controlCharacter
        }
        return nil
    }

    package func check(_ text: String, _ field: String) throws(SecureStoreError) {
        if let reason = violation(text) { throw .invalidName(field: field, reason) }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
