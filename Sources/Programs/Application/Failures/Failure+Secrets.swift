internal import LibCrypto
package import Secrets
internal import SecureStorage
internal import SignIn
internal import Tasks
internal import TextCoding
internal import VaultCore
internal import VaultStorage

extension Failure {
    /// Explains an error of libcrypto.
    init(_ error: LibCryptoError) {
        switch error {
        case .missing:
            self.init(
                .failure, code: "library_missing", "libcrypto is not installed",
                hint: "apt install libssl3")
        case .failed: self.init(.failure, code: "library_failed", "libcrypto cannot be used")
        }
    }

    /// Maps each error of an operation on secrets to its exit code, code and message.
    init(_ error: SecureStoreError, _ vault: VaultReference, _ errors: ErrorContext) {
        if let file = errors.file, let failure = Failure(error, ofFile: file, vault) {
            self = failure
            return
        }
        if let id = errors.message, let failure = Failure(error, ofMessage: id, vault) {
            self = failure
            return
        }
        let typed = errors.secret?.typed ?? "SERVICE ACCOUNT"
        switch error {
        // The agent can lock the vault at any time.
        case .locked where errors.usesAgent: self = .locked(vault)
        case .keysReplaced where errors.usesAgent: self = .keysReplaced(vault)
        case .locked, .keysReplaced:
            // Only a process that replaces the keys locks a vault during a command.
            self.init(
                .refused, code: "keys_replaced",
                "another process replaced the vault's keys", hint: "run it again")
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
            } else if name == SecureStoreError.noRollbackRecord {
                self = .noRollbackRecord
            } else {
                self.init(
                    name == "file_foreign"
                        ? DatabaseError.foreign(reason: "not a vault file")
                        : DatabaseError.damaged(reason: "SQLite found a malformed page"), vault)
            }
        case .unavailable(let reason, let detail):
            self.init(reason, detail, vault)
        }
    }

    private init(_ reason: StoreUnavailableReason, _ detail: String, _ vault: VaultReference) {
        switch reason {
        case .readOnly: self.init(DatabaseError.readOnly, vault)
        case .full: self.init(DatabaseError.full, vault)
        case .busy: self.init(DatabaseError.busy, vault)
        case .outOfMemory: self = .outOfMemory
        case .unreachable: self.init(DatabaseError.unreachable(reason: detail), vault)
        case .failed: self.init(.failure, code: "input_output", detail)
        }
    }
}

extension Failure {
    /// Refuses an item that belongs to another part of TaskVault, and names the commands of that part.
    init(reserved name: SecretName, _ folders: VaultFolders) {
        let part: String
        let hint: String
        switch name {
        case _ where name.service == ProtectedText.service:
            part = "belongs to the to-do list"
            hint =
                folders.command("task show ID") + " shows it; task edit and task remove change it"
        case _ where name.service == SecretName.fileService:
            part = "is a file"
            hint = folders.command("file list") + " shows the files"
        case _ where name.isOfProgram:
            part = "belongs to a program"
            hint =
                folders.command("secret list --removed")
                + " shows those that secret restore brings back"
        case _ where name.isInboxItem:
            part = "belongs to the inbox"
            hint = folders.command("inbox list") + " shows the messages, inbox senders the senders"
        case _ where CredentialCache.owns(name):
            part = "belongs to the sign-in"
            hint = folders.command("login") + " and " + folders.command("logout") + " change it"
        default:
            part = "is reserved"
            hint =
                "services that begin with \(SecretName.reservedPrefix) are TaskVault's: give another"
        }
        self.init(.refused, code: "reserved_name", "secret \(name.typed) \(part)", hint: hint)
    }
}

extension InvalidNameReason {
    /// The error as the end of a sentence.
    fileprivate var explanation: String {
        switch self {
        case .empty: "is empty"
        case .tooLong(let maximum): "is longer than \(maximum) bytes"
        case .controlCharacter: "contains a control character, such as a newline"
        case .repeated: "occurs twice"
        case .notAFileName: "cannot be the name of a file"
        case .reserved: "is reserved"
        }
    }
}

