internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret get`: prints a value.
enum GetSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        let found = try context.withStore(.reading) { (store) throws(CommandFailure) in
            try context.verifying(store, name) { () throws(SecureStoreError) in
                try store.secrets.found(name)
            }
        }
        try context.print(found)
    }
}

/// A secret that was read, with a copy of its value.
struct FoundSecret: ~Copyable {
    let item: SecretItem
    let value: SecretBytes
}

extension SecureStore {
    /// Reads a secret, description and value.
    func found(_ name: SecretName) throws(SecureStoreError) -> FoundSecret {
        try read(name) { (item, value) throws(SecureStoreError) in
            do throws(SecretMemoryError) {
                return FoundSecret(item: item, value: try value.copy())
            } catch {
                throw SecureStoreError(error)
            }
        }
    }
}

extension CommandContext {
    /// Prints a secret's value, in JSON with its description.
    func print(_ secret: borrowing FoundSecret) throws(CommandFailure) {
        guard isJSON else { return try printValue(secret.value) }
        do throws(OutputError) {
            var json = JSONWriter(Output(descriptor: surroundings.output))
            try json.beginObject()
            try json.members(of: secret.item)
            try json.key("value_base64")
            try json.base64(secret.value)
            try json.endObject()
            try json.finish().finish()
        } catch {
            throw CommandFailure(error)
        }
    }
}
