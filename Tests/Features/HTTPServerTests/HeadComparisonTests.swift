@testable import HTTPServer
import Testing

@Suite("Parsed heads against sent bytes")
struct HeadComparisonTests {
    /// The bytes that the library leaves of `GET /a HTTP/1.1`, `One: 1` and `Two: 2`.
    private static let head = "GET\0/a\0HTTP/1.1\0\0One\0 1\0\0Two\0\t2 \0\0\0\0"

    /// Whether a head is this request.
    private func holds(
        _ head: String, method: String = "GET", target: String = "/a",
        version: String = "HTTP/1.1", _ fields: [(String, String)] = [("One", "1"), ("Two", "2 ")]
    ) -> Bool {
        func withBytes<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result
        {
            unsafe Array(text.utf8).withUnsafeBytes { unsafe body($0) }
        }
        return unsafe withBytes(head) { head in
            var comparison = unsafe HeadComparison(head)
            let isFirst = unsafe withBytes(method) { method in
                unsafe withBytes(version) { version in
                    unsafe comparison.matchFirstLine(
                        method: method, targetSize: target.utf8.count, version: version)
                }
            }
            guard isFirst else { return false }
            for (name, value) in fields {
                let isNext = unsafe withBytes(name) { name in
                    unsafe withBytes(value) { value in
                        unsafe comparison.matchField(name: name, value: value)
                    }
                }
                guard isNext else { return false }
            }
            return comparison.matchEmptyLine() && comparison.isAtEnd
        }
    }

    @Test("The parsed fields match the head")
    func same() {
        #expect(holds(Self.head))
        #expect(holds("GET\0/a\0HTTP/1.1\0\0\0\0", []))
        #expect(holds("GET\0??\0HTTP/1.1\0\0One\0\0\0\0\0", [("One", "")]))
    }

    @Test("Any other fields do not match the head")
    func different() {
        #expect(!holds(Self.head, method: "PUT"))
        #expect(!holds(Self.head, method: "GE"))
        #expect(!holds(Self.head, target: "/"))
        #expect(!holds(Self.head, target: "/ab"))
        #expect(!holds(Self.head, target: String(repeating: "a", count: 1_000)))
        #expect(!holds(Self.head, version: "HTTP/1.0"))
        #expect(!holds(Self.head, []))
        #expect(!holds(Self.head, [("One", "1")]))
        #expect(!holds(Self.head, [("Two", "2 "), ("One", "1")]))
        #expect(!holds(Self.head, [("One", "1"), ("Two", "2")]))
        #expect(!holds(Self.head, [("One", "2"), ("Two", "2 ")]))
        #expect(!holds(Self.head, [("On", "1"), ("Two", "2 ")]))
        #expect(!holds(Self.head, [("One", "1"), ("Two", "2 "), ("Two", "2 ")]))
        #expect(!holds(Self.head + "a"))
        #expect(!holds(""))
        for count in 0..<Self.head.utf8.count { #expect(!holds(String(Self.head.prefix(count)))) }
    }
}
