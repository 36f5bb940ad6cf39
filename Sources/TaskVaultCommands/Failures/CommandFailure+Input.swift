internal import CommandLine

extension CommandFailure {
    /// Explains why something could not be read that `--passphrase-file` could have given.
    init(_ error: InputError, reading subject: String) {
        self.init(error, reading: subject, insteadOf: .passphraseFile)
    }
}
