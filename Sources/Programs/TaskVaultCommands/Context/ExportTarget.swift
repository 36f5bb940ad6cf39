internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// The target of an export: standard output, or with `--output` a new file that only the user can read.
struct ExportTarget {
    private let console: Console
    /// The new file; nil for standard output.
    private let path: String?

    /// Determines the target of the export.
    ///
    /// - Throws: A failure for a file that exists, before any question.
    init(_ context: CommandContext) throws {
        console = context.console
        let name = context.invocation.text(of: .exportedFile)
        path = name == "-" ? nil : name
        if let path { try Self.requireFree(path) }
    }

    static let exportHint = "an export never replaces a file: give another name"

    /// Fails if the path exists, or its folder does not.
    static func requireFree(_ path: String, hint: String = exportHint) throws {
        if FileSystem.exists(path) { throw failure(EEXIST, path, hint: hint) }
        let folder = SafeFolder.split(path).folder
        if !FileSystem.exists(folder) { throw failure(ENOENT, path) }
    }

    /// Whether the export goes into a new file.
    var isFile: Bool { path != nil }

    /// Whether the export is shown on a terminal.
    var isTerminal: Bool { path == nil && console.isTerminal }

    /// Runs `body`, which writes the export to a descriptor. A new file appears only when complete, and is reported.
    func write<Result>(_ body: (Int32) throws -> Result) throws -> Result {
        guard let path else { return try body(console.output) }
        let result: Result
        do {
            let file = try NewFile(at: path)
            result = try body(file.descriptor)
            try file.publish()
        } catch let failure as SystemFailure {
            throw Self.failure(failure.code, path)
        }
        guard console.isJSON else {
            try console.printLine("wrote the export \(path)")
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
        default:
            Failure(SystemFailure("write", code: code), writing: path)
        }
    }
}

extension OptionDescription {
    static let exportedFile = OptionDescription(
        "output", .file("FILE"),
        "write a new file that only you can read, instead of standard output (-)")
}
