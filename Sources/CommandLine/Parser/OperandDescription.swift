/// An operand: an argument that is no option and no part of the command's name.
package struct OperandDescription: Sendable, Hashable {
    /// What it can be.
    package enum Value: Sendable, Hashable {
        /// Any text.
        case text
        /// The path of a file.
        case file
        /// One of some words.
        case choice([String])
        /// The words of a command, any number of them.
        case command
    }

    /// Its name in the documents, such as `SERVICE`.
    package let name: String
    /// What it can be.
    package let value: Value
    /// What it is for, beginning in lower case and without full stop.
    package let meaning: String
    /// How many there may be; more than one only of a command's last operand.
    package let count: ClosedRange<Int>

    /// Makes a description.
    package init(_ name: String, _ meaning: String, count: ClosedRange<Int> = 1...1) {
        self.init(name, .text, meaning, count: count)
    }

    /// Makes a description of an operand that is not any text.
    package init(_ name: String, _ value: Value, _ meaning: String, count: ClosedRange<Int> = 1...1)
    {
        self.name = name
        self.value = value
        self.meaning = meaning
        self.count = count
    }

    /// How the usage line shows it.
    package var usage: String {
        if value == .command { return "[\(name)...]" }
        let repeated = count.upperBound > 1 ? name + "..." : name
        return count.lowerBound == 0 ? "[\(repeated)]" : repeated
    }

    /// What it is for and what it accepts.
    package var fullMeaning: String {
        guard case .choice(let words) = value else { return meaning }
        return meaning + ": " + words.joined(separator: " or ")
    }

    /// Tells what is wrong with a value, or nil.
    package func violation(_ text: String) -> String? {
        switch value {
        case .text, .command:
            return nil
        case .file:
            return text.isEmpty ? "\(name) is empty" : nil
        case .choice(let words):
            if words.contains(where: { $0.utf8.elementsEqual(text.utf8) }) { return nil }
            return "\(name) is \(words.joined(separator: " or "))"
        }
    }
}
