internal import CommandLine
internal import Secrets
internal import SecureStorage
internal import VaultCore
internal import VaultStorage

extension CommandFailure {
    /// The one place where errors of an operation on secrets get their exit codes, names and words.
    init(_ error: SecureStoreError, _ vault: VaultReference, _ about: About) {
        let typed = about.secret?.typed ?? "SERVICE ACCOUNT"
        switch error {
        // The agent's vault can be locked at any moment.
        case .locked where about.usesAgent: self = .locked(vault)
        case .locked:
            // Nothing locks a vault under a running command but a process that replaces its keys.
            self.init(VaultError.keysReplaced, vault, about)
        case .notVerified:
            self.init(
                .refused, code: "not_verified", "verification required",
                hint: vault.command("verify"))
        case .notFound:
            self.init(
                .notFound, "there is no secret \(typed)", hint: vault.command("secret list"))
        case .duplicate:
            self.init(
                .alreadyExists, "secret \(typed) already exists",
                hint: vault.command("secret update \(typed)") + " replaces its value")
        case .conflict(let found):
            self.init(
                .refused, code: "conflict",
                "another process changed the secret (revision \(found))",
                hint: "run it again")
        case .invalidName(let field, let reason):
            self.init(.usage, code: "invalid_name", "the \(field) \(reason.explanation)")
        case .tooLarge(let maximum):
            self.init(
                .refused, code: "too_large",
                maximum == SecretLimits.maximumValueSize
                    ? "the value is larger than \(maximum) bytes"
                    : "name, label and attributes together are larger than \(maximum) bytes")
        case .damaged(let name):
            if let failure = FormatFailure(rawValue: name) {
                self.init(failure, vault)
            } else {
                self.init(
                    name == "file_foreign"
                        ? StorageError.foreign(reason: "not a vault file")
                        : .damaged(reason: "SQLite found a malformed page"), vault)
            }
        case .unavailable(let reason, let detail):
            self.init(reason, detail, vault)
        }
    }

    private init(_ reason: StoreUnavailableReason, _ detail: String, _ vault: VaultReference) {
        switch reason {
        case .readOnly: self.init(StorageError.readOnly, vault)
        case .full: self.init(StorageError.full, vault)
        case .busy: self.init(StorageError.busy, vault)
        case .outOfMemory: self = .outOfMemory
        case .unreachable: self.init(StorageError.unreachable(reason: detail), vault)
        case .failed: self.init(.failure, code: "input_output", detail)
        }
    }
}

extension InvalidNameReason {
    /// The error, as the end of a sentence.
    fileprivate var explanation: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let maximum): "is longer than \(maximum) bytes"
        case .controlCharacter: "contains a control character, such as a newline"
        case .repeated: "occurs twice"
        }
    }
}

extension CommandFailure {
    /// Explains why an export ended.
    init(_ error: ExportError<OutputError>) {
        switch error {
        case .outOfMemory: self = .outOfMemory
        case .sink(let error): self.init(error)
        }
    }

    /// Explains why no secret could be generated.
    init(_ error: SecretGeneratorError) {
        switch error {
        case .outOfRange(let allowed):
            self = .usage("the length is \(allowed.lowerBound) to \(allowed.upperBound)")
        case .outOfMemory:
            self = .outOfMemory
        }
    }

    /// Explains why a file could not be imported.
    init(_ error: ExchangeError, _ about: About) {
        switch error {
        case .store(let error):
            self.init(error, about.vault, about)
        case .outOfMemory:
            self = .outOfMemory
        case .tooLarge:
            self.init(.refused, code: "too_large", error.description)
        default:
            self.init(
                .usage, code: "not_importable", "nothing was imported: \(error.description)",
                hint: "export it again as CSV, in UTF-8, with the header line")
        }
    }
}
