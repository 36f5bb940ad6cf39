internal import Sealing
internal import SecureStorage
internal import TextCoding
internal import VaultCore
internal import VaultStorage

extension Failure {
    /// Maps each error of the vault to its exit code, code and message.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - vault: The vault that the error concerns.
    ///   - errors: The other subjects of the operation.
    init(_ error: VaultError, _ vault: VaultReference, _ errors: ErrorContext) {
        switch error {
        case .wrongPassphrase:
            self.init(
                .wrongPassphrase, "wrong passphrase",
                hint: "if you forgot it: " + vault.recoveryCommand)
        case .wrongRecoveryCode:
            self.init(
                .wrongPassphrase, code: "wrong_recovery_code", "wrong recovery code",
                hint: vault.isBackup
                    ? "a backup has the code that was the newest one at its time"
                    : "only the newest code is valid")
        case .wrongKey:
            self.init(
                .wrongPassphrase, code: "wrong_key", "wrong security key or passkey",
                hint: "the vault also opens with its passphrase or recovery code")
        case .unusable(let error):
            self.init(error)
        case .damaged(let failure):
            self =
                Failure(failure, ofFile: errors.file, vault) ?? Failure(failure, vault)
        case .rolledBack(let found, let seen):
            self.init(
                .damaged, code: FormatFailure.rolledBack.rawValue,
                "\(vault.title) is older than the state last seen on this machine: change \(found), last seen \(seen)",
                hint: "if you restored it on purpose, " + vault.command("unlock --accept-older"))
        case .forked(let seen, _):
            self.init(
                .damaged, code: FormatFailure.forked.rawValue,
                "the vault was forked: commit \(seen), which this machine saw, is not in it",
                hint: Self.forkAdvice(vault))
        case .otherVault(let isDestroyed):
            self.init(
                .damaged, code: FormatFailure.otherVault.rawValue,
                isDestroyed
                    ? "the vault at \(vault.path) was destroyed on this machine, and there is one again"
                    : "the vault at \(vault.path) is not the one last seen there on this machine",
                hint: Self.otherVaultAdvice(vault))
        case .noRollbackRecord:
            self = .noRollbackRecord
        case .lastSlot:
            self.init(
                .refused, code: "last_slot",
                "the vault needs a passphrase or a recovery code",
                hint: vault.command("recovery show-new") + " creates one first")
        case .tooManySlots:
            self.init(
                .refused, code: "too_many_slots", "the vault already has eight key slots",
                hint: vault.command("key list") + " shows the keys; key remove frees a slot")
        case .noSuchSlot:
            self.init(
                .notFound, code: "no_recovery_code", "the vault has no recovery code",
                hint: vault.command("recovery show-new") + " creates one")
        case .duplicateKey:
            self.init(
                .alreadyExists, code: "duplicate_key", "this security key opens the vault already",
                hint: vault.command("key list") + " shows the keys")
        case .duplicateLabel:
            self.init(
                .alreadyExists, code: "duplicate_label", "another key has this label",
                hint: vault.command("key list") + " shows the labels")
        case .conflict:
            self.init(
                .refused, code: "conflict", "another process changed the key slots",
                hint: "run it again")
        case .invalidSettings:
            self.init(.usage, code: "invalid_settings", "a limit is outside its range")
        case .store(let error):
            self.init(error, vault, errors)
        case .storage(let error):
            self.init(error, vault)
        case .outOfMemory:
            self = .outOfMemory
        }
    }

    /// The meaning of a fork, and the commands that resolve it.
    private static func forkAdvice(_ vault: VaultReference) -> String {
        "an older copy was put back and changed, by a file synchronisation or an attacker: compare the other machines and the "
            + "backups; " + vault.command("unlock --accept-older") + " accepts this copy"
    }

    private static func otherVaultAdvice(_ vault: VaultReference) -> String {
        "if you put it there on purpose, " + vault.command("unlock --accept-other")
    }

    /// The refusal of a vault whose settings require a rollback record.
    static let noRollbackRecord = Failure(
        .damaged, code: SecureStoreError.noRollbackRecord,
        "the vault requires a rollback record, and this machine cannot keep one",
        hint: "make the folder of the records writable; the last change may have been made")

    /// Explains damage to stored bytes.
    init(_ failure: FormatFailure, _ vault: VaultReference) {
        switch failure {
        case .forked:
            self.init(
                .damaged, code: failure.rawValue, failure.explanation, hint: Self.forkAdvice(vault))
            return
        case .otherVault:
            self.init(
                .damaged, code: failure.rawValue, failure.explanation,
                hint: Self.otherVaultAdvice(vault))
            return
        case .backupKeyChanged:
            self.init(
                .damaged, code: failure.rawValue, failure.explanation,
                hint: vault.command("unlock") + " verifies the new one")
            return
        default: break
        }
        let hint =
            switch failure.remedy {
            case _ where vault.isBackup: VaultReference.otherBackup
            case .restore: vault.command("restore BACKUP") + " restores a backup"
            case .repair: vault.command("doctor") + " shows the remedies"
            case .acceptOlder where failure.isOfLinks:
                vault.command("doctor") + " shows the remedies"
            case .acceptOlder: "if this is expected, " + vault.command("unlock --accept-older")
            case .acceptOther: Self.otherVaultAdvice(vault)
            }
        self.init(
            .damaged, code: failure.rawValue,
            "\(vault.title) is damaged or was tampered with: \(failure.explanation)", hint: hint)
    }

