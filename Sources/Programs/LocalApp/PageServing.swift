package import Application
internal import CommandLine
internal import HTTPServer
package import Platform
internal import SecretMemory
internal import TextCoding

/// A process that serves the page: `taskvault app --foreground`.
package struct PageServing: Sendable {
    private let environment: EnvironmentVariables
    private let home: String?
    private let output: Int32
    private let runner: @Sendable (EnvironmentVariables, String?) -> any OperationRunner

    /// Makes the process.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - home: The home folder of the vault; nil for the usual one.
    ///   - output: The descriptor of what opens the page.
    ///   - runner: Makes the runner of the operations for environment variables and a home folder.
    package init(
        _ environment: EnvironmentVariables, home: String?, output: Int32,
        runner: @escaping @Sendable (EnvironmentVariables, String?) -> any OperationRunner
    ) {
        self.environment = environment
        self.home = home
        self.output = output
        self.runner = runner
    }

    /// Serves the page until it is closed.
    ///
    /// - Parameters:
    ///   - shown: The message or task of the first screen (``AppPage/isShown(_:)``).
    ///   - isURLPrinted: Prints an address for any browser, instead of the path of a start file.
    /// - Throws: `Failure` if nothing can listen, or the start file cannot be written.
    package func run(showing shown: String?, printingURL isURLPrinted: Bool) throws {
        BlockedSignals.unblockAll()
        var environment = environment
        // The process changes its working directory.
        environment["TASKVAULT_HOME"] = environment["TASKVAULT_HOME"].map {
            FileSystem.absolute($0)
        }
        let server: LocalAppServer
        do {
            server = try LocalAppServer(runner(environment, home.map { FileSystem.absolute($0) }))
        } catch HTTPServerError.libraryMissing {
            throw Failure(
                .failure, code: "library_missing",
                "the page requires libmicrohttpd, which is not installed",
                hint: "apt install \(HTTPServerLibrary.debianPackage)")
        } catch let error as HTTPServerError {
            throw Failure(
                .failure, code: "cannot_listen", "the page cannot be served: \(error)")
        }
        var file: String?
        defer { if let file { try? FileSystem.remove(file) } }
        if isURLPrinted {
            try printPlace(server.address(showing: shown))
        } else {
            let path = try openingFile(server.openingFile(showing: shown))
            file = path
            try printPlace(path)
        }
        server.waitForEnd(first: isURLPrinted ? PageSessions.longLife : LocalAppServer.idleTimeout)
        server.stop()
    }

    private func openingFile(_ text: String) throws -> String {
        do {
            return try OpeningFile.write(text, environment)
        } catch let error as UnusableFile {
            throw Failure(
                .refused, code: "unsafe_folder", "\(error.path): \(error.reason)")
        } catch let error as SystemFailure {
            throw Failure(error, writing: "the file for the browser")
        }
    }

    /// Prints the location of the page, and detaches from the standard descriptors.
    private func printPlace(_ place: String) throws {
        var output = Output(descriptor: output)
        try output.writeLine(place)
        try output.finish()
        let nothing = unsafe platform_open("/dev/null", O_RDWR, 0)
        guard nothing >= 0 else { throw SystemFailure.last("open") }
        for descriptor in Descriptor.standardInput...Descriptor.standardError {
            dup2(nothing, descriptor)
        }
        close(nothing)
        // The process must not keep a directory in use that may be unmounted.
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
