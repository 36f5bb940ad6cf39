internal import CPlatform

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// What can be shown at a descriptor.
package struct TerminalCapabilities: Sendable {
    /// Whether a person reads it.
    package let isTerminal: Bool
    /// Whether it may be coloured: a terminal, no `NO_COLOR` in the environment, and `TERM` says that it can more than print.
    package let hasColour: Bool
    /// Whether a line can be overwritten: a terminal, and `TERM` says that it can.
    package let canRedraw: Bool
    /// Its width in columns, nil where it is no terminal; 80 where the terminal does not tell.
    package let columns: Int?

    /// Looks at a descriptor and the environment.
    ///
    /// The corresponding C functions are `isatty`, `ioctl` and `getenv`.
    package init(of descriptor: Int32) {
        let columns = Int(platform_terminal_columns(descriptor))
        self.init(
            isTerminal: Descriptor.isTerminal(descriptor), columns: columns == 0 ? 80 : columns,
            terminalName: Self.environment("TERM"), noColour: Self.environment("NO_COLOR"))
    }

    /// Decides from what is known; `noColour` is the value of `NO_COLOR`, which counts unless it is empty (no-color.org).
    package init(isTerminal: Bool, columns: Int, terminalName: String?, noColour: String?) {
        let isDumb = (terminalName ?? "").isEmpty || terminalName == "dumb"
        self.isTerminal = isTerminal
        self.columns = isTerminal ? columns : nil
        canRedraw = isTerminal && !isDumb
        hasColour = canRedraw && (noColour ?? "").isEmpty
    }

    private static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }
}
