package import CommandLine

extension OperandDescription {
    /// What is imported.
    package static let importedFile = OperandDescription(
        "FILE", .file, "the file to read; - is standard input")
}

extension OptionDescription {
    /// The format of an export.
    package static let exportFormat = OptionDescription(
        "format", .choice("FORMAT", ["json", "csv"]), "the format to write", standard: "json")
    /// The format of an import.
    package static let importFormat = OptionDescription(
        "format", .choice("FORMAT", ["keepassxc", "bitwarden", "browser", "taskvault"]),
        "the format of the file; found out from the file if left out")
}

extension OptionDescription {
    /// The class of what is imported.
    package static let importedClass = OptionDescription(
        "class", .choice("CLASS", ["while-unlocked", "after-verification"]),
        "when all imported values can be read; as the file says, or else while-unlocked, if left out"
    )
}

extension CommandGroup {
    static let exportSecrets = CommandDescription(
        path: ["secret", "export"],
        summary: "write all secrets, readable by everybody",
        options: [.exportFormat],
        notes: [
            """
            Always asks for the passphrase, and warns: what is written is not encrypted, so whoever can read the file has every secret.
            """
        ],
        examples: [
            .init("taskvault secret export > secrets.json", "write a file for the move"),
            .init("taskvault secret export --format csv | age -p > secrets.age", "encrypt at once"),
        ],
        exitCodes: .opening)

    static let importSecrets = CommandDescription(
        path: ["secret", "import"],
        summary: "take in the secrets of another program",
        operands: [.importedFile],
        options: [.importFormat, .importedClass, .replace],
        notes: [
            """
            Reads the CSV files of KeePassXC, Bitwarden and browsers, and what export writes. All of it is saved at once, or nothing; names \
            that are taken already, what belongs to signing in and lines that cannot be secrets are passed over and reported. The file stays \
            where it is: remove it afterwards.
            """
        ],
        examples: [
            .init("taskvault secret import passwords.csv", "the format is found out"),
            .init("taskvault secret import --format bitwarden --replace vault.csv", "be exact"),
        ],
        exitCodes: .opening + [.alreadyExists])
}
