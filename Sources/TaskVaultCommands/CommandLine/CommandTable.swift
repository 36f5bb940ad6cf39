/// All commands and the options that every one of them takes.
package struct CommandTable: Sendable {
    /// The name of the program.
    package static let program = "taskvault"

    /// The table of `taskvault`.
    package static let taskvault = CommandTable(
        groups: [
            .vault, .session, .tasks, .subtasks, .taskTransfer, .secrets, .settings, .keys, .upkeep,
            .information,
        ],
        globalOptions: .global)

    /// The commands, in the order of the documents.
    package let groups: [CommandGroup]
    /// The options that every command takes.
    package let globalOptions: [OptionDescription]

    /// All commands.
    package var commands: [CommandDescription] { groups.flatMap(\.commands) }

    /// The command of this name, word by word.
    package func command(_ path: [String]) -> CommandDescription? {
        commands.first { $0.path == path }
    }

    /// The commands whose names begin with these words, other than the command of exactly this name.
    func commands(below path: [String]) -> [CommandDescription] {
        commands.filter { $0.path.count > path.count && $0.path.starts(with: path) }
    }

    /// The words that can follow these, each once and in order.
    func words(after path: [String]) -> [String] {
        var words: [String] = []
        for command in commands(below: path) where !words.contains(command.path[path.count]) {
            words.append(command.path[path.count])
        }
        return words
    }

    /// The beginnings of names that are no commands by themselves, such as `secret`; first of all the empty one.
    var prefixes: [[String]] {
        var prefixes: [[String]] = [[]]
        for command in commands {
            for length in 1..<max(command.path.count, 1) {
                let prefix = Array(command.path.prefix(length))
                if !prefixes.contains(prefix) { prefixes.append(prefix) }
            }
        }
        return prefixes
    }

    /// All options, those of one name once.
    var optionNames: [OptionDescription] {
        var options: [OptionDescription] = []
        for option in globalOptions + commands.flatMap(\.options)
        where !options.contains(where: { $0.name == option.name }) {
            options.append(option)
        }
        return options
    }
}

/// Commands that belong together.
package struct CommandGroup: Sendable {
    /// The heading.
    package let title: String
    /// The commands, in the order of the documents.
    package let commands: [CommandDescription]
}
