package import CommandLine

extension OptionDescription {
    /// The recovery code instead of the passphrase.
    package static let recovery = OptionDescription(
        "recovery", "ask for the recovery code instead of the passphrase")
    /// Memory of Argon2id from now on.
    package static let newMemory = OptionDescription(
        "kdf-memory", .number("MIB", 19...4_096),
        "memory in MiB that each guess costs from now on")
    /// Passes of Argon2id from now on.
    package static let newPasses = OptionDescription(
        "kdf-passes", .number("N", 2...64),
        "passes over that memory that each guess costs from now on")
}

extension CommandGroup {
    /// What opens the vault.
    static let keys = CommandGroup(
        title: "Passphrase, recovery code and keys",
        commands: [changePassphrase, showNewRecoveryCode, revokeRecoveryCode, rekey])

    private static let changePassphrase = CommandDescription(
        path: ["passphrase", "change"],
        summary: "change the passphrase",
        options: [.recovery, .newMemory, .newPasses],
        notes: [
            """
            Quick, however much the vault holds: the keys are wrapped anew, the secrets stay as they are. The old passphrase does not open this \
            file any more. It still opens older copies of it; after a leak use rekey.
            """,
            "From a passphrase file the old passphrase is the first line and the new one the second.",
            "This is what opens the vault. The password that an auth server knows is changed by account password.",
        ],
        examples: [
            .init("taskvault passphrase change", "a new passphrase"),
            .init("taskvault passphrase change --recovery", "after forgetting the old one"),
            .init("taskvault passphrase change --kdf-memory 1024", "and dearer guesses"),
        ],
        exitCodes: .opening)

    private static let showNewRecoveryCode = CommandDescription(
        path: ["recovery", "show-new"],
        summary: "make a new recovery code and print it once",
        options: [.recovery],
        notes: ["The old code does not open this file any more."],
        examples: [.init("taskvault recovery show-new", "after losing the paper")],
        exitCodes: .opening)

    private static let revokeRecoveryCode = CommandDescription(
        path: ["recovery", "revoke"],
        summary: "remove the recovery code",
        notes: [
            "Afterwards a forgotten passphrase means lost secrets, until show-new makes a new code."
        ],
        examples: [.init("taskvault recovery revoke", "the paper was seen by somebody")],
        exitCodes: .opening)

    private static let rekey = CommandDescription(
        path: ["rekey"],
        summary: "make new keys and encrypt every secret anew",
        options: [.recovery],
        notes: [
            """
            After a passphrase leaked and was changed: somebody who has an older copy of the file and the old passphrase reads nothing that is saved from now \
            on. Takes as long as the vault is large; all of it happens or nothing.
            """
        ],
        examples: [.init("taskvault rekey", "after a leak, once the passphrase was changed")],
        exitCodes: .opening)
}
