internal import SecureStorage
internal import TextCoding
internal import VaultCore

extension Failure {
    /// Explains an error of an operation on a file; nil for an error with the same message for
    /// every item.
    init?(_ error: SecureStoreError, ofFile name: String, _ vault: VaultReference) {
        let typed = ShellText.quote(name)
        switch error {
        case .notFound:
            self.init(.notFound, "there is no file \(typed)", hint: vault.command("file list"))
        case .duplicate:
            self.init(
                .alreadyExists, "file \(typed) already exists",
                hint: vault.command("file replace \(typed) PATH") + " replaces its content")
        case .conflict(let found):
            self.init(
                .refused, code: "conflict",
                "another process changed the file (revision \(found))", hint: "run it again")
        case .tooLarge:
            self.init(
                .refused, code: "too_large", "\(typed) is larger than 4 GiB",
                hint: "split it: split --bytes 4G")
        case .invalidName(_, .notAFileName):
            self.init(
                .usage, code: "invalid_name", "a name has no slash, and is not . or ..",
                hint: "give another name")
        default: return nil
        }
    }

    /// Explains that the content of a file is damaged; nil for other damage.
    init?(_ failure: FormatFailure, ofFile name: String?, _ vault: VaultReference) {
        guard failure.isOfFiles, let name else { return nil }
        self.init(
            .damaged, code: failure.rawValue,
            "file \(ShellText.quote(name)) is damaged or was tampered with: \(failure.explanation)",
            hint: vault.command("restore BACKUP") + " restores a backup")
    }
}
