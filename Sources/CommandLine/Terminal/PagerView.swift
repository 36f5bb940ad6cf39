internal import Platform

/// A text on a screen, from its first drawing to the reason for its end.
struct PagerView {
    /// What of the screen is not as it should be.
    private enum Stale {
        case screen, lines, status
    }

    /// Whether the text may still be shown is asked again after at most this, in milliseconds.
    private static let interval: Int32 = 200
    /// How long the rest of a key may take, in milliseconds.
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

    /// Draws, and does what keys and signals say.
    mutating func run(
        _ permission: () -> TextPermission, _ layout: (_ columns: Int) -> [String]
    ) throws -> TransientPager.Ending {
        layOut(layout)
        while true {
            // Asked right before drawing, however long anything before took.
            guard let timeLeft = permission().timeLeft else { return .hidden }
            let event: ScreenEvent
            switch try draw(timeLeft: timeLeft) {
            case nil: event = try screen.wait(milliseconds: waiting(timeLeft))
            // Keys are heard also while the terminal takes nothing.
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
            case .signal(SIGWINCH):
                screen.measure()
                layOut(layout)
            case .signal(SIGCONT):
                // Another program may have changed the terminal meanwhile.
                screen.takeSettingsAgain()
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

    /// - Returns: Whether it goes on.
    private mutating func scroll(_ key: PagerKey) -> Bool {
        if key == .close || key == .enter && position.isAtEnd { return false }
        position.move(key)
        if stale == .status { stale = .lines }
        return true
    }

    /// Draws the stale part.
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
            // The last column stays free, as some terminals scroll when the last of the last row is written.
            let cut = TextWidth.truncate(text, to: screen.columns - 1)
            drawing += AlternateScreen.place(style.apply(.faint, to: cut), inRow: screen.rows)
        }
        let obstacle = try screen.write(drawing, patience: Self.interval)
        if obstacle == nil {
            stale = .status
            status = text
        } else if stale == .status {
            // Part of the line may be there.
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

/// The last line of a pager.
enum PagerStatus {
    /// Such as `hidden in 1:42 · q closes · lines 1-20 of 57`, what matters most first: the end may be cut.
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

    /// Minutes and seconds, and hours where there are any. A begun second counts whole: there is none left only when it is over.
    static func clock(_ time: Duration) -> String {
        let (whole, rest) = time.components
        let seconds = max(0, rest > 0 ? whole + 1 : whole)
        let minutes = seconds / 60 % 60
        let end = (seconds % 60 < 10 ? ":0" : ":") + "\(seconds % 60)"
        guard seconds >= 3_600 else { return "\(minutes)" + end }
        return "\(seconds / 3_600)" + (minutes < 10 ? ":0" : ":") + "\(minutes)" + end
    }
}
