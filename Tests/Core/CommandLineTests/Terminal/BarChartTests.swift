import CommandLine
import Testing

@Suite struct BarChartTests {
    private static let chart = BarChart([
        .init("Mon", 16), .init("Tue", 0), .init("Wed", 9), .init("日本", 1),
    ])

    @Test func barsAreAsLongAsTheirCounts() {
        #expect(
            Self.chart.lines(limit: 16, isUnicode: true) == [
                "Mon  ████████ 16", "Tue  0", "Wed  ████▌ 9", "日本 ▌ 1",
            ])
    }

    @Test func otherLocalesGetASCII() {
        let lines = BarChart([.init("Mon", 16), .init("Tue", 0), .init("Wed", 9)])
            .lines(limit: 15, isUnicode: false)
        #expect(lines == ["Mon ######## 16", "Tue 0", "Wed ##### 9"])
    }

    @Test(arguments: [true, false]) func smallCountsAreVisible(isUnicode: Bool) {
        let lines = BarChart([.init("a", .max), .init("b", 1), .init("c", -1), .init("d", 0)])
            .lines(limit: 80, isUnicode: isUnicode)
        #expect(lines[1] == (isUnicode ? "b ▏ 1" : "b # 1"))
        #expect(lines[2] == "c 0")
        #expect(lines[3] == "d 0")
    }

    @Test(arguments: 20...120) func linesFit(limit: Int) {
        for isUnicode in [true, false] {
            for line in Self.chart.lines(limit: limit, isUnicode: isUnicode) {
                #expect(TextWidth.columns(of: line) <= limit)
            }
        }
    }

    @Test func theLongestBarIsTheLargestCount() {
        let counts = [3, 999, 1_000, 998, 1]
        let lines = BarChart(counts.map { .init("x", $0) }).lines(limit: 40, isUnicode: true)
        let widths = lines.map { $0.count(where: { $0 == "█" }) }
        #expect(widths.max() == widths[2])
        #expect(TextWidth.columns(of: lines[2]) == 40)
    }

    @Test func nothingAtAllIsNoBar() {
        #expect(BarChart([]).lines(limit: 80, isUnicode: true) == [])
        #expect(BarChart([.init("a", 0)]).lines(limit: 80, isUnicode: true) == ["a 0"])
    }

    @Test func labelsAreMadeSafeAndCut() {
        let lines = BarChart([.init("\u{1B}[2J" + String(repeating: "x", count: 90), 1)])
            .lines(limit: 40, isUnicode: true)
        #expect(lines[0].hasPrefix("\\u{1B}[2Jxxxxxxxxxx… █"))
        #expect(TextWidth.columns(of: lines[0]) == 40)
    }

    @Test(
        arguments: [
            ("de_DE.UTF-8", true), ("C.utf8", true), ("UTF-8", true), ("C", false),
            ("POSIX", false),
            ("de_DE.ISO-8859-1", false), ("", false), (nil, false),
        ] as [(String?, Bool)])
    func theLocaleDecidesAboutUnicode(locale: String?, isUnicode: Bool) {
        let capabilities = TerminalCapabilities(
            isTerminal: true, columns: 80, terminalName: "xterm", noColour: nil, locale: locale)
        #expect(capabilities.hasUnicode == isUnicode)
    }
}
