internal import TextCoding

/// Parses arguments by a table.
///
/// Options may appear before, within and after the command's name. `--name value` and `--name=value` are equivalent; after `--`
/// every argument is an operand. Each option may appear once, and names cannot be abbreviated. Some options have a letter: `-n value`,
/// `-nvalue` and `-n=value` are equivalent, and letters of flags can precede another letter.
package struct CommandParser: Sendable {
    let table: CommandTable

    /// Creates a parser for a table.
    package init(_ table: CommandTable) {
        self.table = table
    }

    /// Whether to print errors as JSON. Also valid if ``parse(_:)`` fails.
    package static func wantsJSON(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains(OptionDescription.json.spelling)
    }

    /// Parses arguments.
    ///
    /// A request for help or for the version has priority over all errors except unknown options.
    ///
    /// - Parameter arguments: The arguments, without the program's name.
    /// - Returns: The request.
    /// - Throws: A usage error (``ExitCode/usage``) with a hint.
    package func parse(_ arguments: [String]) throws -> CommandRequest {
        let scan = try ArgumentScan(arguments, table)
        let asksForHelp = scan.options[OptionDescription.help.name] != nil
        if !asksForHelp, scan.options[OptionDescription.version.name] != nil { return .version }

        var (path, rest) = table.split(scan.words)
        // A first word alone lists: `settings` means `settings list`.
        if !asksForHelp, rest.isEmpty, table.command(path + ["list"]) != nil { path.append("list") }
        guard let command = table.command(path) else {
            if asksForHelp, rest.isEmpty { return .help(path) }
            throw unknownCommand(after: path, next: rest.first)
        }
        if asksForHelp { return .help(path) }

        try check(scan.options, of: command)
        if command.operands.first?.value == .command {
            return try information(command, about: rest, scan.options)
        }
        try check(rest, of: command)
        return .run(
            Invocation(
                command, operands: rest, literalCount: scan.literalCount, options: scan.options,
                globalOptions: table.globalOptions))
    }

    private func check(
        _ options: [String: String], of command: CommandDescription
    ) throws {
        // Sorted, so that the message is deterministic.
        for (name, value) in options.sorted(by: { $0.key < $1.key }) {
            let description = (command.options + table.globalOptions).first { $0.name == name }
            guard let description else {
                throw Failure.usage(
                    "option '--\(name)' is not for '\(table.program) \(command.name)'",
                    hint: "\(table.program) \(command.name) --help")
            }
            if description.value != .flag, let violation = description.violation(value) {
                throw Failure.usage(
                    violation,
                    hint: hint(value, among: description.choices)
                        ?? "\(table.program) \(command.name) --help")
            }
        }
        for trait in command.traits {
            for option in trait.senseless where options[option.name] != nil {
                throw Failure.usage(
                    "'\(table.program) \(command.name)' \(trait.meaning)",
                    hint: "leave \(option.spelling) out")
            }
        }
        let given = command.exclusive.filter { options[$0.name] != nil }
        if given.count > 1 {
            throw Failure.usage(
                "options '\(given[0].spelling)' and '\(given[1].spelling)' exclude each other",
                hint: "leave one of them out")
        }
    }

    private func check(
        _ operands: [String], of command: CommandDescription
    ) throws {
        let expected = command.operands
        let least = expected.reduce(0) { $0 + $1.count.lowerBound }
        if operands.count < least {
            let missing = expected.dropFirst(operands.count).filter { $0.count.lowerBound > 0 }
                .map(\.name)
            throw Failure.usage(
                "missing \(missing.joined(separator: " and "))", hint: table.usage(of: command))
        }
        if operands.count > expected.reduce(0, { $0 + $1.count.upperBound }) {
            // The message does not repeat the argument, which may be a secret.
            throw Failure.usage(
                expected.last.map { "unexpected argument after \($0.name)" }
                    ?? "this command takes no operands",
                hint: command.surplusHint ?? table.usage(of: command))
        }
        for index in expected.indices {
            let operand = expected[index]
            for text in operands[command.places(ofOperand: index, among: operands.count)] {
                guard let violation = operand.violation(text) else { continue }
                let hint = hint(text, among: operand.choices)
                let isLong = operand.choices.count > Self.mostListed
                throw Failure.usage(
                    hint != nil && isLong ? "there is no such \(operand.name)" : violation,
                    hint: hint ?? table.usage(of: command))
            }
        }
    }

    /// The number of choices that an error lists beside a hint that names the likeliest.
    private static let mostListed = 8

    /// The choice that a mistyped one may be, as a hint.
    private func hint(_ text: String, among words: [String]) -> String? {
        Suggestion.closest(to: text, among: words).map { "did you mean '\($0)'?" }
    }

    /// The request of the command `help`.
    private func information(
        _ command: CommandDescription, about words: [String], _ options: [String: String]
    ) throws -> CommandRequest {
        if options[OptionDescription.manualPage.name] != nil { return .manualPage }
        if options[OptionDescription.markdown.name] != nil { return .reference }
        let (path, rest) = table.split(words)
        guard rest.isEmpty else { throw unknownCommand(after: path, next: rest.first) }
        return .help(path)
    }

    private func unknownCommand(after path: [String], next word: String?) -> Failure {
        let program = ([table.program] + path).joined(separator: " ")
        guard let word else {
            return .usage(
                path.isEmpty ? "missing command" : "'\(program)' is not a complete command",
                hint: "\(program) --help")
        }
        let names = table.commands(like: word, below: path)
        let hint = names.map { "'\(table.program) \($0)'" }.joined(separator: " or ")
        return .usage(
            "unknown command '\(word)'",
            hint: names.isEmpty ? "\(program) --help" : "did you mean \(hint)?")
    }
}

