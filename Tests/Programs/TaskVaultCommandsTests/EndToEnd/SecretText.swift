import Testing

/// Text of a protected task that no file has by chance: new in each test.
struct SecretText {
    let name: String
    let notes: String
    let subtask: String

    init() {
        func word(_ beginning: String) -> String {
            beginning + "-" + String(UInt64.random(in: 1 << 60 ... .max), radix: 36)
        }
        name = word("Geschenk für Älteste")
        notes = word("Schlüssel unterm Blumentopf")
        subtask = word("Überweisung Straße")
    }

    var all: [String] { [name, notes, subtask] }
    /// The last word of each, because a terminal or an encoding may change blanks.
    var needles: [String] { all.flatMap { $0.split(separator: " ").suffix(1).map(String.init) } }
}

/// Expects that no file of a home has any of the text.
func expectNowhere(
    _ secret: SecretText, below home: TestHome, _ comment: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = try ByteSearch(for: secret.needles).findings(below: home.folder)
    #expect(found.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}

/// Expects that a text has nothing of a protected one.
func expectNone(
    of secret: SecretText, in text: String, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let found = ByteSearch(for: secret.needles).findings(in: Array(text.utf8))
    #expect(found.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}
