internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import VaultAgent
internal import VaultCore

/// `secret import`: takes in the secrets of another program, all of them or none.
enum ImportSecretsCommand: Command {
    private static let trial = OptionDescription(
        "dry-run", "check the file and list its entries, without values; needs no vault")

    static let description = CommandDescription(
        path: ["secret", "import"],
        summary: "import the secrets of another program",
        operands: [.importedFile],
        options: [.importFormat, .importedClass, .replace, trial],
        notes: [
            """
            Reads the exports of KeePassXC (CSV, XML), Bitwarden (CSV, JSON), 1Password (CSV, 1PUX) and browsers (CSV), the folder of pass \
            and the output of secret export. The file is checked first; then the passphrase is asked, unless the session is verified. Atomic.
            """,
            """
            A login, card, identity or note becomes one entry, with its other values as fields and its folders and tags as tags. Existing \
            and reserved names are skipped. Unsupported parts, such as attached files and earlier passwords, are reported.
            """,
            """
            The program gpg decrypts the entries of pass. The path folder/service/account gives the name of an entry. Remove an exported file \
            afterwards: it is not encrypted.
            """,
        ],
        examples: [
            .init("taskvault secret import passwords.csv", "detect the format"),
            .init("taskvault secret import ~/.password-store --dry-run", "look at pass first"),
            .init(
                "taskvault secret import --format bitwarden --replace vault.json",
                "name the format, and replace existing secrets"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        if context.invocation.has(trial) { return try tryOut(try open(context), context) }
        let report: ImportReport
        if let agent = try context.vault.verifiedAgent() {
            report = try importAll(of: try open(context), through: agent, context)
        } else if context.invocation.text(of: .importedFile) == "-",
            context.invocation.text(of: .passphraseFile) == "-"
        {
            // The passphrase is the first line of the same standard input, and nothing is asked.
            report = try context.vault.withUnlockedVault(.changing) { vault, _ in
                try importAll(of: try open(context), into: vault, context)
            }
        } else {
            let source = try open(context)
            report = try context.vault.withUnlockedVault(.changing) { vault, _ in
                try importAll(of: source, into: vault, context)
            }
        }
        try ImportReporting(report, context.console).print()
    }

    /// Reads and checks the file, or the folder of `pass`.
    private static func open(_ context: CommandContext) throws -> SecretImport {
        let path = context.invocation.text(of: .importedFile)
        var folder: String?
        if path != "-", let resolved = try? SafeFolder.resolve(path),
            try FileStatus.of(path: resolved)?.isFolder == true
        {
            folder = resolved
        }
        let source =
            if let folder {
                try SecretImport(passwordStore: folder, mayAsk: context.console.canAsk)
            } else {
                try SecretImport(
                    context.console.readFile(path, limit: SecretImport.maximumFileSize))
            }
        let found = source.report.format
        if let named = context.invocation.text(of: .importFormat), named != found.option {
            throw CommandFailure(
                .usage, code: "not_importable",
                "nothing was imported: the file is one of \(found.title)",
                hint: "leave --format out, or give --format \(found.option)")
        }
        return source
    }

    /// Lists what an import would bring.
    private static func tryOut(
        _ source: borrowing SecretImport, _ context: CommandContext
    ) throws {
        var items: [SecretItem] = []
        let report = try source.deliver { secret, _ in
            items.append(
                SecretItem(
                    name: secret.name, attributes: secret.attributes, revision: 1, created: 0,
                    modified: 0))
        }
        let entries = SecretEntry.entries(of: items.sorted { $0.name < $1.name })
        try ImportReporting(report, of: entries, context.console).print()
    }

    private static func importAll(
        of source: borrowing SecretImport, through agent: AgentClient, _ context: CommandContext
    ) throws -> ImportReport {
        let entries = try KnownEntries(agent, source.report.format, context.invocation)
        let refused = try agent.saveAll(replacing: context.invocation.has(.replace)) { save in
            _ = try source.deliver { secret, value in
                try save(value, secret.name, entries.attributes(of: secret))
            }
        }
        // The report needs another pass: the agent tells at the end what it refused.
        var place = 0
        return try source.deliver { secret, _ in
            _ = try entries.attributes(of: secret)
            defer { place += 1 }
            if let error = refused[place] { throw error }
        }
    }

    private static func importAll(
        of source: borrowing SecretImport, into vault: UnlockedVault, _ context: CommandContext
    ) throws -> ImportReport {
        let entries = try KnownEntries(vault, source.report.format, context.invocation)
        var failure: (any Error)?
        do {
            return try vault.saveAll(replacing: context.invocation.has(.replace)) {
                (save) throws(SecureStoreError) in
                do {
                    return try source.deliver { secret, value in
                        try save(value, secret.name, entries.attributes(of: secret))
                    }
                } catch let error as SecureStoreError {
                    throw error
                } catch {
                    failure = error
                    throw .unavailable(.outOfMemory, detail: "no guarded memory left")
                }
            }
        } catch {
            // The vault throws its own errors only.
            if let failure { throw failure }
            throw error
        }
    }
}

/// The entries of the vault, which decide about imported secrets: their class, and whether they are saved at all.
private struct KnownEntries {
    /// The class that the person named.
    private let named: AccessClass?
    /// Whether an existing entry gets nothing: the rest of a record must not stand beside the password of another one.
    private let areClosed: Bool
    /// The fields `password` of the entries, and of the protected ones.
    private var all: Set<SecretName> = []
    private var protected: Set<SecretName> = []

    init(_ store: any SecureStore, _ format: ExchangeFormat, _ invocation: Invocation) throws {
        named = invocation.has(.accessClass) ? AccessClass(option: invocation) : nil
        areClosed = !invocation.has(.replace) && format.option != "taskvault"
        for item in try store.list() {
            let entry = try item.name.with(field: SecretName.standardField)
            all.insert(entry)
            if item.attributes.accessClass == .afterVerification { protected.insert(entry) }
        }
    }

    /// The attributes with which a secret is saved: the named class, or that of its entry if it is protected, or that in the file.
    ///
    /// - Throws: `SecureStoreError.duplicate` for a secret of another program whose entry exists.
    func attributes(of secret: ImportedSecret) throws -> SecretAttributes {
        let entry = try secret.name.with(field: SecretName.standardField)
        if areClosed, all.contains(entry) { throw SecureStoreError.duplicate }
        var attributes = secret.attributes
        if let named {
            attributes.accessClass = named
        } else if protected.contains(entry) {
            attributes.accessClass = .afterVerification
        }
        return attributes
    }
}

extension ExchangeFormat {
    /// What `--format` calls it.
    fileprivate var option: String {
        switch self {
        case .taskVaultJSON, .taskVaultCSV: "taskvault"
        case .keePassXC, .keePassXML: "keepassxc"
        case .bitwarden, .bitwardenJSON: "bitwarden"
        case .onePassword, .onePUX: "1password"
        case .passwordStore: "pass"
        case .firefox, .safari, .chromium: "browser"
        }
    }
}

extension OperandDescription {
    /// What is imported.
    static let importedFile = OperandDescription(
        "FILE", .file, "the file to read, or the folder of pass; - is standard input")
}

extension OptionDescription {
    /// The format of an import.
    static let importFormat = OptionDescription(
        "format",
        .choice("FORMAT", ["keepassxc", "bitwarden", "1password", "pass", "browser", "taskvault"]),
        "the format of the file; detected if left out")
    /// The class of imported secrets.
    static let importedClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when all imported values can be read; if left out, as in the file or while-unlocked"
    )
}
