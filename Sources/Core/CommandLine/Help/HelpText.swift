/// Help for a terminal.
package struct HelpText: Sendable {
    private static let indent = "  "
    private static let largestName = 26
    /// The smallest width of descriptions; longer names are then above them.
    private static let smallestMeaning = 24

    private let table: CommandTable
    private let columns: Int
    private let style: Style

    /// Creates the help of a table.
    ///
    /// - Parameters:
    ///   - table: The commands.
    ///   - columns: The width of the output; at most 100 are used.
    ///   - style: The style of headings.
    package init(_ table: CommandTable, columns: Int = 80, style: Style = .plain) {
        self.table = table
        self.columns = min(max(columns, 40), 100)
        self.style = style
    }

    /// Explains a command, the commands whose names begin with these words, or the whole program.
    ///
    /// - Parameter path: The words; ``CommandParser`` has verified that they exist.
    /// - Returns: Lines, each with its line end.
    package func text(about path: [String]) -> String {
        let lines = table.command(path).map { explain($0) } ?? list(below: path)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The short help of the program: its usage and the first commands.
    package var beginning: String {
        let first = table.about.firstCommands.compactMap { name in
            table.commands.first { $0.name == name }
        }
        if first.isEmpty { return text(about: []) }
        let lines = [
            "\(table.program): \(table.about.summary)", "", heading("usage"),
            Self.indent + "\(table.program) COMMAND [options]", "", heading("first commands"),
        ]
        let advice = [
            "",
            "\(table.program) help lists all \(table.commands.count) commands;"
                + " \(table.program) help COMMAND explains one.",
        ]
        return (lines + definitions(first.map { ($0.name, $0.summary) }) + advice)
            .map { $0 + "\n" }.joined()
    }

    private func list(below path: [String]) -> [String] {
        let usage = [table.program] + path + ["COMMAND", "[options]"]
        var lines = [heading("usage"), Self.indent + usage.joined(separator: " ")]
        for group in table.groups {
            let commands = group.commands.filter { $0.path.starts(with: path) }
            if commands.isEmpty { continue }
            lines += ["", heading(group.title)]
            lines += definitions(commands.map { ($0.name, $0.summary) })
        }
        lines += globalOptions()
        let example = table.commands(below: path).first?.name ?? "help"
        let advice = "\(table.program) \(example) --help"
        return lines + ["", "\(advice) explains one command, with examples."]
    }

    private func explain(_ command: CommandDescription) -> [String] {
        var lines = [
            "\(table.program) \(command.name): \(command.summary)", "", heading("examples"),
        ]
        for example in command.examples {
            lines.append(Self.indent + style.apply(.faint, to: "# " + example.meaning))
            lines.append(Self.indent + example.line)
        }
        lines += ["", heading("usage"), Self.indent + table.usage(of: command)]
        if !command.operands.isEmpty {
            lines += ["", heading("operands")]
            lines += definitions(command.operands.map { ($0.name, $0.fullMeaning) })
        }
        if !command.visibleOptions.isEmpty {
            lines += ["", heading("options")]
            lines += definitions(of: command.visibleOptions)
        }
        lines += ["", globalLine(command)]
        for note in command.notes {
            lines.append("")
            lines += TextWidth.wrap(note, to: columns)
        }
        lines += ["", heading("exit codes")]
        lines += definitions(
            command.allExitCodes.map { (String($0.rawValue), table.meaning(of: $0)) })
        return lines
    }

    /// The names of the options of every command, as many as fit in a line.
    private func globalLine(_ command: CommandDescription) -> String {
        let senseless = command.traits.flatMap(\.senseless)
        let names = table.globalOptions.filter { !senseless.contains($0) }.map(\.spelling)
        let help = table.command(["help"]) == nil ? "--help" : "help"
        func line(_ count: Int) -> String {
            let more = count < names.count ? ["…"] : []
            return "Global options: " + (names.prefix(count) + more).joined(separator: ", ")
                + " (\(table.program) \(help))"
        }
        let count = (1...names.count).last { TextWidth.columns(of: line($0)) <= columns } ?? 1
        return line(count)
    }

    private func globalOptions() -> [String] {
        ["", heading("options of every command")]
            + definitions(of: table.globalOptions)
    }

    /// Options; names without a letter stand below names with one.
    private func definitions(of options: [OptionDescription]) -> [String] {
        let haveLetters = options.contains { $0.letter != nil }
        return definitions(
            options.map {
                ((haveLetters && $0.letter == nil ? "    " : "") + $0.signature, $0.fullMeaning)
            })
    }

    private func heading(_ text: String) -> String {
        style.apply(.bold, to: text.prefix(1).uppercased() + text.dropFirst() + ":")
    }

    /// Lays out names in one column and descriptions in another.
    private func definitions(_ items: [(name: String, meaning: String)]) -> [String] {
        let width = min(
            items.map { TextWidth.columns(of: $0.name) }.max() ?? 0, Self.largestName,
            columns - Self.smallestMeaning)
        let blanks = String(repeating: " ", count: Self.indent.count + width + 2)
        return items.flatMap { item in
            let meaning = TextWidth.wrap(item.meaning, to: columns - blanks.count)
            let isLong = TextWidth.columns(of: item.name) > width
            var lines = meaning.map { blanks + $0 }
            let first = Self.indent + TextWidth.pad(item.name, to: width)
            if isLong || lines.isEmpty {
                lines.insert(first, at: 0)
            } else {
                lines[0] = first + Self.indent + meaning[0]
            }
            return lines
        }
    }
}
