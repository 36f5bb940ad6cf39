package import CommandLine

extension OptionDescription {
    /// Memory of Argon2id for a new vault.
    package static let memory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "memory in MiB that each guess at the passphrase costs", standard: "256")
    /// Passes of Argon2id for a new vault.
    package static let passes = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "passes over that memory that each guess costs", standard: "3")
    /// No question before what cannot be undone.
    package static let yes = OptionDescription("yes", "do it without asking; for scripts")
}

extension CommandGroup {
    /// The vault as a whole: making and removing it.
    static let vault = CommandGroup(
        title: "The vault", commands: [initialise, destroy])

    private static let initialise = CommandDescription(
        path: ["init"],
        summary: "make the vault",
        options: [.memory, .passes],
        notes: [
            """
            Asks for a new passphrase twice, at least four characters, and says honestly how long guessing it would take. Prints a recovery \
            code once: whoever has it can open the vault, so keep it on paper.
            """,
            "An existing vault is never touched. The vault is one file, vault.db.",
        ],
        examples: [
            .init("taskvault init", "make the vault in the usual place"),
            .init("taskvault init --home /media/key/vault", "make it on a memory stick"),
            .init("taskvault init --kdf-memory 1024 --kdf-passes 4", "make guessing dearer"),
            .init(
                "taskvault init --passphrase-file - < passphrase.txt",
                "make it in a script"),
        ],
        exitCodes: [.alreadyExists, .damaged, .refused, .serverUnreachable])

    private static let destroy = CommandDescription(
        path: ["destroy"],
        summary: "remove the vault for good",
        options: [.yes],
        notes: [
            """
            Asks to type the name of the vault's folder first. Afterwards nothing brings the secrets back but a backup. Copies of the file elsewhere, \
            and what a disk keeps of erased files, are beyond its reach.
            """,
            "The to-do list is no part of the vault and stays; its protected tasks lose their words.",
        ],
        examples: [
            .init("taskvault destroy", "remove the vault, after typing its name"),
            .init("taskvault destroy --home /tmp/trial --yes", "remove a vault in a script"),
        ],
        exitCodes: [.notFound, .refused])
}
