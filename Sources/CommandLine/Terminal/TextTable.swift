/// Rows of text in aligned columns. Every row is one line: cells are escaped by ``VisibleText`` here.
///
/// Right-to-left text is kept without isolating marks: few terminals support them, and some draw boxes. A column of free text should be
/// the last one, because terminals that reorder text draw digits after it to its left.
package struct TextTable: Sendable {
    /// The title of a column, its alignment, and whether it is truncated first.
    package struct Column: Sendable {
        let title: String
        let alignment: TextAlignment
        let takesRest: Bool
        let isWhole: Bool

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: The heading.
        ///   - alignment: The side to which shorter cells move.
        ///   - takesRest: Whether it gets the remaining width of the terminal, and is truncated before the others.
        ///   - isWhole: Whether it is never truncated.
        package init(
            _ title: String, _ alignment: TextAlignment = .leading, takesRest: Bool = false,
            isWhole: Bool = false
        ) {
            self.title = title
            self.alignment = alignment
            self.takesRest = takesRest
            self.isWhole = isWhole
        }
    }

    /// A text in a row, and its emphasis on a terminal with colours.
    package struct Cell: Sendable {
        let text: String
        let width: Int
        let emphasis: Style.Emphasis?
        let lead: Int
        private let tail: Int

        /// Creates a cell of any text.
        ///
        /// - Parameters:
        ///   - text: The text.
        ///   - emphasis: The emphasis of the text after `lead`.
        ///   - lead: So many characters at the beginning are bold instead.
        ///   - tail: What stays at the end of a truncated text, if there is room for it.
        package init(
            _ text: String, _ emphasis: Style.Emphasis? = nil, lead: Int = 0, tail: String = ""
        ) {
            self.text = VisibleText.escape(text) + tail
            width = TextWidth.columns(of: self.text)
            self.emphasis = emphasis
            self.lead = lead
            self.tail = tail.count
        }

        /// The text in so many columns.
        fileprivate func truncated(to limit: Int) -> String {
            let tail = text.suffix(tail)
            let rest = limit - TextWidth.columns(of: String(tail))
            guard !tail.isEmpty, rest >= TextTable.narrowestColumn else {
                return TextWidth.truncate(text, to: limit)
            }
            return TextWidth.truncate(String(text.dropLast(tail.count)), to: rest) + tail
        }
    }

    /// The smallest widths of a truncated column, and of the one with the rest: first, and where nothing else can be narrowed.
    private static let smallestColumn = 8
    private static let smallestRest = 16
    fileprivate static let narrowestColumn = 4
    private static let gap = 2

    private let columns: [Column]
    /// The heading and the rows, cell by cell: one array for a long list, instead of one for each row.
    private var cells: [Cell]

    /// Creates a table without rows.
    package init(_ columns: [Column]) {
        precondition(!columns.isEmpty)
        self.columns = columns
        cells = columns.map { Cell($0.title) }
    }

    /// Adds a row.
    ///
    /// - Parameter cells: One for each column.
    package mutating func add(_ cells: [String]) {
        add(cells.map { Cell($0) })
    }

    /// Adds a row of cells with emphasis.
    ///
    /// - Parameter cells: One for each column.
    package mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count)
        self.cells += cells
    }

    /// The heading and the rows, truncated to the width of a terminal; complete and plain for other output.
    package func lines(on capabilities: TerminalCapabilities) -> [String] {
        lines(
            limit: capabilities.columns, style: Style(capabilities),
            canMove: capabilities.canRedraw)
    }

    /// The heading and the rows.
    ///
    /// - Parameters:
    ///   - limit: The width of the terminal in columns, to which the widest cells are truncated; nil for no limit.
    ///   - style: The emphasis of cells.
    ///   - canMove: Whether to position the cursor, so that columns stay aligned after text of terminal-dependent width.
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
                let text = isWhole ? cell.text : cell.truncated(to: widths[index])
                let width = isWhole ? cell.width : TextWidth.columns(of: text)
                let blanks = widths[index] - width
                if columns[index].alignment == .trailing { line.skip(blanks) }
                if cell.lead > 0, isWhole {
                    let lead = text.prefix(cell.lead)
                    line.append(String(lead), lead.count, .bold, style)
                    line.append(
                        String(text.dropFirst(cell.lead)), width - lead.count, cell.emphasis, style)
                } else {
                    line.append(text, width, cell.emphasis, style)
                }
                if columns[index].alignment == .leading { line.skip(blanks) }
            }
            return line.text
        }
    }

    /// Narrows the column with the rest, then the widest ones, until the sum is at most `limit` or no column can be narrowed.
    private func shrink(_ widths: inout [Int], to limit: Int) {
        var surplus = widths.reduce(0, +) - limit
        func narrow(_ index: Int, to smallest: Int) {
            let cut = max(0, min(surplus, widths[index] - smallest))
            widths[index] -= cut
            surplus -= cut
        }
        let rest = columns.indices.filter { columns[$0].takesRest }
        for index in rest { narrow(index, to: Self.smallestRest) }
        let others = columns.indices.filter { !columns[$0].takesRest && !columns[$0].isWhole }
        while surplus > 0, let widest = others.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.smallestColumn
        {
            narrow(widest, to: widths[widest] - 1)
        }
        for index in rest { narrow(index, to: Self.narrowestColumn) }
    }
}

/// A line of a table under construction. Has no trailing spaces.
struct TableLine {
    private let canMove: Bool
    /// The used columns, including skipped ones.
    private var columns = 0
    private var blanks = 0
    private var isCertain = true
    private(set) var text = ""

    init(canMove: Bool) {
        self.canMove = canMove
    }

    /// Skips columns.
    mutating func skip(_ count: Int) {
        columns += count
        blanks += count
    }

    /// Appends text that is escaped already and `width` columns wide.
    mutating func append(
        _ part: String, _ width: Int, _ emphasis: Style.Emphasis?, _ style: Style
    ) {
        guard !part.isEmpty else { return }
        if isCertain || !canMove {
            text += String(repeating: " ", count: blanks)
        } else {
            // Only the terminal knows the cursor's column; text before the next column is not affected.
            text += "\u{1B}[\(columns + 1)G"
            isCertain = true
        }
        blanks = 0
        if let emphasis { text += style.apply(emphasis, to: part) } else { text += part }
        columns += width
        isCertain = isCertain && (!canMove || TextWidth.isCertain(part))
    }
}
