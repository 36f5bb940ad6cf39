extension PassphraseFile {
    /// Opens the file, and warns where other users can read it.
    ///
    /// - Parameters:
    ///   - path: Its path, or `-`.
    ///   - standardInput: What `-` stands for.
    ///   - noun: What it holds: `passphrase` or `password`.
    ///   - notices: Where the warning goes.
    /// - Throws: As ``init(path:standardInput:)``.
    package init(
        path: String, standardInput: SecretInput, of noun: String, warning notices: Notices
    ) throws(InputError) {
        try self.init(path: path, standardInput: standardInput)
        if isReadableByOthers {
            notices.warn(
                "\(noun)_file_readable",
                "other users can read the \(noun) file: chmod 600 \(ShellText.quote(path))")
        }
    }
}
