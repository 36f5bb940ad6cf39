/// The agreement of the lines on the screen with those of a transcript.
struct TranscriptComparison {
    /// Lines of both that correspond, or a line without its like.
    struct Row {
        let expected: Int?
        let shown: Int?
        let agrees: Bool
    }

    /// The line that stands for any lines.
    private static let rest = "..."

    let expected: [String]
    let shown: [String]
    private(set) var rows: [Row] = []
    /// The values of named placeholders, with those of these lines.
    var values: TranscriptPattern.Values

    var agrees: Bool { rows.allSatisfy(\.agrees) }

    /// Compares them, with the values of earlier lines.
    init(expected: [String], shown: [String], values: TranscriptPattern.Values = [:]) {
        (self.expected, self.shown, self.values) = (expected, shown, values)
        align()
    }

    /// Finds the rows with the fewest differences, by dynamic programming.
    private mutating func align() {
        // A new line costs less than another one: lines that agree stay together when many are new.
        let (missing, changed, superfluous, skipped) = (100, 95, 30, 1)
        let same = expected.map { line in
            let pattern = TranscriptPattern(line, values)
            return shown.map { line != Self.rest && pattern.match($0) != nil }
        }
        let isRest = expected.map { $0 == Self.rest }
        var costs = Array(
            repeating: Array(repeating: Int.max / 2, count: shown.count + 1),
            count: expected.count + 1)
        /// The best step from a pair of lines, with the costs of all that follow; nil at the end.
        func step(_ line: Int, _ other: Int) -> (cost: Int, down: Int, right: Int, agrees: Bool)? {
            let (hasLine, hasOther) = (line < expected.count, other < shown.count)
            var steps: [(cost: Int, down: Int, right: Int, agrees: Bool)] = []
            if hasLine, hasOther {
                let agrees = same[line][other]
                steps.append((costs[line + 1][other + 1] + (agrees ? 0 : changed), 1, 1, agrees))
            }
            if hasLine {
                let cost = isRest[line] ? 0 : missing
                steps.append((costs[line + 1][other] + cost, 1, 0, isRest[line]))
            }
            if hasOther {
                let isSkipped = hasLine && isRest[line]
                let cost = isSkipped ? skipped : superfluous
                steps.append((costs[line][other + 1] + cost, 0, 1, isSkipped))
            }
            return steps.min { $0.cost < $1.cost }
        }
        costs[expected.count][shown.count] = 0
        for line in (0...expected.count).reversed() {
            for other in (0...shown.count).reversed() {
                if let best = step(line, other) { costs[line][other] = best.cost }
            }
        }
        var (line, other) = (0, 0)
        while let best = step(line, other) {
            var agrees = best.agrees
            if agrees, best.down == 1, best.right == 1 {
                // A name can have got another value in a line before.
                if let new = TranscriptPattern(expected[line], values).match(shown[other]) {
                    values.merge(new) { old, _ in old }
                } else {
                    agrees = false
                }
            }
            rows.append(
                Row(
                    expected: best.down == 1 ? line : nil, shown: best.right == 1 ? other : nil,
                    agrees: agrees))
            (line, other) = (line + best.down, other + best.right)
        }
    }

    /// Shows lines of the file with their numbers, after `-` if they differ, and other lines of the screen after `+`.
    ///
    /// - Parameter number: The number of the first line in the file.
    /// - Returns: The lines.
    func difference(from number: Int) -> String {
        rows.flatMap { row in
            func line(_ sign: String, _ number: String, _ text: String) -> String {
                String(repeating: " ", count: max(0, 5 - number.count))
                    + "\(number) \(sign) \(text)"
            }
            let wanted = row.expected.map {
                line(row.agrees ? " " : "-", String(number + $0), expected[$0])
            }
            let found = row.agrees ? nil : row.shown.map { line("+", "", shown[$0]) }
            return [wanted, found].compactMap { $0 }
        }.joined(separator: "\n")
    }
}
