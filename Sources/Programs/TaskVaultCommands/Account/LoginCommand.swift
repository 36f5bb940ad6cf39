internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import SignIn
internal import TextCoding

/// `login`: signs in at the auth server, with the credentials in the vault or those that the person types.
enum LoginCommand: Command {
    static let description = CommandDescription(
        path: ["login"],
        summary: "sign in at the auth server",
        operands: [.email],
        options: [.passwordFile, .secondFactorCode, .device],
        notes: [
            """
            Asks for the password if the vault has none or the server rejects it, and saves it in the vault after the server accepted it. \
            From then on unlock signs in automatically. The setting server names the server (settings set server \
            https://auth.example.org); secrets and tasks need neither server nor account.
            """,
            """
            If the account has a second factor, asks for a code of the app or a recovery code. From then on the server knows this machine, and asks for the \
            password alone. A passkey signs in on the page (app).
            """,
            """
            Most other servers ask on a page of their own. It opens in the browser, and the vault keeps a refresh token, never the password. \
            Without a desktop, or with --device, this prints an address, a code for the page, and a QR code for a phone. EMAIL is optional then.
            """,
            """
            If the server cannot be reached, cached credentials are kept. An account that was signed in stays so for the setting \
            offline-limit.
            """,
        ],
        examples: [
            .init("taskvault login ada@example.org", "asks for the password once"),
            .init("taskvault login", "later, without a question"),
            .init("taskvault login --device", "on the page of a server, with a phone"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            guard try place.client.takesPasswords() else {
                return try signInOnPage(place, context)
            }
            if context.invocation.has(.device) {
                throw Failure.usage(
                    "\(place.server) takes passwords, and has no page for --device",
                    hint: context.folders.command("login"))
            }
            let account = try context.accountName(place)
            var passwords = try context.console.accountPasswords()
            if context.invocation.has(.secondFactorCode) {
                let code = try passwords.requiredSecondFactor(place.server)
                passwords.give(code)
            }
            try signIn(account, place, passwords, context)
        }
    }

    /// Signs in, ends the session of another account, and prints the account.
    static func signIn(
        _ account: AccountName, _ place: SignInPlace, _ passwords: borrowing AccountPasswords,
        _ context: CommandContext
    ) throws {
        let other = try sessionOfAnother(than: account, place, context)
        try context.signIn.signIn(account, place, asking: passwords)
        switch consume other {
        case .some(let token): context.signIn.revoke(token, place)
        case .none: break
        }
        try context.report(account, place, "signed in")
    }

    /// The refresh token of another account whose session this sign-in replaces.
    private static func sessionOfAnother(
        than account: AccountName, _ place: SignInPlace, _ context: CommandContext
    ) throws -> SecretBytes? {
        try context.signIn.withCache(place) { cache -> SecretBytes? in
            guard let session = try cache.session(), session.account != account else { return nil }
            return try cache.token(.refresh)
        }
    }

    /// Signs in with the stored refresh token, or else on the server's page.
    private static func signInOnPage(_ place: SignInPlace, _ context: CommandContext) throws {
        if context.invocation.has(.passwordFile) || context.invocation.has(.secondFactorCode) {
            throw Failure.usage(
                "\(place.server) takes no password from this program",
                hint: context.folders.command("login") + " opens its page")
        }
        let named = try context.invocation.texts(of: .email).first.map { _ in
            try context.accountName(place)
        }
        if let account = named ?? place.settings.account,
            try context.signIn.continueSession(account, place)
        {
            return try context.report(account, place, "signed in")
        }
        // A program can neither open the page nor show the code.
        guard !context.console.isJSON else {
            throw context.signIn.needsBrowser(place, account: nil)
        }
        let signIn = try context.signIn.beginWebSignIn(
            named, onDevice: context.invocation.has(.device), place)
        try show(signIn, place, context)
        let account = try context.signIn.finishWebSignIn(try wait(for: signIn), of: named, place)
        try context.report(account, place, "signed in")
    }

    private static func wait(for signIn: any WebSignIn) throws -> GrantedTokens {
        while true {
            switch try signIn.wait(atMost: .seconds(60)) {
            case .some(let tokens): return tokens
            case .none: continue
            }
        }
    }

    /// Opens the page, or shows its address and the code.
    private static func show(
        _ signIn: any WebSignIn, _ place: SignInPlace, _ context: CommandContext
    ) throws {
        let notices = context.console.notices
        if let code = signIn.code {
            notices.remark("open \(signIn.address) on any device, and enter the code \(code)")
            if let address = signIn.completeAddress {
                let bytes = Array(address.utf8)
                try context.console.printQRCode(
                    of: SecretBytes(copying: unsafe bytes.span.bytes),
                    to: context.console.surroundings.errors)
            }
            return notices.remark("waiting for the sign-in at \(place.server)")
        }
        let environment = context.console.surroundings.environment
        let opener =
            AppPage.canOpenBrowser(environment) ? Executable.path(of: AppPage.opener) : nil
        let isOpened = try opener.map { try Browser.open(signIn.address, by: $0) } ?? false
        let time = TimeSpan(seconds: UInt64(BrowserSignIn.timeLimit.components.seconds)).text
        notices.remark(
            isOpened
                ? "opened \(place.server) in the browser; if you do not see it, open \(signIn.address)"
                : "open \(signIn.address) in a browser of this machine")
        notices.remark("waiting up to \(time) for the sign-in")
    }
}

extension OptionDescription {
    static let device = OptionDescription(
        "device", "sign in on another device, with a code for the server's page")
}

extension OptionDescription {
    static let secondFactorCode = OptionDescription(
        "code",
        "the second factor is asked for first, or is the first line of the file: a code of the app, or a recovery code"
    )
}
