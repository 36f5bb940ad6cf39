import Testing

/// Words of a protected task that are nowhere by chance: new ones in each test.
struct SecretWords {
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
    /// What each of them says apart from blanks, of which a terminal or an encoding may make something else.
    var needles: [String] { all.flatMap { $0.split(separator: " ").suffix(1).map(String.init) } }
}

/// Expects that no file of a home has any of some words.
func expectNowhere(
    _ words: SecretWords, below home: TestHome, _ comment: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let found = try ByteSearch(for: words.needles).findings(below: home.folder)
    #expect(found.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}

/// Expects that a text has none of some words.
func expectNone(
    of words: SecretWords, in text: String, _ comment: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let found = ByteSearch(for: words.needles).findings(in: Array(text.utf8))
    #expect(found.isEmpty, "\(comment)", sourceLocation: sourceLocation)
}
