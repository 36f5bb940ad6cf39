internal import SecureStorage

/// Text of an imported file, made valid as a name or a label.
struct NameText {
    private(set) var text: String
    private(set) var changes: [NameChange] = []

    /// Replaces control characters, which the vault refuses, by U+FFFD.
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

    /// Whether there is only white space.
    var isBlank: Bool { text.allSatisfy(\.isWhitespace) }

    /// Appends `suffix`; an ellipsis replaces the end of the text if the whole would exceed `limit` bytes.
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

/// The name of a record before a number makes it unique.
struct RecordName: Sendable {
    let service: String
    let account: NameText
    /// The only field, in TaskVault's own formats; `password` stands for a whole entry.
    var field = SecretName.standardField

    /// The name with a number: 1 means without.
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
    private var taken: Set<SecretName> = []
    /// The last number of each name, so that a file of equal names does not take quadratic time.
    private var lastNumber: [SecretName: Int] = [:]

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
    /// - Returns: Whether it was free.
    mutating func claim(_ number: Int, of name: RecordName) throws -> Bool {
        try taken.insert(name.numbered(number).name).inserted
    }
}
