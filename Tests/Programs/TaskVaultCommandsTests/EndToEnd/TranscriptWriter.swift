import Foundation

/// Writes the lines of a screen as a transcript has them. Text that differs between two homes becomes a placeholder.
struct TranscriptWriter {
    /// The comparisons of the same screen in two homes; each gets the values of new names.
    private(set) var first: TranscriptComparison
    private(set) var second: TranscriptComparison
    /// The transcript as it was, whose names are not given to other text.
    let former: String

    /// Lines that agree stay, with their placeholders; all others are those of the screen.
    mutating func lines() -> [String] {
        first.rows.compactMap { row in
            if row.agrees { return row.expected.map { first.expected[$0] } }
            guard let shown = row.shown else { return nil }
            let others = second.shown
            let line = first.shown[shown]
            return self.line(line, others.count == first.shown.count ? others[shown] : line)
        }
    }

    private mutating func line(_ line: String, _ other: String) -> String {
        let token = /(?:[a-z]{3} )?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}Z?|[A-Za-z0-9_\-]+|./
        let (tokens, others) = (line.matches(of: token), other.matches(of: token))
        guard tokens.count == others.count else { return line }
        return zip(tokens, others).map { word($0.output, $1.output) }.joined()
    }

    private mutating func word(_ word: Substring, _ other: Substring) -> String {
        func both(_ matches: (Substring) -> Bool) -> Bool { matches(word) && matches(other) }
        let today = Date.now.formatted(.iso8601.year().month().day())
        if both({ $0 == today }) { return "<date>" }
        if both({ $0.contains(today) && $0.contains(":") }) { return "<time>" }
        let known = first.values.first {
            $0.value == word && second.values[$0.key].map { $0 == other } == true
        }
        if let known, word.count >= 6 { return known.key }
        guard word != other else { return String(word) }
        if both({ $0.allSatisfy(\.isNumber) }) { return "<number>" }
        if both({ $0.wholeMatch(of: /[a-z0-9]{6,}/) != nil }) {
            let names = (1...).lazy.map { "<id:\($0)>" }
            let values = first.values
            guard let name = names.first(where: { values[$0] == nil && !former.contains($0) })
            else { return "<id>" }
            first.values[name] = String(word)
            second.values[name] = String(other)
            return name
        }
        return both { $0.count >= 6 } ? "<code>" : String(word)
    }
}
