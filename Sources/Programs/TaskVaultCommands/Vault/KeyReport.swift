internal import Application
internal import CommandLine
internal import SecretMemory
internal import TextCoding
internal import VaultCore

/// Prints the result of a change of keys.
struct KeyReport {
    private let console: Console
    private let folders: VaultFolders

    init(_ context: CommandContext) {
        console = context.console
        folders = context.folders
    }

    /// Prints the result of a change that ends a passphrase or the recovery code.
    ///
    /// The text says which data the ended secret still opens in older copies of the vault.
    ///
    /// - Parameters:
    ///   - done: The completed change.
    ///   - ended: The secret that opened the vault before.
    ///   - isKeeping: Whether the vault keeps its keys.
    ///   - oldBytes: Whether the old bytes are gone.
    ///   - code: A new recovery code, to be shown once.
    /// - Throws: As ``print(_:_:code:)``.
    func print(
        _ done: String, ending ended: String, keepingKeys isKeeping: Bool, _ oldBytes: OldBytes,
        code: borrowing SecretBytes? = nil
    ) throws {
        let sentence =
            isKeeping
            ? "\(done): \(ended) still opens copies of the vault file from before, and the keys in them open what is saved here later, until "
                + folders.command("rekey")
            : "\(done), and encrypted every secret under new keys: \(ended) opens only copies of the vault file from before"
        try print(sentence, oldBytes, code: code)
    }

    /// Prints the result, and fails if the bytes of the old keys are still in the vault's files.
    ///
    /// - Parameters:
    ///   - sentence: The completed change, and its limits.
    ///   - oldBytes: Whether the old bytes are gone.
    ///   - code: A new recovery code, to be shown once.
    /// - Throws: A failure for bytes that still exist, after everything is printed.
    func print(
        _ sentence: String, _ oldBytes: OldBytes, code: borrowing SecretBytes?
    ) throws {
        if console.isJSON {
            try printJSON(oldBytes, code)
        } else {
            try console.printLine(sentence)
            switch code {
            case .some(let code): try print(recoveryCode: code)
            case .none: break
            }
        }
        if oldBytes == .unknown {
            console.notices.warn(
                "old_bytes_on_server",
                "the old key's bytes were removed from the table, but the server may keep them in its files, logs, replicas and backups"
            )
        }
        guard oldBytes == .pending else { return }
        throw Failure(
            .failure, code: "old_bytes_pending",
            "done, but the old key's bytes are still in the vault's files: another process is reading them, or writing failed",
            hint:
                "they are erased when the last process closes the vault; then \(folders.command("doctor"))"
        )
    }

    /// Prints a recovery code, which is shown only once.
    func print(recoveryCode text: borrowing SecretBytes) throws {
        var output = Output(descriptor: console.output)
        try output.writeLine(
            "The recovery code opens the vault if you forget the passphrase. It is shown only once:"
        )
        try output.write("\n    ")
        try output.write(secret: text)
        try output.writeLine("\n")
        try output.writeLine(
            "Store it offline. Anyone with this code can unlock the vault."
        )
        try output.finish()
    }

    private func printJSON(_ oldBytes: OldBytes, _ code: borrowing SecretBytes?) throws {
        var json = JSONWriter(Output(descriptor: console.output))
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
    }
}
