internal import CommandLine
internal import SecureStorage
internal import VaultCore

/// `secret edit`: changes name, label or class of a secret.
enum EditSecretCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "edit"],
        summary: "change name, label or class of a secret",
        operands: [.service, .account],
        options: [.field, .newService, .newAccount, .newLabel, .newClass],
        notes: [
            "The value stays."
        ],
        examples: [
            .init(
                "taskvault secret edit mail.example ada --label 'Mail at home'",
                "change the label"),
            .init(
                "taskvault secret edit mail.example ada --account ada.lovelace",
                "rename the account"),
            .init(
                "taskvault secret edit bank.example ada --class after-verification",
                "protect it"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = try context.secretName()
        let edit = try edit(of: name, context)
        try context.vault.withStore(.changing) { store in
            do {
                let item = try store.secrets.edit(name, edit, expecting: nil)
                try item.report("edited", on: context.console)
            } catch SecureStoreError.duplicate {
                // It is about the new name.
                context.about.secret = edit.name ?? name
                throw SecureStoreError.duplicate
            }
        }
    }

    private static func edit(
        of name: SecretName, _ context: CommandContext
    ) throws -> SecretEdit {
        let invocation = context.invocation
        var edit = SecretEdit(name: try context.newName(of: name))
        edit.label = invocation.text(of: .newLabel)
        edit.accessClass = invocation.text(of: .newClass).flatMap { AccessClass(name: $0) }
        guard edit != SecretEdit() else {
            throw CommandFailure.usage(
                "nothing to change",
                hint: "give --service, --account, --label or --class; a new value: "
                    + context.folders.command("secret update \(name.typed)"))
        }
        return edit
    }
}

extension CommandContext {
    /// The name that `--service` and `--account` give a secret; nil without them. The field stays.
    func newName(of name: SecretName) throws -> SecretName? {
        let service = invocation.text(of: .newService)
        let account = invocation.text(of: .newAccount)
        guard service != nil || account != nil else { return nil }
        let new = try SecretName(
            service: service ?? name.service, account: account ?? name.account, field: name.field)
        try requireOwn(new)
        return new
    }
}

extension OptionDescription {
    /// The class after an edit.
    static let newClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read from now on")
    /// The label after an edit.
    static let newLabel = OptionDescription(
        "label", .text("TEXT"), "the new description")
    /// The service after an edit.
    static let newService = OptionDescription(
        "service", .text("NAME"), "the new service")
    /// The account after an edit.
    static let newAccount = OptionDescription(
        "account", .text("NAME"), "the new account")
}
