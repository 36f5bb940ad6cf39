internal import Accounts
internal import CommandLine

extension CommandFailure {
    /// The one place where errors of accounts get their exit codes, names and words.
    init(_ error: AccountServiceError, _ place: AccountDatabasePlace, _ invocation: Invocation) {
        switch error {
        case .alreadyExists:
            self.init(
                .alreadyExists, code: "account_exists", "there is an account of this name already",
                hint: "taskvault-authd account list")
        case .missing:
            self.init(
                .notFound, code: "no_account",
                invocation.path.last == "remove"
                    ? "there is neither an account nor an invitation of this name"
                    : "there is no account of this name",
                hint: "taskvault-authd account list")
        case .outOfMemory:
            self.init(
                .failure, code: "out_of_memory", "not enough memory for the password's hash",
                hint: "the setting password-memory says how much it takes")
        case .repository(let error): self.init(error, place)
        case .rejected, .tokenRejected, .tooManyAttempts, .invitationRejected:
            preconditionFailure("no operator is asked for a password")
        }
    }

    /// The one place where errors of the database get them.
    init(_ error: AccountRepositoryError, _ place: AccountDatabasePlace) {
        switch error {
        case .missing, .alreadyExists:
            self.init(
                .failure, code: "conflict", "another program changed the account meanwhile",
                hint: "look at it and run it again")
        case .foreign(let reason):
            self.init(
                .refused, code: "database_foreign",
                "\(place.title) has no accounts of TaskVault: \(reason)")
        case .newerVersion(let version):
            self.init(
                .refused, code: "newer_version",
                "\(place.title) was written by a newer version of TaskVault (accounts \(version))",
                hint: "install that version")
        case .unsafeLocation(let path, let reason):
            self.init(
                .refused, code: "unsafe_location", "\(path) is not safe to use: \(reason)",
                hint: LocationAdvice.hint(path, reason) ?? "run it as the user whose file it is")
        case .damaged(let reason):
            self.init(
                .failure, code: "database_damaged", "\(place.title) is damaged: \(reason)",
                hint: "put a backup in its place")
        case .unreachable(let reason):
            self.init(.unreachable(reason: reason), of: place.title)
        case .outcomeUnknown:
            self.init(
                .outcomeUnknown, of: place.title, hint: "taskvault-authd account list shows it")
        case .readOnly: self.init(.readOnly, of: place.title)
        case .full: self.init(.full, of: place.title)
        case .busy: self.init(.busy, of: place.title)
        case .closed: self.init(.closed, of: place.title)
        case .outOfMemory: self.init(.failure, code: "out_of_memory", "no memory left")
        case .failed(let detail): self.init(.failed(detail: detail), of: place.title)
        }
    }
}
