/// Arguments parted into words and options, before it is known which command they are for.
struct ArgumentScan {
    /// Everything that is no option, in order.
    private(set) var words: [String] = []
    /// The options by name; a flag has the empty value.
    private(set) var options: [String: String] = [:]

    private let known: [OptionDescription]
    private let program: String

    /// Scans arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the program's name.
    ///   - table: The commands whose options can stand there.
    /// - Throws: A failure of wrong usage.
    init(_ arguments: [String], _ table: CommandTable) throws(CommandFailure) {
        known = table.optionNames
        program = table.program
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                return
            }
            // A hyphen alone is an operand: it stands for standard input.
            if argument.utf8.first != UInt8(ascii: "-") || argument == "-" {
                words.append(argument)
            } else {
                try take(argument, &rest)
            }
        }
    }

    private mutating func take(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) {
        // By bytes: an equals sign with an accent is no character `=` to Swift.
        let parts = argument.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let spelling = argument == "-h" ? OptionDescription.help.spelling : parts[0]
        guard let option = known.first(where: { $0.spelling == spelling }) else {
            let close = Suggestion.closest(to: spelling, among: known.map(\.spelling))
            // Only the name: what follows it may be a secret.
            throw .usage(
                "unknown option '\(spelling)'",
                hint: close.map { "did you mean '\($0)'?" } ?? "\(program) --help")
        }
        guard options[option.name] == nil else {
            throw .usage("option '\(spelling)' is given twice", hint: "give it once")
        }
        options[option.name] = try value(
            of: option, attached: parts.count > 1 ? parts[1] : nil, &rest)
    }

    private func value(
        of option: OptionDescription, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(CommandFailure) -> String {
        guard let placeholder = option.placeholder else {
            if attached == nil { return "" }
            throw .usage(
                "option '\(option.spelling)' takes no value", hint: "write \(option.spelling) alone"
            )
        }
        if let attached { return attached }
        // The next option is not taken for a value that was forgotten.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw .usage(
                "option '\(option.spelling)' needs a value",
                hint: "\(option.spelling)=\(placeholder)")
        }
        rest.removeFirst()
        return next
    }
}
