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
