/// A command: the one source for parsing, help, manual page, completions and `Docs/CommandLine.md`.
package struct CommandDescription: Sendable, Hashable {
    /// A command line that shows the command at work.
    package struct Example: Sendable, Hashable {
        /// The line, beginning with `taskvault` or with what is piped into it.
        package let line: String
        /// What it does, beginning in lower case and without full stop.
        package let meaning: String

        /// Makes an example.
        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// The words of its name, such as `secret` and `set`.
    package let path: [String]
    /// What it does in a few words, beginning in lower case and without full stop.
    package let summary: String
    /// What stands after the name, in this order.
    package var operands: [OperandDescription] = []
    /// The options of its own; the global ones come on top.
    package var options: [OptionDescription] = []
    /// Options of which at most one can be given.
    package var exclusive: [OptionDescription] = []
    /// Paragraphs that say more, in whole sentences.
    package var notes: [String] = []
    /// The command at work; every command has one at least.
    package var examples: [Example]
    /// How it can end, ``ExitCode/done``, ``ExitCode/failure``, ``ExitCode/usage`` and ``ExitCode/interrupted`` apart, which every command can.
    package var exitCodes: [ExitCode] = []
    /// Whether it is about the agent itself, so that `--no-agent` makes no sense.
    package var isAboutAgent = false
    /// Whether it works with the vault that the agent holds unlocked.
    package var usesAgent = false
    /// What to say to somebody who gave more operands, one of which may have been a secret.
    package var surplusHint: String?

    /// The name as it is typed, such as `secret set`.
    package var name: String { path.joined(separator: " ") }

    /// The command line, such as `taskvault secret set [options] SERVICE ACCOUNT`.
    var usage: String {
        ([CommandTable.program] + path + ["[options]"] + operands.map(\.usage))
            .joined(separator: " ")
    }

    /// The options that the documents show.
    var visibleOptions: [OptionDescription] { options.filter { !$0.isHidden } }

    /// All codes with which it can end, in ascending order.
    var allExitCodes: [ExitCode] {
        ExitCode.allCases.filter {
            [.done, .failure, .usage, .interrupted].contains($0) || exitCodes.contains($0)
        }
    }
}
