package import Platform
package import SecretMemory
internal import TextCoding

/// The person's editor, for a text that must not reach a disk.
///
/// The text is in a folder of its own in memory, which is also the editor's home, current and temporary folder. So its swap files, undo
/// files and histories stay there, also those of a configuration, which it does not find. At the end everything is removed.
/// Not thread-safe.
package struct TextEditor {
    /// The largest text that is read back, in bytes. The place of a text has a smaller limit of its own, and a message for it.
    private static let limit = 4_194_304

    /// The variables that the editor gets. Others may name a configuration, or an editor that runs already and saves elsewhere.
    private static let variables = [
        "PATH", "TERM", "TERMINFO", "TERMINFO_DIRS", "COLORTERM", "NO_COLOR", "LANG", "LANGUAGE",
        "LC_ALL", "LC_CTYPE", "LC_COLLATE", "LC_MESSAGES", "LC_TIME", "TZ", "USER", "LOGNAME",
        "SHELL",
    ]

    private let command: String
    private let environment: EnvironmentVariables
    private let folder: String

    /// Finds the editor: `VISUAL`, `EDITOR`, or `vi`.
    ///
    /// - Parameters:
    ///   - environment: The variables of this process.
    ///   - folder: The runtime folder of the user; nil without one.
    /// - Throws: A refusal if the folder is missing or not in memory.
    package init(_ environment: EnvironmentVariables, in folder: String?) throws {
        guard let folder, FileSystem.isInMemory(folder) else {
            throw Failure(
                .refused, code: "no_memory_folder",
                folder.map { "the folder \($0) is not in memory, so the text could reach a disk" }
                    ?? "there is no folder in memory for the text",
                hint: "XDG_RUNTIME_DIR names your own folder in memory (tmpfs, mode 0700)")
        }
        self.folder = folder
        command = environment["VISUAL"] ?? environment["EDITOR"] ?? "vi"
        var passed = EnvironmentVariables([:])
        for name in Self.variables { passed[name] = environment[name] }
        // The shell expands a tilde in the command with it, and then starts the editor with another one.
        passed["HOME"] = environment["HOME"]
        self.environment = passed
    }

    /// Opens a text in the editor.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of its file.
    /// - Returns: The text of the file after the editor's end.
    /// - Throws: A failure if the editor fails, or is ended by a signal.
    package func edit(_ text: borrowing SecretBytes, as name: String) throws -> SecretBytes {
        do {
            let scratch = try ScratchFolder(in: folder)
            let path = scratch.file(name)
            try Self.write(text, to: path)
            let terminal = unsafe platform_open("/dev/tty", O_RDWR | O_NOCTTY, 0)
            defer { if terminal >= 0 { close(terminal) } }
            let descriptor = terminal >= 0 ? terminal : Descriptor.standardInput
            let settings = try? TerminalEchoSettings(of: descriptor)
            defer { settings?.restore() }
            var environment = environment
            environment["TMPDIR"] = scratch.path
            let ending = try scratch.runAtTerminal(
                [
                    // The editor replaces the shell, and gets its signals. The command may begin with variables.
                    "/bin/sh", "-c", "cd -- \"$0\" && exec env HOME=\"$0\" \(command) \"$1\"",
                    scratch.path, path,
                ], environment, descriptor)
            guard ending == .exit(0) else { throw failure(ending) }
            return try Self.read(path)
        } catch let failure as SystemFailure where failure.code == EINTR {
            throw Failure(.interrupted, "interrupted")
        } catch let failure as SystemFailure {
            throw Failure(failure, writing: "a file in \(folder)")
        }
    }

    private func failure(_ ending: ChildProcess.Ending) -> Failure {
        let name = ShellText.quote(command)
        if [126, 127].contains(ending.exitCode) {
            return Failure(
                .failure, code: "no_editor", "cannot run the editor \(name)",
                hint: "set EDITOR, such as EDITOR=nano")
        }
        return Failure(
            .failure, code: "editor_failed", "the editor \(name) failed; nothing was changed")
    }

    private static func write(_ text: borrowing SecretBytes, to path: String) throws {
        let file = unsafe platform_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SystemFailure.last("open") }
        defer { close(file) }
        try text.withBytes { bytes in try Descriptor.write(bytes, to: file) }
    }

    private static func read(_ path: String) throws -> SecretBytes {
        let file = unsafe platform_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
        guard file >= 0 else {
            throw Failure(
                .failure, code: "editor_failed",
                "the editor left no file; nothing was changed")
        }
        defer { close(file) }
        do {
            return try SecretInput(descriptor: file).readAll(limit: limit)
        } catch let error as InputError {
            throw Failure(error, reading: "the text")
        }
    }
}
