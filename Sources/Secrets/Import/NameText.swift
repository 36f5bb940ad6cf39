internal import SecureStorage

/// Text of a foreign file, made fit for a name or a label.
struct NameText {
    private(set) var text: String
    private(set) var changes: [NameChange] = []

    /// Replaces control characters, which the vault refuses, by U+FFFD, so that the change is seen.
    init(_ original: String) {
        text = original
        guard original.unicodeScalars.contains(where: Self.isControl) else { return }
        var scalars = String.UnicodeScalarView()
        for scalar in original.unicodeScalars {
            scalars.append(Self.isControl(scalar) ? "\u{FFFD}" : scalar)
        }
        text = String(scalars)
        changes.append(.controlCharactersReplaced)
    }

    /// Whether there is nothing to see.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    /// Appends `suffix`; what would make the whole longer than `limit` bytes gives way to an ellipsis.
    mutating func append(_ suffix: String = "", limit: Int = SecretName.maximumSize) {
        let ellipsis = "…"
        if text.utf8.count + suffix.utf8.count > limit {
            var room = limit - suffix.utf8.count - ellipsis.utf8.count
            var kept = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                room -= UTF8.width(scalar)
                guard room >= 0 else { break }
                kept.append(scalar)
            }
            text = String(kept) + ellipsis
            changes.append(.shortened)
        }
        text += suffix
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }
}
