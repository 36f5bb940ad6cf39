internal import CommandLine
internal import Platform
internal import TextCoding

/// A line for each item that an import skipped or changed, or of which it left something out.
///
/// The command shows the first lines and the number of the others. With `--report`, a new file that only
/// the user can read has all; `-` shows all.
struct ItemReport {
    /// The number of lines that are shown.
    private static let shownCount = 20

    /// The file; nil without `--report`, and for standard output.
    private let path: String?
    private let showsAll: Bool
    private var lines: [String] = []

    /// Starts a report.
    ///
    /// - Throws: A failure for a file that exists, before the import.
    init(_ context: CommandContext) throws {
        let name = context.invocation.text(of: .itemReport)
        showsAll = ExportTarget.isOutput(name, of: context.console)
        path = showsAll ? nil : name
        if let path { try ExportTarget.requireFree(path) }
    }

    /// The number of lines or titles to show.
    var count: Int { showsAll ? .max : Self.shownCount }

    /// Adds a line, the most important ones first.
    mutating func add(_ line: String) { lines.append(line) }

    /// Shows the first lines.
    func show(_ output: inout Output) throws {
        for line in lines.prefix(count) { try output.writeLine(line) }
        let rest = lines.count - min(lines.count, count)
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
            try output.finish()
            try file.publish()
        } catch let failure as SystemFailure {
            throw ExportTarget.failure(failure.code, path)
        }
    }
}

extension OptionDescription {
    static let itemReport = OptionDescription(
        "report", .file("FILE"),
        "write a line for each item that was skipped or changed to a new file; - shows all"
    )
}
