internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding
internal import VaultAgent
internal import VaultCore

/// `secret import`: imports the secrets of another program, all of them or none.
enum ImportSecretsCommand: Command {
    private static let trial = OptionDescription(
        "dry-run",
        "list the entries of the file, without values; says what exists if the vault is unlocked")

    private static let columns = OptionDescription(
        "map", .text("COLUMNS"),
        "the columns of another CSV file, such as user=login")

    static let description = CommandDescription(
        path: ["secret", "import"],
        summary: "import the secrets of another program",
        operands: [.importedFile],
        options: [.importFormat, columns, .importedClass, .replace, trial, .itemReport],
        notes: [
            """
            Reads the exports of KeePassXC and KeePass (CSV, XML), Bitwarden (CSV, JSON), 1Password (CSV, 1PUX), LastPass, Dashlane, \
            Proton Pass and browsers (CSV), Aegis (JSON), lists of otpauth URIs, the folder of pass or gopass and the output of secret export. The file is checked first; then the passphrase is asked, unless the session is verified. All values are saved, or none.
            """,
            """
            A login, card, identity or note becomes one entry, with its other values as fields and its folders and tags as tags. Existing \
            entries are skipped without --replace; the report says whether their values differ. Unsupported parts, such as attached files \
            and earlier passwords, are reported. At most twenty lines are shown; --report FILE writes all. If records cannot be read, the others are imported and the exit code is 1.
            """,
            """
            --map names the columns of any other CSV file: title, user, password, url, notes, totp and tags. Its other columns become fields.
            """,
            """
            The program gpg decrypts the entries of pass. The path folder/service/account gives the name of an entry. Remove an exported file \
            afterwards: it is not encrypted. With --json --dry-run the number of secrets is in would_import.
            """,
        ],
        examples: [
            .init("taskvault secret import passwords.csv", "detect the format"),
            .init("taskvault secret import ~/.password-store --dry-run", "look at pass first"),
            .init(
                "taskvault secret import --format bitwarden --replace vault.json",
                "name the format, and replace existing secrets"),
            .init(
                "taskvault secret import --map title=site,user=login,password=secret other.csv",
                "name the columns of another program"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    private static let interrupted = "interrupted; nothing was imported"

    static func run(_ context: CommandContext) throws {
        try context.interruptible(interrupted) { try importSecrets(context) }
    }

    private static func importSecrets(_ context: CommandContext) throws {
        let items = try ItemReport(context)
        if context.invocation.has(trial) { return try tryOut(try open(context), items, context) }
        let report: ImportReport
        if context.invocation.text(of: .importedFile) == "-",
            context.invocation.text(of: .passphraseFile) == "-",
            try context.vault.verifiedAgent() == nil
        {
            // The passphrase is the first line of the same standard input, and no question is asked.
            report = try context.vault.withUnlockedVault(.changing) { vault, _ in
                let store = OpenStore(secrets: vault, agent: nil)
                return try importAll(of: try open(context), into: store, context)
            }
        } else {
            let source = try open(context)
            report = try context.vault.withVerifiedStore { store in
                try importAll(of: source, into: store, context)
            }
        }
        try ImportReporting(report, items, context.console).print()
    }

    /// Reads and checks the file, or the folder of `pass`.
    private static func open(_ context: CommandContext) throws -> SecretImport {
        let path = context.invocation.text(of: .importedFile)
        let map = try columnMap(context)
        var folder: String?
        if path != "-", let resolved = try? SafeFolder.resolve(path),
            try FileStatus.of(path: resolved)?.isFolder == true
        {
            folder = resolved
        }
        if folder != nil, map != nil { throw ExchangeError.noColumns }
        let source =
            if let folder {
                try SecretImport(passwordStore: folder, mayAsk: context.console.canAsk)
            } else {
                try SecretImport(
                    context.console.readFile(path, limit: SecretImport.maximumFileSize),
                    columns: map)
            }
        let found = source.report.format
        if let named = context.invocation.text(of: .importFormat), let option = found.option,
            named != option
        {
            throw Failure(
                .usage, code: "not_importable",
                "nothing was imported: the file is one of \(found.title)",
                hint: "leave --format out, or give --format \(option)")
        }
        return source
    }

    private static func columnMap(_ context: CommandContext) throws -> ColumnMap? {
        guard let text = context.invocation.text(of: columns) else { return nil }
        guard let map = ColumnMap(text) else {
            throw Failure(
                .usage, code: "invalid_columns", "--map is not a list of NAME=COLUMN",
                hint: "each name once: \(ColumnMap.roles.joined(separator: ", "))")
        }
        return map
    }

    /// Lists the entries that an import would add, compared with the existing ones.
    private static func tryOut(
        _ source: borrowing SecretImport, _ items: ItemReport, _ context: CommandContext
    ) throws {
        let vault = context.vault
        guard vault.mayExist else { return try show(source, beside: nil, items, context) }
        if vault.usesAgent, let agent = try vault.agent(), try agent.status().isUnlocked {
            return try show(source, beside: agent, items, context)
        }
        guard vault.usesAgent, !context.invocation.has(.passphraseFile) else {
            return try vault.withUnlockedVault(.reading) { vault, _ in
                try show(source, beside: vault, items, context)
            }
        }
        context.console.notices.remark("the vault is locked: this list may have what exists")
        try show(source, beside: nil, compared: false, items, context)
    }

    private static func show(
        _ source: borrowing SecretImport, beside store: (any SecureStore)?,
        compared isCompared: Bool = true, _ items: ItemReport, _ context: CommandContext
    ) throws {
        var secrets: [SecretItem] = []
        let report = try source.deliver(plan(of: source, for: store, context)) { secret, _ in
            secrets.append(
                SecretItem(
                    name: secret.name, attributes: secret.attributes, revision: 1, created: 0,
                    modified: 0))
        }
        let entries = SecretEntry.entries(of: secrets.sorted { $0.name < $1.name })
        try ImportReporting(report, of: entries, compared: isCompared, items, context.console)
            .print()
    }

    private static func plan(
        of source: borrowing SecretImport, for store: (any SecureStore)?,
        _ context: CommandContext
    ) throws -> ImportPlan {
        let invocation = context.invocation
        return try source.plan(
            for: store, replacing: invocation.has(.replace),
            as: invocation.has(.importedClass) ? AccessClass(option: invocation) : nil)
    }

    private static func importAll(
        of source: borrowing SecretImport, into store: OpenStore, _ context: CommandContext
    ) throws -> ImportReport {
        let plan = try plan(of: source, for: store.secrets, context)
        let report: ImportReport
        let progress = ImportProgress(of: source.report.imported, context)
        if let agent = store.agent {
            report = try importAll(of: source, plan, through: agent, progress)
        } else {
            guard let vault = store.secrets as? UnlockedVault else {
                preconditionFailure("a store is the agent's, or a vault")
            }
            report = try importAll(of: source, plan, into: vault, progress)
        }
        // This step follows the values, so a failed import leaves the old entries unchanged.
        if !plan.changes.isEmpty { try describeOthers(plan.changes, in: store.secrets) }
        return report
    }

    /// Copies class, label, address and tags of the entries to the fields that the file does not have.
    private static func describeOthers(
        _ steps: [[SecretChange]], in store: any SecureStore
    ) throws {
        let items = Dictionary(
            try store.list().map { ($0.name, $0) }, uniquingKeysWith: { $1 })
        for step in steps {
            let left = step.compactMap { change -> SecretChange? in
                guard let item = items[change.name], case .edit(var edit) = change.action else {
                    return nil
                }
                // Imported fields already have their description.
                if item.revision != change.revision { (edit.label, edit.extra) = (nil, nil) }
                guard
                    edit.accessClass ?? item.attributes.accessClass != item.attributes.accessClass
                        || edit.label ?? item.attributes.label != item.attributes.label
                        || edit.extra ?? item.attributes.extra != item.attributes.extra
                else { return nil }
                return SecretChange(item.name, expecting: item.revision, .edit(edit))
            }
            if !left.isEmpty { try store.change(left) }
        }
    }

    private static func importAll(
        of source: borrowing SecretImport, _ plan: ImportPlan, through agent: AgentClient,
        _ progress: ImportProgress
    ) throws -> ImportReport {
        let refused: [Int: SecureStoreError]
        do {
            refused = try agent.saveAll(
                replacing: plan.isReplacing, unless: { BlockedSignals.arePending }
            ) { save in
                _ = try source.deliver(plan) { secret, value in
                    progress.step()
                    try save(value, secret.name, secret.attributes, secret.times)
                }
                progress.beginSaving()
            }
        } catch SecretBatchError.withdrawn {
            throw Failure(.interrupted, interrupted)
        }
        // The report needs a second pass, because the agent reports the refused items at the end.
        var place = 0
        return try source.deliver(plan) { _, _ in
            defer { place += 1 }
            if let error = refused[place] { throw error }
        }
    }

    private static func importAll(
        of source: borrowing SecretImport, _ plan: ImportPlan, into vault: UnlockedVault,
        _ progress: ImportProgress
    ) throws -> ImportReport {
        var failure: (any Error)?
        do {
            return try vault.saveAll(replacing: plan.isReplacing) {
                (save) throws(SecureStoreError) in
                do {
                    let report = try source.deliver(plan) { secret, value in
                        progress.step()
                        try save(value, secret.name, secret.attributes, secret.times)
                    }
                    progress.beginSaving()
                    return report
                } catch let error as SecureStoreError {
                    throw error
                } catch {
                    failure = error
                    throw .unavailable(.outOfMemory, detail: "out of guarded memory")
                }
            }
        } catch {
            // The vault throws only its own errors.
            if let failure { throw failure }
            throw error
        }
    }
}

/// The progress of an import, whose secrets are saved together. Not thread-safe.
private final class ImportProgress {
    private var line: ProgressLine
    private let total: Int
    private var done = 0

    init(of total: Int, _ context: CommandContext) {
        self.total = total
        line = ProgressLine("importing", descriptor: context.console.surroundings.errors)
    }

    /// Counts a secret.
    func step() {
        done += 1
        line.update(done: done, of: total)
    }

    /// Begins the step that saves all secrets, or none.
    func beginSaving() {
        InterruptibleWork.beginChange(
            saying: "interrupted; waiting for the vault, which saves all imported secrets or none")
        line.update("100 %, saving")
    }
}

extension ExchangeFormat {
    /// The name of the format in `--format`; nil for columns that the user has named.
    fileprivate var option: String? {
        switch self {
        case .taskVaultJSON, .taskVaultCSV: "taskvault"
        case .keePassXC, .keePassXML: "keepassxc"
        case .bitwarden, .bitwardenJSON: "bitwarden"
        case .onePassword, .onePUX: "1password"
        case .lastPass: "lastpass"
        case .dashlane: "dashlane"
        case .protonPass: "protonpass"
        case .passwordStore: "pass"
        case .aegis: "aegis"
        case .seedList: "otpauth"
        case .mapped: nil
        case .firefox, .safari, .chromium: "browser"
        }
    }
}

extension OperandDescription {
    static let importedFile = OperandDescription(
        "FILE", .file, "the file to read, or the folder of pass; - is standard input")
}

extension OptionDescription {
    static let importFormat = OptionDescription(
        "format",
        .choice(
            "FORMAT",
            [
                "keepassxc", "bitwarden", "1password", "lastpass", "dashlane", "protonpass", "pass",
                "browser", "aegis", "otpauth", "taskvault",
            ]),
        "the format of the file; detected if left out")
    static let importedClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when all imported values can be read; if left out, as in the file or while-unlocked"
    )
}
