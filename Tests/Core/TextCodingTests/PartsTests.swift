import Testing
import TextCoding

struct PartsTests {
    @Test(
        arguments: [
            ("", "a", nil), ("a", "a", 0), ("postgres://x://", "://", 8), ("aab", "ab", 1),
            ("ü", "u\u{308}", nil), ("ab", "abc", nil), ("äöü", "ü", 4),
        ] as [(String, String, Int?)])
    func place(_ text: String, _ part: String, _ offset: Int?) {
        let place = text.byteRange(of: part)
        #expect(
            place.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
        #expect(place.map { String(text[$0]) } == offset.map { _ in part })
        #expect(text.has(part) == (offset != nil))
    }

    @Test(arguments: [
        ("", ""), ("%25", "%"), ("a%25b%25", "a%b%"), ("%2525", "%25"), ("%2", "%2"),
    ])
    func substituting(_ text: String, _ result: String) {
        #expect(text.substituting("%25", for: "%") == result)
        // A part of a text has the same parts.
        #expect("-\(text)".dropFirst().substituting("%25", for: "%") == result)
    }
}
