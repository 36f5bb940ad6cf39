internal import CommandLine
internal import VaultStorage

extension CommandFailure {
    /// The one place where errors of the storage get their exit codes, names and words.
    init(_ error: StorageError, _ vault: VaultReference) {
        switch error {
        case .notFound:
            self.init(
                .notFound, code: "no_vault", "there is no vault at \(vault.path)",
                hint: vault.command("init") + " makes one")
        case .alreadyExists:
            self.init(
                .alreadyExists, code: "vault_exists", "there is a vault at \(vault.path) already")
        case .foreign(let reason):
            self.init(
                .damaged, code: "file_foreign", "\(vault.path) is no vault: \(reason)",
                hint: vault.command("restore --replace BACKUP")
                    + " puts a backup there and keeps that file")
        case .newerVersion(let version):
            self.init(
                .damaged, code: "newer_version",
                "\(vault.path) was written by a newer version of TaskVault (storage \(version))",
                hint: "install that version")
        case .unsafeLocation(let path, let reason):
            self.init(
                .refused, code: "unsafe_location", "\(path) is not safe to use: \(reason)",
                hint: Self.advice(path, reason))
        case .damaged(let reason):
            self.init(
                .damaged, code: "file_damaged", "the file \(vault.path) is damaged: \(reason)",
                hint: vault.command("restore --replace BACKUP") + " brings a backup back")
        case .readOnly:
            self.init(
                .failure, code: "read_only", "\(vault.path) cannot be written",
                hint: "reading commands work; check file, folder and medium")
        case .full:
            self.init(
                .failure, code: "disk_full", "no space left on the device; nothing was changed",
                hint: "make space and run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "another process is using \(vault.title) for too long",
                hint: "run it again when it is done")
        case .unreachable(let reason):
            self.init(
                .serverUnreachable, code: "vault_unreachable",
                "\(vault.title) cannot be reached: \(reason)")
        case .outcomeUnknown:
            self.init(
                .failure, code: "outcome_unknown",
                "the connection was lost while saving: whether it was done is not known",
                hint: "look before you do it again")
        case .outOfMemory:
            self = .outOfMemory
        case .missing, .closed:
            self.init(.failure, code: "storage_closed", "\(vault.title) was closed meanwhile")
        case .inputOutput(let operation, let code):
            self.init(
                .failure, code: "input_output", "\(operation) failed on \(vault.path) (\(code))")
        }
    }

    /// The command that makes a place safe, where one does.
    private static func advice(_ path: String, _ reason: String) -> String? {
        switch reason {
        case "a symbolic link":
            "put the file itself there, or give its folder with --home"
        case "holds changes that are not in the file":
            "a copy of a vault in use is incomplete: make one with taskvault backup"
        default: LocationAdvice.hint(path, reason)
        }
    }
}
