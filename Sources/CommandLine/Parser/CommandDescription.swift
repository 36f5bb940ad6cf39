/// A command: the one source for parsing, help, manual page, completions and the reference.
package struct CommandDescription: Sendable, Hashable {
    /// A command line that shows the command at work.
    package struct Example: Sendable, Hashable {
        /// The line, beginning with the program's name or with what is piped into it.
        package let line: String
        /// Its effect, beginning in lower case and without full stop.
        package let meaning: String

        /// Makes an example.
        package init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// The words of its name, such as `secret` and `set`.
    package let path: [String]
    /// Its purpose in a few words, beginning in lower case and without full stop.
    package let summary: String
    /// The operands, in this order.
    package let operands: [OperandDescription]
    /// The options of its own; the global ones come on top.
    package let options: [OptionDescription]
    /// Options of which at most one can be given.
    package let exclusive: [OptionDescription]
    /// Paragraphs that say more, in whole sentences.
    package let notes: [String]
    /// The command at work; every command has one at least.
    package let examples: [Example]
    /// How it can end, ``ExitCode/ofEveryCommand`` apart.
    package let exitCodes: [ExitCode]
    /// Properties that it shares with other commands.
    package let traits: Set<CommandTrait>
    /// The hint for too many operands, one of which may be a secret.
    package let surplusHint: String?

    /// Describes a command.
    package init(
        path: [String], summary: String, operands: [OperandDescription] = [],
        options: [OptionDescription] = [], exclusive: [OptionDescription] = [],
        notes: [String] = [], examples: [Example], exitCodes: [ExitCode] = [],
        traits: Set<CommandTrait> = [], surplusHint: String? = nil
    ) {
        self.path = path
        self.summary = summary
        self.operands = operands
        self.options = options
        self.exclusive = exclusive
        self.notes = notes
        self.examples = examples
        self.exitCodes = exitCodes
        self.traits = traits
        self.surplusHint = surplusHint
    }

    /// The name as it is typed, such as `secret set`.
    package var name: String { path.joined(separator: " ") }

    /// The options that the documents show.
    package var visibleOptions: [OptionDescription] { options.filter { !$0.isHidden } }

    /// All codes with which it can end, in ascending order.
    package var allExitCodes: [ExitCode] {
        Set(ExitCode.ofEveryCommand + exitCodes).sorted { $0.rawValue < $1.rawValue }
    }
}

/// Something that several commands of a program have in common, which the program asks for by name.
package struct CommandTrait: Sendable, Hashable {
    /// What such a command does or is, such as `is about the agent`.
    package let meaning: String
    /// Options of every command that make no sense for it.
    package let senseless: [OptionDescription]

    /// Makes a trait.
    package init(_ meaning: String, senseless: [OptionDescription] = []) {
        self.meaning = meaning
        self.senseless = senseless
    }
}
