/// Search for parts of texts, byte by byte. Swift's own functions belong to its regular
/// expressions.
/// Those would enlarge an executable by 1.3 MB (`Tests/executables`).
extension StringProtocol {
    /// The range of the first occurrence of `part`; nil if there is none.
    package func byteRange(of part: String) -> Range<Index>? {
        var start = startIndex
        while true {
            if utf8[start...].starts(with: part.utf8) {
                return start..<utf8.index(start, offsetBy: part.utf8.count)
            }
            guard start < endIndex else { return nil }
            utf8.formIndex(after: &start)
        }
    }

    /// Whether the text contains `part`.
    package func has(_ part: String) -> Bool { byteRange(of: part) != nil }

    /// The text with each occurrence of `part`, which must not be empty, replaced by `other`.
    package func substituting(_ part: String, for other: String) -> String {
        var result = ""
        var rest = Substring(self)
        while let place = rest.byteRange(of: part) {
            result.append(contentsOf: rest[..<place.lowerBound])
            result += other
            rest = rest[place.upperBound...]
        }
        result.append(contentsOf: rest)
        return result
    }
}
