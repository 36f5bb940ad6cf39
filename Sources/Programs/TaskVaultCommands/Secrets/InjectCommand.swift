internal import Application
internal import CommandLine
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
            """
            An unknown reference is an error, and nothing is written. The output file appears when it is complete. A device, pipe or socket is \
            written, and a symbolic link to a file is neither followed nor replaced.
            """,
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
        let target = try ExportTarget(
            context, filledFile, replacing: context.invocation.has(replaceFile),
            hint: "--replace replaces it")
        let text = try context.console.readFile(
            context.invocation.text(of: template) ?? "-", limit: limit)
        let template = try SecretTemplate(text)
        let filled = try template.render(try context.values(of: template.names))
        try target.write("") { try context.console.printValue(filled, to: $0) }
    }
}
