internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import TextCoding

/// `inject`: fills a template with secrets.
enum InjectCommand: Command {
    private static let template = OptionDescription(
        "in", .file("FILE"), "the template; standard input if left out")
    private static let filledFile = OptionDescription(
        "output", .file("FILE"),
        "write a file that only you can read, instead of standard output (-)")
    private static let replaceFile = OptionDescription("replace", "replace an existing file")

    /// The maximum size of a template, in bytes.
    private static let limit = 16_777_216

    static let description = CommandDescription(
        path: ["inject"],
        summary: "fill a template with secrets",
        options: [template, filledFile, replaceFile],
        notes: [
            """
            {{ taskvault://SERVICE/ACCOUNT/FIELD }} becomes the value of the secret; without a FIELD the password, with %2F for a slash in a \
            name. Values are inserted byte for byte and not expanded again. Other text in braces stays.
            """,
            "An unknown reference is an error, and nothing is written. The output file appears when it is complete.",
        ],
        examples: [
            .init(
                "taskvault inject --in app.conf.template --output app.conf", "write a configuration"
            ),
            .init("taskvault inject < app.conf.template", "to standard output"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let target = try FileTarget(
            context, filledFile, replacing: context.invocation.has(replaceFile))
        let text = try context.console.readFile(
            context.invocation.text(of: template) ?? "-", limit: limit)
        let template = try SecretTemplate(text)
        let filled = try template.render(try context.values(of: template.names))
        try target.write(filled)
    }
}

/// The target of a filled template: standard output, or a file that only the user can read.
private struct FileTarget {
    private let console: Console
    /// The file; nil for standard output.
    private let path: String?
    private let isReplacing: Bool

    /// Determines the target.
    ///
    /// - Throws: A failure for a file that exists, before any question.
    init(_ context: CommandContext, _ option: OptionDescription, replacing isReplacing: Bool) throws
    {
        console = context.console
        let name = context.invocation.text(of: option)
        path = name == "-" ? nil : name
        self.isReplacing = isReplacing
        if let path, !isReplacing, FileSystem.exists(path) { throw Self.exists(path) }
    }

    func write(_ text: borrowing SecretBytes) throws {
        guard let path else { return try console.printValue(text) }
        do {
            let file = try NewFile(at: path, replacing: isReplacing)
            try text.withBytes { try Descriptor.write($0, to: file.descriptor) }
            try file.publish()
        } catch let failure as SystemFailure {
            switch failure.code {
            case EEXIST: throw Self.exists(path)
            case ENOENT, ENOTDIR:
                throw Failure(
                    .notFound, code: "no_folder", "there is no folder for \(path)")
            default:
                throw Failure(SystemFailure("write", code: failure.code), writing: path)
            }
        }
        guard console.isJSON else { return try console.printLine("wrote \(path)") }
        try console.printJSON { json in
            try json.beginObject()
            try json.member("path", path)
            try json.endObject()
        }
    }

    private static func exists(_ path: String) -> Failure {
        Failure(
            .alreadyExists, "\(path) already exists", hint: "--replace replaces it")
    }
}