    /// Explains why a passphrase, a recovery code or a cost is invalid.
    init(_ error: SealingError) {
        switch error {
        case .passphraseLength:
            self.init(
                .refused, code: "passphrase_length",
                "a passphrase has 1 to \(Passphrase.maximumSize) bytes")
        case .passphraseEncoding:
            self.init(.refused, code: "passphrase_encoding", "the passphrase is not valid UTF-8")
        case .recoveryCodeMalformed:
            self.init(
                .wrongPassphrase, code: "recovery_code_malformed",
                "this is not a recovery code: expected 14 groups of four letters and digits")
        case .recoveryCodeCheck:
            self.init(
                .wrongPassphrase, code: "recovery_code_check",
                "the recovery code is mistyped: its checksum does not match",
                hint: "compare it with your copy; it never contains 0, 1, 8 or 9")
        case .costTooLow:
            self.init(
                .refused, code: "kdf_weak", "the key derivation cost is too low",
                hint: "at least --kdf-memory 19 --kdf-passes 2")
        case .costTooHigh:
            self.init(
                .refused, code: "kdf_excessive",
                "the key derivation cost is too high for this machine",
                hint: "at most half of its memory, 4096 MiB, and 16384 for memory times passes")
        case .doesNotOpen, .padding:
            self.init(.damaged, "decryption failed")
        case .libraryFails:
            self.init(
                .failure, code: "library_fails",
                "libsodium failed its self-test: nothing was opened or written",
                hint: "reinstall libsodium, or use another machine")
        case .outOfMemory:
            self = .outOfMemory
        }
    }
}

extension Failure {
    /// Maps each error of the storage to its exit code, code and message.
    init(_ error: DatabaseError, _ vault: VaultReference) {
        switch error {
        case .notFound where vault.isBackup:
            self.init(.notFound, code: "no_backup", "there is no file \(vault.path)")
        case .notFound:
            self.init(
                .notFound, code: "no_vault", "there is no vault at \(vault.path)",
                hint: vault.command("init") + " creates one")
        case .alreadyExists:
            self.init(
                .alreadyExists, code: "vault_exists", "a vault already exists at \(vault.path)")
        case .foreign(let reason):
            self.init(
                .damaged, code: "file_foreign", "\(vault.path) is not a vault: \(reason)",
                hint: vault.isBackup
                    ? VaultReference.otherBackup
                    : vault.command("restore --replace BACKUP")
                        + " restores a backup and keeps that file")
        case .newerVersion(let version):
            self.init(
                .damaged, code: "newer_version",
                "\(vault.path) was written by a newer version of TaskVault (storage \(version))",
                hint: "install that version")
        case .earlierBuild(let schema):
            self.init(
                .damaged, code: "earlier_build",
                "\(vault.path) was written by a build of TaskVault before the release, and is not read",
                hint: "export the secrets with that build"
                    + (vault.isBackup ? "" : "; " + LocationAdvice.hint(earlierSchema: schema)))
        case .tooLarge:
            self.init(
                .failure, code: "input_output",
                "cannot read \(vault.title): the server's answer is larger than allowed")
        case .unsafeLocation(let path, let reason):
            self.init(
                .refused, code: "unsafe_location", "\(path) is not safe to use: \(reason)",
                hint: Self.advice(path, reason, vault))
        case .damaged(let reason):
            self.init(
                .damaged, code: "file_damaged", "the file \(vault.path) is damaged: \(reason)",
                hint: vault.isBackup
                    ? VaultReference.otherBackup
                    : vault.command("restore --replace BACKUP") + " restores a backup")
        case .readOnly:
            self =
                Failure(unreadable: vault.path, named: "\(vault.title) \(vault.path)")
                ?? Failure(
                    .failure, code: "read_only", "\(vault.path) cannot be written",
                    hint: "reading still works; check file, folder and medium")
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left on the device; nothing was changed",
                hint: "free some space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "\(vault.title) is in use by another process",
                hint: "run it again when the other process is done")
        case .unreachable(let reason):
            self.init(
                .serverUnreachable, code: "vault_unreachable",
                "\(vault.title) cannot be reached: \(reason)")
        case .outcomeUnknown:
            self.init(
                .failure, code: "outcome_unknown",
                "the connection was lost while saving; the change may have been made",
                hint: "check before you run it again")
        case .outOfMemory:
            self = .outOfMemory
        case .missing, .closed:
            self.init(.failure, code: "storage_closed", "\(vault.title) was closed")
        case .inputOutput(let operation, let code):
            self.init(
                .failure, code: "input_output", "\(operation) failed on \(vault.path) (\(code))",
                hint: "look whether a quota is used up, and into the system's log")
        }
    }

    /// The command that makes a location safe; nil if no command does.
    private static func advice(
        _ path: String, _ reason: String, _ vault: VaultReference
    ) -> String? {
        switch reason {
        case "a symbolic link" where vault.isBackup:
            "give the file to which it points"
        case "a symbolic link":
            "put the file itself there, or give its folder with --home"
        case "contains changes that are not in the file":
            "a copy of a vault in use is incomplete: create one with taskvault backup"
        default: LocationAdvice.hint(path, reason)
        }
    }
}
