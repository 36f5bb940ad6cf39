/// The manual page `taskvault.1`, in the man macros of roff (man(7)).
package struct ManualPage: Sendable {
    private let table: CommandTable

    /// Makes the page of a table.
    package init(_ table: CommandTable = .taskvault) {
        self.table = table
    }

    /// The page. The same table gives the same page: it has no date.
    package var text: String {
        var lines = [
            ".TH TASKVAULT 1 \"\" \"TaskVault \(ProductVersion.number)\" \"User Commands\"",
            ".SH NAME",
            "taskvault \\- an encrypted store for credentials and protected text",
            ".SH SYNOPSIS", ".B taskvault", ".I COMMAND", ".RI [ options ]", ".RI [ operands ]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(Self.description)
        for group in table.groups {
            lines.append(".SH \(Self.escape(group.title.uppercased()))")
            lines += group.commands.flatMap { section($0) }
        }
        lines.append(".SH OPTIONS OF EVERY COMMAND")
        lines += table.globalOptions.flatMap { definition($0.usage, $0.fullMeaning) }
        lines.append(".SH EXIT STATUS")
        lines += ExitCode.allCases.flatMap { definition(String($0.rawValue), $0.meaning) }
        lines.append(".SH ENVIRONMENT")
        lines += definition("TASKVAULT_HOME", "the folder that holds everything, as with --home")
        lines += definition(
            "XDG_DATA_HOME, XDG_STATE_HOME", "where the vault and the mark of its age lie otherwise"
        )
        lines += definition("NO_COLOR", "no colours, if it is not empty")
        return lines.joined(separator: "\n") + "\n"
    }

    private static let description = [
        """
        TaskVault keeps secrets in one encrypted file. Results go to standard output, questions to the terminal, errors to standard error. Options \
        may stand before or after the command and its operands; after -- everything is an operand.
        """,
        """
        Secrets come from the terminal, from standard input or from --passphrase-file, never from the command line or the environment, where other \
        programs can see them.
        """,
    ]

    private func section(_ command: CommandDescription) -> [String] {
        var lines = [".SS \(Self.escape(command.usage))"]
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        lines += paragraphs([summary] + command.notes)
        lines += command.operands.flatMap { definition($0.name, $0.fullMeaning) }
        lines += command.visibleOptions.flatMap { definition($0.usage, $0.fullMeaning) }
        if !command.exitCodes.isEmpty {
            let codes = command.allExitCodes.map { String($0.rawValue) }.joined(separator: ", ")
            lines += paragraphs(["Exit status: \(codes)."])
        }
        lines += [".PP", "Examples:", ".PP", ".RS 4", ".nf"]
        for example in command.examples {
            lines += ["# " + Self.escape(example.meaning), Self.line(example.line)]
        }
        return lines + [".fi", ".RE"]
    }

    private func paragraphs(_ texts: [String]) -> [String] {
        texts.flatMap { [".PP", Self.line($0)] }
    }

    private func definition(_ name: String, _ meaning: String) -> [String] {
        [".TP", ".B \(Self.escape(name))", Self.line(meaning)]
    }

    /// A line of text that no macro name begins.
    private static func line(_ text: String) -> String {
        let escaped = escape(text)
        return escaped.first == "." || escaped.first == "'" ? "\\&" + escaped : escaped
    }

    /// Characters that roff would change or obey. A bare hyphen would become a typographic one, which cannot be pasted into a shell.
    private static func escape(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'": result += "\\(aq"
            case "\"": result += "\\(dq"
            case "~": result += "\\(ti"
            case "^": result += "\\(ha"
            case "`": result += "\\(ga"
            default: result.append(character)
            }
        }
        return result
    }
}
