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
    /// The given options by name. A flag has an empty value.
    private let options: [String: String]
    private let known: Set<String>

    init(
        _ command: CommandDescription, operands: [String], options: [String: String],
        globalOptions: [OptionDescription]
    ) {
        self.command = command
        self.operands = operands
        self.options = options
        known = Set((command.options + globalOptions).map(\.name))
    }

    /// The words of the command's name, such as `["secret", "set"]`.
    package var path: [String] { command.path }

    /// The value of a required operand.
    package func text(of operand: OperandDescription) -> String {
        guard let index = command.operands.firstIndex(of: operand) else {
            preconditionFailure("\(command.name) has no operand \(operand.name)")
        }
        return operands[index]
    }

    /// The values of an optional or repeated operand.
    package func texts(of operand: OperandDescription) -> [String] {
        guard let index = command.operands.firstIndex(of: operand) else {
            preconditionFailure("\(command.name) has no operand \(operand.name)")
        }
        return Array(operands.dropFirst(index).prefix(operand.count.upperBound))
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
