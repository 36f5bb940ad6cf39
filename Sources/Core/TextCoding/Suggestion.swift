/// A suggestion for a mistyped word.
package enum Suggestion {
    /// The candidate closest to a word: at most one mistake in three letters, or else the
    /// shortest that begins with its three letters at least. nil if none is close.
    package static func closest(to word: String, among candidates: [String]) -> String? {
        let allowed = max(1, min(3, word.count / 3))
        let near = candidates.map { ($0, distance(word, $0)) }.min { $0.1 < $1.1 }
        if let near, near.1 <= allowed { return near.0 }
        let finished = word.count >= 3 ? candidates.filter { $0.hasPrefix(word) } : []
        return finished.min { $0.count < $1.count }
    }

    /// A text with each unknown word replaced by the closest known one.
    ///
    /// - Parameters:
    ///   - text: A text that is not understood.
    ///   - words: The known words, in lower case.
    ///   - isUnderstood: Whether a corrected text is.
    /// - Returns: The corrected text; nil if none is understood.
    package static func corrected(
        _ text: String, to words: [String], where isUnderstood: (String) -> Bool
    ) -> String? {
        var isChanged = false
        let corrected = text.split(separator: " ").map { word -> String in
            let lower = word.lowercased()
            // Short words are too close to each other, and a number is no word.
            guard lower.count > 3, lower.allSatisfy(\.isLetter), !words.contains(lower)
            else { return String(word) }
            let candidates = words.filter { lower.count > 4 || $0.first == lower.first }
            // A word that is not finished is meant more often than one with a letter too many.
            let finished = candidates.filter { $0.hasPrefix(lower) }.min { $0.count < $1.count }
            guard let close = finished ?? closest(to: lower, among: candidates)
            else { return String(word) }
            isChanged = true
            return close
        }.joined(separator: " ")
        return isChanged && isUnderstood(corrected) ? corrected : nil
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
