public import SecretMemory
public import SecureStorage

/// A secret that TaskVault keeps for itself, such as the key of a log. It is saved together with the next change of other items.
public final class DeferredSecret: Sendable {
    /// The name.
    public let name: SecretName
    /// The value.
    public let value: SecretBytes

    /// Creates a secret.
    public init(_ name: SecretName, _ value: consuming SecretBytes) {
        self.name = name
        self.value = value
    }
}

extension VaultChanges {
    /// Saves the secrets that are not stored yet, and those whose stored value differs.
    func saveDeferred(_ secrets: [DeferredSecret]) throws {
        for secret in secrets {
            if let row = try item(tag: session.tag(of: secret.name)) {
                if try session.withValue(of: row, { $0.isEqual(to: secret.value) }) { continue }
                _ = try revise(row, SecretEdit(), to: secret.value, isNewValue: false)
                continue
            }
            let new = try secret.value.withBytes { bytes in
                try session.newItem(
                    bytes, secret.name, SecretAttributes(), random: session.environment.random)
            }
            try insert(new.row)
        }
    }
}
