internal import Application
internal import CommandLine
internal import SecretMemory
internal import TextCoding

/// The secrets that a person types at the terminal.
final class TypedSecrets: SecretSource {
    private let prompt: TerminalPrompt
    private let option: OptionDescription

    /// Asks at a terminal. Hints name `option`, which reads a file instead.
    init(_ prompt: consuming TerminalPrompt, insteadOf option: OptionDescription) {
        self.prompt = prompt
        self.option = option
    }

    var isPerson: Bool { true }

    func next(_ question: String, _ subject: String) throws -> SecretBytes? {
        do {
            return .some(try prompt.askSecret(question))
        } catch let error as InputError {
            throw Failure(error, reading: subject, insteadOf: option)
        }
    }

    func newSecret(
        _ questions: (String, String), _ noun: (one: String, many: String),
        _ check: (borrowing SecretBytes) throws -> Void
    ) throws -> SecretBytes {
        try NewSecret.ask(
            prompt, questions, noun, insteadOf: option, program: Application.program, check)
    }

    func confirm(_ question: String) throws -> Bool { try prompt.confirm(question) }

    func say(_ line: String) throws { try prompt.say(line) }

    func waitForReturn(_ line: String, unless isOver: () -> Bool) throws -> Bool {
        try prompt.waitForReturn(line, unless: isOver)
    }
}
