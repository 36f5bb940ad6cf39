internal import TextCoding

/// A command: the single source of its parsing, help, manual page, completions and reference.
package struct CommandDescription: Sendable, Hashable {
    /// An example command line.
    package struct Example: Sendable, Hashable {
        /// The line, beginning with the program's name or with the command that is piped into it.
        package let line: String
        /// The effect, in lower case and without a full stop.
        package let meaning: String

        /// Creates an example.
        package init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// The words of its name, such as `secret` and `set`.
    package let path: [String]
    /// The purpose of the command in a few words, in lower case and without a full stop.
    package let summary: String
    /// The operands, in this order.
    package let operands: [OperandDescription]
    /// The options of this command, without the global ones.
    package let options: [OptionDescription]
    /// Options of which at most one is allowed.
    package let exclusive: [OptionDescription]
    /// Paragraphs with details, in whole sentences.
    package var notes: [String] { makeNotes.make() }
    private let makeNotes: LateText
    /// The examples; every command has at least one.
    package let examples: [Example]
    /// The exit codes of the command, except ``ExitCode/ofEveryCommand``.
    package let exitCodes: [ExitCode]
    /// Properties shared with other commands.
    package let traits: [CommandTrait]
    /// The hint for too many operands, one of which may be a secret.
    package let surplusHint: String?

    /// Describes a command.
    package init(
        path: [String], summary: String, operands: [OperandDescription] = [],
        options: [OptionDescription] = [], exclusive: [OptionDescription] = [],
        notes: @autoclosure @escaping @Sendable () -> [String] = [], examples: [Example],
        exitCodes: [ExitCode] = [],
        traits: [CommandTrait] = [], surplusHint: String? = nil
    ) {
        self.path = path
        self.summary = summary
        self.operands = operands
        self.options = options
        self.exclusive = exclusive
        makeNotes = LateText(make: notes)
        self.examples = examples
        self.exitCodes = exitCodes
        self.traits = traits
        self.surplusHint = surplusHint
    }

    /// The name as typed, such as `secret set`.
    package var name: String { path.dropFirst().reduce(path.first ?? "") { $0 + " " + $1 } }

    /// The options that the documents show.
    package var visibleOptions: [OptionDescription] { options.filter { !$0.isHidden } }

    /// The values of an operand among those of a command line. Each operand behind one with several values has one.
    ///
    /// - Parameters:
    ///   - index: The index of the operand.
    ///   - count: The number of values.
    /// - Returns: The indexes of its values.
    func places(ofOperand index: Int, among count: Int) -> Range<Int> {
        let following = operands.dropFirst(index + 1).reduce(0) { $0 + $1.count.lowerBound }
        let several = operands.firstIndex { $0.count.upperBound > 1 } ?? operands.count
        let start =
            index <= several
            ? min(index, count) : max(count - (operands.count - index), 0)
        let most = min(operands[index].count.upperBound, max(count - start - following, 0))
        return start..<min(start + max(most, operands[index].count.lowerBound), count)
    }

    /// All exit codes, in ascending order.
    package var allExitCodes: [ExitCode] {
        Set(ExitCode.ofEveryCommand + exitCodes).sorted { $0.rawValue < $1.rawValue }
    }
}

/// Paragraphs that only the documents make: most of the text of a table, which every start would make otherwise.
private struct LateText: Sendable, Hashable {
    let make: @Sendable () -> [String]

    // The name identifies a command.
    static func == (_: LateText, _: LateText) -> Bool { true }
    func hash(into _: inout Hasher) {}
}

/// A property that several commands of a program share.
package struct CommandTrait: Sendable, Hashable {
    /// The property as text, such as `is about the agent`.
    package let meaning: String
    /// Global options that do not apply.
    package let senseless: [OptionDescription]

    /// Creates a trait.
    package init(_ meaning: String, senseless: [OptionDescription] = []) {
        self.meaning = meaning
        self.senseless = senseless
    }
}
