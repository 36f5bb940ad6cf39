package import CommandLine

extension OperandDescription {
    /// What a secret is for.
    package static let service = OperandDescription(
        "SERVICE", "what the secret is for, such as a host name")
    /// Whose secret it is.
    package static let account = OperandDescription(
        "ACCOUNT", "whose secret it is there, such as a user name")
}

extension OptionDescription {
    /// When the value can be read.
    package static let accessClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read", standard: "while-unlocked")
    /// A line for people.
    package static let label = OptionDescription("label", .text("TEXT"), "a line for people")
    /// Overwrite what is there.
    package static let replace = OptionDescription("replace", "replace what is there already")
    package static let allowEmpty = OptionDescription("allow-empty", "save a value of no bytes")
    /// Letters of a generated secret.
    package static let length = OptionDescription(
        "length", .number("N", 4...1_024), "number of characters", standard: "24")
    /// Words of a generated secret.
    package static let words = OptionDescription(
        "words", .number("N", 3...64), "make words instead of characters, this many")
    /// The class after an edit.
    package static let newClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when the value can be read from now on")
    /// The label after an edit.
    package static let newLabel = OptionDescription(
        "label", .text("TEXT"), "the new line for people")
    /// The service after an edit.
    package static let newService = OptionDescription(
        "service", .text("NAME"), "the new service")
    /// The account after an edit.
    package static let newAccount = OptionDescription(
        "account", .text("NAME"), "the new account")
}

extension [ExitCode] {
    /// How commands can end that open the vault.
    static let opening: [ExitCode] = [
        .locked, .wrongPassphrase, .notFound, .damaged, .refused, .serverUnreachable,
    ]
}

extension CommandGroup {
    /// Secrets, one by one and all together.
    static let secrets = CommandGroup(
        title: "Secrets",
        commands: [
            setSecret, getSecret, updateSecret, editSecret, removeSecret, listSecrets,
            generateSecret, exportSecrets, importSecrets,
        ])

    /// For somebody who wrote the secret behind the names.
    private static let valueHint = """
        the value comes from standard input or a prompt; what is typed here stays in the shell's history
        """
    private static let valueNote = """
        The value is read from standard input byte for byte, up to 1 MiB; on a terminal it is asked for, without being shown. One of no \
        bytes, as of a program that failed, is refused without --allow-empty.
        """

    private static let setSecret = CommandDescription(
        path: ["secret", "set"],
        summary: "save a secret",
        operands: [.service, .account],
        options: [.accessClass, .label, .replace, .allowEmpty],
        notes: [
            valueNote,
            """
            A secret of this name that exists already is left alone, unless --replace is given; then it keeps its class, unless \
            --class is given. Text of the class after-verification is readable only shortly after the passphrase was typed.
            """,
        ],
        examples: [
            .init("taskvault secret set mail.example ada", "save a password that is asked for"),
            .init(
                "taskvault secret set --class after-verification diary 2026-12-01 < entry.txt",
                "save a protected text from a file"),
            .init(
                "printf %s \"$token\" | taskvault secret set --replace ci.example bot",
                "save or replace a token from a pipe"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent],
        surplusHint: valueHint)

    private static let getSecret = CommandDescription(
        path: ["secret", "get"],
        summary: "print a secret",
        operands: [.service, .account],
        notes: [
            """
            Into a pipe or file the value goes as it is, nothing added. On a terminal control characters are made visible and a line end \
            follows. With --json the value is in value_base64.
            """
        ],
        examples: [
            .init("taskvault secret get mail.example ada", "show it"),
            .init(
                "taskvault secret get mail.example ada | mail-client --password-from-stdin",
                "hand it to a program"),
            .init("taskvault secret get --json mail.example ada", "with its description"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    private static let updateSecret = CommandDescription(
        path: ["secret", "update"],
        summary: "replace the value of a secret",
        operands: [.service, .account],
        options: [.allowEmpty],
        notes: [
            valueNote, "Label, class and name stay. A secret that does not exist is an error.",
        ],
        examples: [
            .init("taskvault secret update mail.example ada", "after changing it there")
        ],
        exitCodes: .opening,
        traits: [.usesAgent],
        surplusHint: valueHint)

    private static let editSecret = CommandDescription(
        path: ["secret", "edit"],
        summary: "change name, label or class of a secret",
        operands: [.service, .account],
        options: [.newService, .newAccount, .newLabel, .newClass],
        notes: ["The value stays and need not be typed again."],
        examples: [
            .init(
                "taskvault secret edit mail.example ada --label 'Mail at home'",
                "change the label"),
            .init(
                "taskvault secret edit mail.example ada --account ada.lovelace",
                "rename the account"),
            .init(
                "taskvault secret edit bank.example ada --class after-verification",
                "protect it better"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])

    private static let removeSecret = CommandDescription(
        path: ["secret", "remove"],
        summary: "remove a secret",
        operands: [.service, .account],
        examples: [.init("taskvault secret remove mail.example ada", "remove it for good")],
        exitCodes: .opening,
        traits: [.usesAgent])

    private static let listSecrets = CommandDescription(
        path: ["secret", "list"],
        summary: "list the secrets without their values",
        notes: ["One line each, ordered by service and account."],
        examples: [
            .init("taskvault secret list", "see what is there"),
            .init("taskvault secret list --json", "for a program"),
        ],
        exitCodes: .opening,
        traits: [.usesAgent])

    private static let generateSecret = CommandDescription(
        path: ["secret", "generate"],
        summary: "make, save and show a random secret",
        operands: [.service, .account],
        options: [.length, .words, .accessClass, .label, .replace],
        exclusive: [.length, .words],
        notes: ["Nothing is shown before it is saved."],
        examples: [
            .init("taskvault secret generate mail.example ada", "24 random characters"),
            .init("taskvault secret generate wifi home --words 6", "six words, easy to read out"),
            .init("taskvault secret generate old.example ada --length 12 --replace", "a new one"),
        ],
        exitCodes: .opening + [.alreadyExists],
        traits: [.usesAgent])
}
