internal import CommandLine
internal import Platform
internal import SecretMemory
internal import TextCoding

/// A clipboard that a value can be copied to.
enum ClipboardPlace: String, CaseIterable {
    /// The clipboard of a Wayland session.
    case wayland = "wl-copy"
    /// The clipboard of an X session.
    case x11 = "xclip"
    /// The clipboard of the terminal's own machine, by OSC 52 (xterm, control sequences). A program cannot read it.
    case terminal = "terminal"

    /// The places of this session, the best one first.
    static func candidates(_ environment: EnvironmentVariables) -> [ClipboardPlace] {
        var places: [ClipboardPlace] = []
        if environment["WAYLAND_DISPLAY"] != nil { places.append(.wayland) }
        if environment["DISPLAY"] != nil { places.append(.x11) }
        return places.filter { $0.program(.copy) != nil } + [.terminal]
    }

    /// The operations of a helper.
    enum Work {
        case copy, read, clear
        /// Copies by a wl-copy before 2.3, which cannot tell clipboard managers to forget the value.
        case copyWithoutHint
    }

    /// The ways to copy, the best one first.
    var copying: [Work] { self == .wayland ? [.copy, .copyWithoutHint] : [.copy] }

    /// The helper and its arguments; nil for a terminal.
    func words(_ work: Work) -> [String]? {
        switch (self, work) {
        // Offers `x-kde-passwordManagerHint`, too. xclip offers one type only.
        case (.wayland, .copy): ["wl-copy", "--sensitive", "--type", "text/plain"]
        case (.wayland, .copyWithoutHint): ["wl-copy", "--type", "text/plain"]
        case (.wayland, .read): ["wl-paste", "--no-newline"]
        case (.wayland, .clear): ["wl-copy", "--clear"]
        case (.x11, .read): ["xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"]
        case (.x11, _): ["xclip", "-selection", "clipboard", "-in"]
        case (.terminal, _): nil
        }
    }

    /// The path of the helper and its arguments; nil if it is not installed.
    func program(_ work: Work) -> [String]? {
        guard let words = words(work) else { return nil }
        return Executable.path(of: words[0]).map { [$0] + words.dropFirst() }
    }

    /// The only environment variables for the helper. Others are left out, because `LD_PRELOAD` could expose the value.
    static func environment(_ environment: EnvironmentVariables) -> [String] {
        let names = ["DISPLAY", "HOME", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"]
        var entries = ["PATH=/usr/bin:/bin"]
        for name in names {
            if let value = environment[name] { entries.append("\(name)=\(value)") }
        }
        // wl-copy keeps the value in an unnamed file. This folder is in memory.
        if let folder = environment["XDG_RUNTIME_DIR"] { entries.append("TMPDIR=\(folder)") }
        return entries
    }
}

/// The clipboard of a terminal.
enum TerminalClipboard {
    /// Whether a terminal with this `TERM` at least ignores the sequence.
    static func isUsable(_ terminalName: String?) -> Bool {
        // Old Linux consoles print unknown sequences.
        terminalName.map { !["dumb", "linux"].contains($0) && !$0.hasPrefix("vt") } ?? false
    }

    /// Sends a value in Base64, encoded in guarded memory.
    static func copy(_ value: borrowing SecretBytes, to descriptor: Int32) throws {
        let encoded = try Base64.text(ofSecret: value)
        try write("\u{1B}]52;c;", to: descriptor)
        try encoded.withBytes { try Descriptor.write($0, to: descriptor) }
        try write("\u{07}", to: descriptor)
    }

    /// Clears the clipboard, even if it has changed. The text `!` is not Base64.
    static func clear(_ descriptor: Int32) throws {
        try write("\u{1B}]52;c;!\u{07}", to: descriptor)
    }

    private static func write(_ text: String, to descriptor: Int32) throws {
        unsafe try Descriptor.write(text.utf8Span.span.bytes, to: descriptor)
    }
}
