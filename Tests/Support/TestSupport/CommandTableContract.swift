package import CommandLine
internal import TextCoding
internal import Testing

/// The rules for the command table of every program.
package struct CommandTableContract {
    private let table: CommandTable

    /// Creates the contract of a table.
    package init(_ table: CommandTable) {
        self.table = table
    }

    /// Verifies all rules.
    package func check() throws {
        namesAreUniqueAndNoneBeginsAnother()
        optionsAreUniqueWithinACommand()
        anOptionTakesAValueEverywhereOrNowhere()
        aValueThatStandsForAnOptionIsAllowed()
        exitCodesAreInOrderAndExplained()
        textsFollowTheHouseRules()
        try everyExampleIsACommandLineOfItsCommand()
    }

    private func namesAreUniqueAndNoneBeginsAnother() {
        for (index, command) in table.commands.enumerated() {
            for other in table.commands[(index + 1)...] {
                #expect(!command.path.starts(with: other.path), "\(command.name)")
                #expect(!other.path.starts(with: command.path), "\(other.name)")
            }
        }
    }

    private func optionsAreUniqueWithinACommand() {
        for command in table.commands {
            let names = (command.options + table.globalOptions).map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
        }
    }

    private func anOptionTakesAValueEverywhereOrNowhere() {
        for option in table.commands.flatMap(\.options) + table.globalOptions {
            let same = table.optionNames.first { $0.name == option.name }
            #expect((same?.value == .flag) == (option.value == .flag), "--\(option.name)")
        }
    }

    private func aValueThatStandsForAnOptionIsAllowed() {
        for option in table.commands.flatMap(\.options) + table.globalOptions {
            guard let standard = option.standard else { continue }
            #expect(option.violation(standard) == nil, "--\(option.name)")
        }
    }

    private func exitCodesAreInOrderAndExplained() {
        let numbers = table.exitCodes.map(\.code.rawValue)
        #expect(numbers == Set(numbers).sorted())
        for code in table.commands.flatMap(\.allExitCodes) {
            #expect(table.exitCodes.contains { $0.code == code }, "\(code.rawValue)")
            #expect(ExitCode(known: code.rawValue) == code)
        }
    }

    private func textsFollowTheHouseRules() {
        var phrases = table.commands.map(\.summary)
        phrases += table.commands.flatMap(\.operands).map(\.meaning)
        phrases += table.commands.flatMap(\.options).map(\.meaning)
        phrases += table.globalOptions.map(\.meaning)
        phrases += table.exitCodes.map(\.meaning)
        for phrase in phrases {
            #expect(phrase.first?.isUppercase == false, "\(phrase)")
            #expect(phrase.last != ".", "\(phrase)")
        }
        let notes = table.commands.flatMap(\.notes) + table.about.paragraphs
        for note in notes + table.about.chapters.flatMap(\.paragraphs) {
            #expect(note.first?.isLowercase != true || note.hasPrefix(table.program), "\(note)")
            #expect(note.last == ".", "\(note)")
            #expect(!note.contains("  "), "\(note)")
        }
    }

    private func everyExampleIsACommandLineOfItsCommand() throws {
        for command in table.commands {
            #expect(!command.examples.isEmpty, "\(command.name)")
            for example in command.examples {
                let arguments = try #require(words(of: example.line), "\(example.line)")
                let request = try CommandParser(table).parse(arguments)
                switch request {
                case .run(let invocation): #expect(invocation.command == command)
                case .help, .manualPage: #expect(command.name == "help")
                default: Issue.record("\(example.line)")
                }
            }
        }
    }

    /// The words after the program's name up to a pipe, a redirection or a further command, for examples that use the shell.
    private func words(of line: String) -> [String]? {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(of: table.program) else { return nil }
        var arguments: [String] = []
        var quoted: [String]?
        for word in words[(start + 1)...] {
            if quoted == nil, ["|", ">", "<", "&&"].contains(word) { break }
            if let open = quoted {
                quoted = open + [word]
            } else if word.hasPrefix("'") {
                quoted = [word]
            } else {
                arguments.append(word)
            }
            if let closed = quoted, word.hasSuffix("'") {
                arguments.append(String(closed.joined(separator: " ").dropFirst().dropLast()))
                quoted = nil
            }
        }
        return quoted == nil ? arguments : nil
    }
}
