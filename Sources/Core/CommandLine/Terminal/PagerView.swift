internal import Platform

/// The display of a text, from the first drawing to its end.
struct PagerView {
    /// The part of the screen that is unknown, and drawn in any case.
    private enum Stale {
        case screen, lines, nothing
    }

    /// The longest interval between checks of the permission to show the text, in milliseconds.
    private static let interval: Int32 = 200
    /// The timeout for the rest of a key sequence, in milliseconds.
    private static let keyTime: Int32 = 50

    var screen: AlternateScreen
    private(set) var position: ScrollPosition
    private let style: Style
    private let separator: String
    private var lines: [String] = []
    private var keys = PagerKeyDecoder()
    private var search = PagerSearch()
    private var stale = Stale.screen
    /// The rows on the screen, and the text of the status.
    private var drawn: [String] = []
    private var status = PagerStatus()
    /// Whether the last search found nothing.
    private var isMissing = false

    init(screen: AlternateScreen, position: ScrollPosition, style: Style, separator: String) {
        self.screen = screen
        self.position = position
        self.style = style
        self.separator = separator
    }

    /// Draws, and handles keys and signals.
    mutating func run(
        _ permission: () -> TextPermission, _ layout: (_ columns: Int) -> [String]
    ) throws -> TransientPager.Ending {
        layOut(layout)
        while true {
            // Check right before drawing, because earlier steps may take long.
            guard let timeLeft = permission().timeLeft else { return .hidden }
            let event: ScreenEvent
            switch try draw(timeLeft: timeLeft) {
            case nil: event = try screen.wait(milliseconds: waiting(timeLeft))
            // Handle keys even while the terminal accepts no output.
            case .timeout: event = try screen.wait(milliseconds: 0)
            case let obstacle?: event = obstacle
            }
            switch event {
            case .ready:
                guard let bytes = try screen.read() else { return .terminalGone }
                for byte in bytes {
                    if search.entry != nil {
                        if search.take(byte) { find(backwards: false) }
                    } else if let key = keys.take(byte), !scroll(key) {
                        return .closed
                    }
                }
            case .timeout:
                if let key = keys.pause(), !scroll(key) { return .closed }
            case .signal(SIGWINCH), .signal(SIGCONT):
                // Both may come after a stop, in either order, and another program may have changed the terminal in the meantime.
                screen.takeSettingsAgain()
                screen.measure()
                layOut(layout)
                stale = .screen
            case .signal(let number): return .signal(number)
            case .gone: return .terminalGone
            }
        }
    }

    private mutating func layOut(_ layout: (_ columns: Int) -> [String]) {
        lines = layout(screen.columns).flatMap { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        }
        position.resize(count: lines.count, page: screen.rows - 1)
        if stale == .nothing { stale = .lines }
    }

    /// The visible lines.
    var visibleLines: ArraySlice<String> { lines[position.visible] }

    /// - Returns: Whether the pager continues.
    private mutating func scroll(_ key: PagerKey) -> Bool {
        isMissing = false
        switch key {
        case .close: return false
        case .enter where position.isAtEnd: return false
        case .search: search.begin()
        case .next: find(backwards: false)
        case .previous: find(backwards: true)
        default: position.move(key)
        }
        return true
    }

    /// Shows the next line with the searched text, or the one before, at the top.
    private mutating func find(backwards: Bool) {
        if search.text.isEmpty { return }
        let found = search.line(
            after: position.found ?? position.top - 1, backwards: backwards, in: lines)
        isMissing = found == nil
        if let found { position.show(found) }
    }

    /// Draws the rows that have changed. A screen reader speaks each drawn text.
    private mutating func draw(timeLeft: Duration?) throws -> ScreenEvent? {
        let visible = visibleLines
        let rows = (0..<max(screen.rows - 1, 1)).map { row in
            let index = visible.startIndex + row
            return index < visible.endIndex ? search.marked(visible[index]) : ""
        }
        let status = PagerStatus(
            timeLeft: timeLeft, position: position, search: search.entered,
            missing: isMissing ? search.text : nil, separator: separator)
        var drawing = stale == .screen ? AlternateScreen.begin : ""
        for (index, row) in rows.enumerated()
        where stale != .nothing || index >= drawn.count || drawn[index] != row {
            drawing += AlternateScreen.place(row, inRow: index + 1)
        }
        if screen.rows > 1, stale != .nothing || status != self.status {
            drawing += draw(status)
        }
        if drawing.isEmpty { return nil }
        let obstacle = try screen.write(drawing, timeLimit: Self.interval)
        if obstacle == nil {
            (stale, drawn, self.status) = (.nothing, rows, status)
        } else if stale == .nothing {
            // Part of the drawing may be on the screen.
            stale = .lines
        }
        return obstacle
    }

