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

/// Makes the names of one import unique.
struct NameRegistry {
    private var taken: Set<SecretName> = []
    /// The last number of each name, so that a file of equal names does not take quadratic time.
    private var lastNumber: [SecretName: Int] = [:]

    /// Claims the names of a record under the lowest number for which all of them are free.
    ///
    /// - Parameter candidates: Makes the names for a number, at least one; 1 means without a number.
    /// - Returns: The names, and whether a number was needed.
    /// - Throws: An error of `candidates`.
    mutating func claim(
        _ candidates: (Int) throws -> [SecretName]
    ) throws -> (names: [SecretName], isNumbered: Bool) {
        let plain = try candidates(1)
        let first = plain[0]
        var number = lastNumber[first].map { $0 + 1 } ?? 1
        var names = number == 1 ? plain : try candidates(number)
        while names.contains(where: taken.contains) {
            number += 1
            names = try candidates(number)
        }
        lastNumber[first] = number
        taken.formUnion(names)
        return (names, number > 1)
    }

    /// The ending of an account for a number: nothing, ` (2)`, ` (3)`, …
    static func suffix(_ number: Int) -> String {
        number == 1 ? "" : " (\(number))"
    }
}
