extension String {
    /// Tells whether two texts have the same bytes of UTF-8; for `==` composed and decomposed letters are equal.
    package func hasSameBytes(as other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }

    /// Tells whether this text comes first in the order of the bytes of UTF-8.
    package func precedesInBytes(_ other: String) -> Bool {
        let (left, right) = (utf8Span.span, other.utf8Span.span)
        for index in 0..<min(left.count, right.count) where left[index] != right[index] {
            return left[index] < right[index]
        }
        return left.count < right.count
    }
}
