internal import Database
internal import Platform
package import Sealing
internal import TextCoding
internal import VaultCore
internal import VaultStorage

/// The place of a vault file for `init` and `restore`. The agent of a vault on a server runs there
/// too.
package struct NewVaultPlace {
    private let application: Application

    /// Creates the place of a vault.
    package init(_ application: Application) {
        self.application = application
    }

    /// Refuses a place with an existing file, or a dangling symbolic link.
    package func requireFree() throws {
        guard !FileSystem.exists(application.folders.file) else {
            throw DatabaseError.alreadyExists
        }
    }

    /// Creates the folder with mode 0700 if it is missing.
    ///
    /// - Returns: Whether it was missing.
    package func makeFolder() throws -> Bool {
        let folder = application.folders.vault
        let isMissing = !FileSystem.exists(folder)
        do {
            try VaultLocation.prepareFolder(at: folder)
        } catch DatabaseError.notFound {
            throw Failure(
                .notFound, code: "no_folder", "there is no folder for \(folder)")
        } catch DatabaseError.alreadyExists {
            throw Failure(
                .alreadyExists, code: "not_a_folder", "\(folder) is not a folder")
        } catch DatabaseError.readOnly {
            throw Self.failure("read_only", folder, FileSystem.creationPermissionFailure(folder))
        } catch DatabaseError.inputOutput(_, let code) {
            throw Self.failure(
                "input_output", folder,
                SystemFailure("mkdir", code: Int32(truncatingIfNeeded: code)))
        }
        return isMissing
    }

    private static func failure(
        _ code: String, _ folder: String, _ reason: SystemFailure?
    ) -> Failure {
        Failure(
            .failure, code: code,
            "cannot create the folder \(folder): \(reason?.explanation ?? "it cannot be written")")
    }

    /// Removes a folder that was created in vain, if it is empty.
    package func removeFolder() {
        _ = unsafe rmdir(application.folders.vault)
    }

    /// Removes such a folder if a signal ends the program before the first change.
    package func removeAtInterruption() {
        let folder = application.folders.vault
        _ = InterruptibleWork.addCleanup { _ = unsafe rmdir(folder) }
    }

    /// Creates the vault, and its folder if that is missing.
    ///
    /// - Parameters:
    ///   - passphrase: The passphrase.
    ///   - cost: The cost of the key derivation.
    /// - Returns: The recovery code.
    /// - Throws: A failure if the vault that this machine last saw here is missing. Otherwise the
    ///   reason why the vault cannot be created.
    package func create(
        _ passphrase: consuming Passphrase, cost: KeyDerivationCost
    ) throws -> RecoveryCode {
        let vault = try application.vault.source()
        let isNewFolder = try makeFolder()
        do {
            return try create(vault, passphrase, cost)
        } catch {
            if isNewFolder { removeFolder() }
            let (failure, message): (FormatFailure, String) =
                switch error {
                case VaultError.otherVault:
                    (.otherVault, "the vault that this machine saw at \(vault.title) is missing")
                case VaultError.damaged(.rollbackRecordDamaged):
                    (
                        .rollbackRecordDamaged,
                        "a vault may be missing at \(vault.title): the rollback record is damaged"
                    )
                default: throw error
                }
            throw Failure(
                .damaged, code: failure.rawValue, message,
                hint: application.folders.command("restore BACKUP")
                    + " restores a backup; --accept-other creates a new vault")
        }
    }

    private func create(
        _ vault: VaultSource, _ passphrase: consuming Passphrase, _ cost: KeyDerivationCost
    ) throws -> RecoveryCode {
        let environment = application.vault.environment
        guard let tables = try vault.openOrCreateTables() else {
            return try VaultFile.create(
                at: application.folders.file, environment, passphrase: passphrase, cost: cost)
        }
        defer { tables.close() }
        return try VaultCreation.create(
            in: tables, environment, passphrase: passphrase, cost: cost)
    }
}
