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
