package import CommandLine

extension OptionDescription {
    /// The agent of `unlock`.
    package static let background = OptionDescription(
        "background", "say when the agent can be reached, and let go of the terminal",
        isHidden: true)
}

extension CommandGroup {
    /// The session that the agent holds.
    static let session = CommandGroup(
        title: "The session",
        commands: [unlock, recoveryUnlock, verify, lock, status, agent])

    private static let unlock = CommandDescription(
        path: ["unlock"],
        summary: "unlock the vault for the commands that follow",
        options: [.offline],
        notes: [
            """
            Asks for the passphrase and starts the agent, a process of yours that holds the keys in memory; other commands ask it. Protected secrets \
            can be read for a short while, the verification window; the others until the vault was not used for the idle limit, or the absolute limit has \
            passed, or it is locked.
            """,
            "While the vault is unlocked, asks again and begins a new verification.",
            """
            Where an auth server is set and somebody signed in before, signs in there with what the vault has, without a question. Whether that succeeds does not matter to the vault.
            """,
        ],
        examples: [
            .init("taskvault unlock", "ask once"),
            .init("taskvault unlock --passphrase-file - < passphrase.txt", "in a script"),
        ],
        exitCodes: .opening, traits: [.isAboutAgent])

    private static let recoveryUnlock = CommandDescription(
        path: ["recovery", "unlock"],
        summary: "unlock the vault with the recovery code",
        options: [.offline],
        notes: ["As unlock. To get a passphrase that you know: passphrase change --recovery."],
        examples: [.init("taskvault recovery unlock", "after forgetting the passphrase")],
        exitCodes: .opening, traits: [.isAboutAgent])

    private static let verify = CommandDescription(
        path: ["verify"],
        summary: "prove once more that it is you, to read protected secrets",
        notes: [
            """
            Protected secrets can be read until they were not used for the verification window, but never for more than ten minutes after the proof (or \
            the window, where that is longer).
            """
        ],
        examples: [.init("taskvault verify", "ask, and begin a new verification window")],
        exitCodes: .opening, traits: [.isAboutAgent])

    private static let lock = CommandDescription(
        path: ["lock"],
        summary: "lock the vault",
        notes: [
            "The agent wipes the keys from its memory. Without an agent nothing is to be done. An agent of another version is ended.",
            "With --json it prints what status does.",
        ],
        examples: [.init("taskvault lock", "before leaving the machine")],
        exitCodes: [.refused], traits: [.isAboutAgent])

    private static let status = CommandDescription(
        path: ["status"],
        summary: "tell whether the vault is unlocked, and for how long",
        notes: [
            "Extends nothing. The state is none (there is no vault), locked or unlocked.",
            """
            With --json the members are always the same, for unlock, verify and lock too: state, verified, verification_seconds_left, idle_seconds_left and \
            absolute_seconds_left (null unless unlocked), memory_locked and process_id (null without an agent).
            """,
            "It does not tell whether an older copy has been put in the vault's place: that is sealed, and unlock finds out.",
        ],
        examples: [
            .init("taskvault status", "for you"),
            .init("taskvault status --json", "for a script, or the prompt of a shell"),
        ],
        exitCodes: [.damaged, .refused], traits: [.isAboutAgent])

    private static let agent = CommandDescription(
        path: ["agent"],
        summary: "run the agent in the foreground",
        options: [.background],
        notes: [
            """
            For a service manager: otherwise unlock starts it. It begins locked, and ends on SIGTERM, when the vault or its folder \
            is gone, or after 15 minutes locked and without a request. SIGUSR1 locks.
            """
        ],
        examples: [.init("taskvault agent", "until Ctrl-C")],
        exitCodes: [.notFound, .alreadyExists, .damaged, .refused, .serverUnreachable],
        traits: [.isAboutAgent])
}
