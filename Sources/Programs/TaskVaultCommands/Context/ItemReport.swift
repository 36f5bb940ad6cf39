internal import CommandLine
internal import Platform
internal import TextCoding

/// A line for each item that an import skipped or changed, or of which it left something out.
///
/// The terminal shows the first lines and the number of the others. With `--report`, a new file that only
/// the user can read has all.
struct ItemReport {
    /// The number of lines that the terminal shows.
    private static let shownCount = 20

    /// The file; nil without `--report`.
    private let path: String?
    private var lines: [String] = []

    /// Starts a report.
    ///
    /// - Throws: A failure for a file that exists, before the import.
    init(_ context: CommandContext) throws {
        path = context.invocation.text(of: .itemReport)
        if let path { try ExportTarget.requireFree(path) }
    }

    /// Adds a line, the most important ones first.
    mutating func add(_ line: String) { lines.append(line) }

    /// Shows the first lines.
    func show(_ output: inout Output) throws {
        for line in lines.prefix(Self.shownCount) { try output.writeLine(line) }
        let rest = lines.count - Self.shownCount
        guard rest > 0 else { return }
        try output.writeLine(
            path.map { "and \(rest) more, in \(VisibleText.escape($0))" }
                ?? "and \(rest) more: --report FILE writes all")
    }

    /// Writes all lines into the file of `--report`.
    ///
    /// - Throws: A failure that names the path.
    func write() throws {
        guard let path else { return }
        do {
            let file = try OutputFile(at: path)
            var output = Output(descriptor: file.descriptor)
            for line in lines { try output.writeLine(line) }
            try output.flush()
            try file.publish()
        } catch let failure as SystemFailure {
            throw ExportTarget.failure(failure.code, path)
        }
    }
}

extension OptionDescription {
    static let itemReport = OptionDescription(
        "report", .file("FILE"),
        "write a line for each item that was skipped or changed to a new file that only you can read"
    )
}
