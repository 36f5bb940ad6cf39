/// A shell for which there are completions.
package enum Shell: String, Sendable, CaseIterable {
    /// bash 3.2 and later, without the package bash-completion.
    case bash
    /// zsh with its completion system.
    case zsh
    /// fish 3 and later.
    case fish

    /// The script that teaches the shell the commands of a table.
    package func completions(for table: CommandTable) -> String {
        switch self {
        case .bash: BashCompletions(table).text
        case .zsh: ZshCompletions(table).text
        case .fish: FishCompletions(table).text
        }
    }
}
