internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import TextCoding

/// A value on the clipboard, which is cleared later.
struct CopiedValue {
    let place: ClipboardPlace
    /// The time until the clipboard is cleared, in seconds.
    let seconds: Int64
    /// Whether the clipboard of a terminal gets the value, unless the place is one of a desktop.
    private let isPassedOn: Bool

    /// Copies a value and starts the process that clears it.
    ///
    /// - Throws: A failure if no clipboard can be reached.
    init(_ value: borrowing SecretBytes, _ context: CommandContext) throws {
        guard value.count <= ClipboardKeeper.limit else {
            throw Failure(
                .refused, code: "too_large",
                "the value is too large for the clipboard: \(value.count) bytes, at most \(ClipboardKeeper.limit)",
                hint: "leave --clip out, and send the output to a file or a program")
        }
        seconds = try Self.seconds(context)
        let environment = context.console.surroundings.environment
        for place in ClipboardPlace.candidates(environment)
        where try Self.copy(value, to: place, for: seconds, context) {
            self.place = place
            isPassedOn = place != .tmux || ClipboardKeeper.hasTerminalClipboard()
            if place == .terminal { Self.warnOfMultiplexer(environment["TERM"], context) }
            if !isPassedOn {
                context.console.notices.warn(
                    "clipboard_not_reached",
                    "tmux has no terminal with a clipboard; paste with: tmux paste-buffer -b \(ClipboardPlace.buffer)"
                )
            }
            return
        }
        throw Failure(
            .failure, code: "no_clipboard",
            "no clipboard: no desktop with wl-copy or xclip, and no terminal that has one",
            hint: "on a desktop: apt install wl-clipboard xclip")
    }

    /// Warns that a tmux of which only `TERM` tells, as over SSH, drops an OSC 52 by default.
    private static func warnOfMultiplexer(_ terminal: String?, _ context: CommandContext) {
        guard let terminal, ["screen", "tmux"].contains(where: terminal.hasPrefix) else { return }
        context.console.notices.warn(
            "clipboard_filtered", "tmux passes it on only with: tmux set -s set-clipboard on")
    }

    private static func seconds(_ context: CommandContext) throws -> Int64 {
        let setting = StoredSetting.clearClipboardAfter
        let text = try setting.canonical(
            try SettingsFile(context.folders).read()[setting],
            hint: context.folders.command("settings set \(setting.name) \(setting.standard)"))
        return TimeSpan(text).map { Int64($0.seconds) } ?? 45
    }

    /// Tries to copy the value to a place, and returns whether that succeeded.
    private static func copy(
        _ value: borrowing SecretBytes, to place: ClipboardPlace, for seconds: Int64,
        _ context: CommandContext
    ) throws -> Bool {
        let environment = context.console.surroundings.environment
        var errors = "/dev/null"
        if place.isOfTerminal {
            guard TerminalClipboard.isUsable(environment["TERM"]) else { return false }
            errors = "/dev/tty"
        }
        let descriptor = unsafe platform_open(errors, O_RDWR | O_NOCTTY, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return try value.withBytes { bytes in
            try ChildProcess.startInBackground(
                [
                    Application.program, ClipboardKeeper.word, place.rawValue,
                    "\(seconds)", place.name(environment, session: getsid(0)),
                    context.folders.state.map { $0 + "/clipboard" } ?? "",
                ],
                environment.entries, errors: descriptor, until: ClipboardKeeper.readyByte
            ) { try Descriptor.write(bytes, to: $0) } == nil
        }
    }

    /// Prints the place of the value and the time until it is cleared.
    ///
    /// - Parameters:
    ///   - title: The name of the copied value.
    ///   - console: The console that prints it.
    ///   - members: Writes further members of the JSON object.
    /// - Throws: The error of the output.
    func report(
        _ title: String, on console: Console,
        _ members: (inout JSONWriter<Output>) throws -> Void
    ) throws {
        guard console.isJSON else {
            let line =
                switch place {
                case .wayland, .x11:
                    "copied \(title) with \(place.rawValue); cleared in \(seconds) s if the clipboard is unchanged"
                case .tmux where !isPassedOn:
                    "copied \(title) to the buffer \(ClipboardPlace.buffer) of tmux; in \(seconds) s it is removed unseen, even if it has changed"
                case .tmux:
                    "copied \(title) to the buffer \(ClipboardPlace.buffer) of tmux, which sends it to the terminal's clipboard (OSC 52); in \(seconds) s both are cleared unseen, even if they have changed"
                case .screen, .terminal:
                    "sent \(title) to the terminal's clipboard (OSC 52); in \(seconds) s it is cleared unseen, even if it has changed"
                }
            return try console.printLine(line)
        }
        try console.printJSON { json in
            try json.beginObject()
            try members(&json)
            try json.member("clipboard", place.rawValue)
            try json.member("clears_in_seconds", seconds)
            try json.endObject()
        }
    }
}

extension CommandContext {
    /// Prints a secret, or copies its value with `--clip`.
    func deliver(_ found: borrowing FoundSecret) throws {
        guard invocation.has(.clip) else { return try found.print(on: console) }
        let item = found.item
        try CopiedValue(found.value, self).report(item.name.typed, on: console) { json in
            try json.members(of: item)
        }
    }
}

extension OptionDescription {
    static let clip = OptionDescription(
        "clip", "copy to the clipboard, which is cleared after 45 seconds, instead of printing")
}
