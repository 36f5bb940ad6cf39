internal import CommandLine
internal import VaultAgent

/// `tour`: shows the main job in a temporary folder, by this program's own commands.
///
/// It has no way of its own to a vault: each step is another process of this executable, or of the auth server's beside it, with home and
/// state folders inside of the temporary one. The tour succeeds only if each step behaved as it must.
enum TourCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        // So that Ctrl-C ends the tour between two steps, and the folder goes with it.
        let signals = HeldSignals()
        try walk(context, signals)
        try context.printLine(
            "That was the tour; its folder is removed. Your own vault begins with: taskvault init")
    }

    private static func walk(
        _ context: CommandContext, _ signals: borrowing HeldSignals
    ) throws(CommandFailure) {
        let folder: TemporaryFolder
        do throws(SystemFailure) {
            folder = try TourGuide.makeFolder(context)
        } catch {
            throw CommandFailure(error)
        }
        var guide = TourGuide(context, folder)
        defer { guide.lock(signals) }
        var number = 0
        for step in TourStep.all where !guide.leavesOut(step) {
            number += 1
            let isRight = try guide.show(step, number: number, signals)
            // A child that Ctrl-C ended has not behaved badly.
            if signals.take() != nil { throw CommandFailure(.interrupted, "interrupted") }
            guard isRight else {
                throw CommandFailure(
                    .failure, code: "tour", "step \(number) did not behave as it must")
            }
        }
    }
}

extension CommandFailure {
    fileprivate init(_ error: SystemFailure) {
        self.init(
            .failure, code: "tour", "the tour cannot go on: \(error.call), \(error.explanation)")
    }
}

/// Leads through the steps, in a temporary folder that goes with it.
private struct TourGuide: ~Copyable {
    private let context: CommandContext
    private let folder: TemporaryFolder
    private let program: ChildProcess
    private let environment: EnvironmentVariables
    private var server: TourServer?
    private var hasNoServer = false
    private let columns: Int
    private let style: Style

    /// Makes a guide for a folder that ``makeFolder(_:)`` has made.
    init(_ context: CommandContext, _ folder: consuming TemporaryFolder) {
        var environment = context.surroundings.environment
        environment["HOME"] = folder.path
        environment["TASKVAULT_HOME"] = TourStep.home
        environment["XDG_DATA_HOME"] = nil
        environment["XDG_STATE_HOME"] = folder.path + "/state"
        program = ChildProcess(environment, in: folder.path)
        self.environment = environment
        self.context = context
        self.folder = folder
        let capabilities = TerminalCapabilities(of: context.surroundings.output)
        columns = min(capabilities.columns ?? 80, 100)
        style = Style(capabilities)
    }

    /// Makes a folder with the files of passphrases.
    static func makeFolder(_ context: CommandContext) throws(SystemFailure) -> TemporaryFolder {
        let folder = try TemporaryFolder(context.surroundings.environment)
        try folder.write(TourStep.passphrase + "\n", to: TourStep.passphraseFile)
        try folder.write("a wrong guess\n", to: TourStep.wrongFile)
        try folder.write(TourStep.accountPassword + "\n", to: TourStep.accountFile)
        try folder.write(
            TourStep.accountPassword + "\n" + TourStep.newAccountPassword + "\n",
            to: TourStep.changeFile)
        return folder
    }

    /// Whether there is no auth server for a step.
    func leavesOut(_ step: TourStep) -> Bool { step.needsServer && hasNoServer }

    /// Explains a step, does it, and shows what was printed.
    ///
    /// - Returns: Whether it behaved as it must.
    mutating func show(
        _ step: TourStep, number: Int, _ signals: borrowing HeldSignals
    ) throws(CommandFailure) -> Bool {
        let explanation = TextWidth.wrap("\(number). \(step.explanation)", to: columns)
        try show(explanation.map { style.apply(.bold, to: $0) } + [""])
        switch step.action {
        case .tampering:
            return try tamper()
        case .searching:
            return try search()
        case .serving:
            return try serve()
        case .waiting(let seconds):
            // In steps, so that Ctrl-C ends it soon.
            for _ in 0..<(seconds * 10) where !signals.isWaiting {
                SystemSleep.sleep(.milliseconds(100))
            }
            return true
        case .command(let words, let input):
            let words = words.map { $0 == TourStep.server ? server?.address ?? $0 : $0 }
            return try run(words, input, step, signals)
        }
    }

