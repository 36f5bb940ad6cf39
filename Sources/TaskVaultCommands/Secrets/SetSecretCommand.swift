internal import CommandLine
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
    /// Whether there was one when somebody looked.
    private let isThere: Bool

    /// Looks whether the name is taken, before anybody is asked for a value.
    ///
    /// - Throws: A failure for a name that is taken, unless `--replace` was given.
    init(
        _ name: SecretName, _ store: any SecureStore, _ context: CommandContext
    ) throws(CommandFailure) {
        self.name = name
        self.store = store
        self.context = context
        isThere = try context.explaining(name) { () throws(SecureStoreError) in
            do throws(SecureStoreError) {
                try store.read(name) { (_, _) throws(SecureStoreError) in }
                return true
            } catch .notFound {
                return false
            }
        }
        if isThere, !context.invocation.has(.replace) {
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
        let isReplacing = context.invocation.has(.replace)
        return try context.explaining(name) { () throws(SecureStoreError) in
            var isThere = isThere
            // Whoever replaces does not mind what others did with the name meanwhile; nobody does so again and again.
            for _ in 0..<Self.tries where isReplacing {
                do throws(SecureStoreError) {
                    return try isThere ? update(value) : add(value)
                } catch .duplicate {
                    isThere = true
                } catch .notFound {
                    isThere = false
                }
            }
            return try isThere ? update(value) : add(value)
        }
    }

    private static let tries = 8

    private func add(_ value: borrowing SecretBytes) throws(SecureStoreError) -> SecretItem {
        let attributes = SecretAttributes(
            label: context.invocation.text(of: .label) ?? "", accessClass: context.accessClass)
        return try store.save(value, as: name, attributes)
    }

    private func update(_ value: borrowing SecretBytes) throws(SecureStoreError) -> SecretItem {
        var edit = SecretEdit(label: context.invocation.text(of: .label))
        if context.invocation.has(.accessClass) { edit.accessClass = context.accessClass }
        return try store.update(name, to: value, edit, expecting: nil)
    }
}

extension CommandContext {
    /// The class that `--class` names, or the standard one.
    var accessClass: AccessClass {
        invocation.text(of: .accessClass).flatMap { AccessClass(name: $0) } ?? .whileUnlocked
    }
}
