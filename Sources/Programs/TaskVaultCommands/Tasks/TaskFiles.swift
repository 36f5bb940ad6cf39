internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding
internal import VaultCore

extension CommandContext {
    /// Runs `body`, an operation on the files of a task. A failure causes a warning that names the omitted operation, because the task
    /// itself needs no vault.
    @discardableResult
    func attempt<Result>(orWarn left: String, _ body: () throws -> Result?) -> Result? {
        do {
            return try body()
        } catch {
            console.notices.warn("files_of_task", "\(left): \(errors.failure(error).message)")
            return nil
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// Writes a task as an object, with its files; null if the vault is locked.
    mutating func task(_ shown: ShownTask, files: [StoredFile]?, now: CalendarMoment) throws {
        try task(shown, now: now) { json in
            try json.key("files")
            if let files { try json.files(files) } else { try json.null() }
        }
    }
}
