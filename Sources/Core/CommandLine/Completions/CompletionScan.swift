/// The common parts of the bash and zsh scripts. They find the command and the kind of word at the
/// cursor, and choose the candidates.
///
/// In both scripts, `command_path` holds the words of the command, and `option` the option whose
/// value is typed. `operands` is the number of operands before the cursor, and `current` the word
/// at the cursor. `home`, `first` and `second` are the folder and the first operands before the
/// cursor. No word is evaluated.
struct CompletionScan {
    let table: CommandTable

    /// Script lines that process one word, `word`.
    var lines: [String] {
        let values = table.optionNames.filter { $0.placeholder != nil && !$0.isHidden }
        let names = table.prefixes.dropFirst() + table.commands.map(\.path)
        return [
            "        if [[ -n $only_operands ]]; then"
        ] + operand(indent: 12) + [
            "        elif [[ -n $option ]]; then",
            "            if [[ $option == --home ]]; then home=$word; fi",
            "            option=''",
            "        else",
            "            case $word in",
            "            --) only_operands=1 ;;",
            "            --home=*) home=${word#*=} ;;",
            "            \(values.map(\.spelling).joined(separator: "|"))) option=$word ;;",
        ]
            + values.compactMap { option in
                option.letter.map { "            -\($0)) option=\(option.spelling) ;;" }
            } + [
                "            -?*) ;;",
                "            *)",
                "                case \"${command_path:+$command_path }$word\" in",
                "                \(names.map { "'\($0.joined(separator: " "))'" }.joined(separator: "|")))",
                "                    command_path=\"${command_path:+$command_path }$word\" ;;",
                "                *)",
            ] + operand(indent: 20) + [
                "                    ;;",
                "                esac ;;",
                "            esac",
                "        fi",
            ]
    }

    private func operand(indent: Int) -> [String] {
        [
            "case $operands in 0) first=$word ;; 1) second=$word ;; esac",
            "operands=$((operands + 1))",
        ].map { String(repeating: " ", count: indent) + $0 }
    }

    /// The shell command that asks the program for stored names. `$1` is the kind of name.
    ///
    /// Both scripts use it in a function.
    ///
    /// - Parameters:
    ///   - shell: The shell.
    ///   - value: Returns the shell text that expands the variable of this name, such as `$first` for `first`.
    /// - Returns: The words of the command. It prints no errors and reads no input.
    func request(of shell: Shell, _ value: (String) -> String) -> String {
        let typed = [
            (OptionDescription.typedHome, "home"), (.typedService, "first"),
            (.typedAccount, "second"),
        ]
        return
            (["command", table.program, "completions", shell.rawValue]
            + ["\"\(OptionDescription.names.spelling)=$1\""]
            + ["${only_operands:+\(OptionDescription.afterDashes.spelling)}"]
            + typed.map { "\"\($0.0.spelling)=\(value($0.1))\"" }).joined(separator: " ")
    }

    /// Script lines that offer the candidates at the cursor; `command` returns the shell's command for that.
    func offers(_ command: (Candidates) -> String) -> [String] {
        func lines(_ branches: [Branch]) -> [String] {
            branches.map { "        \($0.pattern)) \(command($0.candidates)) ;;" }
        }
        return ["    if [[ -n $option ]]; then", "        case \"$command_path $option\" in"]
            + lines(optionValues)
            + [
                "        esac", "    elif [[ -z $only_operands && $current == -* ]]; then",
                "        case $command_path in",
            ]
            + lines(optionNames)
            + ["        esac", "    else", "        case \"$command_path $operands\" in"]
            + lines(operandValues) + ["        esac", "    fi"]
    }

    /// A position in a command line and its candidates.
    struct Branch {
        /// The `case` pattern of the position.
        let pattern: String
        let candidates: Candidates
    }

    /// The candidates at a position.
    enum Candidates: Equatable {
        case words([String])
        case files
        case folders
        case stored(StoredName)
        case nothing
    }

    /// Values of options, by `command_path` and `option`, separated by a space.
    private var optionValues: [Branch] {
        let global = table.globalOptions.map { ("*", $0) }
        let own = table.commands.flatMap { command in
            command.visibleOptions.map { ("'\(command.name)'", $0) }
        }
        return (own + global).compactMap { path, option in
            let candidates = Self.candidates(option.value)
            if candidates == .nothing { return nil }
            return Branch(pattern: "\(path)' \(option.spelling)'", candidates: candidates)
        }
    }

    /// For each command, a pattern of `command_path` and the options that the shell offers.
    private var optionNames: [Branch] {
        let global = table.globalOptions.map(\.spelling)
        let own = table.commands.compactMap { command -> Branch? in
            let names = command.visibleOptions.map(\.spelling)
            if names.isEmpty { return nil }
            return Branch(pattern: "'\(command.name)'", candidates: .words(names + global))
        }
        return own + [Branch(pattern: "*", candidates: .words(global))]
    }

    /// Words and operands, by `command_path` and the number of operands, separated by a space.
    private var operandValues: [Branch] {
        var branches = table.prefixes.map { prefix in
            Branch(
                pattern: "'\(prefix.joined(separator: " ")) 0'",
                candidates: .words(table.words(after: prefix)))
        }
        for command in table.commands {
            for (index, operand) in command.operands.enumerated() {
                let candidates =
                    operand.value == .command
                    ? .words(table.words(after: [])) : Self.candidates(operand.value)
                if candidates == .nothing { continue }
                let number = operand.count.upperBound > 1 ? "'*" : "\(index)'"
                branches.append(
                    Branch(pattern: "'\(command.name) \(number)", candidates: candidates))
            }
        }
        return branches
    }

    static func candidates(_ value: OptionDescription.Value) -> Candidates {
        switch value {
        case .choice(_, let words): .words(words)
        case .file: .files
        case .folder: .folders
        case .stored(_, let kind): .stored(kind)
        case .flag, .optional, .text, .number: .nothing
        }
    }

    static func candidates(_ value: OperandDescription.Value) -> Candidates {
        switch value {
        case .choice(let words): .words(words.all)
        case .file: .files
        case .stored(let kind): .stored(kind)
        case .text, .command: .nothing
        }
    }
}
