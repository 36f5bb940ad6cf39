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
    /// A hidden option of completion scripts: the text that the user typed after `--home`, so that the names of that vault are offered.
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
