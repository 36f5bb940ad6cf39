internal import CommandLine

/// The screen of a terminal after some output. Supports the control sequences of this program, and records any other.
package struct ScreenModel {
    /// The variants of terminals.
    package struct Kind: Sendable {
        /// Whether the alternate screen is supported.
        package var hasAlternate: Bool
        /// Whether grapheme clusters are drawn as one.
        package var joins: Bool

        /// Creates a variant; by default a common terminal.
        package init(hasAlternate: Bool = true, joins: Bool = true) {
            self.hasAlternate = hasAlternate
            self.joins = joins
        }
    }

    private let kind: Kind
    private let size: (rows: Int, columns: Int)
    private var grid: [[String]]
    private var main: [[String]]?
    private var cursor = (row: 0, column: 0)
    private var saved = (row: 0, column: 0)
    /// The lines scrolled off or cleared on the first screen: many terminals keep them.
    package private(set) var scrollback: [String] = []
    package private(set) var cursorIsVisible = true
    package private(set) var wraps = true
    package private(set) var unknown: [String] = []

    /// Processes the output of a program.
    package init(_ text: String, rows: Int = 24, columns: Int = 80, kind: Kind = Kind()) {
        self.kind = kind
        size = (rows, columns)
        grid = Array(repeating: Array(repeating: " ", count: columns), count: rows)
        var rest = Substring(text)
        while let character = rest.first {
            rest.removeFirst()
            if character == "\u{1B}", rest.first == "[" {
                rest.removeFirst()
                let parameters = rest.prefix { !$0.isLetter }
                rest = rest.dropFirst(parameters.count)
                control(String(parameters), rest.popFirst())
            } else {
                put(character)
            }
        }
    }

    /// The rows without trailing blanks.
    package var rows: [String] { grid.map { Self.line($0) } }

    /// Whether the alternate screen is shown.
    package var isAlternate: Bool { main != nil }

    /// The position of a text in a row, in columns from 0.
    package func column(of text: String, inRow row: Int) -> Int? {
        grid[row].indices.first { grid[row][$0...].joined().hasPrefix(text) }
    }

    private static func line(_ cells: [String]) -> String {
        var line = cells.joined()
        while line.last == " " { line.removeLast() }
        return line
    }

    private mutating func put(_ character: Character) {
        if character == "\r\n" || character == "\n" {
            cursor.column = 0
            cursor.row += 1
            if cursor.row == size.rows { scroll() }
            return
        }
        if character == "\r" {
            cursor.column = 0
            return
        }
        var width = TextWidth.columns(of: String(character))
        if !TextWidth.isCertain(String(character)) {
            let scalars = character.unicodeScalars.filter { $0.value > 0x7F }
            width = kind.joins ? 2 : scalars.reduce(0) { $0 + TextWidth.columns(of: String($1)) }
        }
        if cursor.column + width > size.columns {
            if wraps {
                cursor = (cursor.row + 1, 0)
                if cursor.row == size.rows { scroll() }
            } else {
                cursor.column = size.columns - width
            }
        }
        grid[cursor.row][cursor.column] = String(character)
        for offset in 1..<max(width, 1) { grid[cursor.row][cursor.column + offset] = "" }
        cursor.column += width
    }

    private mutating func scroll() {
        if !isAlternate { scrollback.append(Self.line(grid[0])) }
        grid.removeFirst()
        grid.append(Array(repeating: " ", count: size.columns))
        cursor.row = size.rows - 1
    }

    private mutating func control(_ parameters: String, _ final: Character?) {
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        switch (parameters, final) {
        case (_, "H"):
            cursor.row = min(numbers.first ?? 1, size.rows) - 1
            cursor.column = min(numbers.dropFirst().first ?? 1, size.columns) - 1
        case (_, "G"): cursor.column = min(numbers.first ?? 1, size.columns) - 1
        case ("2", "K"):
            grid[cursor.row] = Array(repeating: " ", count: size.columns)
        case ("2", "J"):
            if !isAlternate { scrollback += rows.filter { !$0.isEmpty } }
            grid = grid.map { $0.map { _ in " " } }
        case (_, "m"): break
        case ("?25", "h"): cursorIsVisible = true
        case ("?25", "l"): cursorIsVisible = false
        case ("?7", "h"): wraps = true
        case ("?7", "l"): wraps = false
        case ("?1049", "h"):
            guard kind.hasAlternate, main == nil else { return }
            (main, saved) = (grid, cursor)
            grid = grid.map { $0.map { _ in " " } }
        case ("?1049", "l"):
            guard let first = main else { return }
            (grid, cursor, main) = (first, saved, nil)
        default: unknown.append(parameters + String(final.map { [$0] } ?? []))
        }
    }
}
