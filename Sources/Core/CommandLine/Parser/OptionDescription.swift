/// An option, for the parser, the help, the manual page and the completions.
package struct OptionDescription: Sendable, Hashable {
    /// The kind of an option's value.
    package enum Value: Sendable, Hashable {
        /// No value: a flag.
        case flag
        /// Any text.
        case text(String)
        /// An optional text. Any value can follow `=`. Without `=`, the next argument is the value in three cases: it begins with a digit or a
        /// plus; it has several words, of which the first is one of `words`; it is one of `words`, and no operand follows.
        case optional(String, words: [String])
        /// The path of a file.
        case file(String)
        /// The path of a folder.
        case folder(String)
        /// An integer in a range.
        case number(String, ClosedRange<Int>)
        /// One of the given words.
        case choice(String, [String])
        /// A name of this kind that the program stores.
        case stored(String, StoredName)
    }

    /// The name without the two hyphens. Options with one name take a value in all commands or in none.
    package let name: String
    /// The value of the option.
    package let value: Value
    /// The effect of the option, in lower case and without a full stop.
    package let meaning: String
    /// The default; nil if there is none.
    package let standard: String?
    /// Whether help and documents omit it.
    package let isHidden: Bool
    /// Whether the option may be given several times.
    package let isRepeated: Bool

    /// Describes an option with a value.
    package init(
        _ name: String, _ value: Value, _ meaning: String, standard: String? = nil,
        isRepeated: Bool = false, isHidden: Bool = false
    ) {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.standard = standard
        self.isRepeated = isRepeated
        self.isHidden = isHidden
    }

    /// Describes a flag.
    package init(_ name: String, _ meaning: String, isHidden: Bool = false) {
        self.name = name
        value = .flag
        self.meaning = meaning
        standard = nil
        isRepeated = false
        self.isHidden = isHidden
    }

    /// The name of the value in the documents, such as `FILE`; nil if the option needs no value.
    package var placeholder: String? {
        switch value {
        case .flag, .optional: nil
        case .text(let name), .file(let name), .folder(let name): name
        case .number(let name, _), .choice(let name, _), .stored(let name, _): name
        }
    }

    /// The option as typed, such as `--home`.
    package var spelling: String { "--" + name }

    /// The letters of options that have one in most programs, by name. A letter means one option in every command.
    private static let letters: [String: Character] = [
        "clip": "c", "due": "d", "help": "h", "list": "l", "priority": "p", "tag": "t", "yes": "y",
    ]

    /// The letter that replaces the name after one hyphen; nil without one.
    package var letter: Character? { Self.letters[name] }

    /// The spellings: `-d` and `--due`.
    package var spellings: [String] { [letter.map { "-\($0)" }, spelling].compactMap { $0 } }

    /// The option with its value, such as `--home DIR`.
    package var usage: String {
        if case .optional(let name, _) = value { return "\(spelling)[=\(name)]" }
        return placeholder.map { "\(spelling) \($0)" } ?? spelling
    }

    /// The option in the documents, such as `-d, --due WHEN`.
    package var signature: String { (letter.map { "-\($0), " } ?? "") + usage }

    /// The effect, the accepted values and the default.
    package var fullMeaning: String {
        var text = meaning
        switch value {
        case .choice(_, let words): text += ": " + words.joined(separator: " or ")
        case .number(_, let range): text += ", \(range.lowerBound) to \(range.upperBound)"
        default: break
        }
        if let standard { text += " (\(standard) if left out)" }
        return text
    }

    /// The words of a choice; otherwise none.
    var choices: [String] {
        guard case .choice(_, let words) = value else { return [] }
        return words
    }

    /// The error of a value, or nil. It does not repeat the value, which may be a secret.
    package func violation(_ text: String) -> String? {
        switch value {
        case .flag:
            return "option '\(spelling)' takes no value"
        case .text, .optional, .stored:
            return nil
        case .file(let name), .folder(let name):
            return text.isEmpty ? "option '\(spelling)' needs a \(name)" : nil
        case .number(_, let range):
            let digits = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
            if digits, let number = Int(text), range.contains(number) { return nil }
            return
                "option '\(spelling)' takes a number from \(range.lowerBound) to \(range.upperBound)"
        case .choice(_, let words):
            if words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
            return "option '\(spelling)' takes \(words.joined(separator: " or "))"
        }
    }
}

