internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret remove`: removes a secret.
enum RemoveSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        try context.withStore(.changing) { (store) throws(CommandFailure) in
            try context.explaining(name) { () throws(SecureStoreError) in
                try store.secrets.remove(name)
            }
            guard context.isJSON else { return try context.printLine("removed \(name.typed)") }
            try context.printJSON { (json) throws(OutputError) in
                try json.beginObject()
                try json.member("service", name.service)
                try json.member("account", name.account)
                try json.endObject()
            }
        }
    }
}
