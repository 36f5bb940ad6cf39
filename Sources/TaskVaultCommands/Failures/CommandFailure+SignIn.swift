internal import Accounts
internal import CommandLine
internal import HTTPClient
internal import SecureStorage
internal import SignIn
internal import TextCoding
internal import Platform

extension CommandFailure {
    /// Explains what an auth server, or the way to it, has against it.
    ///
    /// - Parameters:
    ///   - error: What happened.
    ///   - about: The server, and the commands that help.
    init(_ error: AuthClientError, _ about: About) {
        let server = about.server
        switch error {
        case .rejected:
            self.init(
                .serverRejected, "\(server): incorrect e-mail address or password",
                hint: about.command("login"))
        case .throttled(let seconds):
            let wait = seconds.map { "in " + TimeSpan(seconds: UInt64(max($0, 1))).text } ?? "later"
            self.init(
                .refused, code: "throttled", "\(server) limits requests: try again \(wait)",
                hint: "wait, and run it again")
        case .refused(let reason):
            self.init(reason)
        case .unreachable(let detail, _):
            self.init(.serverUnreachable, "cannot reach \(server): \(detail)")
        case .untrusted(let detail):
            self.init(
                .serverUnreachable, code: "server_untrusted",
                "\(server) is not trusted: \(detail)",
                hint: "nothing was sent to it; " + about.command("settings list")
                    + " shows the trusted certificates and keys")
        case .broken(let detail):
            self.init(
                .serverUnreachable, code: "server_answer",
                "\(server) sent an invalid response: \(detail)")
        case .unsupported:
            self.init(
                .refused, code: "not_supported",
                "\(server) does not support this: it is not a TaskVault server, or does not take passwords"
            )
        }
    }

    private init(_ reason: RefusalReason) {
        switch reason {
        case .password:
            self.init(
                .serverRejected, code: "wrong_password", "the current password is wrong")
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
        case .name:
            self.init(
                .alreadyExists, "the account already exists", hint: "sign in instead")
        case .other(let detail):
            self.init(.refused, "the server refused: \(detail)")
        }
    }

    /// Explains why this machine cannot sign in.
    init(_ error: SignInError, _ about: About) {
        switch error {
        case .settingsChanged:
            self = .signInSettingsChanged
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

    /// Another process changed the sign-in settings.
    static let signInSettingsChanged = CommandFailure(
        .refused, code: "conflict", "the sign-in settings were changed by another process",
        hint: "run it again")

    /// Explains why no client could be made.
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

    /// Explains why something cannot be a password.
    init(_ error: AccountPasswordError) {
        let sizes = AccountPassword.sizes
        switch error {
        case .tooShort:
            self.init(
                .refused, code: "password_policy",
                "the password has fewer than \(sizes.lowerBound) bytes")
        case .tooLong:
            self.init(
                .refused, code: "password_policy",
                "the password has more than \(sizes.upperBound) bytes")
        case .encoding:
            self.init(.usage, code: "not_text", "the new password is not valid UTF-8")
        case .outOfMemory:
            self = .outOfMemory
        }
    }
}
