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
            "    local current=${COMP_WORDS[COMP_CWORD]} command_path='' option='' only_operands=''",
            "    local operands=0 index word",
            "    COMPREPLY=()",
            "    for ((index = 1; index < COMP_CWORD; index++)); do",
            "        word=${COMP_WORDS[index]}",
        ]
        lines += scan.lines
        lines += [
            "    done",
            "    # bash makes a word of its own of the equals sign in --option=value.",
            "    if [[ $current == '=' ]]; then current=''; fi",
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
            "complete -F _\(program) \(program)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private func command(_ candidates: CompletionScan.Candidates) -> String {
        switch candidates {
        case .words(let words): "_\(program)_words '\(words.joined(separator: " "))'"
        case .files: "_\(program)_paths -f"
        case .folders: "_\(program)_paths -d"
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
        lines += [
            "}", "",
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
        case .nothing: ":"
        }
    }
}
