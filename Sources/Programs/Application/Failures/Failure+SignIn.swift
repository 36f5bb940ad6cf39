internal import Accounts
internal import HTTPClient
internal import SecureStorage
internal import SignIn
internal import TextCoding
internal import Platform

extension Failure {
    /// Explains why a sign-in failed, or why the auth server refused a request.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - errors: The server, the account, and the commands for a hint.
    init(_ error: SignInError, _ errors: ErrorContext) {
        let server = errors.server
        switch error {
        case .rejected:
            self.init(
                .serverRejected, "\(server): \(SignInError.wrongPassword)",
                hint: errors.command("login"))
        case .notAccepted(let detail):
            // Other reasons than a wrong password, such as a disabled account, have their own text.
            self.init(
                .serverRejected, code: detail == SignInError.wrongPassword ? nil : "not_accepted",
                "\(server): \(detail)", hint: errors.command("login"))
        case .secondFactor(let request):
            self.init(
                .serverRejected,
                code: request.isRefused ? "wrong_second_factor" : "second_factor_required",
                request.isRefused
                    ? "\(server): the second factor is wrong or was used before"
                    : "\(server) asks for a second factor",
                hint: errors.command("login") + " asks for its code")
        case .throttled(let seconds):
            let wait = seconds.map { "in " + TimeSpan(seconds: UInt64(max($0, 1))).text } ?? "later"
            self.init(
                .refused, code: "throttled", "\(server) limits requests: try again \(wait)",
                hint: "wait, and run it again")
        case .refused(let reason):
            self.init(reason, errors)
        case .denied:
            self.init(
                .serverRejected, code: "denied", "the sign-in was declined at \(server)",
                hint: errors.command("login") + " begins again")
        case .notCompleted:
            self.init(
                .refused, code: "not_completed",
                "the sign-in at \(server) was not completed in time",
                hint: errors.command("login")
                    + " begins again; if the page refuses it, the server must know server-client and redirect of "
                    + errors.command("settings list"))
        case .noListener(let problem):
            self.init(problem, errors)
        case .unreachable(let detail, _):
            self.init(.serverUnreachable, "cannot reach \(server): \(detail)")
        case .untrusted(let detail, let byCertificate):
            self.init(
                .serverUnreachable, code: "server_untrusted",
                "\(server) is not trusted: \(detail)",
                hint: "no password or token was sent; "
                    + (byCertificate
                        ? errors.command("settings list")
                            + " shows the trusted certificates and keys"
                        : errors.command("settings get server") + " shows its address"))
        case .broken(let detail):
            self.init(
                .serverUnreachable, code: "server_answer",
                "\(server) sent an invalid response: \(detail)")
        case .unsupported:
            self.init(
                .refused, code: "not_supported",
                "\(server) does not support this: it is not a TaskVault server, or offers no known way to sign in"
            )
        case .settingsChanged:
            self.init(
                .refused, code: "conflict",
                "the sign-in settings were changed by another process", hint: "run it again")
        case .busy:
            self.init(
                .refused, code: "busy", "another process is signing in and does not finish",
                hint: "end it, or wait, and run it again")
        case .system(let call, let path, let code):
            self.init(
                .failure, code: "input_output",
                "cannot use \(path): \(SystemFailure(call, code: code).explanation)")
        }
    }

    private init(_ problem: ListenerProblem, _ errors: ErrorContext) {
        let device =
            errors.command("login --device") + " needs no browser here, if the server allows it"
        switch problem {
        case .libraryMissing:
            self.init(
                .failure, code: "library_missing",
                "the answer of the browser requires libmicrohttpd, which is not installed",
                hint: "apt install \(ListenerProblem.libraryPackage); " + device)
        case .portInUse:
            self.init(
                .refused, code: "cannot_listen",
                "another program uses the port of the setting redirect",
                hint: errors.command("settings get redirect") + " shows it")
        case .system(let code):
            self.init(
                .failure, code: "cannot_listen",
                "cannot receive the answer of the browser: \(SystemFailure("bind", code: code).explanation)",
                hint: device)
        }
    }

    private init(_ reason: RefusalReason, _ errors: ErrorContext) {
        switch reason {
        case .password:
            self.init(
                .serverRejected, code: "wrong_password", "the current password is wrong")
        case .secondFactor(let isMissing):
            self.init(
                .serverRejected,
                code: isMissing ? "second_factor_required" : "wrong_second_factor",
                isMissing
                    ? "the change needs a second factor of the account"
                    : "the second factor is wrong or was used before",
                hint: "wait for the next code of the app, or use a recovery code")
        case .newSecondFactor:
            self.init(
                .refused, code: "invalid_second_factor",
                "the server did not accept the new second factor",
                hint: "check that the clocks of this machine and of the app are right")
        case .noSecondFactor:
            self.init(
                .notFound, code: "no_second_factor", "the account has no such second factor",
                hint: errors.command("account second-factor list"))
        case .newPassword(let detail):
            self.init(
                .refused, code: "password_policy", "the server rejected the new password: \(detail)"
            )
        case .invitation:
            self.init(
                .refused, code: "invitation_refused",
                "the server requires a valid invitation",
                hint: "ask the operator of the server for one; give --invitation"
            )
        case .resetCode:
            self.init(
                .serverRejected, code: "wrong_code", "the code is wrong, used or expired",
                hint: "ask the operator of the server for a new one")
        case .disabled:
            self.init(
                .serverRejected, code: "account_disabled",
                "account \(errors.account) is disabled at \(errors.server)",
                hint: "ask the operator of the server")
        case .name:
            self.init(
                .alreadyExists,
                "account \(errors.account) already exists at \(errors.server)",
                hint: errors.command("login \(ShellText.quote(errors.account))") + " signs in")
        case .tooManyInboxes:
            self.init(
                .refused, code: "too_many_inboxes",
                "the account has too many inboxes at \(errors.server)",
                hint: errors.command("inbox disable --all") + " ends all of them")
        case .tooManySubscriptions:
            self.init(
                .refused, code: "too_many_senders", "the inbox has too many senders",
                hint: errors.command("inbox revoke NAME") + " ends an address")
        case .other(let detail):
            self.init(.refused, "the server refused: \(detail)")
        }
    }

    /// Explains why the client could not be created.
    init(_ error: HTTPClientError) {
        switch error {
        case .libraryMissing:
            self.init(
                .failure, code: "library_missing",
                "sign-in requires libcurl, which is not installed",
                hint: "apt install \(HTTPClient.libraryPackage)")
        case .authoritiesUnreadable, .authoritiesMalformed:
            self.init(.usage, code: "not_certificates", "this is not a file of PEM certificates")
        case .pinnedKeyMalformed:
            self.init(.usage, code: "not_a_key", "a key is sha256// followed by 44 characters")
        default:
            self.init(.failure, code: "library_failed", "libcurl cannot be used")
        }
    }

    /// Explains why a text cannot be a new password.
    init(_ error: AccountError) {
        switch error {
        case .passwordTooShort:
            self.init(
                .refused, code: "password_policy",
                "the password has fewer than \(AccountPassword.minimumCount) characters")
        case .passwordTooLong:
            self.init(
                .refused, code: "password_policy",
                "the password has more than \(AccountPassword.maximumSize) bytes")
        case .passwordEncoding:
            self.init(.usage, code: "not_text", "the new password is not valid UTF-8")
        default:
            preconditionFailure("a text is refused as a password for these reasons only")
        }
    }
}
