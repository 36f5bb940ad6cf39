import Terminal
import Testing

@Suite struct TextLayoutTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("é", 1), ("😀", 2), ("한", 2), ("ａ", 2),
    ])
    func widthCountsColumns(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""),
        ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
        ("", 0, ""),
    ])
    func truncationFitsAndKeepsMarks(text: String, limit: Int, cut: String) {
        #expect(Array(TextWidth.truncate(text, to: limit).utf8) == Array(cut.utf8))
        #expect(TextWidth.columns(of: TextWidth.truncate(text, to: limit)) <= limit)
    }

    @Test func paddingCountsColumns() {
        #expect(TextWidth.pad("日", to: 4) == "日  ")
        #expect(TextWidth.pad("7", to: 3, .trailing) == "  7")
        #expect(TextWidth.pad("long", to: 2) == "long")
    }

    @Test func wrappingBreaksAtBlanks() {
        #expect(TextWidth.wrap("aa bb cc", to: 5) == ["aa bb", "cc"])
        #expect(TextWidth.wrap("aaaaaaa b", to: 5) == ["aaaaaaa", "b"])
        #expect(TextWidth.wrap("", to: 5) == [])
        #expect(TextWidth.wrap("日本 語", to: 5) == ["日本", "語"])
    }

    @Test func tableColumnsAreAligned() {
        var table = TextTable([.init("service"), .init("n", .trailing), .init("label")])
        table.add(["日本", "7", "x"])
        table.add(["mail", "123", ""])
        #expect(
            table.lines() == [
                "service    n  label", "日本       7  x", "mail     123",
            ])
    }

    @Test func tableIsCutToTheTerminal() {
        var table = TextTable([.init("service"), .init("account")])
        table.add([String(repeating: "s", count: 50), String(repeating: "日", count: 30)])
        for limit in 18...120 {
            for line in table.lines(limit: limit) {
                #expect(TextWidth.columns(of: line) <= limit)
            }
        }
        #expect(table.lines(limit: 200) == table.lines())
        #expect(table.lines(limit: 1).count == 2)
    }

    @Test func everyItemIsOneLineWhateverItHolds() {
        var table = TextTable([.init("service"), .init("account")])
        let hostile = ["a\nb", "a\u{2028}b", "a\u{85}b", "\u{1B}[2J", "\r", "\u{202E}x", "a\tb"]
        for text in hostile { table.add([text, text]) }
        let lines = table.lines()
        #expect(lines.count == hostile.count + 1)
        for line in lines {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 })
            #expect(!line.contains { $0.isNewline })
        }
    }
}
