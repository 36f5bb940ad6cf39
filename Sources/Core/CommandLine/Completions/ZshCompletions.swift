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
