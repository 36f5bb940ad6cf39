import CommandLine
@testable import TaskVaultCommands
import Testing

@Suite(.timeLimit(.minutes(60))) struct CommandLineDocumentTests {
    private let table = CommandTable.taskvault

    @Test func helpOfACommandSaysEverything() {
        for command in table.commands {
            let help = HelpText(table).text(about: command.path)
            var expected = [command.summary, table.usage(of: command)]
            expected += command.examples.map(\.line)
            expected += command.visibleOptions.map(\.usage) + command.operands.map(\.name)
            expected.append("\nGlobal options: --")
            for text in expected {
                #expect(help.contains(text), "\(command.name): \(text)")
            }
            #expect(!help.contains("--markdown"))
        }
        let all = HelpText(table).text(about: [])
        #expect(table.globalOptions.allSatisfy { all.contains($0.usage) })
    }

    @Test(arguments: [0, 40, 60, 80, 200])
    func helpFitsTheTerminal(columns: Int) {
        let widest = min(max(columns, 40), 100)
        for path in table.commands.map(\.path) + table.prefixes {
            // Lines to be copied are not broken.
            let command = table.command(path)
            let usage = command.map { table.usage(of: $0) }
            let whole =
                (command?.examples.flatMap { [$0.line, $0.meaning] } ?? []) + [
                    usage ?? "\(path.joined(separator: " ")) COMMAND [options]"
                ]
            for line in HelpText(table, columns: columns).text(about: path).split(separator: "\n")
            where !whole.contains(where: { !$0.isEmpty && line.hasSuffix($0) }) {
                let fits = TextWidth.columns(of: String(line)) <= widest
                #expect(fits || !line.contains("  ") || columns == 0, "\(line)")
            }
        }
    }

    @Test func helpOfAPrefixListsItsCommandsOnly() {
        let help = HelpText(table).text(about: ["secret"])
        #expect(help.contains("secret set"))
        #expect(!help.contains("rekey"))
        #expect(HelpText(table).text(about: []).contains("rekey"))
    }

    @Test func headingsAreSetOffWhereThereIsColour() {
        let style = Style(
            TerminalCapabilities(
                isTerminal: true, columns: 80, terminalName: "xterm", noColour: nil))
        #expect(HelpText(table, style: style).text(about: []).contains("\u{1B}[1mUsage:\u{1B}[0m"))
        #expect(!HelpText(table).text(about: []).contains("\u{1B}"))
    }

    @Test func referenceHasEveryCommandOptionAndCode() {
        let reference = CommandReference(table).text
        for command in table.commands {
            #expect(reference.contains("### taskvault \(command.name)\n"))
            #expect(reference.contains("(#taskvault-\(command.path.joined(separator: "-")))"))
            for option in command.visibleOptions {
                #expect(reference.contains("| `\(option.signature)` | "))
            }
        }
        for code in table.exitCodes {
            #expect(reference.contains("| \(code.code.rawValue) | "))
        }
        #expect(!reference.contains("| `--markdown"))
    }

    @Test(.enabled(if: Tool.isPresent("groff"), "needs groff"))
    func theManualPageIsWellFormed() throws {
        let page = ManualPage(table).text
        let complaints = try Tool.run("groff", ["-man", "-ww", "-z", "-b"], input: page)
        #expect(complaints == "")
        let shown = try Tool.run("groff", ["-man", "-Tascii", "-P-cbou"], input: page)
        let words = shown.split { $0.isWhitespace }.joined(separator: " ")
        for command in table.commands {
            #expect(words.contains(table.usage(of: command)), "\(command.name)")
            for example in command.examples {
                let line = example.line.split(separator: " ").joined(separator: " ")
                #expect(words.contains(line), "\(example.line)")
            }
        }
        #expect(words.contains("EXIT STATUS"))
    }

    @Test(.enabled(if: Tool.isPresent("man"), "needs man"))
    func manShowsTheManualPage() throws {
        let shown = try Tool.run("man", ["-l", "-"], input: ManualPage(table).text)
        #expect(shown.contains("taskvault"))
        #expect(shown.contains("TASKVAULT_HOME"))
    }

    @Test func everyHyphenOfTheManualPageCanBePasted() {
        let page = ManualPage(table).text
        #expect(page.ranges(of: "-").count == page.ranges(of: "\\-").count)
        #expect(page.contains("\\-\\-home"))
    }

    @Test func everyLineOfTheManualPageIsTextOrAKnownMacro() {
        let known = [
            ".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".I", ".RI", ".RS", ".RE", ".nf", ".fi",
        ]
        for line in ManualPage(table).text.split(separator: "\n") where line.first == "." {
            #expect(known.contains(String(line.prefix { $0 != " " })), "\(line)")
        }
    }
}
