internal import Database
internal import Platform
package import Sealing
internal import TextCoding
internal import VaultCore
internal import VaultStorage

/// The place where `init` and `restore` put a vault file; the agent of a vault on a server lives there, too.
package struct VaultPlace {
    private let application: Application

    /// Makes the place of a vault.
    package init(_ application: Application) {
        self.application = application
    }

    /// Whether something is there, a dangling symbolic link included.
    package var isTaken: Bool { FileSystem.exists(application.folders.file) }

    /// Refuses a place where something is.
    package func requireFree() throws {
        guard !isTaken else { throw DatabaseError.alreadyExists }
    }

    /// Makes the folder, mode 0700, if it is missing.
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

    /// Takes a folder away again that was made for nothing. Only an empty one can be removed.
    package func removeFolder() {
        _ = unsafe rmdir(application.folders.vault)
    }

    /// Makes the vault, with its folder if that is missing.
    ///
    /// - Parameters:
    ///   - passphrase: Its passphrase.
    ///   - cost: The cost of the key derivation.
    /// - Returns: Its recovery code.
    /// - Throws: A failure if another vault is missing here; why it cannot be made.
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
