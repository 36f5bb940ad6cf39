internal import Application
internal import CommandLine
internal import SecretMemory
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// The change of a field in the person's editor, by `secret edit --editor`. The vault is not open meanwhile, and may lock.
struct FieldEditing {
    private let context: CommandContext

    init(_ context: CommandContext) {
        self.context = context
    }

    /// Opens the field, and saves what it has become.
    ///
    /// - Parameter others: The options that exclude an editor.
    /// - Throws: A failure of wrong usage; that of the editor or of the vault.
    func run(unless others: [OptionDescription]) throws {
        let invocation = context.invocation
        guard invocation.has(.editor) else {
            throw Failure.usage(
                "--field names the field that --editor opens",
                hint: "give --editor, too; a new value: "
                    + context.folders.command("secret update SERVICE ACCOUNT --field NAME"))
        }
        if let other = others.first(where: invocation.has) {
            throw Failure.usage(
                "options '--editor' and '\(other.spelling)' exclude each other",
                hint: "leave one of them out")
        }
        let first = try open()
        var opened = first
        let isChanged = try context.edit(first.text, as: "\(fileName).txt") { edited, isRepeated in
            guard edited.count > 0 else { throw isEmpty(opened.name) }
            try context.checkSeed(edited, of: opened.name)
            // The person has seen that another program changed the field.
            if isRepeated { opened = try open(opened.name) }
            try save(edited, opened).report("edited", on: context.console)
        }
        if !isChanged { context.console.remark("\(opened.name.typed) is unchanged") }
    }

    /// The field as it was read; a class, because an optional value cannot have a secret.
    private final class Opened {
        let name: SecretName
        /// The description of the entry.
        let attributes: SecretAttributes
        /// The field; nil if the entry lacks it.
        let item: SecretItem?
        let text: SecretBytes

        init(
            _ name: SecretName, _ attributes: SecretAttributes, _ item: SecretItem?,
            _ text: consuming SecretBytes
        ) {
            self.name = name
            self.attributes = attributes
            self.item = item
            self.text = text
        }
    }

    private func open(_ known: SecretName? = nil) throws -> Opened {
        try context.vault.withStore(.changing) { store in
            let entry =
                try known.map { try context.application.entry(of: $0, in: store.secrets) }
                ?? context.entry(in: store.secrets)
            guard let entry else { throw SecureStoreError.notFound }
            let name = try entry.name.with(field: fieldName)
            context.errors.secret = name
            // Verification precedes the editor.
            if entry.accessClass == .afterVerification { try context.vault.requireVerified(store) }
            guard entry.field(fieldName) != nil || name.isAddress && !entry.addresses.isEmpty else {
                return Opened(name, entry.attributes, nil, try SecretBytes(count: 0))
            }
            let found = try FoundSecret(name, in: store.secrets)
            return Opened(name, entry.attributes, found.item, found.value)
        }
    }

    private func save(_ value: borrowing SecretBytes, _ opened: Opened) throws -> SecretItem {
        try context.vault.withStore(.changing) { store in
            try context.vault.verifying(store) {
                guard let item = opened.item else {
                    return try store.secrets.save(value, as: opened.name, opened.attributes)
                }
                return try item.replace(by: value, in: store.secrets, expecting: item.revision)
            }
        }
    }

    private var fieldName: String { context.invocation.text(of: .editedField) ?? "notes" }

    /// The name of the file in the editor: letters and digits only.
    private var fileName: String {
        let name = fieldName.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return name.isEmpty ? "field" : name
    }

    private func isEmpty(_ name: SecretName) -> Failure {
        Failure(
            .usage, code: "value_empty", "the text is empty: there is no value to save",
            hint: context.folders.command("secret remove \(name.typed)"))
    }
}

extension OptionDescription {
    static let editedField = OptionDescription(
        "field", .stored("NAME", .field), "the field that --editor opens", standard: "notes")
}
