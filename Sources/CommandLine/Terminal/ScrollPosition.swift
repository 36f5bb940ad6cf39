/// Which lines of a text are in sight.
struct ScrollPosition {
    /// The first line in sight, from 0.
    private(set) var top = 0
    /// The number of lines.
    private(set) var count = 0
    /// The number of lines that can be seen at once, at least 1.
    private(set) var page = 1

    /// The lines in sight.
    var visible: Range<Int> { top..<min(top + page, count) }

    /// Whether the last line is in sight.
    var isAtEnd: Bool { top + page >= count }

    /// Whether there is more than fits.
    var scrolls: Bool { count > page }

    /// Takes another number of lines or another page; what was in sight stays about there.
    mutating func resize(count: Int, page: Int) {
        if self.count > 0 { top = Int(Double(top) / Double(self.count) * Double(count)) }
        self.count = count
        self.page = max(page, 1)
        move(by: 0)
    }

    /// Scrolls as a key says.
    mutating func move(_ key: PagerKey) {
        switch key {
        case .up: move(by: -1)
        case .down, .enter: move(by: 1)
        case .pageUp: move(by: -page)
        case .pageDown: move(by: page)
        case .home: top = 0
        case .end: move(by: count)
        case .close: break
        }
    }

    private mutating func move(by lines: Int) {
        top = max(0, min(top + lines, count - page))
    }
}
