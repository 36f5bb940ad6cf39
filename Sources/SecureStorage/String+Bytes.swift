extension String {
    /// Whether two texts have the same UTF-8 bytes; `==` treats composed and decomposed letters as equal.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Whether this text precedes another in the order of UTF-8 bytes.
    package func precedesInBytes(_ other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}
