internal import CommandSyntax
internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret set`: saves a secret.
enum SetSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        try context.withStore(.changing) { (store) throws(CommandFailure) in
            let saving = try SecretSaving(name, store.secrets, context)
            let item = try saving.save(try context.readValue())
            try context.report("saved", item)
        }
    }
}

/// Saves a secret as `secret set` and `secret generate` do.
struct SecretSaving {
    private let name: SecretName
    private let store: any SecureStore
    private let context: CommandContext
    /// What is there already.
    private let existing: SecretItem?

    /// Looks whether the name is taken, before anybody is asked for a value.
    ///
    /// - Throws: A failure for a name that is taken, unless `--replace` was given.
    init(
        _ name: SecretName, _ store: any SecureStore, _ context: CommandContext
    ) throws(CommandFailure) {
        self.name = name
        self.store = store
        self.context = context
        do throws(SecureStoreError) {
            existing = try store.read(name) { (item, _) throws(SecureStoreError) in item }
        } catch .notFound {
            existing = nil
        } catch {
            existing = try context.explaining(name) { () throws(SecureStoreError) in throw error }
        }
        if existing != nil, !context.invocation.has(.replace) {
            throw CommandFailure(
                .alreadyExists, "there is a secret \(name.typed) already",
                hint: context.folders.command(
                    "\(context.invocation.command.name) --replace \(name.typed)"))
        }
    }

    /// Saves a value; one that replaces another keeps what the options leave out.
    ///
    /// - Returns: The description of what was saved.
    func save(_ value: borrowing SecretBytes) throws(CommandFailure) -> SecretItem {
        let label = context.invocation.text(of: .label)
        guard existing != nil else {
            let attributes = SecretAttributes(
                label: label ?? "", accessClass: context.accessClass)
            return try context.explaining(name) { () throws(SecureStoreError) in
                try store.save(value, as: name, attributes)
            }
        }
        var edit = SecretEdit(label: label)
        if context.invocation.has(.accessClass) { edit.accessClass = context.accessClass }
        return try context.explaining(name) { () throws(SecureStoreError) in
            try store.update(name, to: value, edit, expecting: nil)
        }
    }
}

extension CommandContext {
    /// The class that `--class` names, or the standard one.
    var accessClass: AccessClass {
        invocation.text(of: .accessClass).flatMap { AccessClass(name: $0) } ?? .whileUnlocked
    }
}
