/// Emphasis on a terminal with colours, otherwise plain text.
package struct Style: Sendable {
    /// A kind of emphasis.
    package enum Emphasis: String, Sendable, CaseIterable {
        /// Headings.
        case bold = "1"
        /// Less important text.
        case faint = "2"
        /// Errors.
        case red = "31"
        /// Success.
        case green = "32"
        /// Warnings.
        case yellow = "33"
    }

    private let hasColour: Bool

    /// Creates a style for a terminal's capabilities.
    package init(_ capabilities: TerminalCapabilities) {
        hasColour = capabilities.hasColour
    }

    /// No emphasis.
    package static let plain = Style(
        TerminalCapabilities(isTerminal: false, columns: 80, terminalName: nil, noColour: nil))

    /// The text with emphasis. The text must be escaped already, by ``VisibleText``.
    package func apply(_ emphasis: Emphasis, to text: String) -> String {
        hasColour ? "\u{1B}[\(emphasis.rawValue)m\(text)\u{1B}[0m" : text
    }
}
