import Foundation

/// A line of a transcript. Its placeholders match text that differs in each run.
struct TranscriptPattern {
    /// The values of named placeholders such as `<id:1>`.
    typealias Values = [String: String]

    /// A placeholder without a value in a command.
    struct UnknownValue: Error, CustomStringConvertible {
        let placeholder: String
        var description: String { "no output before has \(placeholder)" }
    }

    /// The placeholders, and the text that each matches.
    private static let kinds = [
        "id": "[a-z0-9]+",
        "time": "(?:[a-z]{3} )?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2})?Z?",
        "date": "[0-9]{4}-[0-9]{2}-[0-9]{2}", "number": "[0-9]+",
        "duration": "[0-9]+[a-z]+(?: ?[0-9]+[a-z]+)*", "code": "[A-Za-z0-9_-]{6,}",
        "text": ".+",
    ]

    private let line: String
    private let names: [String]
    private let regex: Regex<AnyRegexOutput>?

    /// A line in which named placeholders that have a value match only that.
    init(_ line: String, _ values: Values) {
        self.line = line
        var names: [String] = []
        var hasPlaceholder = false
        let pattern = Self.replacing(in: line, others: NSRegularExpression.escapedPattern) {
            placeholder, kind in
            if let value = values[placeholder] {
                hasPlaceholder = true
                return NSRegularExpression.escapedPattern(for: value)
            }
            guard let kind = Self.kinds[kind] else { return nil }
            hasPlaceholder = true
            guard placeholder.contains(":") else { return "(?:\(kind))" }
            if let index = names.firstIndex(of: placeholder) { return "\\\(index + 1)" }
            names.append(placeholder)
            return "(\(kind))"
        }
        self.names = names
        regex = hasPlaceholder ? try? Regex(pattern) : nil
    }

    /// Compares a line on the screen.
    ///
    /// - Returns: The values of the names that had none; nil if the line does not match.
    func match(_ text: String) -> Values? {
        guard let regex else { return text == line ? [:] : nil }
        guard let match = text.wholeMatch(of: regex) else { return nil }
        return Values(
            uniqueKeysWithValues: names.enumerated().map { index, name in
                (name, String(match.output[index + 1].substring ?? ""))
            })
    }

    /// Replaces the placeholders in a command by their values.
    static func fill(_ command: String, _ values: Values) throws -> String {
        var unknown: String?
        let filled = replacing(in: command, others: { $0 }) { placeholder, kind in
            if let value = values[placeholder] { return value }
            if kinds[kind] != nil { unknown = placeholder }
            return nil
        }
        if let unknown { throw UnknownValue(placeholder: unknown) }
        return filled
    }

    /// Replaces each placeholder for which there is another text.
    private static func replacing(
        in line: String, others: (String) -> String, by text: (String, _ kind: String) -> String?
    ) -> String {
        var result = ""
        var rest = line[...]
        while let match = rest.firstMatch(of: /<([a-z]+)(?::[a-z0-9]+)?>/) {
            let placeholder = String(match.0)
            result += others(String(rest[..<match.range.lowerBound]))
            result += text(placeholder, String(match.1)) ?? others(placeholder)
            rest = rest[match.range.upperBound...]
        }
        return result + others(String(rest))
    }
}
