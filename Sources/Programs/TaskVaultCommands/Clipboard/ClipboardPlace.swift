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
    /// A buffer of tmux, which also passes the value on to the clipboard of its terminal.
    case tmux
    /// As `terminal`, through GNU Screen, which passes on only what is marked.
    case screen
    /// The clipboard of the terminal's own machine, by OSC 52 (xterm, control sequences). A program cannot read it.
    case terminal

    /// The buffer of tmux.
    static let buffer = "taskvault"

    /// The places of this session, the best one first.
    static func candidates(_ environment: EnvironmentVariables) -> [ClipboardPlace] {
        var places: [ClipboardPlace] = []
        if environment["WAYLAND_DISPLAY"] != nil { places.append(.wayland) }
        if environment["DISPLAY"] != nil { places.append(.x11) }
        // Neither passes on an ordinary OSC 52 by default.
        places.append(
            environment["TMUX"] != nil ? .tmux : environment["STY"] != nil ? .screen : .terminal)
        return places.filter { $0.isOfTerminal || $0.program(.copy) != nil }
    }

    /// Whether the clipboard is that of a desktop, which every program of the session reaches.
    var isOfDesktop: Bool { self == .wayland || self == .x11 }

    /// Whether this process writes to the terminal, without a helper.
    var isOfTerminal: Bool { self == .screen || self == .terminal }

    /// The name of the clipboard among all of this machine.
    ///
    /// - Parameters:
    ///   - environment: The environment variables of the command.
    ///   - session: The session of the command, which has one terminal.
    /// - Returns: The name.
    func name(_ environment: EnvironmentVariables, session: pid_t) -> String {
        let number =
            switch self {
            case .wayland: environment["WAYLAND_DISPLAY"]
            case .x11: environment["DISPLAY"]
            case .tmux: environment["TMUX"]?.split(separator: ",").first.map(String.init)
            case .screen, .terminal: "\(session)"
            }
        return "\(rawValue) \(number ?? "")"
    }

    /// The operations of a helper.
    enum Work {
        case copy, read, clear
        /// Copies by an older helper: a wl-copy before 2.3 cannot tell clipboard managers to forget the value, and a tmux before 3.2 cannot
        /// pass it on to its terminal.
        case copyByOlder
        /// Removes the buffer of tmux.
        case remove
        /// Lists the features that tmux knows of the terminal to which it passes a value on, if one is attached.
        case listFeatures
    }

    /// The ways to copy, the best one first.
    var copying: [Work] {
        self == .wayland || self == .tmux ? [.copy, .copyByOlder] : [.copy]
    }

    /// The steps of clearing. A tmux before 3.2 knows only the first one.
    var clearing: [Work] { self == .tmux ? [.remove, .clear] : [.clear] }

    /// The helper and its arguments; nil for a terminal.
    func words(_ work: Work) -> [String]? {
        switch (self, work) {
        // Offers `x-kde-passwordManagerHint`, too. xclip offers one type only.
        case (.wayland, .copy): ["wl-copy", "--sensitive", "--type", "text/plain"]
        case (.wayland, .copyByOlder): ["wl-copy", "--type", "text/plain"]
        case (.wayland, .read): ["wl-paste", "--no-newline"]
        case (.wayland, _): ["wl-copy", "--clear"]
        case (.x11, .read): ["xclip", "-selection", "clipboard", "-out", "-target", "UTF8_STRING"]
        case (.x11, _): ["xclip", "-selection", "clipboard", "-in"]
        case (.tmux, .copy): ["tmux", "load-buffer", "-b", Self.buffer, "-w", "-"]
        case (.tmux, .copyByOlder): ["tmux", "load-buffer", "-b", Self.buffer, "-"]
        case (.tmux, .read): ["tmux", "show-buffer", "-b", Self.buffer]
        case (.tmux, .remove): ["tmux", "delete-buffer", "-b", Self.buffer]
        case (.tmux, .listFeatures): ["tmux", "display-message", "-p", "#{client_termfeatures}"]
        // It passes on no empty text.
        case (.tmux, .clear):
            [
                "tmux", "set-buffer", "-b", Self.buffer, "-w", " ", ";", "delete-buffer", "-b",
                Self.buffer,
            ]
        case (.screen, _), (.terminal, _): nil
        }
    }

    /// The path of the helper and its arguments; nil if it is not installed.
    func program(_ work: Work) -> [String]? {
        guard let words = words(work) else { return nil }
        return Executable.path(of: words[0]).map { [$0] + words.dropFirst() }
    }

    /// The only environment variables for the helper. Others are left out, because `LD_PRELOAD` could expose the value.
    static func environment(_ environment: EnvironmentVariables) -> [String] {
        let names = [
            "DISPLAY", "HOME", "TMUX", "TMUX_PANE", "WAYLAND_DISPLAY", "XAUTHORITY",
            "XDG_RUNTIME_DIR",
        ]
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

    /// The largest piece for GNU Screen, in bytes. Screen 4 drops a string of more than 768.
    private static let pieceSize = 256

    /// Sends a value in Base64, encoded in guarded memory.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - descriptor: The terminal.
    ///   - isInScreen: Whether the terminal is a window of GNU Screen, which passes on a device control string (DCS).
    /// - Throws: The error of the terminal.
    static func copy(
        _ value: borrowing SecretBytes, to descriptor: Int32, inScreen isInScreen: Bool
    ) throws {
        let encoded = try Base64.text(ofSecret: value)
        try encoded.withBytes { bytes in
            try write("\u{1B}]52;c;", to: descriptor, inScreen: isInScreen)
            for start in stride(from: 0, to: bytes.byteCount, by: pieceSize) {
                let end = min(start + pieceSize, bytes.byteCount)
                try write(bytes.extracting(start..<end), to: descriptor, inScreen: isInScreen)
            }
            try write("\u{07}", to: descriptor, inScreen: isInScreen)
        }
    }

    /// Clears the clipboard, even if it has changed. The text `!` is not Base64.
    static func clear(_ descriptor: Int32, inScreen isInScreen: Bool) throws {
        try write("\u{1B}]52;c;!\u{07}", to: descriptor, inScreen: isInScreen)
    }

    private static func write(
        _ text: String, to descriptor: Int32, inScreen isInScreen: Bool
    ) throws {
        try write(unsafe text.utf8Span.span.bytes, to: descriptor, inScreen: isInScreen)
    }

    private static func write(
        _ bytes: RawSpan, to descriptor: Int32, inScreen isInScreen: Bool
    ) throws {
        if isInScreen { try write("\u{1B}P", to: descriptor, inScreen: false) }
        try Descriptor.write(bytes, to: descriptor)
        if isInScreen { try write("\u{1B}\\", to: descriptor, inScreen: false) }
    }
}
