internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import VaultCore

/// `secret import`: takes in the secrets of another program, all of them or none.
enum ImportSecretsCommand: Command {
    static func run(_ context: CommandContext) throws(CommandFailure) {
        let report = try context.withUnlockedVault(.changing) {
            (vault, _) throws(CommandFailure) in
            // After the passphrase, which may be the first line of the same standard input.
            let file = try ImportedFile.read(
                context.invocation.text(of: .importedFile),
                limit: SecretImport.maximumFileSize, context)
            try requireFormat(of: file, context)
            return try importAll(of: file, into: vault, context)
        }
        try ImportReporting(report, context).print()
    }

    /// Holds the file against the format that the person named.
    private static func requireFormat(
        of file: borrowing SecretBytes, _ context: CommandContext
    ) throws(CommandFailure) {
        let found: ExchangeFormat
        do {
            found = try SecretImport.check(file).format
        } catch {
            throw CommandFailure(importing: error, context.vault)
        }
        guard let named = context.invocation.text(of: .importFormat), named != found.option else {
            return
        }
        throw CommandFailure(
            .usage, code: "not_importable",
            "nothing was imported: the file is one of \(found.title)",
            hint: "leave --format out, or give --format \(found.option)")
    }

    private static func importAll(
        of file: borrowing SecretBytes, into vault: UnlockedVault, _ context: CommandContext
    ) throws(CommandFailure) -> ImportReport {
        let accessClass = context.invocation.has(.accessClass) ? context.accessClass : nil
        let isReplacing = context.invocation.has(.replace)
        var failure: (any Error)?
        do throws(SecureStoreError) {
            return try vault.saveAll(replacing: isReplacing) { (save) throws(SecureStoreError) in
                do {
                    return try SecretImport.read(file) { secret, value in
                        guard !secret.name.isOfSignIn else { throw SecureStoreError.ofSignIn }
                        var attributes = secret.attributes
                        attributes.accessClass = accessClass ?? attributes.accessClass
                        try save(value, secret.name, attributes)
                    }
                } catch let error as SecureStoreError {
                    throw error
                } catch {
                    failure = error
                    throw .unavailable(.outOfMemory, detail: "no guarded memory left")
                }
            }
        } catch {
            throw CommandFailure(importing: failure ?? error, context.vault)
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
