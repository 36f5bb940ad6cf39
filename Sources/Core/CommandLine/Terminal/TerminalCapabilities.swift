internal import Platform
internal import TextCoding

/// The capabilities of a terminal at a descriptor.
package struct TerminalCapabilities: Sendable {
    /// Whether the descriptor is a terminal.
    package let isTerminal: Bool
    /// Whether colours are allowed: a terminal, no `NO_COLOR` in the environment, and a `TERM` with control sequences.
    package let hasColour: Bool
    /// Whether a line can be overwritten: a terminal, and a `TERM` with control sequences.
    package let canRedraw: Bool
    /// Whether the terminal shows more than ASCII: the locale uses UTF-8.
    package let hasUnicode: Bool
    /// The width in columns; nil without a terminal, 80 if the terminal does not report it.
    package let columns: Int?

    /// The height in lines; nil without a terminal, and if the terminal does not report it.
    package var rows: Int?

    /// Examines a descriptor and the environment.
    ///
    /// The corresponding C functions are `isatty`, `ioctl` and `getenv`.
    package init(of descriptor: Int32) {
        let columns = Int(platform_terminal_columns(descriptor))
        self.init(
            isTerminal: Descriptor.isTerminal(descriptor), columns: columns == 0 ? 80 : columns,
            terminalName: Self.environment("TERM"), noColour: Self.environment("NO_COLOR"),
            locale: ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { Self.environment($0) }
                .first { !$0.isEmpty })
        let rows = Int(platform_terminal_rows(descriptor))
        self.rows = isTerminal && rows > 0 ? rows : nil
    }

    /// Creates capabilities from given values; `noColour` is the value of `NO_COLOR`, which applies unless it is empty (no-color.org).
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
        hasUnicode = characters.has("utf-8") || characters.has("utf8")
        hasColour = canRedraw && (noColour ?? "").isEmpty
    }

    private init(_ other: TerminalCapabilities, columns: Int) {
        isTerminal = other.isTerminal
        hasColour = other.hasColour
        canRedraw = other.canRedraw
        hasUnicode = other.hasUnicode
        self.columns = columns
        rows = other.rows
    }

    /// The capabilities with another width.
    package func resized(to columns: Int) -> TerminalCapabilities {
        TerminalCapabilities(self, columns: columns)
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
