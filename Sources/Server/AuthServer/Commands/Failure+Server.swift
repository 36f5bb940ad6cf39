internal import Accounts
internal import CommandLine
internal import Database
internal import HTTPServer
internal import Sealing
internal import Platform
internal import TextCoding

/// The messages and exit codes of errors that commands do not handle themselves.
extension Failure {
    /// Explains an error of a command.
    init(_ error: any Error, _ context: ServerContext) {
        let title = (try? context.database())?.title ?? "the database"
        switch error {
        case let error as Failure: self = error
        case let error as AccountError:
            self.init(error, context.invocation)
        case let error as DatabaseError: self.init(error, database: title)
        case let error as SealingError: self.init(error, database: title)
        case let error as HTTPServerError: self.init(error, context.settings)
        default: self.init(unexplained: error)
        }
    }

    /// Explains an error of another database than that of the settings.
    init(_ error: any Error, in place: AccountDatabasePlace, _ context: ServerContext) {
        if let error = error as? DatabaseError {
            self.init(error, database: place.title)
        } else {
            self.init(error, context)
        }
    }

    /// Explains why a request about an account is refused.
    private init(_ error: AccountError, _ invocation: Invocation) {
        switch error {
        case .alreadyExists:
            self.init(
                .alreadyExists, code: "account_exists",
                "account \(invocation.text(of: .email)) already exists",
                hint: "taskvault-authd account list")
        case .missing:
            self.init(
                .notFound, code: "no_account", "account not found",
                hint: "taskvault-authd account list")
        case .passwordTooShort:
            self.init(
                .refused, code: "password_policy",
                "the password has fewer than \(AccountPassword.minimumCount) characters")
        case .passwordTooLong:
            self.init(
                .refused, code: "password_policy",
                "the password has more than \(AccountPassword.maximumSize) bytes")
        case .passwordCommon:
            self.init(.refused, code: "password_policy", "this password is a common one")
        case .passwordIsAddress:
            self.init(
                .refused, code: "password_policy", "the password is the account's own address")
        case .passwordEncoding:
            self.init(.usage, code: "not_text", "the new password is not valid UTF-8")
        case .rejected, .disabled, .sessionEnded, .secondFactorRequired, .secondFactorRejected,
            .newFactorRejected, .tooManyPasskeys, .factorMissing, .tokenRejected,
            .scopeInsufficient, .tooManyAttempts, .invitationRejected:
            preconditionFailure(
                "administration verifies no password, second factor, token or invitation")
        }
    }

    private init(_ error: DatabaseError, database title: String) {
        switch error {
        case .foreign(let reason):
            self.init(
                .refused, code: "database_foreign",
                "\(title) is not a TaskVault account database: \(reason)",
                hint: "name another one with --database")
        case .newerVersion(let version):
            self.init(
                .refused, code: "newer_version",
                "\(title) was written by a newer version of TaskVault (accounts \(version))",
                hint: "install that version")
        case .damaged(let reason):
            self.init(
                .failure, code: "database_damaged", "\(title) is damaged: \(reason)",
                hint: "restore a backup")
        case .notFound, .alreadyExists, .missing:
            self.init(
                .failure, code: "input_output", "\(title) was moved or replaced meanwhile",
                hint: "run the command again")
        default:
            self.init(error, of: title, outcome: "taskvault-authd account list shows it")
        }
    }

    private init(_ error: SealingError, database title: String) {
        switch error {
        case .outOfMemory:
            self.init(
                .failure, code: "out_of_memory", "not enough memory for the password's hash",
                hint: "the setting password-memory is its size")
        case .libraryFails:
            self.init(
                .failure, code: "library_fails", "libsodium computes wrong results",
                hint: "install libsodium again, or use another machine")
        default:
            self.init(
                .failure, code: "database_damaged",
                "\(title) is damaged: the cost of a password hash is not accepted",
                hint: "restore a backup")
        }
    }

    private init(_ error: HTTPServerError, _ settings: SettingSources) {
        let address = settings.certain(ServerSettings.listen).text()
        switch error {
        case .addressNotNumeric:
            self.init(.usage, "\(address) is not a numeric address")
        case .cannotListen(let code):
            self.init(
                .failure, code: "cannot_listen",
                "cannot listen on \(address): \(SystemFailure("bind", code: code).explanation)",
                hint: "--listen sets another address and port")
        case .identityRefused:
            let files = [ServerSettings.certificate, ServerSettings.key].compactMap {
                settings.value($0)
            }
            self.init(
                .refused, code: "identity_refused",
                "certificate and key are invalid, or do not match: "
                    + files.joined(separator: " and "))
        case .notEncrypted:
            self.init(.refused, code: "not_encrypted", "the server has no certificate to replace")
        case .outOfResources:
            self.init(.failure, code: "out_of_resources", "threads or descriptors are exhausted")
        case .stopped:
            self.init(.failure, code: "stopped", "the server is stopping")
        case .libraryMissing:
            self.init(
                .failure, code: "library_missing",
                "the server requires libmicrohttpd, which is not installed",
                hint: "apt install \(HTTPServerLibrary.debianPackage)")
        }
    }

    /// Explains why a file of the server's configuration could not be read.
    init(_ error: any Error, reading subject: String, _ path: String) {
        switch error {
        case let error as SystemFailure where error.isMissingFile:
            self.init(.notFound, code: "no_file", "\(subject) \(path) does not exist")
        case let error as UnusableFile:
            self.init(
                .refused, code: "unsafe_file", "cannot use \(subject) \(path): \(error.reason)")
        default:
            self.init(
                (error as? SystemFailure)?.call == "open" ? .usage : .failure, code: "cannot_read",
                "cannot read \(subject) \(path): \(TrustedFile.explanation(of: error))")
        }
    }
}
