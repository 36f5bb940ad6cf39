internal import Platform
internal import TextCoding

/// A progress line for long work, on a terminal only; it is erased at the end.
///
/// Redrawn only when the text changes, so that the display does not slow the work. Output errors are ignored. Has one owner.
package struct ProgressLine: ~Copyable {
    private let title: String
    private let descriptor: Int32
    private let columns: Int?
    private var shown: String?

    /// Creates a line that shows nothing yet.
    ///
    /// - Parameters:
    ///   - title: The work, such as `checking items`.
    ///   - descriptor: The descriptor of the terminal.
    package init(_ title: String, descriptor: Int32 = Descriptor.standardError) {
        self.init(
            title, descriptor: descriptor, capabilities: TerminalCapabilities(of: descriptor))
    }

    /// Creates a line for a terminal with known capabilities.
    package init(_ title: String, descriptor: Int32, capabilities: TerminalCapabilities) {
        self.title = VisibleText.escape(title)
        self.descriptor = descriptor
        columns = capabilities.canRedraw ? capabilities.columns : nil
    }

    deinit {
        if shown != nil { Self.show("\r\u{1B}[K", at: descriptor) }
    }

    /// Shows that `done` of `total` steps are done.
    package mutating func update(done: Int, of total: Int) {
        guard total > 0 else { return }
        update(Self.share(of: done, total))
    }

    /// Shows the progress as text.
    package mutating func update(_ text: String) {
        guard let columns, text != shown else { return }
        shown = text
        // The last column stays free: a full line would wrap.
        let line = TextWidth.truncate("\(title) \(text)", to: columns - 1)
        Self.show("\r\u{1B}[K" + line, at: descriptor)
    }

    fileprivate static func share(of done: Int, _ total: Int) -> String {
        "\(Int(Double(min(max(done, 0), total)) / Double(total) * 100)) %"
    }

    /// Erases the line, before other output.
    package consuming func finish() {}

    private static func show(_ text: String, at descriptor: Int32) {
        unsafe try? Descriptor.write(text.utf8Span.span.bytes, to: descriptor)
    }
}

/// The progress of a transfer with rate and remaining time, shown after one second. Has one owner.
package struct TransferProgress: ~Copyable {
    private static let delay: Duration = .seconds(1)
    private static let pause: Duration = .milliseconds(250)

    private var line: ProgressLine
    private let total: UInt64?
    private let start: ContinuousClock.Instant
    private var done: UInt64 = 0
    private var next: ContinuousClock.Instant

    /// Begins a transfer.
    ///
    /// - Parameters:
    ///   - title: The work, such as `storing photo.jpg`.
    ///   - total: The number of bytes; nil if it is not known.
    ///   - descriptor: The descriptor of the terminal.
    package init(_ title: String, of total: UInt64?, descriptor: Int32) {
        self.init(ProgressLine(title, descriptor: descriptor), of: total, from: .now)
    }

    /// Begins a transfer with a line, at a time.
    package init(
        _ line: consuming ProgressLine, of total: UInt64?, from start: ContinuousClock.Instant
    ) {
        self.line = line
        self.total = total
        self.start = start
        next = start + Self.delay
    }

    /// Counts more transferred bytes.
    package mutating func add(_ count: Int, at now: ContinuousClock.Instant = .now) {
        done += UInt64(count)
        guard now >= next else { return }
        next = now + Self.pause
        line.update(Self.text(done: done, of: total, after: start.duration(to: now)))
    }

    /// Erases the line, before other output.
    package consuming func finish() {}

    /// The share, or the number of bytes if the total is unknown, with the rate and the remaining time.
    package static func text(done: UInt64, of total: UInt64?, after time: Duration) -> String {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let rate = Double(done) / max(seconds, 0.001)
        let speed = byteText(UInt64(rate)) + "/s"
        guard let total, total > 0 else { return "\(byteText(done)), \(speed)" }
        let share = ProgressLine.share(of: Int(clamping: done), Int(clamping: total))
        guard done > 0 else { return "\(share), \(speed)" }
        let left = Double(total - min(done, total)) / rate
        return "\(share), \(speed), \(TimeSpan(seconds: UInt64(left.rounded(.up))).text) left"
    }
}
