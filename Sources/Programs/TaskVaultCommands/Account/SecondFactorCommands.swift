internal import Application
internal import CommandLine
internal import Inbox
internal import SecretMemory
internal import Secrets
internal import SignIn
internal import TextCoding

/// `account second-factor list`: lists the second factors of the account.
enum ListSecondFactorsCommand: Command {
    static let description = CommandDescription(
        path: ["account", "second-factor", "list"],
        summary: "list the second factors of the account",
        notes: ["Passkeys are added on the page: taskvault app, Settings."],
        examples: [.init("taskvault account second-factor list", "and the recovery codes left")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let found = try context.secondFactors(place)
            if context.console.isJSON { return try printJSON(found, context) }
            guard !found.factors.isEmpty else {
                return try context.console.printLine("none: the password alone signs in")
            }
            var table = TextTable([
                TextTable.Column("ID"), TextTable.Column("KIND"), TextTable.Column("ADDED"),
                TextTable.Column("LAST USE"), TextTable.Column("NAME", takesRest: true),
            ])
            for factor in found.factors {
                table.add([
                    String(factor.id.prefix(8)),
                    factor.kind == "totp" ? "authenticator" : factor.kind, factor.created,
                    factor.used ?? "", factor.label,
                ])
            }
            try context.console.print(table)
            try context.console.printLine(
                "recovery codes left: \(found.recoveryCodesLeft)")
        }
    }

    private static func printJSON(_ found: AccountFactors, _ context: CommandContext) throws {
        try context.console.printJSON { json in
            try json.beginObject()
            try json.key("factors")
            try json.beginArray()
            for factor in found.factors {
                try json.beginObject()
                try json.member("id", factor.id)
                try json.member("kind", factor.kind)
                try json.member("label", factor.label)
                try json.member("created", factor.created)
                try json.member("used", factor.used)
                try json.endObject()
            }
            try json.endArray()
            try json.member("recovery_codes_left", found.recoveryCodesLeft)
            try json.endObject()
        }
    }
}

/// `account second-factor add`: adds an authenticator app.
enum AddSecondFactorCommand: Command {
    /// The number of codes that a person may type.
    private static let attempts = 3

    static let description = CommandDescription(
        path: ["account", "second-factor", "add"],
        summary: "add an authenticator app as the account's second factor",
        options: [.passwordFile],
        notes: [
            """
            Shows a secret for an app that computes codes (TOTP), also as a QR code, and asks for the code that the app then shows. The first second factor \
            makes ten recovery codes. From then on the server refuses the password alone, except on a machine that signed in with a second factor before: \
            unlock still signs in without a question. An app that was added before is replaced.
            """,
            """
            From a file the current password is the first line, then a second factor if the account has one, then the secret in Base32, and last a code of it.
            """,
        ],
        examples: [.init("taskvault account second-factor add", "with a question for a code")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.withSecondFactorChange { change in
            guard change.passwords.hasPrompt else {
                let secret = try change.passwords.required("", "the secret of the app")
                let code = try change.passwords.required("", "the code of the app")
                return try change.make(AccountFactorChange(secret: secret, code: code))
            }
            let secret = try OneTimePassword.makeSecret()
            try show(secret, change, context)
            for attempt in 1...attempts {
                let code = try change.passwords.required(
                    "Code that the app shows", "the code of the app")
                do {
                    return try change.make(
                        AccountFactorChange(secret: try secret.copy(), code: code))
                } catch SignInError.refused(.newSecondFactor) where attempt < attempts {
                    context.console.notices.remark("this is not the code of that secret now")
                }
            }
            return nil
        }
    }

    /// Shows the secret, and its QR code on a terminal that has room for it.
    private static func show(
        _ secret: borrowing SecretBytes, _ change: borrowing FactorChange, _ context: CommandContext
    ) throws {
        let console = context.console
        // The result of --json is one object.
        let descriptor = console.isJSON ? console.surroundings.errors : console.output
        var output = Output(descriptor: descriptor)
        let uri = try OneTimePassword.uri(
            of: secret, account: change.account.text, issuer: change.place.server)
        let columns = TerminalCapabilities(of: descriptor).columns ?? .max
        if let lines = QRCode.lines(of: uri), let width = lines.first?.unicodeScalars.count,
            width <= columns
        {
            for line in lines { try output.writeLine(line) }
        } else {
            console.notices.remark(
                "no QR code: widen the terminal, or apt install \(QRCode.libraryPackage)")
        }
        try output.write("Add this secret to the app: ")
        try output.write(secret: secret)
        try output.writeLine()
        try output.finish()
    }
}

/// `account second-factor remove`: removes a second factor.
enum RemoveSecondFactorCommand: Command {
    private static let factor = OperandDescription(
        "FACTOR", "a beginning of the id of the second factor, or all")

