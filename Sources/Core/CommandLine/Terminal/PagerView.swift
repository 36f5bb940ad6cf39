internal import Platform

/// The display of a text, from the first drawing to its end.
struct PagerView {
    /// The outdated part of the screen.
    private enum Stale {
        case screen, lines, status
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
    private var stale = Stale.screen
    private var status = ""

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
                    if let key = keys.take(byte), !scroll(key) { return .closed }
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
        if stale == .status { stale = .lines }
    }

    /// - Returns: Whether the pager continues.
    private mutating func scroll(_ key: PagerKey) -> Bool {
        if key == .close || key == .enter && position.isAtEnd { return false }
        position.move(key)
        if stale == .status { stale = .lines }
        return true
    }

    /// Draws the outdated part.
    private mutating func draw(timeLeft: Duration?) throws -> ScreenEvent? {
        let text = PagerStatus.line(timeLeft: timeLeft, position: position, separator: separator)
        guard stale != .status || text != status else { return nil }
        var drawing = stale == .screen ? AlternateScreen.begin : ""
        if stale != .status {
            let visible = lines[position.visible]
            for row in 1...max(screen.rows - 1, 1) {
                let index = visible.startIndex + row - 1
                drawing += AlternateScreen.place(
                    index < visible.endIndex ? visible[index] : "", inRow: row)
            }
        }
        if screen.rows > 1 {
            // The last column stays free: some terminals scroll after output in the last column of the last row.
            let cut = TextWidth.truncate(text, to: screen.columns - 1)
            drawing += AlternateScreen.place(style.apply(.faint, to: cut), inRow: screen.rows)
        }
        let obstacle = try screen.write(drawing, patience: Self.interval)
        if obstacle == nil {
            stale = .status
            status = text
        } else if stale == .status {
            // Part of the line may be on the screen.
            status = ""
        }
        return obstacle
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

    /// The visible lines.
    var visible: Range<Int> { top..<min(top + page, count) }

    /// Whether the last line is visible.
    var isAtEnd: Bool { top + page >= count }

    /// Whether the text exceeds the screen.
    var scrolls: Bool { count > page }

    /// Changes the number of lines or the page size, and roughly keeps the position.
    mutating func resize(count: Int, page: Int) {
        if self.count > 0 { top = Int(Double(top) / Double(self.count) * Double(count)) }
        self.count = count
        self.page = max(page, 1)
        move(by: 0)
    }

    /// Scrolls by a key.
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

/// The last line of a pager.
enum PagerStatus {
    /// For example `hidden in 1:42 · q closes · lines 1-20 of 57`. The most important part comes first, because the end may be truncated.
    static func line(timeLeft: Duration?, position: ScrollPosition, separator: String) -> String {
        var parts: [String] = []
        if let timeLeft { parts.append("hidden in \(clock(timeLeft))") }
        parts.append("q closes")
        if position.scrolls {
            let visible = position.visible
            parts.append(
                "lines \(visible.lowerBound + 1)-\(visible.upperBound) of \(position.count)")
        }
        return parts.joined(separator: " \(separator) ")
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
