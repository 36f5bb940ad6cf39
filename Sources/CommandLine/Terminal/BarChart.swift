/// Counts as horizontal bars, such as `Mon ████▌ 9`.
package struct BarChart: Sendable {
    /// A count and what it counts.
    package struct Bar: Sendable {
        let label: String
        let count: Int

        /// Makes a bar. The label may be any text; a count below 0 is 0.
        package init(_ label: String, _ count: Int) {
            self.label = VisibleText.escape(label)
            self.count = max(0, count)
        }
    }

    /// Longer labels are cut.
    private static let longestLabel = 20
    /// Bars are not shorter than this, however narrow the terminal is.
    private static let shortestScale = 4
    /// Bars are not longer than this, however wide the terminal is.
    private static let longestScale = 60
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private let bars: [Bar]

    /// Makes a chart.
    package init(_ bars: [Bar]) {
        self.bars = bars
    }

    /// A line for each bar, without line ends. What is not 0 can be seen.
    ///
    /// - Parameters:
    ///   - limit: The width in columns.
    ///   - isUnicode: Whether there may be blocks, an eighth of a column fine; else there is ASCII only.
    /// - Returns: As many lines as bars.
    package func lines(limit: Int, isUnicode: Bool) -> [String] {
        let labels = bars.map { TextWidth.truncate($0.label, to: Self.longestLabel) }
        let labelWidth = labels.map { TextWidth.columns(of: $0) }.max() ?? 0
        let most = bars.map(\.count).max() ?? 0
        let digits = String(most).utf8.count
        let scale = max(
            Self.shortestScale, min(limit - labelWidth - digits - 2, Self.longestScale))
        return zip(bars, labels).map { bar, label in
            let length = Self.length(of: bar.count, most: most, scale: scale, isUnicode: isUnicode)
            let drawn = length.isEmpty ? "" : length + " "
            return TextWidth.pad(label, to: labelWidth) + " " + drawn + "\(bar.count)"
        }
    }

    private static func length(of count: Int, most: Int, scale: Int, isUnicode: Bool) -> String {
        guard count > 0 else { return "" }
        let share = Double(count) / Double(most)
        guard isUnicode else {
            let columns = Int((share * Double(scale)).rounded())
            return String(repeating: "#", count: max(1, columns))
        }
        let parts = max(1, Int((share * Double(scale * 8)).rounded()))
        return String(repeating: "█", count: parts / 8) + eighths[parts % 8]
    }
}
