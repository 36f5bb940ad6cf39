/// A request, parsed from the arguments.
package enum CommandRequest: Sendable, Hashable {
    /// Run a command.
    case run(Invocation)
    /// Explain the commands whose names begin with these words; all commands if empty.
    case help([String])
    /// Print the manual page.
    case manualPage
    /// Print `Docs/CommandLine.md`.
    case reference
    /// Print the version.
    case version
}

/// A command with its operands and options, checked against its description.
package struct Invocation: Sendable, Hashable {
    /// The command.
    package let command: CommandDescription
    private let operands: [String]
    /// The number of operands behind `--`, which are the last ones.
    private let literalCount: Int
    /// The given options by name. A flag has an empty value.
    private let options: [String: String]
    private let known: Set<String>

    init(
        _ command: CommandDescription, operands: [String], literalCount: Int = 0,
        options: [String: String], globalOptions: [OptionDescription]
    ) {
        self.command = command
        self.operands = operands
        self.literalCount = min(literalCount, operands.count)
        self.options = options
        known = Set((command.options + globalOptions).map(\.name))
    }

    /// The words of the command's name, such as `["secret", "set"]`.
    package var path: [String] { command.path }

    /// The value of a required operand.
    package func text(of operand: OperandDescription) -> String {
        guard let text = texts(of: operand).first else {
            preconditionFailure("\(command.name) has no value of \(operand.name)")
        }
        return text
    }

    /// The values of an optional or repeated operand.
    package func texts(of operand: OperandDescription) -> [String] {
        Array(operands[places(of: operand)])
    }

    /// The values of an operand before `--`, and those behind it.
    package func parsedTexts(
        of operand: OperandDescription
    ) -> (texts: [String], literal: [String]) {
        let places = places(of: operand)
        let first = min(max(operands.count - literalCount, places.lowerBound), places.upperBound)
        return (
            Array(operands[places.lowerBound..<first]), Array(operands[first..<places.upperBound])
        )
    }

    private func places(of operand: OperandDescription) -> Range<Int> {
        guard let index = command.operands.firstIndex(of: operand) else {
            preconditionFailure("\(command.name) has no operand \(operand.name)")
        }
        return command.places(ofOperand: index, among: operands.count)
    }

    /// Whether the command has an option of this name.
    package func takes(_ option: OptionDescription) -> Bool { known.contains(option.name) }

    /// Whether an option was given.
    package func has(_ option: OptionDescription) -> Bool {
        precondition(known.contains(option.name), "\(command.name) has no --\(option.name)")
        return options[option.name] != nil
    }

    /// The value of an option, or its default; nil if it has neither. The value of a flag is empty.
    package func text(of option: OptionDescription) -> String? {
        has(option) ? options[option.name] : option.standard
    }

    /// The values of an option that may be given several times.
    package func texts(of option: OptionDescription) -> [String] {
        text(of: option)?.split(separator: ArgumentScan.separator, omittingEmptySubsequences: false)
            .map(String.init) ?? []
    }

    /// The value of a numeric option, or its default; nil if it has neither.
    package func number(of option: OptionDescription) -> Int? {
        text(of: option).flatMap { Int($0) }
    }
}
