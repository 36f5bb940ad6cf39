/// Counts as horizontal bars, such as `Mon ████▌ 9`.
package struct BarChart: Sendable {
    /// A count and its label.
    package struct Bar: Sendable {
        let label: String
        let count: Int

        /// Creates a bar. The label may be any text; a negative count becomes 0.
        package init(_ label: String, _ count: Int) {
            self.label = VisibleText.escape(label)
            self.count = max(0, count)
        }
    }

    /// The maximum length of labels; longer ones are truncated.
    private static let longestLabel = 20
    /// The smallest length of the longest bar, even on a narrow terminal.
    private static let shortestScale = 4
    /// The largest length of a bar, even on a wide terminal.
    private static let longestScale = 60
    private static let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

    private let bars: [Bar]

    /// Creates a chart.
    package init(_ bars: [Bar]) {
        self.bars = bars
    }

    /// A line for each bar, without line ends. Every count above 0 is visible.
    ///
    /// - Parameters:
    ///   - limit: The width in columns.
    ///   - isUnicode: Whether to use block characters with eighths of a column; otherwise ASCII.
    /// - Returns: One line for each bar.
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
