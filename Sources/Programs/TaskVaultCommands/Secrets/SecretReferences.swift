internal import CommandLine
internal import Secrets
internal import SecureStorage

extension CommandContext {
    /// Reads the secrets of references, before anything is done with one of them.
    ///
    /// - Throws: A failure for an item of another part of TaskVault; `notFound` for the first missing secret.
    func values(of names: [SecretName]) throws -> [SecretName: HeldSecret] {
        for name in names { try requireOwn(name) }
        guard !names.isEmpty else { return [:] }
        return try vault.withStore(.reading) { store in
            var values: [SecretName: HeldSecret] = [:]
            for name in names where values[name] == nil {
                about.secret = name
                let found = try vault.verifying(store) { try FoundSecret(name, in: store.secrets) }
                values[name] = HeldSecret(found.value)
            }
            return values
        }
    }
}

extension CommandFailure {
    /// Explains why a text is no reference. It is not repeated: it may be a secret.
    init(_ error: SecretReferenceError, _ place: String = "the reference") {
        let hint = "such as taskvault://mail.example/ada/password, with %2F for a slash in a name"
        switch error {
        case .parts:
            self.init(
                .usage, code: "invalid_reference",
                "\(place) is not SERVICE/ACCOUNT or SERVICE/ACCOUNT/FIELD", hint: hint)
        case .percent:
            self.init(
                .usage, code: "invalid_reference",
                "\(place) has a percent sign without two hexadecimal digits of UTF-8", hint: hint)
        case .open(let line):
            self.init(
                .usage, code: "invalid_reference",
                "line \(line) of the template: a reference without }}",
                hint: "write {{ taskvault://SERVICE/ACCOUNT }} in one line")
        case .malformed(let line):
            self.init(
                .usage, code: "invalid_reference",
                "line \(line) of the template: invalid reference", hint: hint)
        }
    }
}
