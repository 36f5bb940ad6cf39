internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret update`: replaces the value of a secret.
enum UpdateSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        try context.withStore(.changing) { (store) throws(CommandFailure) in
            // Nobody types a value for a secret that is not there.
            try context.explaining(name) { () throws(SecureStoreError) in
                try store.secrets.read(name) { (_, _) throws(SecureStoreError) in }
            }
            let value = try context.readValue()
            let item = try context.explaining(name) { () throws(SecureStoreError) in
                try store.secrets.update(name, to: value)
            }
            try context.report("updated", item)
        }
    }
}
