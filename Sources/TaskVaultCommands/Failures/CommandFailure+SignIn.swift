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
    ///   - place: The server.
    ///   - folders: For the command that helps.
    init(_ error: AuthClientError, at place: SignInPlace, _ folders: VaultFolders) {
        switch error {
        case .rejected:
            self.init(
                .serverRejected, "\(place.server) does not accept the name or the password",
                hint: folders.command("login"))
        case .throttled(let seconds):
            let wait = seconds.map { "in " + TimeSpan(seconds: UInt64(max($0, 1))).text } ?? "later"
            self.init(
                .refused, code: "throttled", "\(place.server) wants to be asked again \(wait)",
                hint: "wait, and run it again")
        case .refused(let reason):
            self.init(reason)
        case .unreachable(let detail, _):
            self.init(.serverUnreachable, "cannot reach \(place.server): \(detail)")
        case .untrusted(let detail):
            self.init(
                .serverUnreachable, code: "server_untrusted",
                "\(place.server) is not trusted: \(detail)",
                hint: "nothing was sent to it; " + folders.command("settings list")
                    + " shows what is trusted")
        case .broken(let detail):
            self.init(
                .serverUnreachable, code: "server_answer",
                "\(place.server) does not answer as an auth server: \(detail)")
        case .unsupported:
            self.init(
                .refused, code: "not_supported",
                "\(place.server) has nothing for this: it is no TaskVault server, or takes no passwords"
            )
        }
    }

    /// Explains why a request to an auth server failed.
    init(asking place: SignInPlace, _ error: any Error, _ folders: VaultFolders) {
        guard let error = error as? AuthClientError else {
            self = .outOfMemory
            return
        }
        self.init(error, at: place, folders)
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
    init(signIn error: any Error, _ vault: VaultReference) {
        switch error {
        case SecureStoreError.locked: self = .locked(vault)
        case let error as SecureStoreError: self.init(error, vault)
        case let error as SignInError: self.init(error)
        default: self = .outOfMemory
        }
    }

    private init(_ error: SignInError) {
        switch error {
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
    init(http error: any Error) {
        switch error {
        case HTTPClientError.libraryMissing:
            self.init(
                .failure, code: "library_missing",
                "signing in needs libcurl, which is not installed",
                hint: "apt install \(HTTPClient.libraryPackage)")
        case HTTPClientError.authoritiesUnreadable, HTTPClientError.authoritiesMalformed:
            self.init(.usage, code: "not_certificates", "these are no certificates as PEM")
        case HTTPClientError.pinnedKeyMalformed:
            self.init(.usage, code: "not_a_key", "a key is sha256// and 44 characters")
        case is HTTPClientError:
            self.init(.failure, code: "library_failed", "libcurl cannot be used")
        default:
            self = .outOfMemory
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
