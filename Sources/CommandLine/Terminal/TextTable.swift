/// Rows of text in aligned columns. Every row is one line: cells are made visible by ``VisibleText`` here.
///
/// Text that is written from right to left stays as it is, without marks around it: few terminals know those that isolate it, and some draw
/// boxes. A column of any text is best the last one, since terminals that reorder draw digits after such text to the left of it.
package struct TextTable: Sendable {
    /// What a column is called, its side, and whether it is cut first.
    package struct Column: Sendable {
        let title: String
        let alignment: TextAlignment
        let takesRest: Bool

        /// Makes a column. With `takesRest`, it has what the others leave on the terminal, and is cut before they are.
        package init(
            _ title: String, _ alignment: TextAlignment = .leading, takesRest: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.takesRest = takesRest
        }
    }

    /// A text of a row, and how it is set off on a terminal that has colour.
    package struct Cell: Sendable {
        let text: String
        let width: Int
        let emphasis: Style.Emphasis?

        /// Makes a cell of any text.
        package init(_ text: String, _ emphasis: Style.Emphasis? = nil) {
            self.text = VisibleText.escape(text)
            width = TextWidth.columns(of: self.text)
            self.emphasis = emphasis
        }
    }

    /// Columns are not cut below this.
    private static let smallestColumn = 8
    private static let gap = 2

    private let columns: [Column]
    /// The heading and the rows, one cell after the other: a long list is one array, not one for each row.
    private var cells: [Cell]

    /// Makes a table without rows.
    package init(_ columns: [Column]) {
        precondition(!columns.isEmpty)
        self.columns = columns
        cells = columns.map { Cell($0.title) }
    }

    /// Adds a row.
    ///
    /// - Parameter cells: As many as there are columns.
    package mutating func add(_ cells: [String]) {
        add(cells.map { Cell($0) })
    }

    /// Adds a row of cells that can be set off.
    ///
    /// - Parameter cells: As many as there are columns.
    package mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count)
        self.cells += cells
    }

    /// The heading and the rows as a terminal shows them, cut to its width; whole and plain for anything else.
    package func lines(on capabilities: TerminalCapabilities) -> [String] {
        lines(
            limit: capabilities.columns, style: Style(capabilities),
            canMove: capabilities.canRedraw)
    }

    /// The heading and the rows.
    ///
    /// - Parameters:
    ///   - limit: The width of the terminal in columns, to which the widest cells are cut; a pipe gets everything.
    ///   - style: How cells are set off.
    ///   - canMove: Whether the cursor can be moved, so that columns stay aligned after text whose width depends on the terminal.
    /// - Returns: A line for the heading and for each row.
    package func lines(
        limit: Int? = nil, style: Style = .plain, canMove: Bool = false
    ) -> [String] {
        var widths = columns.map { _ in 0 }
        for (index, cell) in cells.enumerated() {
            let column = index % columns.count
            widths[column] = max(widths[column], cell.width)
        }
        if let limit { shrink(&widths, to: limit - Self.gap * (widths.count - 1)) }
        return stride(from: 0, to: cells.count, by: columns.count).map { first in
            var line = TableLine(canMove: canMove)
            for index in columns.indices {
                if index > 0 { line.skip(Self.gap) }
                let cell = cells[first + index]
                let isWhole = cell.width <= widths[index]
                let text = isWhole ? cell.text : TextWidth.truncate(cell.text, to: widths[index])
                let width = isWhole ? cell.width : TextWidth.columns(of: text)
                let blanks = widths[index] - width
                if columns[index].alignment == .trailing { line.skip(blanks) }
                line.append(text, width, cell.emphasis, style)
                if columns[index].alignment == .leading { line.skip(blanks) }
            }
            return line.text
        }
    }

    /// Takes columns from the one that has the rest, then from the widest, until the sum is at most `limit`, or none is left to cut.
    private func shrink(_ widths: inout [Int], to limit: Int) {
        var surplus = widths.reduce(0, +) - limit
        for index in columns.indices where columns[index].takesRest && surplus > 0 {
            let cut = max(0, min(surplus, widths[index] - Self.smallestColumn))
            widths[index] -= cut
            surplus -= cut
        }
        while surplus > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.smallestColumn
        {
            widths[widest] -= 1
            surplus -= 1
        }
    }
}

/// A line of a table while it grows. Ends without blanks.
struct TableLine {
    private let canMove: Bool
    /// The columns that are used, blanks that were only skipped among them.
    private var columns = 0
    private var blanks = 0
    private var isCertain = true
    private(set) var text = ""

    init(canMove: Bool) {
        self.canMove = canMove
    }

    /// Leaves columns free.
    mutating func skip(_ count: Int) {
        columns += count
        blanks += count
    }

    /// Appends text that is safe already and takes `width` columns.
    mutating func append(
        _ part: String, _ width: Int, _ emphasis: Style.Emphasis?, _ style: Style
    ) {
        guard !part.isEmpty else { return }
        if isCertain || !canMove {
            text += String(repeating: " ", count: blanks)
        } else {
            // Only the terminal knows where the cursor is; all that stands before the column keeps its place.
            text += "\u{1B}[\(columns + 1)G"
            isCertain = true
        }
        blanks = 0
        if let emphasis { text += style.apply(emphasis, to: part) } else { text += part }
        columns += width
        isCertain = isCertain && (!canMove || TextWidth.isCertain(part))
    }
}
