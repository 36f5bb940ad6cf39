/// Text quoted for a shell.
package enum ShellText {
    /// The text, in single quotation marks if a shell would split or expand it.
    package static func quote(_ text: String) -> String {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || "-_./:@%+,=".unicodeScalars.contains(scalar)
        }
        if isPlain, !text.isEmpty { return text }
        return "'"
            + text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            .map { String($0) }.joined(separator: "'\\''") + "'"
    }
}

/// A number with its noun, such as `3 tasks`.
package func counted(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// A number of bytes in a decimal unit, such as `1.2 MB`.
package func byteText(_ count: UInt64) -> String {
    guard count >= 1_000 else { return "\(count) B" }
    let units = ["kB", "MB", "GB", "TB"]
    // The number in tenths of the unit.
    var tenths = (count + 50) / 100
    var unit = 0
    while tenths >= 10_000, unit < units.count - 1 {
        tenths = (tenths + 500) / 1_000
        unit += 1
    }
    let text = tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : "\((tenths + 5) / 10)"
    return "\(text) \(units[unit])"
}

/// A suggestion for a mistyped word.
package enum Suggestion {
    /// The candidate closest to a word: at most one mistake in three letters, or a prefix of at least three letters. nil if none is close.
    package static func closest(to word: String, among candidates: [String]) -> String? {
        let allowed = max(1, min(3, word.count / 3))
        let near = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        if let near, near.1 <= allowed { return near.0 }
        return word.count >= 3 ? candidates.first { $0.hasPrefix(word) } : nil
    }

    /// The number of letters to insert, delete, replace or swap with a neighbour to turn one word into the other.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        // Three rows of the distance table of prefixes: the one before the previous, the previous, and the current.
        var earlier: [Int] = []
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let replaced = previous[column] + (left[row] == right[column] ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    best = min(best, earlier[column - 1] + 1)
                }
                current.append(best)
            }
            earlier = previous
            previous = current
        }
        return previous[right.count]
    }
}
