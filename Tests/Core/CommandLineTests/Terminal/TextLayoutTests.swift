import CommandLine
import Testing
import TestSupport

@Suite struct TextLayoutTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("日本", 4), ("e\u{301}", 1), ("é", 1), ("😀", 2), ("한", 2), ("ａ", 2),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("🇩🇪", 2), ("🔒", 2), ("עברית", 5), ("x\u{301}\u{302}", 1),
    ])
    func widthCountsColumns(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
    }

    /// A family is 2 columns or 8, a heart 2 or 1, as the terminal can.
    @Test(arguments: [
        ("👨\u{200D}👩\u{200D}👧\u{200D}👦", 8), ("❤\u{FE0F}", 2), ("👍🏽", 4), ("1\u{FE0F}\u{20E3}", 2),
        ("🏳\u{FE0F}\u{200D}🌈", 3), ("🕵\u{FE0F}\u{200D}♂\u{FE0F}", 2),
    ])
    func whereTerminalsDifferTheMostCounts(text: String, columns: Int) {
        #expect(TextWidth.columns(of: text) == columns)
        #expect(!TextWidth.isCertain(text))
        #expect(!TextWidth.isCertain("a" + text + "b"))
    }

    @Test(arguments: [
        "", "abc", "日本", "e\u{301}", "😀", "עברית", "\u{1112}\u{1161}\u{11AB}", "x\u{301}\u{302}",
    ])
    func elsewhereTheyDoNotDiffer(text: String) {
        #expect(TextWidth.isCertain(text))
    }

    @Test(arguments: [2, 3, 5, 8, 9, 10])
    func emojiAreNotCutInTheMiddle(limit: Int) {
        let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦"
        let cut = TextWidth.truncate("a" + family + "bcd", to: limit)
        #expect(cut == (limit < 10 ? "a…" : "a\(family)…"))
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

    @Test(arguments: [
        ("", 5, [""]), ("aa bb cc", 5, ["aa ", "bb cc"]), ("aaaaaaa b", 5, ["aaaaa", "aa b"]),
        ("日本語", 4, ["日本", "語"]), ("日本", 1, ["日", "本"]), ("  a  bcd", 4, ["  a ", " bcd"]),
    ])
    func foldingLosesNothing(text: String, limit: Int, expected: [String]) {
        #expect(TextWidth.fold(text, to: limit) == expected)
        #expect(TextWidth.fold(text, to: limit).joined() == text)
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

    @Test("of texts in any script keep their columns")
    func scripts() {
        var table = TextTable([.init("service"), .init("account"), .init("label")])
        table.add(["café", "漢字", "a\tb"])
        table.add(["mail", "ada", "\u{1B}[2J"])
        #expect(
            table.lines() == [
                "service  account  label", "café     漢字     a\\u{9}b",
                "mail     ada      \\u{1B}[2J",
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

    @Test func emphasisDoesNotMoveColumns() {
        let capabilities = TerminalCapabilities(
            isTerminal: true, columns: 30, terminalName: "xterm", noColour: nil)
        var table = TextTable([.init("id"), .init("name", takesRest: true), .init("due")])
        table.add([.init("a1", .faint), .init("call 日本", .red), .init("today")])
        table.add([.init("b2"), .init(String(repeating: "long ", count: 9)), .init("late", .red)])
        let plain = table.lines(limit: 30)
        let coloured = table.lines(on: capabilities)
        #expect(coloured[1].hasPrefix("\u{1B}[2ma1\u{1B}[0m  \u{1B}[31mcall 日本\u{1B}[0m  "))
        let removed = coloured.map { line in
            [0, 2, 31].reduce(line) { $0.split(separator: "\u{1B}[\($1)m").joined() }
        }
        #expect(removed == plain)
        #expect(plain.allSatisfy { TextWidth.columns(of: $0) <= 30 })
    }

    @Test func withoutColourThereIsNoEmphasis() {
        var table = TextTable([.init("id"), .init("name")])
        table.add([.init("a1", .faint), .init("x", .red)])
        let pipe = TerminalCapabilities(
            isTerminal: false, columns: 5, terminalName: "xterm", noColour: nil)
        #expect(table.lines(on: pipe) == ["id  name", "a1  x"])
    }

    @Test func theColumnThatTakesTheRestIsCutFirst() {
        var table = TextTable([
            .init("id"), .init("name", takesRest: true), .init("due"), .init("also long"),
        ])
        table.add(["a1", String(repeating: "n", count: 20), "tomorrow 9:00", "123456789012345678"])
        let lines = table.lines(limit: 50)
        #expect(lines[1] == "a1  nnnnnnnnnnnnnnn…  tomorrow 9:00  123456789012…")
        #expect(table.lines(limit: 200) == table.lines())
        #expect(table.lines(limit: 40)[1] == "a1  nnnnnnnnnnnnnnn…  tomorro…  1234567…")
        // At last there is little of its text.
        #expect(table.lines(limit: 30)[1] == "a1  nnnnn…  tomorro…  1234567…")
    }

    @Test func aWholeColumnIsNeverCutAndATailStays() {
        var table = TextTable([.init("due", isWhole: true), .init("name", takesRest: true)])
        table.add([.init("2026-12-01 09:00"), .init("call the plumber", tail: " !!! ↻")])
        #expect(table.lines(limit: 80)[1] == "2026-12-01 09:00  call the plumber !!! ↻")
        #expect(table.lines(limit: 36)[1] == "2026-12-01 09:00  call the pl… !!! ↻")
        #expect(table.lines(limit: 28)[1] == "2026-12-01 09:00  cal… !!! ↻")
        #expect(table.lines(limit: 24)[1] == "2026-12-01 09:00  call …")
    }

    @Test(arguments: [true, false])
    func columnsStayAlignedOnEveryTerminal(joins: Bool) {
        let capabilities = TerminalCapabilities(
            isTerminal: true, columns: 40, terminalName: "xterm", noColour: "1")
        var table = TextTable([.init("name", takesRest: true), .init("n", .trailing), .init("due")])
        let names = [
            "plain", "日本語", "👨\u{200D}👩\u{200D}👧\u{200D}👦 dinner", "👍🏽", "e\u{301}", "🇩🇪 visa",
            "1\u{FE0F}\u{20E3} first", "a very long name that is cut 👩🏽\u{200D}🔬",
        ]
        for name in names { table.add([name, "7", "today"]) }
        let lines = table.lines(on: capabilities)
        let screen = ScreenModel(
            lines.joined(separator: "\n"), rows: 20, columns: 40, kind: .init(joins: joins))
        #expect(screen.unknown == [])
        let columns = Set((1...names.count).map { screen.column(of: "today", inRow: $0) })
        #expect(columns == [screen.column(of: "due", inRow: 0)])
        #expect(!columns.contains(nil))
    }

    @Test func aPipeGetsNoMovesOfTheCursor() {
        var table = TextTable([.init("name"), .init("due")])
        table.add(["👍🏽", "today"])
        #expect(table.lines().joined().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    }

    @Test func everyItemIsOneLine() {
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
