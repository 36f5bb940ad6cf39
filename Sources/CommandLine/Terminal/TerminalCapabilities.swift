internal import Platform

/// What can be shown at a descriptor.
package struct TerminalCapabilities: Sendable {
    /// Whether a person reads it.
    package let isTerminal: Bool
    /// Whether it may be coloured: a terminal, no `NO_COLOR` in the environment, and `TERM` says that it can more than print.
    package let hasColour: Bool
    /// Whether a line can be overwritten: a terminal, and `TERM` says that it can.
    package let canRedraw: Bool
    /// Whether it shows more than ASCII: the locale's characters are UTF-8.
    package let hasUnicode: Bool
    /// Its width in columns, nil if it is no terminal; 80 where the terminal does not tell.
    package let columns: Int?

    /// Looks at a descriptor and the environment.
    ///
    /// The corresponding C functions are `isatty`, `ioctl` and `getenv`.
    package init(of descriptor: Int32) {
        let columns = Int(platform_terminal_columns(descriptor))
        self.init(
            isTerminal: Descriptor.isTerminal(descriptor), columns: columns == 0 ? 80 : columns,
            terminalName: Self.environment("TERM"), noColour: Self.environment("NO_COLOR"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Self.environment($0) }
                .first { !$0.isEmpty })
    }

    /// Decides from given values; `noColour` is the value of `NO_COLOR`, which counts unless it is empty (no-color.org).
    ///
    /// `locale` is the first value of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty, such as `de_DE.UTF-8`.
    package init(
        isTerminal: Bool, columns: Int, terminalName: String?, noColour: String?,
        locale: String? = nil
    ) {
        let isDumb = (terminalName ?? "").isEmpty || terminalName == "dumb"
        self.isTerminal = isTerminal
        self.columns = isTerminal ? columns : nil
        canRedraw = isTerminal && !isDumb
        let characters = (locale ?? "").lowercased()
        hasUnicode = characters.contains("utf-8") || characters.contains("utf8")
        hasColour = canRedraw && (noColour ?? "").isEmpty
    }

    private init(_ other: TerminalCapabilities, columns: Int) {
        isTerminal = other.isTerminal
        hasColour = other.hasColour
        canRedraw = other.canRedraw
        hasUnicode = other.hasUnicode
        self.columns = columns
    }

    /// The same terminal after it got another width.
    package func resized(to columns: Int) -> TerminalCapabilities {
        TerminalCapabilities(self, columns: columns)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}

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
