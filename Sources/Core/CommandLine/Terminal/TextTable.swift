/// Rows of text in aligned columns. Every row is one line: cells are escaped by ``VisibleText`` here.
///
/// Right-to-left text is kept without isolating characters: few terminals support them, and some
/// draw boxes.
/// Terminals that reorder text draw digits after free text to its left, so such a column should be
/// the last.
package struct TextTable: Sendable {
    /// A column: its title, its alignment and the rules of truncation.
    package struct Column: Sendable {
        let title: String
        let alignment: TextAlignment
        let takesRest: Bool
        let isWhole: Bool

        /// Creates a column.
        ///
        /// - Parameters:
        ///   - title: The heading.
        ///   - alignment: The alignment of cells that are narrower than the column.
        ///   - takesRest: Whether it takes the remaining width of the terminal, and is truncated
        ///     before the others.
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
        fileprivate let text: String
        fileprivate let tail: String
        fileprivate let emphasis: Style.Emphasis?
        fileprivate let lead: Int

        /// Creates a cell of any text.
        ///
        /// - Parameters:
        ///   - text: The text.
        ///   - emphasis: The emphasis of the text after `lead`.
        ///   - lead: The number of characters at the beginning that are bold instead.
        ///   - tail: The text that stays at the end of a truncated cell, if it fits.
        package init(
            _ text: String, _ emphasis: Style.Emphasis? = nil, lead: Int = 0, tail: String = ""
        ) {
            self.text = text
            self.tail = tail
            self.emphasis = emphasis
            self.lead = lead
        }
    }

    /// The stored properties of a cell, without its bytes.
    private struct Shape {
        /// The end of the cell's bytes.
        let end: Int
        let width: Int32
        /// The number of bold characters at the beginning, and of characters that stay at the end.
        var lead: Int32 = 0
        var tail: Int32 = 0
        var emphasis: Style.Emphasis?
    }

    /// The minimum widths of a truncated column and of the column with the rest. The last one
    /// applies if these do not suffice.
    private static let smallestColumn = 8
    private static let smallestRest = 16
    fileprivate static let narrowestColumn = 4
    private static let gap = 2

    private let columns: [Column]
    /// The headings and the rows, cell by cell, and their escaped text. A long list has two arrays
    /// instead of several for each row.
    private var shapes: [Shape] = []
    private var bytes: [UInt8] = []

    /// Creates a table without rows.
    package init(_ columns: [Column]) {
        precondition(!columns.isEmpty)
        self.columns = columns
        for column in columns { add(column.title) }
    }

    /// Adds a row.
    ///
    /// - Parameter cells: One for each column.
    package mutating func add(_ cells: [String]) {
        precondition(cells.count == columns.count)
        for text in cells { add(text) }
    }

    /// Adds a row of cells with emphasis.
    ///
    /// - Parameter cells: One for each column.
    package mutating func add(_ cells: [Cell]) {
        precondition(cells.count == columns.count)
        for cell in cells { add(cell) }
    }

    private mutating func add(_ cell: Cell) {
        let text = VisibleText.escape(cell.text) + cell.tail
        bytes.append(contentsOf: text.utf8)
        shapes.append(
            Shape(
                end: bytes.count, width: Int32(TextWidth.columns(of: text)),
                lead: Int32(cell.lead), tail: Int32(cell.tail.count), emphasis: cell.emphasis))
    }

    private mutating func add(_ text: String) {
        if text.isASCII(in: 0x20...0x7E) {
            bytes.append(contentsOf: text.utf8)
            shapes.append(Shape(end: bytes.count, width: Int32(text.utf8.count)))
        } else {
            add(Cell(text))
        }
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
        var lines: [String] = []
        forEachLine(limit: limit, style: style, canMove: canMove) { bytes in
            lines.append(String(decoding: bytes, as: UTF8.self))
        }
        return lines
    }

    /// Works as ``lines(limit:style:canMove:)``, without keeping the lines in memory.
    ///
    /// - Parameters:
    ///   - limit: As in ``lines(limit:style:canMove:)``.
    ///   - style: As in ``lines(limit:style:canMove:)``.
    ///   - canMove: As in ``lines(limit:style:canMove:)``.
    ///   - body: Receives the UTF-8 of each line, without a line feed.
    package func forEachLine(
        limit: Int? = nil, style: Style = .plain, canMove: Bool = false,
        _ body: ([UInt8]) throws -> Void
    ) rethrows {
        var widths = columns.map { _ in 0 }
        for (index, shape) in shapes.enumerated() {
            let column = index % columns.count
            widths[column] = max(widths[column], Int(shape.width))
        }
        if let limit { shrink(&widths, to: limit - Self.gap * (widths.count - 1)) }
        var start = 0
        for first in stride(from: 0, to: shapes.count, by: columns.count) {
            var line = TableLine(canMove: canMove)
            for index in columns.indices {
                if index > 0 { line.skip(Self.gap) }
                let shape = shapes[first + index]
                append(bytes[start..<shape.end], shape, index, widths[index], style, to: &line)
                start = shape.end
            }
            try body(line.bytes)
        }
    }

    private func append(
        _ text: ArraySlice<UInt8>, _ shape: Shape, _ column: Int, _ width: Int, _ style: Style,
        to line: inout TableLine
    ) {
        let isWhole = shape.width <= width
        let isTrailing = columns[column].alignment == .trailing
        if isWhole, shape.emphasis == nil, shape.lead == 0 {
            let blanks = width - Int(shape.width)
            if isTrailing { line.skip(blanks) }
            line.append(text, Int(shape.width))
            if !isTrailing { line.skip(blanks) }
            return
        }
        var text = String(decoding: text, as: UTF8.self)
        if !isWhole { text = Self.truncate(text, tail: Int(shape.tail), to: width) }
        let used = isWhole ? Int(shape.width) : TextWidth.columns(of: text)
        if isTrailing { line.skip(width - used) }
        if shape.lead > 0, isWhole {
            let lead = text.prefix(Int(shape.lead))
            line.append(String(lead), lead.count, .bold, style)
            line.append(
                String(text.dropFirst(lead.count)), used - lead.count, shape.emphasis, style)
        } else {
            line.append(text, used, shape.emphasis, style)
        }
        if !isTrailing { line.skip(width - used) }
    }

    /// Truncates text to `limit` columns; the tail stays if it fits.
    private static func truncate(_ text: String, tail count: Int, to limit: Int) -> String {
        let tail = text.suffix(count)
        let rest = limit - TextWidth.columns(of: String(tail))
        guard !tail.isEmpty, rest >= narrowestColumn else {
            return TextWidth.truncate(text, to: limit)
        }
        return TextWidth.truncate(String(text.dropLast(count)), to: rest) + tail
    }

    /// Narrows the column with the rest, then the widest ones. It stops when the sum is at most
    /// `limit` or no column can be narrowed.
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
    private(set) var bytes: [UInt8] = []

    init(canMove: Bool) {
        self.canMove = canMove
        bytes.reserveCapacity(120)
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
        move()
        let styled = emphasis.map { style.apply($0, to: part) } ?? part
        bytes.append(contentsOf: styled.utf8)
        advance(width, isCertain: !canMove || TextWidth.isCertain(part))
    }

    /// Appends UTF-8 without emphasis; see ``append(_:_:_:_:)``.
    mutating func append(_ part: ArraySlice<UInt8>, _ width: Int) {
        guard !part.isEmpty else { return }
        move()
        bytes += part
        advance(
            width,
            isCertain: !canMove || TextWidth.isCertain(String(decoding: part, as: UTF8.self)))
    }

    /// Moves the cursor past skipped columns: by spaces, or by an escape sequence if its column is uncertain.
    private mutating func move() {
        if isCertain || !canMove {
            bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: blanks))
        } else {
            // Only the terminal knows the cursor's column. Text before the next column is not affected.
            bytes.append(contentsOf: "\u{1B}[\(columns + 1)G".utf8)
            isCertain = true
        }
        blanks = 0
    }

    private mutating func advance(_ width: Int, isCertain: Bool) {
        columns += width
        self.isCertain = self.isCertain && isCertain
    }
}
