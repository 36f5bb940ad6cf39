internal import Application
internal import CommandLine
internal import Secrets
internal import SecureStorage
internal import TextCoding

extension CommandContext {
    /// Reads the secrets of references, before the command uses the first one.
    ///
    /// - Throws: A failure for an item of another part of TaskVault; `notFound` for the first missing secret.
    func values(of names: [SecretName]) throws -> [SecretName: HeldSecret] {
        for name in names { try application.requireOwn(name) }
        guard !names.isEmpty else { return [:] }
        return try vault.withStore(.reading) { store in
            var values: [SecretName: HeldSecret] = [:]
            for name in names where values[name] == nil {
                errors.secret = name
                let found = try vault.verifying(store) { try FoundSecret(name, in: store.secrets) }
                values[name] = HeldSecret(found.value)
            }
            return values
        }
    }
}
