internal import Application
internal import CommandLine
internal import LocalApp
internal import Platform
internal import TextCoding

/// `app`: opens the local app in the browser.
enum AppCommand: Command {
    static let description = CommandDescription(
        path: ["app"],
        summary: "open TaskVault in the browser",
        options: [.printURL, .shown, .foreground],
        notes: [
            """
            Starts a process that serves a page to the browser of this user on this machine only, and ends a minute after the last page is closed. A \
            reload of the page asks for the passphrase again.
            """,
            "With --print-url nothing is opened: the address works once, within 5 minutes.",
        ],
        examples: [
            .init("taskvault app", "in the usual browser"),
            .init("taskvault app --item task/k7m", "with a task"),
            .init("taskvault app --print-url", "for another browser"),
        ],
        exitCodes: [.notFound, .refused], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let console = context.console
        if let shown = context.invocation.text(of: .shown), !AppPage.isShown(shown) {
            throw Failure.usage(
                "--item takes inbox/ID or task/ID",
                hint: context.folders.command("app --item task/k7m"))
        }
        let isPrinted = context.invocation.has(.printURL)
        guard !context.invocation.has(.foreground) else { return try serve(context) }
        let opener = Executable.path(of: AppPage.opener)
        guard isPrinted || opener != nil else {
            throw Failure(
                .notFound, code: "no_browser", "xdg-open is not installed",
                hint: context.folders.command("app --print-url"))
        }
        let place = try start(context)
        if isPrinted {
            guard console.isJSON else { return try console.printLine(place) }
        } else if let opener {
            guard try Browser.open(place, by: opener) else {
                throw Failure(
                    .failure, code: "no_browser", "no browser could be opened",
                    hint: context.folders.command("app --print-url"))
            }
            guard console.isJSON else {
                return try console.printLine("opened TaskVault in the browser")
            }
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("url", isPrinted ? place : nil)
            try json.endObject()
        }
    }

    /// Serves the page in this process until it is closed.
    private static func serve(_ context: CommandContext) throws {
        let surroundings = context.console.surroundings
        try PageServing(
            surroundings.environment, home: context.invocation.text(of: .home),
            output: surroundings.output
        ) { CommandRunner($0, home: $1) }
        .run(
            showing: context.invocation.text(of: .shown),
            printingURL: context.invocation.has(.printURL))
    }

    /// Starts this program again, which serves the page in the background.
    ///
    /// - Returns: The file to open, or the address.
    private static func start(_ context: CommandContext) throws -> String {
        var arguments = [Application.program, "app", "--foreground"]
        if let home = context.invocation.text(of: .home) { arguments.append("--home=" + home) }
        if let shown = context.invocation.text(of: .shown) { arguments.append("--item=" + shown) }
        if context.invocation.has(.printURL) { arguments.append("--print-url") }
        if context.console.isJSON { arguments.append("--json") }
        let said = try SystemPipe()
        let process = try ChildProcess.start(
            arguments, program: Executable.own(),
            environment: context.console.surroundings.environment.entries, output: said.writer,
            errors: context.console.surroundings.errors, in: .session)
        said.closeWriter()
        // The app closes its standard output when the page can be opened.
        let text = String(decoding: said.readAll(), as: UTF8.self)
        guard text.hasSuffix("\n") else {
            throw Failure.explained(
                process.wait().exitCode.flatMap { ExitCode(known: $0) } ?? .failure)
        }
        return String(text.dropLast())
    }
}

extension OptionDescription {
    fileprivate static let printURL = OptionDescription(
        "print-url", "print an address instead of opening the browser")
    fileprivate static let foreground = OptionDescription(
        "foreground", "serve the page in this process, and print what opens it")
    fileprivate static let shown = OptionDescription(
        "item", .text("WHAT"), "show a message or a task first: inbox/ID or task/ID")
}
