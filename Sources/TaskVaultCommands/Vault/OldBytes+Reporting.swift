internal import CommandLine
internal import SecretMemory
internal import VaultCore

extension CommandContext {
    /// Says what a change of keys protects against, and fails if the bytes of the old ones are still in the vault's files.
    ///
    /// - Parameters:
    ///   - sentence: What was done, and which protection it gives: this file, or also what older copies can do.
    ///   - oldBytes: Whether the old bytes are gone.
    ///   - code: A recovery code that was made, to be shown once.
    /// - Throws: A failure for bytes that are still there, after everything is printed.
    func reportKeys(
        _ sentence: String, _ oldBytes: OldBytes, code: borrowing SecretBytes?
    ) throws(CommandFailure) {
        if isJSON {
            try printJSON(oldBytes, code)
        } else {
            try printLine(sentence)
            switch code {
            case .some(let code): try printRecoveryCode(code)
            case .none: break
            }
        }
        if oldBytes == .unknown {
            notices.warn(
                "old_bytes_on_server",
                "the old key's bytes are not in the table any more, but the server may keep them in its files, logs, replicas and backups"
            )
        }
        guard oldBytes == .pending else { return }
        throw CommandFailure(
            .failure, code: "old_bytes_pending",
            "it is done, but the old key's bytes are still in the vault's files: another process is reading them, or writing failed",
            hint:
                "they go when the last process closes the vault; then \(folders.command("doctor"))")
    }

    private func printJSON(
        _ oldBytes: OldBytes, _ code: borrowing SecretBytes?
    ) throws(CommandFailure) {
        do throws(OutputError) {
            var json = JSONWriter(Output(descriptor: surroundings.output))
            try json.beginObject()
            try json.member("old_bytes_erased", oldBytes == .erased)
            switch code {
            case .some(let code):
                try json.key("recovery_code")
                try json.ascii(code)
            case .none: break
            }
            try json.endObject()
            try json.finish().finish()
        } catch {
            throw CommandFailure(error)
        }
    }
}