    /// The output that draws the last row; only the digits of the time left if nothing else has changed.
    private func draw(_ status: PagerStatus) -> String {
        // The last column stays free: some terminals scroll after output in the last column of the last row.
        let cut = TextWidth.truncate(status.text, to: screen.columns - 1)
        guard stale == .nothing, let change = status.timeChange(since: self.status),
            change.column + change.text.count < screen.columns
        else { return AlternateScreen.place(style.apply(.faint, to: cut), inRow: screen.rows) }
        return "\u{1B}[\(screen.rows);\(change.column)H"
            + style.apply(.faint, to: change.text) + "\u{1B}[0m"
    }

    private func waiting(_ timeLeft: Duration?) -> Int32 {
        var longest = keys.waitsForMore ? Self.keyTime : Self.interval
        if let timeLeft, timeLeft < .milliseconds(Int(longest)) {
            longest = Int32(timeLeft / .milliseconds(1)) + 1
        }
        return longest
    }
}

/// The visible lines of a text.
struct ScrollPosition {
    /// The first visible line, from 0.
    private(set) var top = 0
    /// The number of lines.
    private(set) var count = 0
    /// The number of lines on the screen, at least 1.
    private(set) var page = 1
    /// The line that a search has shown, until another key moves the text.
    private(set) var found: Int?

    /// The visible lines.
    var visible: Range<Int> { top..<min(top + page, count) }

    /// Whether the last line is visible.
    var isAtEnd: Bool { top + page >= count }

    /// Whether the text exceeds the screen.
    var scrolls: Bool { count > page }

    /// Changes the number of lines or the page size, and roughly keeps the position.
    mutating func resize(count: Int, page: Int) {
        found = nil
        if self.count > 0 { top = Int(Double(top) / Double(self.count) * Double(count)) }
        self.count = count
        self.page = max(page, 1)
        move(by: 0)
    }

    /// Shows a line that was found, at the top if possible.
    mutating func show(_ line: Int) {
        move(by: line - top)
        found = line
    }

    /// Scrolls by a key.
    mutating func move(_ key: PagerKey) {
        found = nil
        switch key {
        case .up: move(by: -1)
        case .down, .enter: move(by: 1)
        case .pageUp: move(by: -page)
        case .pageDown: move(by: page)
        case .home: top = 0
        case .end: move(by: count)
        case .close, .search, .next, .previous: break
        }
    }

    private mutating func move(by lines: Int) {
        top = max(0, min(top + lines, count - page))
    }
}

/// The last line of a pager.
struct PagerStatus: Equatable {
    /// The time until the text is hidden, such as `hidden in 1:42`.
    private var time = ""
    private var rest = ""

    /// The line. The most important part comes first, because the end may be truncated.
    var text: String { time + rest }

    /// An empty line.
    init() {}

    /// For example `hidden in 1:42 · q closes · lines 1-20 of 57 · / searches`.
    ///
    /// - Parameters:
    ///   - timeLeft: The time until the text is hidden; nil for no limit.
    ///   - position: The visible lines.
    ///   - search: The text of an entry, else nil.
    ///   - missing: A text that a search has not found.
    ///   - separator: The character between the parts.
    init(
        timeLeft: Duration?, position: ScrollPosition, search: String? = nil,
        missing: String? = nil, separator: String
    ) {
        var parts: [String] = []
        if let search {
            parts = ["/" + search]
        } else {
            if let missing { parts.append("not found: \(VisibleText.escape(missing))") }
            parts.append("q closes")
            if position.scrolls {
                let visible = position.visible
                parts.append(
                    "lines \(visible.lowerBound + 1)-\(visible.upperBound) of \(position.count)")
                parts.append("/ searches")
            }
        }
        rest = parts.joined(separator: " \(separator) ")
        if let timeLeft {
            time = "hidden in \(Self.clock(timeLeft))"
            rest = " \(separator) " + rest
        }
    }

    /// The end of the time that differs, with its column from 1; nil if more has changed.
    func timeChange(since old: PagerStatus) -> (column: Int, text: String)? {
        guard rest == old.rest, time.count == old.time.count else { return nil }
        let same = zip(time, old.time).prefix { $0 == $1 }.count
        return (same + 1, String(time.dropFirst(same)))
    }

    /// Minutes and seconds, and hours if any. Rounded up, so that 0 appears only at the end.
    static func clock(_ time: Duration) -> String {
        let (whole, rest) = time.components
        let seconds = max(0, rest > 0 ? whole + 1 : whole)
        let minutes = seconds / 60 % 60
        let end = (seconds % 60 < 10 ? ":0" : ":") + "\(seconds % 60)"
        guard seconds >= 3_600 else { return "\(minutes)" + end }
        return "\(seconds / 3_600)" + (minutes < 10 ? ":0" : ":") + "\(minutes)" + end
    }
}
