/// Rows of text in aligned columns. Every row is one line: cells are made visible by ``VisibleText`` here, so that nobody forgets.
package struct TextTable: Sendable {
    /// What a column is called, and its side.
    package struct Column: Sendable {
        let title: String
        let alignment: TextAlignment

        /// Makes a column.
        package init(_ title: String, _ alignment: TextAlignment = .leading) {
            self.title = title
            self.alignment = alignment
        }
    }

    /// Columns are not cut below this.
    private static let smallestColumn = 8
    private static let gap = "  "

    private let columns: [Column]
    private var rows: [[String]] = []

    /// Makes a table without rows.
    package init(_ columns: [Column]) {
        precondition(!columns.isEmpty)
        self.columns = columns
    }

    /// Adds a row.
    ///
    /// - Parameter cells: As many as there are columns.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count)
        rows.append(cells.map { VisibleText.escape($0) })
    }

    /// The heading and the rows, without line ends.
    ///
    /// With `limit`, the width of the terminal in columns, the widest cells are cut to fit; a pipe gets everything.
    package func lines(limit: Int? = nil) -> [String] {
        let all = [columns.map(\.title)] + rows
        var widths = columns.indices.map { index in
            all.lazy.map { TextWidth.columns(of: $0[index]) }.max() ?? 0
        }
        if let limit { Self.shrink(&widths, to: limit - Self.gap.utf8.count * (widths.count - 1)) }
        return all.map { line($0, widths: widths) }
    }

    private func line(_ cells: [String], widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index > 0 { line += Self.gap }
            line += TextWidth.pad(
                TextWidth.truncate(cell, to: widths[index]), to: widths[index],
                columns[index].alignment)
        }
        // The last column leaves no blanks at the end.
        while line.utf8.last == 0x20 { line.unicodeScalars.removeLast() }
        return line
    }

    /// Takes columns from the widest until the sum is at most `limit`, or none is left that can be cut.
    private static func shrink(_ widths: inout [Int], to limit: Int) {
        var surplus = widths.reduce(0, +) - limit
        while surplus > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > smallestColumn
        {
            widths[widest] -= 1
            surplus -= 1
        }
    }
}