    static let description = CommandDescription(
        path: ["account", "second-factor", "remove"],
        summary: "remove a second factor of the account, or all of them",
        operands: [factor],
        options: [.passwordFile],
        notes: [
            "Asks for the password and for a second factor. Without any, the password alone signs in again, and the recovery codes are gone."
        ],
        examples: [.init("taskvault account second-factor remove all", "back to the password")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let text = context.invocation.text(of: factor)
        try context.withSecondFactorChange { change in
            let found = change.found.factors.filter { $0.id.hasPrefix(text) }
            guard text == "all" || found.count < 2 else {
                throw Failure.usage(
                    "several second factors begin with \(ShellText.quote(text))",
                    hint: context.folders.command("account second-factor list"))
            }
            guard let id = text == "all" ? text : found.first?.id, !text.isEmpty else {
                throw SignInError.refused(.noSecondFactor)
            }
            return try change.make(AccountFactorChange(removing: id))
        }
    }
}

/// `account second-factor codes`: replaces the recovery codes.
enum RenewRecoveryCodesCommand: Command {
    static let description = CommandDescription(
        path: ["account", "second-factor", "codes"],
        summary: "make ten new recovery codes of the account",
        options: [.passwordFile],
        notes: [
            "Each replaces a code of the app once. The earlier ones are no longer valid. They are not the recovery code of the vault."
        ],
        examples: [.init("taskvault account second-factor codes", "few are left")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.withSecondFactorChange { try $0.make(.recoveryCodes) }
    }
}

/// A change of the account's second factors: what the server has, and what confirms the change.
struct FactorChange: ~Copyable {
    let context: CommandContext
    let place: SignInPlace
    let account: AccountName
    let found: AccountFactors
    let passwords: AccountPasswords
    private let password: SecretBytes
    private let answer: SecondFactorAnswer?

    /// Asks for the password, and for a second factor if the account has one.
    init(
        _ context: CommandContext, _ place: SignInPlace, _ passwords: consuming AccountPasswords,
        confirmedBy given: SecondFactorAnswer? = nil
    ) throws {
        let account = try context.signIn.signedInAccount(place)
        try place.client.check()
        let found = try context.secondFactors(place)
        let password = try passwords.required("Current password", "the current password")
        var answer = given
        if answer == nil, !found.factors.isEmpty {
            answer = try passwords.requiredSecondFactor(
                isCode: found.factors.contains { $0.kind == "totp" }, place.server)
        }
        self.context = context
        self.place = place
        self.account = account
        self.found = found
        self.passwords = passwords
        self.password = password
        self.answer = answer
    }

    /// Asks the server for the change.
    ///
    /// - Returns: New recovery codes, one per line; nil if the earlier ones stay.
    borrowing func make(_ change: AccountFactorChange) throws -> SecretBytes? {
        var codes: SecretBytes?
        let done: Void? = try context.signIn.withAccessToken(
            of: account, place, asking: AccountPasswords(try password.copy(), and: passwords)
        ) { token in
            codes = try place.client.changeSecondFactors(
                change, password: password, confirmedBy: answer, token)
        }
        guard done != nil else { throw SignInError.unsupported }
        return codes.take()
    }
}

extension CommandContext {
    /// The second factors of the account that is signed in.
    func secondFactors(_ place: SignInPlace) throws -> AccountFactors {
        var found: AccountFactors?
        try application.withToken(place) { token in
            found = try place.client.secondFactors(token)
        }
        guard let found else { throw SignInError.unsupported }
        return found
    }

    /// Makes a change, and prints the result with the recovery codes, which are shown only once.
    func withSecondFactorChange(
        confirmedBy answer: SecondFactorAnswer? = nil,
        _ body: (borrowing FactorChange) throws -> SecretBytes?
    ) throws {
        try signIn.withSignIn { place in
            let change = try FactorChange(
                self, place, try console.accountPasswords(), confirmedBy: answer)
            try printChange(try body(change))
        }
    }

    /// Prints the result of a change.
    func printChange(_ codes: consuming SecretBytes?) throws {
        switch consume codes {
        case .some(let codes):
            if console.isJSON { return try printJSON(codes) }
            try console.print { output in
                try output.writeLine(
                    "Recovery codes. Each signs in once in place of the second factor. They are shown only once:"
                )
                try output.writeLine()
                try output.write(secret: codes)
                try output.writeLine()
                try output.writeLine()
                try output.writeLine("Store them offline, apart from the password.")
            }
        case .none:
            guard console.isJSON else {
                return try console.printLine("changed the second factors")
            }
            try console.printJSON { json in
                try json.beginObject()
                try json.endObject()
            }
        }
    }

    private func printJSON(_ codes: borrowing SecretBytes) throws {
        try console.printJSON { json in
            try json.beginObject()
            try json.key("recovery_codes")
            try json.beginArray()
            var start = 0
            while start < codes.count {
                let end = codes.withBytes { bytes in
                    (start..<bytes.byteCount).first { bytes[$0] == UInt8(ascii: "\n") }
                        ?? bytes.byteCount
                }
                try json.ascii(try codes.copy(from: start, count: end - start))
                start = end + 1
            }
            try json.endArray()
            try json.endObject()
        }
    }
}