    /// Starts the auth server. Whoever installed the one program only sees the rest of the tour.
    private mutating func serve() throws(CommandFailure) -> Bool {
        let words: [String]
        do throws(SystemFailure) {
            let port = try TourServer.freePort()
            server = try TourServer(environment, in: folder.path, port: port)
            words = TourServer.arguments(port: port)
        } catch {
            throw CommandFailure(error)
        }
        let line = ([TourServer.program] + words + ["&"]).joined(separator: " ")
        try show(["   $ " + style.apply(.green, to: line)])
        hasNoServer = server == nil
        try show([
            server == nil
                ? "   (there is none beside this program: the tour goes on without it)"
                : "   (it listens)", "",
        ])
        return true
    }

    private borrowing func tamper() throws(CommandFailure) -> Bool {
        let offset: Int?
        do throws(SystemFailure) {
            offset = try TourTampering.flipBit(
                in: folder.path + "/\(TourStep.home)/\(VaultFolders.fileName)")
        } catch {
            throw CommandFailure(error)
        }
        guard let offset else { return false }
        try show([
            "   (byte \(offset) of \(TourStep.home)/\(VaultFolders.fileName) is another one now)",
            "",
        ])
        return true
    }

    /// Looks for the words of both tasks. That those are found which may be shows that the search sees what is there.
    private borrowing func search() throws(CommandFailure) -> Bool {
        let files: [TourSearch.File]
        do throws(SystemFailure) {
            files = try TourSearch.files(in: folder.path)
        } catch {
            throw CommandFailure(error)
        }
        var lines = [
            "(\(counted(files.count, "file")), \(files.map(\.bytes.count).reduce(0, +)) bytes)"
        ]
        for words in [TourStep.task, TourStep.protectedTask] {
            let found = files.filter { $0.holds(words) }.map(\.name)
            lines.append(
                "'\(words)' is in \(found.isEmpty ? "none of them" : found.joined(separator: ", "))"
            )
        }
        try show(lines.map { "   " + VisibleText.escape($0) } + [""])
        return files.contains { $0.holds(TourStep.task) }
            && !files.contains { $0.holds(TourStep.protectedTask) }
    }

    private borrowing func run(
        _ words: [String], _ input: String, _ step: TourStep, _ signals: borrowing HeldSignals
    ) throws(CommandFailure) -> Bool {
        let typed = ([CommandTable.taskvault.program] + words.map(ShellText.quote)).joined(
            separator: " ")
        let pipe = input.isEmpty ? "" : "printf %s \(ShellText.quote(input)) | "
        try show(["   $ " + style.apply(.green, to: pipe + typed)])
        let outcome: ChildProcess.Outcome
        do throws(SystemFailure) {
            outcome = try program.run(words, input: Array(input.utf8), mask: signals.original)
        } catch {
            throw CommandFailure(error)
        }
        let text = unsafe VisibleText.escape(bytes: outcome.text.span.bytes, keepingLines: true)
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "" : "   " + $0
        }
        if lines.last == "" { lines.removeLast() }
        if let code = outcome.exitCode, code != 0 { lines.append("   (exit code \(code))") }
        try show(lines + [""])
        return outcome.exitCode == step.exitCode.rawValue && text.contains(step.printed ?? "")
    }

    /// Locks, also in the middle of the tour: an agent that loses its vault unlocked would keep a mark, and make the folder for it anew.
    borrowing func lock(_ signals: borrowing HeldSignals) {
        _ = try? program.run(["lock"], input: [], mask: signals.original)
    }

    /// Prints lines that are safe already.
    private borrowing func show(_ lines: [String]) throws(CommandFailure) {
        try context.print { (output) throws(OutputError) in
            for line in lines { try output.writeLine(line) }
        }
    }
}
