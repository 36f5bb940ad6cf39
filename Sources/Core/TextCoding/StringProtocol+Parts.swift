/// Parts of texts, compared byte by byte. The functions of Swift for that belong to its regular expressions, and any of them would enlarge an
/// executable by 1.3 MB (`Tests/executables`).
extension StringProtocol {
    /// The place of the first such part; nil for none.
    package func place(of part: String) -> Range<Index>? {
        var start = startIndex
        while true {
            if utf8[start...].starts(with: part.utf8) {
                return start..<utf8.index(start, offsetBy: part.utf8.count)
            }
            guard start < endIndex else { return nil }
            utf8.formIndex(after: &start)
        }
    }

    /// Whether there is such a part.
    package func has(_ part: String) -> Bool { place(of: part) != nil }

    /// The text with `other` in the place of each such part, which is not empty.
    package func exchanging(_ part: String, for other: String) -> String {
        var result = ""
        var rest = Substring(self)
        while let place = rest.place(of: part) {
            result += rest[..<place.lowerBound] + other
            rest = rest[place.upperBound...]
        }
        return result + rest
    }
}
