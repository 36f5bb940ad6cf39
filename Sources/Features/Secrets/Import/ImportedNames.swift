internal import SecureStorage

/// Text of an imported file, corrected to be a valid name or label.
struct NameText {
    private(set) var text: String
    private(set) var changes: [NameChange] = []

    /// Replaces control characters with U+FFFD, because the vault rejects them.
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

    /// Whether the text is empty or only white space.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    /// Appends `suffix`. If the result would exceed `limit` bytes, the text is cut and an ellipsis
    /// added.
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

/// The name of a record before numbering.
struct RecordName: Sendable {
    let service: String
    let account: NameText
    /// The field, in TaskVault's formats; `password` represents a whole entry.
    var field = SecretName.standardField

    /// The name with a number; 1 adds none.
    ///
    /// - Throws: `SecureStoreError.invalidName`.
    func numbered(_ number: Int) throws -> (name: SecretName, changes: [NameChange]) {
        var account = account
        account.append(number == 1 ? "" : " (\(number))")
        return (
            try SecretName(service: service, account: account.text, field: field), account.changes
        )
    }
}

/// Makes the names of one import unique.
struct NameRegistry {
    private var usedNames: Set<SecretName> = []
    /// The last number of each name. It avoids quadratic time for a file of equal names.
    private var lastNumber: [SecretName: Int] = [:]
    /// How many names were tried.
    private(set) var tries = 0

    /// Claims the lowest free number of a name.
    ///
    /// - Throws: `SecureStoreError.invalidName`.
    mutating func claim(_ name: RecordName) throws -> Int {
        let plain = try name.numbered(1).name
        var number = lastNumber[plain].map { $0 + 1 } ?? 1
        while try !claim(number, of: name) { number += 1 }
        lastNumber[plain] = number
        return number
    }

    /// Claims a number of a name.
    ///
    /// - Returns: Whether the number was free.
    mutating func claim(_ number: Int, of name: RecordName) throws -> Bool {
        tries += 1
        return try usedNames.insert(name.numbered(number).name).inserted
    }
}
