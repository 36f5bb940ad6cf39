internal import Application
internal import CommandLine
internal import SecretMemory
internal import TextCoding

// Texts that the person changes in an editor.
extension CommandContext {
    /// Opens a text in the person's editor, and saves what it has become. A text that cannot be saved can be edited again.
    ///
    /// A line end that the editor adds at the end is not part of the text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - name: The name of its file.
    ///   - save: Saves a changed text; gets whether a save before it has failed.
    /// - Returns: Whether the text changed.
    /// - Throws: A failure without a terminal or an editor; that of `save`, unless the person edits the text again.
    func edit(
        _ text: borrowing SecretBytes, as name: String,
        save: (_ text: borrowing SecretBytes, _ isRepeated: Bool) throws -> Void
    ) throws -> Bool {
        let editor = try editor()
        guard text.withBytes({ $0.text() }) != nil else {
            throw Failure(
                .refused, code: "not_text", "the value is not text, so an editor could change it")
        }
        var edited = try text.copy()
        var isRepeated = false
        while true {
            // After a question for a passphrase it is off until the end of the command.
            console.restoreEcho()
            edited = try editor.edit(edited, as: name)
            if edited.endsWithLineEnd, !text.endsWithLineEnd {
                edited.keep(count: edited.count - 1)
            }
            if edited.isEqual(to: text) { return false }
            do {
                try save(edited, isRepeated)
                return true
            } catch {
                let failure = errors.failure(error)
                console.report(failure)
                guard try confirmsEditing() else { throw Failure.explained(failure.exitCode) }
                isRepeated = true
            }
        }
    }

    /// The person's editor.
    ///
    /// - Throws: A failure without a terminal, or without a folder in memory.
    private func editor() throws -> TextEditor {
        guard console.asks else {
            throw Failure.usage(
                "option '\(OptionDescription.editor.spelling)' needs a terminal",
                hint: "omit it: the text is then read from standard input")
        }
        return try TextEditor(console.surroundings.environment, in: folders.runtime)
    }

    private func confirmsEditing() throws -> Bool {
        do {
            return try console.openTerminal().confirm("Edit the text again? It is lost otherwise.")
        } catch let error as InputError {
            throw Failure(error, reading: "the answer")
        }
    }
}

extension SecretBytes {
    fileprivate var endsWithLineEnd: Bool {
        withBytes { bytes in bytes.byteCount > 0 && bytes[bytes.byteCount - 1] == 0x0A }
    }
}

extension OptionDescription {
    static let editor = OptionDescription(
        "editor", "open the text in VISUAL or EDITOR, in a folder in memory")
}
