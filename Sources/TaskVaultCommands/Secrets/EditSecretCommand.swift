internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret edit`: changes name, label or class of a secret.
enum EditSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        let edit = try edit(of: name, context.invocation, context)
        try context.withStore(.changing) { (store) throws(CommandFailure) in
            let item: SecretItem
            do throws(SecureStoreError) {
                item = try store.secrets.edit(name, edit, expecting: nil)
            } catch {
                // A duplicate is about the new name.
                let name = error == .duplicate ? edit.name ?? name : name
                try context.explaining(name) { () throws(SecureStoreError) in throw error }
                return
            }
            try context.report("edited", item)
        }
    }

    private static func edit(
        of name: SecretName, _ invocation: Invocation, _ context: CommandContext
    ) throws(CommandFailure) -> SecretEdit {
        var edit = SecretEdit()
        let service = invocation.text(of: .newService)
        let account = invocation.text(of: .newAccount)
        if service != nil || account != nil {
            edit.name = try context.explaining { () throws(SecureStoreError) in
                try SecretName(
                    service: service ?? name.service, account: account ?? name.account)
            }
        }
        edit.label = invocation.text(of: .newLabel)
        edit.accessClass = invocation.text(of: .newClass).flatMap { AccessClass(name: $0) }
        guard edit != SecretEdit() else {
            throw .usage(
                "nothing to change",
                hint: "give --service, --account, --label or --class; a new value: "
                    + context.folders.command("secret update \(name.typed)"))
        }
        return edit
    }
}
