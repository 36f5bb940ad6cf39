/// The reference of a program's commands, in Markdown, such as `Docs/CommandLine.md`.
package struct CommandReference: Sendable {
    private let table: CommandTable

    /// Creates the reference of a table.
    package init(_ table: CommandTable) {
        self.table = table
    }

    /// The document, in Markdown.
    package var text: String {
        var lines = [
            "# \(table.about.referenceTitle)", "",
            "Made from the program's own table by `\(table.program) help --markdown`; a test compares both.",
            "",
            "Options may stand before or after the command and its operands, as `--name value` or",
            "`--name=value`, some also as a letter: `-d value`. After `--` everything is an operand. Results go to",
            "standard output, questions to the terminal, errors to standard error.", "",
            "## Commands", "",
        ]
        lines += rows(
            ["command", "does"],
            table.commands.map { ["[`\($0.name)`](#\(anchor($0)))", Self.escape($0.summary)] })
        lines += ["", "## Options of every command", ""]
        lines += rows(["option", "meaning"], table.globalOptions.map { Self.cells($0) })
        lines += ["", "## Exit codes", ""]
        lines += rows(
            ["code", "meaning"],
            table.exitCodes.map { [String($0.code.rawValue), Self.escape($0.meaning)] })
        for group in table.groups {
            lines += ["", "## \(group.title)"]
            lines += group.commands.flatMap { section($0) }
        }
        lines += table.about.chapters.flatMap { chapter($0) }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ command: CommandDescription) -> [String] {
        var lines = [
            "", "### \(table.program) \(command.name)", "", "```", table.usage(of: command), "```",
            "",
            Self.sentence(command.summary),
        ]
        for note in command.notes { lines += ["", Self.escape(note)] }
        if !command.operands.isEmpty {
            lines.append("")
            lines += rows(
                ["operand", "meaning"],
                command.operands.map { ["`\($0.name)`", Self.escape($0.fullMeaning)] })
        }
        if !command.visibleOptions.isEmpty {
            lines.append("")
            lines += rows(["option", "meaning"], command.visibleOptions.map { Self.cells($0) })
        }
        lines += ["", "```sh"]
        for example in command.examples { lines += ["# \(example.meaning)", example.line] }
        let codes = command.allExitCodes.map { String($0.rawValue) }.joined(separator: ", ")
        return lines + ["```", "", "Exit codes: \(codes)."]
    }

    private func chapter(_ chapter: ProgramDescription.Chapter) -> [String] {
        var lines = ["", "## \(chapter.title)"]
        for paragraph in chapter.paragraphs { lines += ["", Self.escape(paragraph)] }
        return lines + [""]
            + rows(
                [chapter.subject, "meaning"],
                chapter.definitions.map { ["`\($0.name)`", Self.escape($0.meaning)] })
    }

    private func rows(_ titles: [String], _ rows: [[String]]) -> [String] {
        ([titles, titles.map { _ in "---" }] + rows).map {
            "| " + $0.joined(separator: " | ") + " |"
        }
    }

    private static func cells(_ option: OptionDescription) -> [String] {
        ["`\(option.signature)`", escape(option.fullMeaning)]
    }

    /// The anchor of a heading, as Markdown renderers generate it.
    private func anchor(_ command: CommandDescription) -> String {
        ([table.program] + command.path).joined(separator: "-")
    }

    private static func sentence(_ text: String) -> String {
        escape(text.prefix(1).uppercased() + text.dropFirst() + ".")
    }

    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            if "\\`*_|<>".contains(character) { result.append("\\") }
            result.append(character)
        }
        return result
    }
}