/// A kind of names that a program stores and that a shell can query.
package enum StoredName: String, Sendable, CaseIterable {
    /// The services of secrets.
    case service
    /// The accounts of the preceding service.
    case account
    /// The fields of the preceding secret.
    case field
    /// The ids of tasks.
    case task
    /// The lists of tasks.
    case list
    /// The tags of tasks.
    case tag
    /// The tags of secrets.
    case secretTag = "secret-tag"
    /// The names of files.
    case file
    /// The values of the preceding setting.
    case settingValue = "setting-value"
}

/// Words that are listed when they are needed. Each start describes all commands, and the names of all settings would make it longer.
package struct Words: Sendable, Hashable {
    private let list: @Sendable () -> [String]

    /// - Parameter list: The words, evaluated at each use.
    package init(_ list: @autoclosure @escaping @Sendable () -> [String]) {
        self.list = list
    }

    /// The words, in order.
    package var all: [String] { list() }

    package static func == (one: Words, other: Words) -> Bool { one.all == other.all }

    package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// An operand: an argument that is neither an option nor part of the command's name.
package struct OperandDescription: Sendable, Hashable {
    /// The kind of an operand's values.
    package enum Value: Sendable, Hashable {
        /// Any text.
        case text
        /// The path of a file.
        case file
        /// One of several words.
        case choice(Words)
        /// A name of this kind that the program stores.
        case stored(StoredName)
        /// The words of a command, any number of them.
        case command
    }

    /// The name of the operand in the documents, such as `SERVICE`.
    package let name: String
    /// The kind of its values.
    package let value: Value
    /// The purpose of the operand, in lower case and without a full stop.
    package let meaning: String
    /// The allowed number of values; one operand of a command can have several.
    package let count: ClosedRange<Int>

    /// Creates a description.
    package init(_ name: String, _ meaning: String, count: ClosedRange<Int> = 1...1) {
        self.init(name, .text, meaning, count: count)
    }

    /// Creates a description of an operand with restricted values.
    package init(_ name: String, _ value: Value, _ meaning: String, count: ClosedRange<Int> = 1...1)
    {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.count = count
    }

    /// The form in the usage line.
    package var usage: String {
        if value == .command { return "[\(name)...]" }
        let repeated = count.upperBound > 1 ? name + "..." : name
        return count.lowerBound == 0 ? "[\(repeated)]" : repeated
    }

    /// The purpose and the accepted values.
    package var fullMeaning: String {
        guard case .choice(let words) = value else { return meaning }
        return meaning + ": " + words.all.joined(separator: " or ")
    }

    /// The words of a choice; otherwise none.
    var choices: [String] {
        guard case .choice(let words) = value else { return [] }
        return words.all
    }

    /// The error of a value, or nil.
    package func violation(_ text: String) -> String? {
        switch value {
        case .text, .stored, .command:
            return nil
        case .file:
            return text.isEmpty ? "\(name) is empty" : nil
        case .choice(let list):
            let words = list.all
            if words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
            return "\(name) is \(words.joined(separator: " or "))"
        }
    }
}

extension OptionDescription {
    /// Prints results for programs.
    package static let json = OptionDescription(
        "json", "print results and errors as JSON")
    /// Prints the help.
    package static let help = OptionDescription("help", "show help with examples")
    /// Prints the version.
    package static let version = OptionDescription(
        "version", "print the versions of the program and its libraries")
    /// Prints the manual page.
    package static let manualPage = OptionDescription(
        "man-page", "print the manual page, for man -l -")
    /// Prints the reference in Markdown.
    package static let markdown = OptionDescription(
        "markdown", "print the reference, in Markdown", isHidden: true)
}

extension OperandDescription {
    /// The shell of a completion script.
    package static let shell = OperandDescription(
        "SHELL", .choice(Words(Shell.allCases.map(\.rawValue))), "the shell")
    /// A command to explain.
    package static let explainedCommand = OperandDescription(
        "COMMAND", .command, "a command, or its first word")
}
