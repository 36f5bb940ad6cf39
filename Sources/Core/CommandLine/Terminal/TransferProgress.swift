package import Platform
internal import TextCoding

/// The progress of a transfer with rate and remaining time, shown after one second. Has one owner.
package struct TransferProgress: ~Copyable {
    private static let delay: Duration = .seconds(1)
    private static let pause: Duration = .milliseconds(250)

    private var line: ProgressLine
    private let total: UInt64?
    private let start: BootTime
    private var done: UInt64 = 0
    private var next: BootTime

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
        _ line: consuming ProgressLine, of total: UInt64?, from start: BootTime
    ) {
        self.line = line
        self.total = total
        self.start = start
        next = start + Self.delay
    }

    /// Counts more transferred bytes.
    package mutating func add(_ count: Int, at now: BootTime = .now) {
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
