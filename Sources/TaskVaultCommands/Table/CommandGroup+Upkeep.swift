package import CommandLine

extension OperandDescription {
    /// Where a backup goes.
    package static let backupTarget = OperandDescription(
        "FILE", .file, "the file to make; it must not exist")
    /// Where a backup is.
    package static let backupSource = OperandDescription("FILE", .file, "the backup")
}

extension OptionDescription {
    /// Repair what was found.
    package static let repair = OptionDescription(
        "repair", "repair what can be repaired, after showing it and asking")
}

extension CommandGroup {
    /// Checks and backups.
    static let upkeep = CommandGroup(
        title: "Checks and backups", commands: [doctor, backup, restore])

    private static let doctor = CommandDescription(
        path: ["doctor"],
        summary: "check every secret and the whole vault",
        options: [.repair, .yes, .recovery],
        notes: [
            """
            Opens and checks every item, the sums over all of them, the keys and the file's settings. Says what is wrong, in which item, and what \
            can be done. Nothing is changed without --repair.
            """,
            """
            A repair keeps what opens and gives up the rest. What somebody removed or put back before cannot be told afterwards, so a backup is \
            the better remedy. The damaged file is kept beside the vault.
            """,
        ],
        examples: [
            .init("taskvault doctor", "check everything"),
            .init("taskvault doctor --json", "for a monitoring script"),
            .init("taskvault doctor --repair", "then save what can be saved"),
        ],
        exitCodes: .opening)

    private static let backup = CommandDescription(
        path: ["backup"],
        summary: "write a copy of the vault",
        operands: [.backupTarget],
        notes: [
            """
            Needs no passphrase, and others may use the vault meanwhile. The copy is as well encrypted as the vault and opens with the \
            passphrases of today.
            """
        ],
        examples: [
            .init("taskvault backup /media/disk/vault-2026-12-01.db", "a copy of today")
        ],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable])

    private static let restore = CommandDescription(
        path: ["restore"],
        summary: "bring back a backup",
        operands: [.backupSource],
        options: [.replace, .recovery],
        notes: [
            """
            Asks for a passphrase of the backup. An existing vault is replaced only after asking, or without a terminal with --replace; its file \
            is kept beside the new one. The backup's passphrases are valid again, also those that were changed since.
            """
        ],
        examples: [
            .init("taskvault restore /media/disk/vault-2026-12-01.db", "bring it back"),
            .init("taskvault restore --home /tmp/look vault-2026-12-01.db", "only look into it"),
        ],
        exitCodes: .opening + [.alreadyExists])
}
