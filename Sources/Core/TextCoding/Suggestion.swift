/// A suggestion for a mistyped word.
package enum Suggestion {
    /// The candidate closest to a word: at most one mistake in three letters, or a prefix. Prefixes
    /// have at least three letters. nil if none is close.
    package static func closest(to word: String, among candidates: [String]) -> String? {
        let allowed = max(1, min(3, word.count / 3))
        let near = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        if let near, near.1 <= allowed { return near.0 }
        return word.count >= 3 ? candidates.first { $0.hasPrefix(word) } : nil
    }

    /// The number of letters to insert, delete, replace or swap with a neighbour to turn one word into the other.
    package static func distance(_ left: String, _ right: String) -> Int {
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
