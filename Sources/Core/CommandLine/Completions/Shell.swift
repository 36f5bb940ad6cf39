/// A shell with completions.
package enum Shell: String, Sendable, CaseIterable {
    /// bash 3.2 and later, without the package bash-completion.
    case bash
    /// zsh with its completion system.
    case zsh
    /// fish 3 and later.
    case fish

    /// The completion script for the commands of a table.
    package func completions(for table: CommandTable) -> String {
        switch self {
        case .bash: BashCompletions(table).text
        case .zsh: ZshCompletions(table).text
        case .fish: FishCompletions(table).text
        }
    }
}

/// Completions for bash.
struct BashCompletions {
    private let program: String
    private let scan: CompletionScan

    init(_ table: CommandTable) {
        program = table.program
        scan = CompletionScan(table: table)
    }

    var text: String {
        var lines = [
            "# Completions of \(program) for bash, made by '\(program) completions bash'.", "",
            "_\(program)() {",
            "    local current='' command_path='' option='' only_operands='' home='' first='' second=''",
            "    local operands=0 index word blanks rest=$COMP_LINE tail=${COMP_WORDS[COMP_CWORD]} typed=()",
            "    COMPREPLY=()",
            "    # bash parts words at a colon or an equals sign, too: without a blank between them they are one.",
            "    for ((index = 0; index <= COMP_CWORD; index++)); do",
            "        word=${COMP_WORDS[index]}",
            "        blanks=${rest%%[!$' \\t\\n']*}",
            "        rest=${rest#\"$blanks\"}",
            "        if [[ $index == 0 || -n $blanks ]]; then",
            "            typed+=(\"$word\")",
            "        else",
            "            typed[${#typed[@]}-1]+=$word",
            "        fi",
            "        rest=${rest#\"$word\"}",
            "    done",
            "    current=${typed[${#typed[@]}-1]}",
            "    for ((index = 1; index < ${#typed[@]} - 1; index++)); do",
            "        word=${typed[index]}",
        ]
        lines += scan.lines
        lines += [
            "    done",
            "    if [[ -z $option && -z $only_operands && $current == --*=* ]]; then",
            "        option=${current%%=*}",
            "        current=${current#*=}",
            "    fi",
            "    # Only the part after the last separator is replaced.",
            "    case $tail in [=:@\\<\\>\\&\\|\\;\\(]*) tail='' ;; esac",
            "    if [[ $current != *\"$tail\" ]]; then tail=$current; fi",
        ]
        lines += scan.offers(command)
        lines += [
            "}", "",
            "_\(program)_words() {",
            "    COMPREPLY=($(compgen -W \"$1\" -- \"$current\"))",
            "}", "",
            "_\(program)_paths() {",
            "    # Line by line: a name may look like a pattern.",
            "    local path",
            "    while IFS= read -r path; do COMPREPLY+=(\"$path\"); done < <(compgen \"$1\" -- \"$current\")",
            "    # Older than bash 4, as on macOS: paths are completed without it, only less nicely.",
            "    if type compopt >/dev/null 2>&1; then compopt -o filenames 2>/dev/null; fi",
            "}", "",
        ]
        if scan.table.keepsNames {
            let request = scan.request(of: .bash) { "$" + $0 }
            lines += [
                "_\(program)_names() {",
                "    # The program reads the words as they were typed, and quotes the names.",
                "    local name",
                "    while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(",
                "        \(request) \\",
                "            \"\(OptionDescription.typedBefore.spelling)=${current%\"$tail\"}\" \"\(OptionDescription.typed.spelling)=$tail\" </dev/null 2>/dev/null",
                "    )",
                "}", "",
            ]
        }
        lines.append("complete -F _\(program) \(program)")
        return lines.joined(separator: "\n") + "\n"
    }

    private func command(_ candidates: CompletionScan.Candidates) -> String {
        switch candidates {
        case .words(let words): "_\(program)_words '\(words.joined(separator: " "))'"
        case .files: "_\(program)_paths -f"
        case .folders: "_\(program)_paths -d"
        case .stored(let kind): "_\(program)_names \(kind.rawValue)"
        case .nothing: ":"
        }
    }
}

