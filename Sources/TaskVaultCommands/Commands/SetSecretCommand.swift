internal import SecretMemory
internal import SecureStorage
internal import VaultCore

/// `secret set`: saves a secret.
enum SetSecretCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let name = try context.secretName()
        try context.withUnlockedVault(.changing) { (vault, _) throws(CommandFailure) in
            let saving = try SecretSaving(name, vault, context)
            let item = try saving.save(try context.readValue())
            try context.report("saved", item)
        }
    }
}

/// Saves a secret as `secret set` and `secret generate` do.
struct SecretSaving {
    private let name: SecretName
    private let vault: UnlockedVault
    private let context: CommandContext
    /// What is there already.
    private let existing: SecretItem?

    /// Looks whether the name is taken, before anybody is asked for a value.
    ///
    /// - Throws: A failure for a name that is taken, unless `--replace` was given.
    init(
        _ name: SecretName, _ vault: UnlockedVault, _ context: CommandContext
    ) throws(CommandFailure) {
        self.name = name
        self.vault = vault
        self.context = context
        do throws(SecureStoreError) {
            existing = try vault.read(name) { (item, _) throws(SecureStoreError) in item }
        } catch .notFound {
            existing = nil
        } catch {
            throw CommandFailure(error, context.vault, name: name)
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
        var attributes = existing?.attributes ?? SecretAttributes()
        if let label = context.invocation.text(of: .label) { attributes.label = label }
        if existing == nil || context.invocation.has(.accessClass) {
            attributes.accessClass = context.accessClass
        }
        guard existing != nil else {
            return try context.explaining(name) { () throws(SecureStoreError) in
                try vault.save(value, as: name, attributes)
            }
        }
        return try context.explaining(name) { () throws(SecureStoreError) in
            try vault.saveAll(replacing: true) { (save) throws(SecureStoreError) in
                try save(value, name, attributes)
            }
            return try vault.read(name) { (item, _) throws(SecureStoreError) in item }
        }
    }
}

extension CommandContext {
    /// The class that `--class` names, or the standard one.
    var accessClass: AccessClass {
        invocation.text(of: .accessClass).flatMap { AccessClass(name: $0) } ?? .whileUnlocked
    }
}
