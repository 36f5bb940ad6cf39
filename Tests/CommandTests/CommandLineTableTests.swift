import CommandSyntax
import Testing

@testable import TaskVaultCommands

@Suite struct CommandLineTableTests {
    private let table = CommandTable.taskvault

    @Test(arguments: [
        "init", "secret set", "secret get", "secret update", "secret remove", "secret list",
        "secret edit", "secret generate", "secret export", "secret import", "passphrase change",
        "recovery show-new", "recovery revoke", "rekey", "doctor", "backup", "restore", "destroy",
        "tour", "completions", "help",
    ])
    func aPromisedCommandIsThere(name: String) {
        #expect(table.command(name.split(separator: " ").map(String.init))?.name == name)
    }

    @Test func namesAreUniqueAndNoneBeginsAnother() {
        for (index, command) in table.commands.enumerated() {
            for other in table.commands[(index + 1)...] {
                #expect(!command.path.starts(with: other.path), "\(command.name)")
                #expect(!other.path.starts(with: command.path), "\(other.name)")
            }
        }
    }

    @Test func optionsAreUniqueWithinACommand() {
        for command in table.commands {
            let names = (command.options + table.globalOptions).map(\.name)
            #expect(Set(names).count == names.count, "\(command.name)")
        }
    }

    @Test func anOptionTakesAValueEverywhereOrNowhere() {
        for option in table.commands.flatMap(\.options) + table.globalOptions {
            let same = table.optionNames.first { $0.name == option.name }
            #expect((same?.value == .flag) == (option.value == .flag), "--\(option.name)")
        }
    }

    @Test func aValueThatStandsForAnOptionIsAllowed() {
        for option in table.commands.flatMap(\.options) + table.globalOptions {
            guard let standard = option.standard else { continue }
            #expect(option.violation(standard) == nil, "--\(option.name)")
        }
    }

    @Test func textsFollowTheHouseRules() {
        var phrases = table.commands.map(\.summary)
        phrases += table.commands.flatMap(\.operands).map(\.meaning)
        phrases += table.commands.flatMap(\.options).map(\.meaning)
        phrases += table.globalOptions.map(\.meaning)
        phrases += table.exitCodes.map(\.meaning)
        for phrase in phrases {
            #expect(phrase.first?.isUppercase == false, "\(phrase)")
            #expect(phrase.last != ".", "\(phrase)")
        }
        for note in table.commands.flatMap(\.notes) {
            #expect(note.first?.isUppercase == true && note.last == ".", "\(note)")
            #expect(!note.contains("  "), "\(note)")
        }
    }

    @Test func everyExampleIsACommandLineOfItsCommand() throws {
        for command in table.commands {
            #expect(!command.examples.isEmpty, "\(command.name)")
            for example in command.examples {
                let arguments = try #require(Self.arguments(of: example.line), "\(example.line)")
                let request = try CommandParser(table).parse(arguments)
                switch request {
                case .run(let invocation): #expect(invocation.command == command)
                case .help, .manualPage: #expect(command.name == "help")
                default: Issue.record("\(example.line)")
                }
            }
        }
    }

    /// The words behind `taskvault` up to a pipe or a redirection, as far as examples use the shell.
    private static func arguments(of line: String) -> [String]? {
        let words = line.split(separator: " ").map(String.init)
        guard let start = words.firstIndex(of: "taskvault") else { return nil }
        var arguments: [String] = []
        var quoted: [String]?
        for word in words[(start + 1)...] {
            if quoted == nil, ["|", ">", "<"].contains(word) { break }
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

    @Test(
        arguments: [
            (.done, 0), (.failure, 1), (.usage, 2), (.locked, 3), (.wrongPassphrase, 4),
            (.notFound, 5), (.alreadyExists, 6), (.damaged, 7), (.refused, 8),
            (.serverUnreachable, 9), (.serverRejected, 10), (.interrupted, 130),
        ] as [(ExitCode, Int32)])
    func exitCodesAreAPromise(code: ExitCode, number: Int32) {
        #expect(code.rawValue == number)
        #expect(table.exitCodes.count == 12)
        #expect(table.exitCode(number) == code)
    }
}
