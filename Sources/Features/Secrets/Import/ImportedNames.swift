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
        try ended(by: number == 1 ? "" : " (\(number))")
    }

    /// The series of the names with a number of so many digits: the name with zeros as number. 0 digits: the name without one.
    ///
    /// Names of one series with one number are equal, also long ones that were cut. So counting in a series takes linear time.
    ///
    /// - Throws: `SecureStoreError.invalidName`.
    func series(digits: Int) throws -> SecretName {
        try ended(by: digits == 0 ? "" : " (" + String(repeating: "0", count: digits) + ")").name
    }

    private func ended(
        by suffix: String
    ) throws -> (name: SecretName, changes: [NameChange]) {
        var account = account
        account.append(suffix)
        return (
            try SecretName(service: service, account: account.text, field: field), account.changes
        )
    }
}

extension SecretName {
    /// The number that an import put at the end of the account, with its series; nil without one.
    var numberInSeries: (series: SecretName, number: Int, digits: Int)? {
        guard account.utf8.last == UInt8(ascii: ")"),
            let start = account.utf8.lastIndex(of: UInt8(ascii: "("))
        else { return nil }
        let digits = account[start...].dropFirst().dropLast()
        guard let number = Int(digits), number > 1, String(number) == digits,
            let series = try? SecretName(
                service: service,
                account: String(account[...start])
                    + String(repeating: "0", count: digits.count) + ")",
                field: field)
        else { return nil }
        return (series, number, digits.count)
    }
}

/// Makes the names of one import unique.
struct NameRegistry {
    private var usedNames: Set<SecretName> = []
    /// The last number of each series.
    private var lastNumber: [SecretName: Int] = [:]
    /// How many names were tried.
    private(set) var tries = 0

    /// Claims the lowest free number of a name.
    ///
    /// - Throws: `SecureStoreError.invalidName`.
    mutating func claim(_ name: RecordName) throws -> Int {
        if try claim(1, of: name) { return 1 }
        var (digits, number, end) = (1, 2, 10)
        while true {
            let series = try name.series(digits: digits)
            if let last = lastNumber[series] { number = last + 1 }
            while number < end {
                let isFree = try claim(number, of: name)
                lastNumber[series] = number
                if isFree { return number }
                number += 1
            }
            (digits, number, end) = (digits + 1, end, end * 10)
        }
    }

    /// Claims a number of a name.
    ///
    /// - Returns: Whether the number was free.
    mutating func claim(_ number: Int, of name: RecordName) throws -> Bool {
        tries += 1
        return try usedNames.insert(name.numbered(number).name).inserted
    }
}
