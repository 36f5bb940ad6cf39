internal import Application
internal import CommandLine
internal import Inbox
internal import Passkeys
internal import SecretMemory
internal import Secrets
internal import SignIn
internal import TextCoding

/// `account-challenge`: gets the challenge for a passkey of the account. For a sign-in it prints the account instead if no second factor is needed.
enum AccountChallengeCommand: Command {
    static let description = CommandDescription(
        path: ["account-challenge"], summary: "get a challenge", operands: [.email],
        options: [.hostLabel, .port, .purpose, .passwordFile], examples: [], exitCodes: .account,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        guard let port = context.invocation.number(of: .port).flatMap({ UInt16(exactly: $0) }),
            let page = PageOrigin(label: context.invocation.text(of: .hostLabel) ?? "", port: port)
        else { throw Failure.usage("missing origin of the page") }
        let purpose = context.invocation.text(of: .purpose)
        try context.signIn.withSignIn { place in
            guard purpose == "sign-in" else {
                var request: PasskeyRequest?
                try context.application.withToken(place) { token in
                    request = try place.client.passkeyChallenge(
                        registering: purpose == "register", page: page.text, token)
                }
                guard let request else { throw SignInError.unsupported }
                return try context.print(request)
            }
            let account = try context.accountName(place)
            place.client.answer(secondFactor: SecondFactorAnswer(page: page.text))
            do {
                try LoginCommand.signIn(
                    account, place, try context.console.accountPasswords(), context)
            } catch SignInError.secondFactor(let request) {
                guard let challenge = request.challenge else {
                    throw SignInError.secondFactor(request)
                }
                try context.print(challenge)
            }
        }
    }
}

/// `account-sign-in`: signs in with a passkey as the second factor.
enum SignInWithPasskeyCommand: Command {
    static let description = CommandDescription(
        path: ["account-sign-in"], summary: "sign in with a passkey", operands: [.email],
        options: OptionDescription.assertion + [.passwordFile], examples: [], exitCodes: .account,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.accountName(place)
            var passwords = try context.console.accountPasswords()
            passwords.give(SecondFactorAnswer(try context.assertion()))
            try LoginCommand.signIn(account, place, passwords, context)
        }
    }
}

/// `authenticator-secret`: makes the secret of an authenticator app, with its QR code.
enum AuthenticatorSecretCommand: Command {
    static let description = CommandDescription(
        path: ["authenticator-secret"], summary: "make a secret", examples: [],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let account = try context.signIn.signedInAccount(place)
            let secret = try OneTimePassword.makeSecret()
            let uri = try OneTimePassword.uri(
                of: secret, account: account.text, issuer: place.server)
            try context.console.printJSON { json in
                try json.beginObject()
                try json.key("secret")
                try json.ascii(secret)
                try json.key("qr")
                try json.beginArray()
                for line in QRCode.lines(of: uri) ?? [] { try json.string(line) }
                try json.endArray()
                try json.endObject()
            }
        }
    }
}

/// `account-factor`: changes the second factors. The password file has the password, then a second factor unless a passkey confirms, and for an app
/// its secret and its code.
enum ChangeAccountFactorCommand: Command {
    private static let change = OptionDescription("change", .text("CHANGE"), "the change")
    private static let factor = OptionDescription("factor", .text("ID"), "the second factor")
    private static let registration = OptionDescription(
        "registration-data", .text("BASE64"), "what the browser says of a new passkey")

    static let description = CommandDescription(
        path: ["account-factor"], summary: "change the second factors",
        options: [change, factor, registration, .attestation, .keyLabel, .passwordFile]
            + OptionDescription.assertion, examples: [], exitCodes: .account,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let invocation = context.invocation
        let answer =
            invocation.has(.credential) ? SecondFactorAnswer(try context.assertion()) : nil
        try context.withSecondFactorChange(confirmedBy: answer) { made in
            switch invocation.text(of: change) {
            case "app":
                let secret = try made.passwords.required("", "the secret of the app")
                let code = try made.passwords.required("", "the code of the app")
                return try made.make(AccountFactorChange(secret: secret, code: code))
            case "passkey":
                return try made.make(
                    AccountFactorChange(
                        clientData: try context.bytes(of: registration),
                        attestation: try context.bytes(of: .attestation),
                        label: invocation.text(of: .keyLabel) ?? ""))
            case "remove":
                return try made.make(
                    AccountFactorChange(removing: invocation.text(of: factor) ?? ""))
            case "codes": return try made.make(.recoveryCodes)
            default: throw Failure.usage("missing change")
            }
        }
    }
}

extension CommandContext {
    /// Prints a challenge of the server as those of the vault are printed; it has no prf input.
    fileprivate func print(_ request: PasskeyRequest) throws {
        guard request.relyingPartyID == PasskeyCeremonies.relyingPartyID else {
            throw SignInError.broken(detail: "its challenge is for another site")
        }
        try console.printJSON { json in
            try json.beginObject()
            try json.key("challenge_base64")
            unsafe try json.base64(secret: request.challenge.span.bytes)
            try json.member("rp_id", request.relyingPartyID)
            try json.key("credentials")
            try json.beginArray()
            for id in request.credentials {
                try json.beginObject()
                try json.key("id_base64")
                unsafe try json.base64(secret: id.span.bytes)
                try json.endObject()
            }
            try json.endArray()
            try json.endObject()
        }
    }
}

extension SecondFactorAnswer {
    fileprivate convenience init(_ assertion: PasskeyAssertion) {
        self.init(
            credential: assertion.credentialID, clientData: assertion.clientData,
            authenticatorData: assertion.authenticatorData, signature: assertion.signature)
    }
}

extension OptionDescription {
    fileprivate static let purpose = OptionDescription(
        "purpose", .text("PURPOSE"), "sign-in, register or confirm")
}
