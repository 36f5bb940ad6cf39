package import CommandLine
internal import Database
internal import HTTPServer
package import Platform
internal import SecretMemory
package import Application
internal import TextCoding

/// The program `taskvault-app`, started by `taskvault app`.
package struct LocalAppProgram: Sendable {
    private static let about = CommandDescription(
        path: ["run"], summary: "show the page until it is closed",
        options: [.printURL, .shown],
        notes: ["taskvault app starts it, and opens what it prints."],
        examples: [.init("taskvault-app run --print-url", "to debug the page")],
        exitCodes: [.refused])
    package static let table = CommandTable(
        ProgramDescription(
            name: "taskvault-app", summary: "shows TaskVault in the browser",
            referenceTitle: "The command line of the local app",
            paragraphs: ["taskvault-app serves the page of TaskVault to this user's browser."],
            environment: [
                .init("TASKVAULT_HOME", "the folder of the vault, as with --home")
            ],
            libraries: [SQLiteLibrary.title]),
        groups: [CommandGroup(title: "The app", commands: [about])],
        globalOptions: [.taskVaultHome, .json, .help, .version],
        exitCodes: [
            .init(.done, "the last page was closed"),
            .init(.failure, "unexpected failure"),
            .init(.usage, "wrong usage"),
            .init(.refused, "refused: unsafe folder"),
            .init(.interrupted, "interrupted"),
        ])

    private let surroundings: Surroundings
    private let runner: @Sendable (EnvironmentVariables, String?) -> any OperationRunner

    /// Makes the program.
    ///
    /// - Parameters:
    ///   - surroundings: Environment variables, input and output.
    ///   - runner: Makes the runner of the operations for environment variables and a home folder.
    package init(
        _ surroundings: Surroundings,
        runner: @escaping @Sendable (EnvironmentVariables, String?) -> any OperationRunner
    ) {
        self.surroundings = surroundings
        self.runner = runner
    }

    /// Runs the program with the arguments of the process.
    ///
    /// - Returns: The exit code.
    package func run() -> Int32 {
        BlockedSignals.unblockAll()
        return CommandProgram(Self.table, output: surroundings.output, errors: surroundings.errors)
            .run(command: run(_:))
    }

    private func run(_ invocation: Invocation) throws {
        let shown = invocation.text(of: .shown)
        if let shown, !AppPage.isShown(shown) {
            throw Failure.usage("--show takes inbox/ID or task/ID")
        }
        let home = invocation.text(of: .taskVaultHome).map { FileSystem.absolute($0) }
        var environment = surroundings.environment
        // The program changes its working directory.
        environment["TASKVAULT_HOME"] = environment["TASKVAULT_HOME"].map {
            FileSystem.absolute($0)
        }
        let runner = runner(environment, home)
        let server: LocalAppServer
        do {
            server = try LocalAppServer(runner)
        } catch let error as HTTPServerError {
            throw Failure(
                .failure, code: "cannot_listen", "the page cannot be served: \(error)")
        }
        var file: String?
        defer { if let file { try? FileSystem.remove(file) } }
        if invocation.has(.printURL) {
            try printPlace(server.address(showing: shown))
        } else {
            let path = try openingFile(server.openingFile(showing: shown))
            file = path
            try printPlace(path)
        }
        server.waitForEnd(
            first: invocation.has(.printURL) ? PageSessions.longLife : LocalAppServer.silence)
        server.stop()
    }

    private func openingFile(_ text: String) throws -> String {
        do {
            return try OpeningFile.write(text, surroundings.environment)
        } catch let error as UnusableFile {
            throw Failure(
                .refused, code: "unsafe_folder", "\(error.path): \(error.reason)")
        } catch let error as SystemFailure {
            throw Failure(error, writing: "the file for the browser")
        }
    }

    /// Prints the location of the page, and detaches from the standard descriptors.
    private func printPlace(_ place: String) throws {
        var output = Output(descriptor: surroundings.output)
        try output.writeLine(place)
        try output.finish()
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure.last("open") }
        for descriptor in Descriptor.standardInput...Descriptor.standardError {
            dup2(nothing, descriptor)
        }
        close(nothing)
        // The program must not keep a directory in use that may be unmounted.
        _ = unsafe chdir("/")
    }
}

/// The start file that the browser opens.
enum OpeningFile {
    /// Writes a new file that only this user can read, in the runtime or state directory.
    ///
    /// - Returns: The path of the file.
    /// - Throws: `UnusableFile`, `SystemFailure`.
    static func write(_ text: String, _ environment: EnvironmentVariables) throws -> String {
        let runtime = StandardFolders.absolute(environment["XDG_RUNTIME_DIR"])
        guard let base = runtime ?? StandardFolders(environment).state else {
            throw Failure.usage("no folder for the state is known", hint: "set HOME")
        }
        try SafeFolder.create(base + "/taskvault-app")
        let folder = try SafeFolder.resolve(base + "/taskvault-app")
        try SafeFolder.require(folder)
        let number = RandomSource.system.number(below: .max)
        let path = "\(folder)/open-\(number).html"
        let descriptor = unsafe platform_open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemFailure.last("open") }
        defer { close(descriptor) }
        try Descriptor.write(unsafe text.utf8Span.span.bytes, to: descriptor)
        return path
    }
}

extension OptionDescription {
    fileprivate static let printURL = OptionDescription(
        "print-url", "print an address instead of opening the browser")
    fileprivate static let shown = OptionDescription(
        "show", .text("WHAT"), "show a message or a task first: inbox/ID or task/ID")
    static let taskVaultHome = OptionDescription(
        "home", .folder("DIR"),
        "the folder of the vault and all its files; TASKVAULT_HOME does the same")
}
