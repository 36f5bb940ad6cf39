internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import VaultAgent
internal import VaultCore

/// `secret import`: takes in the secrets of another program, all of them or none.
enum ImportSecretsCommand: Command {
    static let description = CommandDescription(
        path: ["secret", "import"],
        summary: "import the secrets of another program",
        operands: [.importedFile],
        options: [.importFormat, .importedClass, .replace],
        notes: [
            """
            Reads the CSV files of KeePassXC, Bitwarden and browsers, and the output of secret export. Atomic. Existing and reserved \
            names and invalid lines are skipped and reported. Asks for the passphrase unless the session is verified. Remove the file \
            afterwards: it is not encrypted.
            """
        ],
        examples: [
            .init("taskvault secret import passwords.csv", "detect the format"),
            .init(
                "taskvault secret import --format bitwarden --replace vault.csv",
                "name the format, and replace existing secrets"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let report: ImportReport
        if let agent = try context.vault.verifiedAgent() {
            report = try importAll(of: try readFile(context), through: agent, context)
        } else {
            report = try context.vault.withUnlockedVault(.changing) { vault, _ in
                // After the passphrase, which may be the first line of the same standard input.
                try importAll(of: try readFile(context), into: vault, context)
            }
        }
        try ImportReporting(report, context.console).print()
    }

    private static func readFile(_ context: CommandContext) throws -> SecretBytes {
        let file = try context.console.readFile(
            context.invocation.text(of: .importedFile), limit: SecretImport.maximumFileSize)
        try requireFormat(of: file, context)
        return file
    }

    /// Compares the file with the format that the person named.
    private static func requireFormat(
        of file: borrowing SecretBytes, _ context: CommandContext
    ) throws {
        let found = try SecretImport.check(file).format
        guard let named = context.invocation.text(of: .importFormat), named != found.option else {
            return
        }
        throw CommandFailure(
            .usage, code: "not_importable",
            "nothing was imported: the file is one of \(found.title)",
            hint: "leave --format out, or give --format \(found.option)")
    }

    private static func importAll(
        of file: borrowing SecretBytes, through agent: AgentClient, _ context: CommandContext
    ) throws -> ImportReport {
        let refused = try agent.saveAll(replacing: context.invocation.has(.replace)) { save in
            _ = try SecretImport.read(file) { secret, value in
                try save(value, secret.name, attributes(of: secret, context))
            }
        }
        // The report needs another pass: the agent tells at the end what it refused.
        var place = 0
        return try SecretImport.read(file) { _, _ in
            defer { place += 1 }
            if let error = refused[place] { throw error }
        }
    }

    /// The attributes in the file, with the class that the person named.
    private static func attributes(
        of secret: ImportedSecret, _ context: CommandContext
    ) -> SecretAttributes {
        var attributes = secret.attributes
        if context.invocation.has(.accessClass) {
            attributes.accessClass = AccessClass(option: context.invocation)
        }
        return attributes
    }

    private static func importAll(
        of file: borrowing SecretBytes, into vault: UnlockedVault, _ context: CommandContext
    ) throws -> ImportReport {
        var failure: (any Error)?
        do {
            return try vault.saveAll(replacing: context.invocation.has(.replace)) {
                (save) throws(SecureStoreError) in
                do {
                    return try SecretImport.read(file) { secret, value in
                        try save(value, secret.name, attributes(of: secret, context))
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

extension ExchangeFormat {
    /// What `--format` calls it.
    fileprivate var option: String {
        switch self {
        case .taskVaultJSON, .taskVaultCSV: "taskvault"
        case .keePassXC: "keepassxc"
        case .bitwarden: "bitwarden"
        case .firefox, .safari, .chromium: "browser"
        }
    }
}

extension OperandDescription {
    /// What is imported.
    static let importedFile = OperandDescription(
        "FILE", .file, "the file to read; - is standard input")
}

extension OptionDescription {
    /// The format of an import.
    static let importFormat = OptionDescription(
        "format", .choice("FORMAT", ["keepassxc", "bitwarden", "browser", "taskvault"]),
        "the format of the file; detected if left out")
    /// The class of imported secrets.
    static let importedClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when all imported values can be read; if left out, as in the file or while-unlocked"
    )
}

/// Says what an import did: counts, and a line for everything that is not as in the file.
struct ImportReporting {
    private let report: ImportReport
    private let console: Console

    /// Makes the reporting of an import.
    init(_ report: ImportReport, _ console: Console) {
        self.report = report
        self.console = console
    }

    /// Prints it.
    func print() throws {
        if console.isJSON { return try printJSON() }
        try console.print { output in
            try output.writeLine(
                "imported \(counted(report.imported, "secret")) from \(report.format.title)")
            for skip in report.skipped {
                try output.writeLine("line \(skip.line): skipped, \(Self.words(skip.reason).text)")
            }
            for alteration in report.altered {
                try output.writeLine(
                    "line \(alteration.line): renamed, \(Self.words(alteration.change).text)")
            }
        }
    }

    private func printJSON() throws {
        try console.printJSON { json in
            try json.beginObject()
            try json.member("format", report.format.title)
            try json.member("imported", report.imported)
            try json.key("skipped")
            try json.beginArray()
            for skip in report.skipped {
                try json.line(skip.line, reason: Self.words(skip.reason).code)
            }
            try json.endArray()
            try json.key("renamed")
            try json.beginArray()
            for alteration in report.altered {
                try json.line(alteration.line, reason: Self.words(alteration.change).code)
            }
            try json.endArray()
            try json.endObject()
        }
    }

    private static func words(_ reason: SkipReason) -> (code: String, text: String) {
        switch reason {
        case .emptyRecord: ("empty", "it is empty")
        case .refused(.duplicate): ("duplicate", "a secret of this name already exists")
        case .refused(.tooLarge): ("too_large", "it is too large")
        case .reserved: ("reserved_name", "it belongs to tasks or to the sign-in")
        case .refused: ("invalid_name", "its name is invalid")
        }
    }

    private static func words(_ change: NameChange) -> (code: String, text: String) {
        switch change {
        case .controlCharactersReplaced:
            ("control_characters_replaced", "control characters in the name were replaced")
        case .shortened: ("shortened", "the name was too long")
        case .numbered: ("numbered", "the name occurs twice in the file")
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    fileprivate mutating func line(_ line: Int, reason: String) throws {
        try beginObject()
        try member("line", line)
        try member("reason", reason)
        try endObject()
    }
}
