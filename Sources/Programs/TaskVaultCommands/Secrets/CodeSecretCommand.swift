internal import Application
internal import CommandLine
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding

/// `secret code`: prints a one-time code.
enum CodeSecretCommand: Command {
    /// A difference from the auth server's clock of more than this number of seconds is reported.
    private static let mostDifference: Int64 = 30

    static let description = CommandDescription(
        path: ["secret", "code"],
        summary: "print a one-time code (TOTP, RFC 6238)",
        operands: [.foundService, .foundAccount],
        options: [.clip],
        notes: [
            """
            The seed is the field totp, saved by secret set --field totp: a URI otpauth://totp/ or the Base32 secret that the service \
            shows. With --json, seconds_left \
            tells how long the code is valid.
            """
        ],
        examples: [
            .init("taskvault secret code mail.example ada", "show it"),
            .init("taskvault secret code mail.example ada --clip", "copy the code"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        var clockDifference: Int64?
        let found = try context.vault.withStore(.reading) { store in
            let entry = try context.entry(in: store.secrets)
            let name = try entry.name.with(field: SecretName.seedField)
            guard entry.field(SecretName.seedField) != nil else {
                throw Failure(
                    .notFound, code: "no_field", "secret \(entry.typed) has no TOTP seed",
                    hint: context.folders.command("secret set \(name.typed)") + " saves one")
            }
            context.errors.secret = name
            // The difference only causes a warning. A code without it is better than none.
            clockDifference = try? context.signIn.clockDifference(in: store.secrets)
            return try context.vault.verifying(store) { try FoundSecret(name, in: store.secrets) }
        }
        let generator = try OneTimePassword(seed: found.value)
        if !WallClock.isSynchronised {
            context.console.notices.warn(
                "clock_not_synchronised",
                "the clock of this machine is not synchronised: the service may refuse the code")
        }
        if let seconds = clockDifference, abs(seconds) > mostDifference {
            context.console.notices.warn(
                "clock_differs",
                "at the last sign-in the clock of this machine was \(abs(seconds)) s \(seconds > 0 ? "ahead of" : "behind") that of the auth server: the service may refuse the code"
            )
        }
        let now = context.console.surroundings.now().seconds
        try print(
            try generator.code(at: now), of: found.item.name,
            secondsLeft: generator.secondsLeft(at: now), period: generator.period, context)
    }

    private static func print(
        _ code: borrowing SecretBytes, of name: SecretName, secondsLeft: Int64, period: Int64,
        _ context: CommandContext
    ) throws {
        func describe(_ json: inout JSONWriter<Output>) throws {
            try json.member("service", name.service)
            try json.member("account", name.account)
            try json.member("seconds_left", secondsLeft)
            try json.member("period", period)
        }
        if context.invocation.has(.clip) {
            let title =
                "the code of \(ShellText.quote(name.service)) \(ShellText.quote(name.account))"
            return try CopiedValue(code, context).report(title, on: context.console, describe)
        }
        guard context.console.isJSON else { return try context.console.printValue(code) }
        var json = JSONWriter(Output(descriptor: context.console.output))
        try json.beginObject()
        try describe(&json)
        try json.key("code")
        try json.ascii(code)
        try json.endObject()
        try json.finish().finish()
    }
}

extension CommandContext {
    /// Rejects a value of the field `totp` that is no seed, before it is saved.
    func checkSeed(_ value: borrowing SecretBytes, of name: SecretName) throws {
        guard name.field == SecretName.seedField, value.count > 0 else { return }
        _ = try OneTimePassword(seed: value)
    }
}
