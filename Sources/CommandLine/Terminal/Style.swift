/// Emphasis for a terminal that has colour, and nothing anywhere else.
package struct Style: Sendable {
    /// A way to set text off.
    package enum Emphasis: String, Sendable, CaseIterable {
        /// Headings.
        case bold = "1"
        /// What matters less.
        case faint = "2"
        /// Errors.
        case red = "31"
        /// What went well.
        case green = "32"
        /// Warnings.
        case yellow = "33"
    }

    private let hasColour: Bool

    /// Makes a style for what a terminal can do.
    package init(_ capabilities: TerminalCapabilities) {
        hasColour = capabilities.hasColour
    }

    /// No emphasis at all.
    package static let plain = Style(
        TerminalCapabilities(isTerminal: false, columns: 80, terminalName: nil, noColour: nil))

    /// The text with emphasis. The text must be safe already, by ``VisibleText``.
    package func apply(_ emphasis: Emphasis, to text: String) -> String {
        hasColour ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}
