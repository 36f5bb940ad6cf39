/// What the arguments ask for.
package enum CommandRequest: Sendable, Hashable {
    /// To run a command.
    case run(Invocation)
    /// To explain the commands whose names begin with these words; all of them if there is none.
    case help([String])
    /// To print the manual page.
    case manualPage
    /// To print `Docs/CommandLine.md`.
    case reference
    /// To print the version.
    case version
}

/// A command with its operands and options, checked against its description.
package struct Invocation: Sendable, Hashable {
    /// The command.
    package let command: CommandDescription
    private let operands: [String]
    /// The given options by name; a flag has the empty value.
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

    /// The value of an operand, which the command must have.
    package func text(of operand: OperandDescription) -> String {
        guard let index = command.operands.firstIndex(of: operand) else {
            preconditionFailure("\(command.name) has no operand \(operand.name)")
        }
        return operands[index]
    }

    /// The values of an operand that may be there several times or not at all.
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

    /// The value of an option, or what stands for it if it was left out.
    package func text(of option: OptionDescription) -> String? {
        has(option) ? options[option.name] : option.standard
    }

    /// The value of an option that takes a number, or what stands for it if it was left out.
    package func number(of option: OptionDescription) -> Int? {
        text(of: option).flatMap { Int($0) }
    }
}
