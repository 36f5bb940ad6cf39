internal import CommandLine
internal import SecretMemory
internal import Tasks

extension CommandContext {
    /// The name that operands give, joined by blanks; nil where there are none.
    func typedName(_ operand: OperandDescription) -> String? {
        let words = invocation.texts(of: operand)
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Asks for a line of words, or reads it from standard input.
    ///
    /// What is typed can be seen while it is typed; of protected words nothing stays on the screen.
    func readLine(_ question: String, isProtected: Bool) throws(CommandFailure) -> String {
        let subject = "the " + question.lowercased()
        do throws(InputError) {
            if canAsk {
                let prompt = try surroundings.openTerminal()
                return isProtected
                    ? try prompt.askPassingText(question) : try prompt.askText(question)
            }
            try skipPassphrase()
            guard let line = try surroundings.standardInput.readLine(limit: 65_536) else {
                throw .endOfInput
            }
            return try Self.text(line)
        } catch {
            throw CommandFailure(error, reading: subject)
        }
    }

    /// Reads notes from standard input, what a line end at their end would add left out.
    ///
    /// Protected ones are not typed on a terminal: they would stay on the screen.
    func readNotes(isProtected: Bool) throws(CommandFailure) -> String {
        do throws(InputError) {
            if isProtected, canAsk { throw .wouldShow }
            try skipPassphrase()
            let bytes = try surroundings.standardInput.readAll(
                limit: TaskTextRule.maximumNotesSize + 1)
            var text = try Self.text(bytes)
            if text.unicodeScalars.last == "\n" { text.unicodeScalars.removeLast() }
            if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
            return text
        } catch {
            throw CommandFailure(error, reading: "the notes")
        }
    }

    /// Fails early where protected notes would be typed on a screen, where they would stay.
    func requireNotesOffScreen() throws(CommandFailure) {
        guard invocation.has(.notes), canAsk else { return }
        throw .usage(
            "the notes of a protected task are not typed on a terminal, where they would stay",
            hint: "have them read from standard input, such as < notes.txt")
    }

    /// The time that an option gives; nil where it was not given.
    func time(_ option: OptionDescription) throws(CommandFailure) -> PointInTime? {
        guard let text = invocation.text(of: option) else { return nil }
        do throws(DueTimeError) {
            return try DueTime.read(text, now: surroundings.now(), in: calendar)
        } catch {
            throw .usage(
                "\(option.spelling): \(error)",
                hint: "such as " + error.examples.map { "'\($0)'" }.joined(separator: ", "))
        }
    }

    private static func text(_ bytes: borrowing SecretBytes) throws(InputError) -> String {
        guard let text = bytes.withBytes({ $0.text() }) else { throw .notText }
        return text
    }
}