extension Failure {
    /// Explains why a file could not be imported.
    init(_ error: ExchangeError, _ errors: ErrorContext) {
        switch error {
        case .tooLarge:
            self.init(.refused, code: "too_large", error.description)
        case .notInstalled(let name):
            self.init(
                .failure, code: "not_installed", "nothing was imported: \(error.description)",
                hint: "install it: apt install \(name == "gpg" ? "gnupg" : "zlib1g")")
        default:
            self.init(
                .usage, code: "not_importable", "nothing was imported: \(error.description)",
                hint: error.hint)
        }
    }
}

extension ExchangeError {
    /// The way to a valid file.
    fileprivate var hint: String {
        switch self {
        case .encrypted: "export it again without encryption"
        case .keePassDatabase:
            "export it: keepassxc-cli export --format xml DATABASE > passwords.xml"
        case .invalidXML, .documentType: "export it again as XML, in UTF-8"
        case .invalidArchive:
            "export it again from 1Password as 1PUX; unpack the archive of another program"
        case .invalidJSON, .unsupportedVersion: "export it again as JSON"
        case .unknownColumns, .missingColumn:
            "name those of \(ColumnMap.roles.joined(separator: ", ")): --map title=COLUMN,user=COLUMN,password=COLUMN; the others become fields"
        case .noColumns: "leave --map out"
        case .emptyStore: "pass keeps them in ~/.password-store"
        case .notDecrypted: "the file .gpg-id names the key: gpg --list-secret-keys"
        case .unknownFormat:
            "export it again as CSV, in UTF-8, with the header line; or name its columns: --map title=COLUMN,user=COLUMN,password=COLUMN"
        case .nulByte(line: 1), .invalidText(line: 1, column: _), .strayQuote(line: 1, column: _),
            .unterminatedQuote(line: 1):
            // No header was found, so it may be no CSV file at all.
            "the known formats: \(Self.formats); CSV files in UTF-8, with the header line"
        default: "export it again as CSV, in UTF-8, with the header line"
        }
    }
}

extension Failure {
    /// Explains why a text is not a seed.
    init(_ error: OneTimePasswordError, _ errors: ErrorContext) {
        let typed = errors.secret?.typed ?? "SERVICE ACCOUNT --field \(SecretName.seedField)"
        let reason: String
        switch error {
        case .noSecret: reason = "the secret is missing"
        case .character(let position):
            reason = "character \(position) of the secret is not Base32 (A to Z, 2 to 7)"
        case .incomplete: reason = "the end of the secret is missing"
        case .notTimeBased: reason = "only otpauth://totp/ is supported"
        case .counterBased: reason = "codes by a counter (HOTP) are not supported"
        case .steam: reason = "the codes of Steam are not supported"
        case .parameter(let name): reason = "parameter \(name) is not valid"
        }
        self.init(
            .usage, code: "invalid_seed", "\(typed) is not a TOTP seed: \(reason)",
            hint: errors.command("secret set --replace \(typed)") + " asks for the seed")
    }
}

extension Failure {
    /// Explains why a text is not a reference. The message omits the text, which may be a secret.
    package init(_ error: SecretReferenceError, _ place: String = "the reference") {
        let hint = "such as taskvault://mail.example/ada/password, with %2F for a slash in a name"
        switch error {
        case .parts:
            self.init(
                .usage, code: "invalid_reference",
                "\(place) is not SERVICE/ACCOUNT or SERVICE/ACCOUNT/FIELD", hint: hint)
        case .percent:
            self.init(
                .usage, code: "invalid_reference",
                "\(place) has a percent sign without two hexadecimal digits of UTF-8", hint: hint)
        case .open(let line):
            self.init(
                .usage, code: "invalid_reference",
                "line \(line) of the template: a reference without }}",
                hint: "write {{ taskvault://SERVICE/ACCOUNT }} in one line")
        case .malformed(let line):
            self.init(
                .usage, code: "invalid_reference",
                "line \(line) of the template: invalid reference", hint: hint)
        }
    }
}
