internal import Application
internal import CommandLine
internal import SecretMemory
internal import Secrets
internal import SecureStorage
internal import TextCoding
internal import VaultCore

/// `secret generate`: makes a random secret, saves it under a name if one is given, and shows it.
enum GenerateSecretCommand: Command {
    private static let service = OperandDescription(
        "SERVICE", .stored(.service),
        "the service of the secret, such as a host name; nothing is saved if left out",
        count: 0...1)
    private static let account = OperandDescription(
        "ACCOUNT", .stored(.account), "the account at the service, such as a user name",
        count: 0...1)

    static let description = CommandDescription(
        path: ["secret", "generate"],
        summary: "generate a random secret, save and show it",
        operands: [service, account],
        options: [
            .field, .length, .digits, .noSymbols, .words, .clip, .accessClass, .label, .tagSecret,
            .replace,
        ],
        exclusive: [.length, .words],
        notes: [
            """
            With SERVICE and ACCOUNT the value is shown only after it is saved. Without them it is shown only, and no vault is needed. \
            With --replace, SERVICE alone finds an entry as secret get does.
            """
        ],
        examples: [
            .init("taskvault secret generate mail.example ada", "24 random characters"),
            .init("taskvault secret generate wifi home --words 6", "six words"),
            .init("taskvault secret generate old.example ada --length 12 --replace", "a new one"),
            .init("taskvault secret generate --digits --length 6", "a PIN, not saved"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let recipe = try recipe(context.invocation)
        guard let service = context.invocation.texts(of: service).first else {
            try requireNoName(context.invocation)
            return try show(recipe, context)
        }
        let account = context.invocation.texts(of: account).first
        // One word can find only an existing entry.
        if account == nil, !context.invocation.has(.replace) {
            throw Failure.usage(
                "missing ACCOUNT", hint: CommandTable.taskvault.usage(of: description))
        }
        let named = try account.map { try name(service, $0, context) }
        let made = try context.vault.withStore(.changing) { store in
            let name =
                try named
                ?? context.application.entry(of: service, in: store.secrets).name
                .with(field: context.chosenField)
            context.errors.secret = name
            let saving = try SecretSaving(name, store, context)
            let value = try SecretGenerator().make(recipe)
            try context.checkSeed(value, of: name)
            // The value is shown only after it is durable, because a value in use must not be lost.
            let item = try saving.save(value)
            context.completeRenewal(of: name, in: store)
            return FoundSecret(item: item, value: value)
        }
        try context.deliver(made)
    }

    private static func requireNoName(_ invocation: Invocation) throws {
        let options: [OptionDescription] = [.field, .accessClass, .label, .tagSecret, .replace]
        guard let option = options.first(where: invocation.has) else { return }
        throw Failure.usage(
            "option '\(option.spelling)' needs SERVICE and ACCOUNT",
            hint: CommandTable.taskvault.usage(of: description))
    }

    private static func name(
        _ service: String, _ account: String, _ context: CommandContext
    ) throws -> SecretName {
        let name = try SecretName(
            service: service, account: account, field: context.chosenField)
        try context.application.requireOwn(name)
        context.errors.secret = name
        return name
    }

    /// Shows a secret that is not saved.
    private static func show(_ recipe: SecretRecipe, _ context: CommandContext) throws {
        let console = context.console
        let value = try SecretGenerator().make(recipe)
        if context.invocation.has(.clip) {
            return try CopiedValue(value, context).report("a new secret", on: console) { _ in }
        }
        guard console.isJSON else { return try console.printValue(value) }
        try console.printJSON { json in
            try json.beginObject()
            try json.key("value_base64")
            try json.base64(value)
            try json.endObject()
        }
    }

    private static func recipe(_ invocation: Invocation) throws -> SecretRecipe {
        let kinds = [OptionDescription.words, .digits, .noSymbols].filter { invocation.has($0) }
        guard kinds.count < 2 else {
            throw Failure.usage(
                "options '\(kinds[0].spelling)' and '\(kinds[1].spelling)' exclude each other",
                hint: "leave one of them out")
        }
        if let words = invocation.number(of: .words) { return .words(count: words) }
        let length = invocation.number(of: .length) ?? 24
        if invocation.has(.digits) { return .digits(length: length) }
        return invocation.has(.noSymbols)
            ? .lettersAndDigits(length: length) : .password(length: length)
    }
}

extension OptionDescription {
    static let length = OptionDescription(
        "length", .number("N", 4...1_024), "number of characters", standard: "24")
    static let digits = OptionDescription("digits", "digits only")
    /// A generated password for services that refuse symbols.
    static let noSymbols = OptionDescription("no-symbols", "letters and digits only")
    static let words = OptionDescription(
        "words", .number("N", 3...64), "generate this many words instead of characters")
}
