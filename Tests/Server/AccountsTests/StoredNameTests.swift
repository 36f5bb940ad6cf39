import Accounts
import Testing
import TestSupport

@Suite("A name that is stored")
struct StoredNameTests {
    @Test("is read only in canonical form")
    func canonical() {
        var generator = SeededGenerator()
        var read = 0
        var wrong: [String] = []
        // Pieces that often form addresses, some of them not canonical.
        let pieces = ["a", "b9", ".", ".", "-", "_", "+", "é", "ſ", "A", "e\u{301}", "ß", "@", " "]
        func text(_ most: Int) -> String {
            (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }.joined()
        }
        for _ in 0..<20_000 {
            let name = text(2) + "@" + text(1) + "x.y" + text(2)
            let expected = EmailAddress(name).flatMap { address in
                address.text.utf8.elementsEqual(name.utf8) ? address : nil
            }
            if EmailAddress(stored: name) != expected { wrong.append(name) }
            if expected != nil { read += 1 }
        }
        #expect(wrong == [], "seed \(generator.seed)")
        #expect(read > 1_000 && read < 19_000)
    }

    @Test("has the sizes of an address", arguments: [62, 63, 64])
    func sizes(label: Int) {
        func isRead(_ text: String) -> Bool { EmailAddress(stored: text) != nil }
        let labels = String(repeating: "x", count: label)
        #expect(isRead("a@\(labels).example") == (label < 64))
        #expect(isRead("a@example.\(labels)") == (label < 64))
        #expect(isRead("a@localhost") && !isRead("a@example"))
        let domain = "@example.org"
        for count in [254, 255] {
            let text = String(repeating: "a", count: count - domain.utf8.count) + domain
            #expect(isRead(text) == (count == 254))
            #expect(isRead(text) == (EmailAddress(text) != nil))
        }
    }
}
