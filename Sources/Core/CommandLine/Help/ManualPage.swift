internal import Platform

/// The manual page of a program, in the man macros of roff (man(7)).
package struct ManualPage: Sendable {
    private let table: CommandTable

    /// Creates the page of a table.
    package init(_ table: CommandTable) {
        self.table = table
    }

    /// The page. It has no date, so the same table always gives the same page.
    package var text: String {
        let name = Self.escape(table.program)
        var lines = [
            ".TH \(name.uppercased()) 1 \"\" \"TaskVault \(ProductVersion.number)\" \"User Commands\"",
            ".SH NAME", "\(name) \\- \(Self.escape(table.about.summary))",
            ".SH SYNOPSIS", ".B \(name)", ".I COMMAND", ".RI [ options ]", ".RI [ operands ]",
            ".SH DESCRIPTION",
        ]
        lines += paragraphs(table.about.paragraphs)
        for group in table.groups {
            lines.append(".SH \(Self.escape(group.title.uppercased()))")
            lines += group.commands.flatMap { section($0) }
        }
        lines.append(".SH OPTIONS OF EVERY COMMAND")
        lines += table.globalOptions.flatMap { definition($0.signature, $0.fullMeaning) }
        lines.append(".SH EXIT STATUS")
        lines += table.exitCodes.flatMap { definition(String($0.code.rawValue), $0.meaning) }
        lines.append(".SH ENVIRONMENT")
        lines += table.about.environment.flatMap { definition($0.name, $0.meaning) }
        for chapter in table.about.chapters {
            lines.append(".SH \(Self.escape(chapter.title.uppercased()))")
            lines += paragraphs(chapter.paragraphs)
            lines += chapter.definitions.flatMap { definition($0.name, $0.meaning) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ command: CommandDescription) -> [String] {
        var lines = [".SS \(Self.escape(table.usage(of: command)))"]
        let summary = command.summary.prefix(1).uppercased() + command.summary.dropFirst() + "."
        lines += paragraphs([summary] + command.notes)
        lines += command.operands.flatMap { definition($0.name, $0.fullMeaning) }
        lines += command.visibleOptions.flatMap { definition($0.signature, $0.fullMeaning) }
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

    /// A line of text that roff cannot read as a macro.
    private static func line(_ text: String) -> String {
        let escaped = escape(text)
        return escaped.first == "." || escaped.first == "'" ? "\\&" + escaped : escaped
    }

    /// Escapes characters that roff would interpret. A bare hyphen would become a typographic one, which fails when pasted into a shell.
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
