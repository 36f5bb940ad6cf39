internal import CommandLine
internal import Platform
internal import SecretMemory

/// The file of an import, in guarded memory.
enum ImportedFile {
    /// Reads it, or standard input for `-`.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - limit: The largest size, in bytes.
    ///   - context: Where standard input is.
    /// - Returns: Its bytes.
    /// - Throws: Why it cannot be read.
    static func read(
        _ path: String, limit: Int, _ context: CommandContext
    ) throws(CommandFailure) -> SecretBytes {
        do throws(InputError) {
            if path == "-" {
                guard !context.canAsk else { throw .wouldShow }
                try context.skipPassphrase()
                return try context.surroundings.standardInput.readAll(limit: limit)
            }
            let descriptor = unsafe platform_open(path, O_RDONLY | O_NOCTTY, 0)
            guard descriptor >= 0 else { throw .failed(SystemFailure("open", code: errno)) }
            defer { close(descriptor) }
            return try SecretInput(descriptor: descriptor).readAll(limit: limit)
        } catch {
            // A folder opens and does not read.
            if case .failed(let failure) = error, failure.code == EISDIR {
                throw CommandFailure(.isFolder, reading: path)
            }
            if case .wouldShow = error {
                throw CommandFailure(
                    .usage, code: "would_show",
                    "standard input is a terminal, which would show what is typed",
                    hint: "name the file, or pipe it in")
            }
            throw CommandFailure(error, reading: path == "-" ? "standard input" : path)
        }
    }
}
