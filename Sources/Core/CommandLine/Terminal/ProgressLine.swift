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
        if shown != nil { Self.show(Self.blank, at: descriptor) }
    }

    /// Erases a line that another thread shows, before other output.
    package static func erase(at descriptor: Int32) {
        if TerminalCapabilities(of: descriptor).canRedraw { show(blank, at: descriptor) }
    }

    private static let blank = "\r\u{1B}[K"

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
        Self.show(Self.blank + line, at: descriptor)
    }

    static func share(of done: Int, _ total: Int) -> String {
        "\(Int(Double(min(max(done, 0), total)) / Double(total) * 100)) %"
    }

    /// Erases the line, before other output.
    package consuming func finish() {}

    private static func show(_ text: String, at descriptor: Int32) {
        unsafe try? Descriptor.write(text.utf8Span.span.bytes, to: descriptor)
    }
}