/// Completions for zsh.
struct ZshCompletions {
    private let program: String
    private let scan: CompletionScan

    init(_ table: CommandTable) {
        program = table.program
        scan = CompletionScan(table: table)
    }

    var text: String {
        var lines = [
            "#compdef \(program)",
            "# Completions of \(program) for zsh, made by '\(program) completions zsh'.", "",
            "_\(program)() {",
            "    local current=${words[CURRENT]} command_path='' option='' only_operands='' word",
            "    local home='' first='' second=''",
            "    local -i operands=0 index",
            "    for ((index = 2; index < CURRENT; index++)); do",
            "        word=${words[index]}",
        ]
        lines += scan.lines
        lines += [
            "    done",
            "    if [[ -z $option && -z $only_operands && $current == --*=* ]]; then",
            "        option=${current%%=*}",
            "        compset -P '*='",
            "    fi",
        ]
        lines += scan.offers(command)
        lines += ["}", ""]
        if scan.table.keepsNames {
            let request = scan.request(of: .zsh) { "${(Q)\($0)}" }
            lines += [
                "_\(program)_names() {",
                "    # A name, and what it stands for after a tab.",
                "    local -a lines shown",
                "    lines=(\"${(@f)$(\(request) </dev/null 2>/dev/null)}\")",
                "    if [[ $1 == task ]]; then",
                "        shown=(\"${(@)lines/$'\\t'/  }\")",
                "        lines=(\"${(@)lines%%$'\\t'*}\")",
                "        [[ -n ${lines[1]} ]] && compadd -l -d shown -- \"${(@)lines}\"",
                "    elif [[ -n ${lines[1]} ]]; then",
                "        compadd -- \"${(@)lines}\"",
                "    fi",
                "}", "",
            ]
        }
        lines += [
            "# Called as a file of fpath, or read by source.",
            "if [[ ${funcstack[1]} == _\(program) ]]; then",
            "    _\(program) \"$@\"",
            "else",
            "    compdef _\(program) \(program)",
            "fi",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private func command(_ candidates: CompletionScan.Candidates) -> String {
        switch candidates {
        case .words(let words): "compadd -- \(words.joined(separator: " "))"
        case .files: "_files"
        case .folders: "_files -/"
        case .stored(let kind): "_\(program)_names \(kind.rawValue)"
        case .nothing: ":"
        }
    }
}

extension CommandTable {
    /// Whether an operand or option is a name that the program stores.
    var keepsNames: Bool {
        commands.flatMap(\.operands).contains { if case .stored = $0.value { true } else { false } }
    }
}

// The options that a completion script passes to the command `completions`. Help and documents omit them.
extension OptionDescription {
    /// Print names of a kind instead of the script.
    package static let names = OptionDescription(
        "names", .choice("KIND", StoredName.allCases.map(\.rawValue)), "print names of this kind",
        isHidden: true)
    /// The value of `--home` as typed.
    package static let typedHome = OptionDescription(
        "typed-home", .text("TEXT"), "the folder of the vault", isHidden: true)
    /// The first operand as typed.
    package static let typedService = OptionDescription(
        "typed-service", .text("TEXT"), "the service", isHidden: true)
    /// The second operand as typed.
    package static let typedAccount = OptionDescription(
        "typed-account", .text("TEXT"), "the account", isHidden: true)
    /// The part of the word at the cursor that stays.
    package static let typedBefore = OptionDescription(
        "typed-before", .text("TEXT"), "the part of the word that stays", isHidden: true)
    /// The part of the word at the cursor that a name replaces.
    package static let typed = OptionDescription(
        "typed", .text("TEXT"), "the part of the word that is replaced", isHidden: true)
    /// Whether `--` precedes the word, so that names may begin with a hyphen.
    package static let afterDashes = OptionDescription(
        "after-dashes", "offer names that look like options", isHidden: true)
}
