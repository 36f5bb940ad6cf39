internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// The target of an export: standard output, or with `--output` a file that only the user can read, or a device, pipe or socket.
struct ExportTarget {
    private let console: Console
    /// The path; nil for standard output.
    private let path: String?
    private let isReplacing: Bool
    private let hint: String

    /// Determines the target of the export.
    ///
    /// - Parameters:
    ///   - context: The command.
    ///   - option: The option with the path.
    ///   - isReplacing: Whether to replace an existing regular file.
    ///   - hint: The hint for a file that exists.
    /// - Throws: A failure for a file that exists, before any question.
    init(
        _ context: CommandContext, _ option: OptionDescription = .exportedFile,
        replacing isReplacing: Bool = false, hint: String = ExportTarget.exportHint
    ) throws {
        console = context.console
        let name = context.invocation.text(of: option)
        path = Self.isOutput(name, of: context.console) ? nil : name
        self.isReplacing = isReplacing
        self.hint = hint
        if let path, !isReplacing { try Self.requireFree(path, hint: hint) }
    }

    static let exportHint = "an export never replaces a file: give another name"

    /// Whether a path is that of standard output: `-`, `/dev/stdout` or `/dev/fd/1`.
    static func isOutput(_ path: String?, of console: Console) -> Bool {
        path == "-" || path.flatMap(OutputFile.descriptor(named:)) == console.output
    }

    /// Fails if the path exists and is not special, or its folder does not exist.
    static func requireFree(_ path: String, hint: String = exportHint) throws {
        if OutputFile.isTaken(path) { throw failure(EEXIST, path, hint: hint) }
        if OutputFile.descriptor(named: path) != nil { return }
        let folder = SafeFolder.split(path).folder
        if !FileSystem.exists(folder) { throw failure(ENOENT, path) }
    }

    /// Whether the export goes into a new file.
    var isFile: Bool { path != nil }

    /// Whether the export is shown on a terminal.
    var isTerminal: Bool { path == nil && console.isTerminal }

    /// Runs `body`, which writes the export to a descriptor. A new file appears only when complete, and is reported.
    ///
    /// - Parameters:
    ///   - title: The text before the path in the report.
    ///   - body: Writes the export.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`; a failure that names the path.
    func write<Result>(
        _ title: String = "the export ", _ body: (Int32) throws -> Result
    ) throws -> Result {
        guard let path else { return try body(console.output) }
        let result: Result
        do {
            let file = try OutputFile(at: path, replacing: isReplacing)
            result = try body(file.descriptor)
            try file.publish()
        } catch let failure as SystemFailure {
            throw Self.failure(failure.code, path, hint: hint)
        }
        guard console.isJSON else {
            try console.printLine("wrote \(title)\(path)")
            return result
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("path", path)
            try json.endObject()
        }
        return result
    }

    /// The failure of a write to a file.
    static func failure(
        _ code: Int32, _ path: String,
        hint: String = exportHint
    ) -> Failure {
        switch code {
        case EEXIST:
            Failure(
                .alreadyExists, "\(path) already exists",
                hint: hint)
        case ENOENT, ENOTDIR:
            Failure(.notFound, code: "no_folder", "there is no folder for \(path)")
        case EINTR: Failure(.interrupted, "interrupted")
        default:
            Failure(SystemFailure("write", code: code), writing: path)
        }
    }
}

extension Failure {
    /// The refusal to show bytes that are not text.
    static func wouldShow(_ title: String) -> Failure {
        Failure(
            .usage, code: "would_show", "\(title) is a terminal",
            hint: "pipe it into a program, or give --output FILE")
    }
}

extension OptionDescription {
    static let exportedFile = OptionDescription(
        "output", .file("FILE"),
        "write a new file that only you can read, instead of standard output (-)")
}
