internal import Accounts
internal import CommandLine
internal import HTTPClient
internal import SecureStorage
internal import SignIn
internal import TextCoding

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
                .serverRejected, "\(server) does not accept the name or the password",
                hint: about.command("login"))
        case .throttled(let seconds):
            let wait = seconds.map { "in " + TimeSpan(seconds: UInt64(max($0, 1))).text } ?? "later"
            self.init(
                .refused, code: "throttled", "\(server) wants to be asked again \(wait)",
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
                    + " shows what is trusted")
        case .broken(let detail):
            self.init(
                .serverUnreachable, code: "server_answer",
                "\(server) does not answer as an auth server: \(detail)")
        case .unsupported:
            self.init(
                .refused, code: "not_supported",
                "\(server) has nothing for this: it is no TaskVault server, or takes no passwords"
            )
        case .outOfMemory:
            self = .outOfMemory
        }
    }

    private init(_ reason: RefusalReason) {
        switch reason {
        case .password:
            self.init(
                .serverRejected, code: "wrong_password", "the current password is wrong")
        case .newPassword(let detail):
            self.init(
                .refused, code: "password_policy", "the server refuses the new password: \(detail)")
        case .invitation:
            self.init(
                .refused, code: "invitation_refused",
                "the server does not accept the invitation, or wants one",
                hint: "whoever runs the server makes one for your e-mail address; give --invitation"
            )
        case .name:
            self.init(
                .alreadyExists, "there is an account of this name already", hint: "sign in instead")
        case .other(let detail):
            self.init(.refused, "the server refuses: \(detail)")
        }
    }

    /// Explains why this machine cannot sign in.
    init(_ error: SignInError, _ about: About) {
        switch error {
        case .store(.locked): self = .locked(about.vault)
        case .store(let error): self.init(error, about.vault, about)
        case .settingsChanged:
            self = .signInSettingsChanged
        case .busy:
            self.init(
                .refused, code: "busy", "another process is signing in and does not come to an end",
                hint: "end it, or wait, and run it again")
        case .system(let call, let path, let code):
            self.init(
                .failure, code: "input_output",
                "cannot use \(path): \(SystemFailure(call, code: code).explanation)")
        }
    }

    /// Somebody else changed the settings of the sign-in.
    static let signInSettingsChanged = CommandFailure(
        .refused, code: "conflict", "the settings of the sign-in were changed meanwhile",
        hint: "run it again")

    /// Explains why no client could be made.
    init(_ error: HTTPClientError) {
        switch error {
        case .libraryMissing:
            self.init(
                .failure, code: "library_missing",
                "signing in needs libcurl, which is not installed",
                hint: "apt install \(HTTPClient.libraryPackage)")
        case .authoritiesUnreadable, .authoritiesMalformed:
            self.init(.usage, code: "not_certificates", "these are no certificates as PEM")
        case .pinnedKeyMalformed:
            self.init(.usage, code: "not_a_key", "a key is sha256// and 44 characters")
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