extension CommandTable {
    /// Splits words into the longest known prefix of a command's name, and the rest.
    fileprivate func split(_ words: [String]) -> ([String], [String]) {
        var path: [String] = []
        for word in words {
            guard self.words(after: path).contains(word) else { break }
            path.append(word)
        }
        return (path, Array(words.dropFirst(path.count)))
    }
}

/// Arguments split into words and options, before the command is known.
struct ArgumentScan {
    /// All arguments that are not options, in order.
    private(set) var words: [String] = []
    /// The number of arguments behind `--`.
    private(set) var literalCount = 0
    /// The options by name. A flag has an empty value; a repeated option has all its values, joined by ``separator``.
    private(set) var options: [String: String] = [:]
    /// A character that no argument contains.
    static let separator: Character = "\0"

    private let table: CommandTable

    /// Scans arguments.
    ///
    /// - Parameters:
    ///   - arguments: The arguments, without the program's name.
    ///   - table: The commands whose options are allowed.
    /// - Throws: A usage error.
    init(_ arguments: [String], _ table: CommandTable) throws {
        self.table = table
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                words += rest
                literalCount = rest.count
                return
            }
            // A hyphen alone is an operand: standard input.
            if argument.utf8.first != UInt8(ascii: "-") || argument == "-" {
                words.append(argument)
            } else {
                try take(argument, &rest)
            }
        }
    }

    private mutating func take(
        _ argument: String, _ rest: inout ArraySlice<String>
    ) throws {
        if !argument.hasPrefix("--") { return try takeLetters(argument.dropFirst(), &rest) }
        // Split by bytes: as a `Character`, an equals sign with an accent is not `=`.
        let parts = argument.utf8.split(
            separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        let spelling = parts[0]
        let name = String(Substring(spelling.utf8.dropFirst(2)))
        guard let option = table.option(named: name) else {
            // Compare without the hyphens, which would count as equal letters: `--project` is not close to `--protected`.
            let close =
                Suggestion.closest(to: name, among: table.optionNames.map(\.name))
                ?? table.optionOfOthers(name)
            throw unknown(spelling, hint: close.map { "did you mean '--\($0)'?" })
        }
        try add(option, attached: parts.count > 1 ? parts[1] : nil, &rest)
    }

    /// The failure of an option. It shows only the name, because the rest may be a secret.
    private func unknown(_ spelling: String, hint: String?) -> Failure {
        let command = ([table.program] + table.split(words).0).joined(separator: " ")
        return .usage("unknown option '\(spelling)'", hint: hint ?? "\(command) --help")
    }

    /// Takes the letters of options, such as `cy`, or `dfri` and `d=fri` with a value.
    private mutating func takeLetters(
        _ letters: Substring, _ rest: inout ArraySlice<String>
    ) throws {
        let known = table.optionNames
        if known.contains(where: { $0.name.count > 1 && $0.name == letters }) {
            throw unknown("-\(letters)", hint: "did you mean '--\(letters)'?")
        }
        var letters = letters.unicodeScalars
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.letter == Character(letter) }) else {
                throw unknown("-\(letter)", hint: nil)
            }
            guard option.placeholder != nil else {
                try add(option, attached: nil, &rest)
                continue
            }
            if letters.first == "=" { letters.removeFirst() }
            return try add(option, attached: letters.isEmpty ? nil : String(letters), &rest)
        }
    }

    private mutating func add(
        _ option: OptionDescription, attached: String?, _ rest: inout ArraySlice<String>
    ) throws {
        guard options[option.name] == nil || option.isRepeated else {
            throw Failure.usage("option '\(option.spelling)' is given twice", hint: "give it once")
        }
        let value = try value(of: option, attached: attached, &rest)
        options[option.name] =
            options[option.name].map { $0 + String(Self.separator) + value } ?? value
    }

    /// Whether an argument is the value of an option with an optional value; `follower` is the next argument.
    private static func isValue(
        _ argument: String, _ words: [String], _ follower: String?
    ) -> Bool {
        guard let first = argument.utf8.first else { return false }
        if (0x30...0x39).contains(first) || first == UInt8(ascii: "+") { return true }
        let parts = argument.lowercased().split(separator: " ", maxSplits: 1)
        guard let word = parts.first, words.contains(String(word)) else { return false }
        return parts.count > 1 || follower?.hasPrefix("-") ?? true
    }

    private func value(
        of option: OptionDescription, attached: String?, _ rest: inout ArraySlice<String>
    ) throws -> String {
        if case .optional(_, let words) = option.value {
            if let attached { return attached }
            guard let next = rest.first, Self.isValue(next, words, rest.dropFirst().first) else {
                return ""
            }
            return rest.removeFirst()
        }
        guard let placeholder = option.placeholder else {
            if attached == nil { return "" }
            throw Failure.usage(
                "option '\(option.spelling)' takes no value", hint: "write \(option.spelling) alone"
            )
        }
        if let attached { return attached }
        // Another option cannot be the missing value.
        guard let next = rest.first, !next.hasPrefix("--") else {
            throw Failure.usage(
                "option '\(option.spelling)' needs a value",
                hint: "\(option.spelling)=\(placeholder)")
        }
        rest.removeFirst()
        return next
    }
}
