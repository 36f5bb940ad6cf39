/// Completions for fish.
struct FishCompletions {
    private let table: CommandTable

    init(_ table: CommandTable) {
        self.table = table
    }

    var text: String {
        let program = table.program
        var lines = [
            "# Completions of \(program) for fish, made by '\(program) completions fish'.", "",
        ]
        lines += condition
        if table.keepsNames { lines += names }
        lines += ["", "complete -c \(program) -f"]
        for prefix in table.prefixes {
            for word in table.words(after: prefix) {
                let meaning = table.command(prefix + [word])?.summary
                lines.append(
                    complete(at: prefix, operand: 0, "-a \(word)", meaning: meaning))
            }
        }
        for command in table.commands {
            for (index, operand) in command.operands.enumerated() {
                guard let candidates = arguments(operand) else { continue }
                let isRepeated = operand.count.upperBound > 1
                lines.append(
                    complete(at: command.path, operand: isRepeated ? nil : index, candidates))
            }
            for option in command.visibleOptions {
                lines.append(complete(at: command.path, operand: nil, named(option)))
            }
        }
        for option in table.globalOptions {
            lines.append("complete -c \(program) \(named(option))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A function that tests whether the words before the cursor are a given command. It can also
    /// test the number of operands.
    private var condition: [String] {
        let values = table.optionNames.filter { $0.placeholder != nil && !$0.isHidden }
        let names = table.prefixes.dropFirst() + table.commands.map(\.path)
        return [
            "function __\(table.program)_at",
            "    set -l command_path ''",
            "    set -l operands 0",
            "    set -l skip ''",
            "    set -l only_operands ''",
            "    set -g __\(table.program)_typed '' '' '' ''",
            "    for word in (commandline -opc)[2..-1]",
            "        if test -n \"$only_operands\"",
        ] + operand(indent: 12) + [
            "        else if test -n \"$skip\"",
            "            test \"$skip\" = --home; and set __\(table.program)_typed[1] $word",
            "            set skip ''",
            "        else",
            "            switch \"$word\"",
            "                case --",
            "                    set only_operands 1",
            "                    set __\(table.program)_typed[4] \(OptionDescription.afterDashes.spelling)",
            "                case '--home=*'",
            "                    set __\(table.program)_typed[1] (string replace -- --home= '' $word)",
            "                case \(values.flatMap(\.spellings).joined(separator: " "))",
            "                    set skip $word",
            "                case '-?*'",
            "                case '*'",
            "                    switch (string trim \"$command_path $word\")",
            "                        case \(names.map { "'\($0.joined(separator: " "))'" }.joined(separator: " "))",
            "                            set command_path (string trim \"$command_path $word\")",
            "                        case '*'",
        ] + operand(indent: 28) + [
            "                    end",
            "            end",
            "        end",
            "    end",
            "    test \"$command_path\" = \"$argv[1]\"; or return 1",
            "    test (count $argv) -lt 2; or test $operands = $argv[2]",
            "end",
        ]
    }

    private func operand(indent: Int) -> [String] {
        [
            "set operands (math $operands + 1)",
            "test $operands -le 2; and set __\(table.program)_typed[(math $operands + 1)] $word",
        ].map { String(repeating: " ", count: indent) + $0 }
    }

    /// A function that queries names from the program: `__taskvault_typed` holds the folder, the first operands, and an option.
    private var names: [String] {
        let typed = "$__\(table.program)_typed"
        let words = [OptionDescription.typedHome, .typedService, .typedAccount].enumerated().map {
            "\"\($1.spelling)=\(typed)[\($0 + 1)]\""
        }
        return [
            "", "function __\(table.program)_names",
            "    command -q \(table.program); or return",
            "    set -l after_dashes (string match -- '--*' \(typed)[4])",
            "    command \(table.program) completions fish \"\(OptionDescription.names.spelling)=$argv[1]\" $after_dashes \\",
            "        \(words.joined(separator: " ")) </dev/null 2>/dev/null",
            "end",
        ]
    }

    /// The candidates of a kind of names.
    private func names(_ kind: StoredName) -> String {
        "'(__\(table.program)_names \(kind.rawValue))'"
    }

    private func complete(
        at path: [String], operand: Int?, _ arguments: String, meaning: String? = nil
    ) -> String {
        let place = "\"\(path.joined(separator: " "))\"" + (operand.map { " \($0)" } ?? "")
        var line = "complete -c \(table.program) -n '__\(table.program)_at \(place)' \(arguments)"
        if let meaning { line += " -d \(Self.quoted(meaning))" }
        return line
    }

    private func named(_ option: OptionDescription) -> String {
        var line = (option.letter.map { "-s \($0) " } ?? "") + "-l \(option.name)"
        switch option.value {
        case .flag, .optional: break
        case .text, .number: line += " -x"
        case .file: line += " -r -F"
        case .folder: line += " -x -a '(__fish_complete_directories)'"
        case .choice(_, let words): line += " -x -a '\(words.joined(separator: " "))'"
        case .stored(_, let kind): line += " -x -a \(names(kind))"
        }
        return line + " -d \(Self.quoted(option.meaning))"
    }

    private func arguments(_ operand: OperandDescription) -> String? {
        switch operand.value {
        case .choice(let words): "-a '\(words.all.joined(separator: " "))'"
        case .file: "-F"
        case .command: "-a '\(table.words(after: []).joined(separator: " "))'"
        case .stored(let kind): "-a \(names(kind))"
        case .text: nil
        }
    }

    /// Text in single quotation marks, in fish syntax.
    private static func quoted(_ text: String) -> String {
        var result = "'"
        for character in text {
            if character == "'" || character == "\\" { result.append("\\") }
            result.append(character)
        }
        return result + "'"
    }
}
