internal import CommandLine
internal import Tasks

/// A step of the tour.
struct TourStep {
    /// What is done, in whole sentences.
    let explanation: String
    /// What happens.
    let action: Action
    /// How the command must end.
    var exitCode = ExitCode.done
    /// What it must print somewhere.
    var printed: String?
    /// Whether it is left out where there is no auth server.
    var needsServer = false

    /// What happens in a step.
    enum Action {
        /// A command of this program, as it is typed after `taskvault`, and what is piped into it.
        case command([String], input: String = "")
        /// Somebody changes the vault file behind the program's back.
        case tampering
        /// Somebody reads all files, byte by byte.
        case searching
        /// An auth server begins to listen.
        case serving
        /// Nothing, for so long.
        case waiting(seconds: Int)
    }
}

extension TourStep {
    /// The passphrase of the tour's vault; no secret.
    static let passphrase = "four words nobody guesses"
    /// The credential, and the protected text.
    static let password = "swordfish-42"
    static let diary = "Told nobody yet: the cake is in the attic."
    /// The task that everybody may know, and the protected one.
    static let task = "buy milk"
    static let protectedTask = "ask Dr. Ada for the results"
    /// The files of the tour, in its folder.
    static let passphraseFile = "passphrase.txt"
    static let wrongFile = "wrong.txt"
    static let home = "vault"
    /// Where the auth server is, in the words of a command.
    static let server = "SERVER"
    static let accountFile = "account.txt"
    static let changeFile = "change.txt"
    /// The account's passwords; no secrets.
    static let accountPassword = "correct horse"
    static let newAccountPassword = "battery staple"
    private static let account = "ada@example.org"
    private static let backup = "backup.db"

    private static func typed(_ words: String, _ file: String = passphraseFile) -> [String] {
        words.split(separator: " ").map(String.init) + ["--passphrase-file", file]
    }

    /// The steps, in order.
    static let all: [TourStep] = [
        TourStep(
            explanation: """
                Make a vault. The passphrase comes from a file here; without --passphrase-file you are asked for it. The two --kdf options make \
                guessing cheap, so that the tour is quick: leave them out for your own vault.
                """,
            action: .command(typed("init --kdf-memory 19 --kdf-passes 2")),
            printed: "recovery code"),
        TourStep(
            explanation: "It is locked: nothing can be read or saved.",
            action: command("secret list"), exitCode: .locked, printed: "locked"),
        TourStep(
            explanation: "A wrong passphrase opens nothing.",
            action: .command(typed("unlock", wrongFile)), exitCode: .wrongPassphrase,
            printed: "wrong passphrase"),
        TourStep(
            explanation:
                "With the right one the vault stays unlocked for a while: a process of yours, the agent, holds the keys. The commands that follow ask it.",
            action: .command(typed("unlock")), printed: "unlocked"),
        TourStep(
            explanation:
                "Save a credential. Its value comes from standard input, never from the command line, where other programs could see it.",
            action: command("secret set mail.example ada", input: password)),
        TourStep(
            explanation:
                "Save a protected text: it can be read only shortly after the passphrase was typed.",
            action: command("secret set diary today --class after-verification", input: diary)),
        TourStep(
            explanation: "What is there? A list never shows values.",
            action: command("secret list"), printed: "diary"),
        TourStep(
            explanation: "The credential:",
            action: command("secret get mail.example ada"), printed: password),
        TourStep(
            explanation: "And the protected text:",
            action: command("secret get diary today"), printed: diary),
        TourStep(
            explanation:
                "There is a to-do list, too. What everybody may know goes into a plain file.",
            action: command("task add " + task), printed: task),
        TourStep(
            explanation: """
                The words of a protected task go into the vault and nowhere else. They, too, come from standard input: a command line stays in the \
                shell's history.
                """,
            action: command("task add --protected --due tomorrow", input: protectedTask),
            printed: "added"),
        TourStep(
            explanation: "The list has a lock in their place.",
            action: command("task list"), printed: TodoTask.lock),
        TourStep(
            explanation: "Whoever was verified lately may see them.",
            action: command("task list --reveal"), printed: protectedTask),
        TourStep(
            explanation: "Read every file that there is now, byte by byte.", action: .searching),
        TourStep(
            explanation: "Mark both as done: for that nobody has to know what they say.",
            action: command("task done-all --yes"), printed: "2 tasks"),
        TourStep(
            explanation: "They count, also when they are gone from the list after a day.",
            action: command("task stats --days 3"), printed: "past 24 hours 2"),
        TourStep(
            explanation:
                "Let protected secrets be readable for one second only after the last use.",
            action: command("settings set verification-window 1s"), printed: "1s"),
        TourStep(explanation: "Wait for two.", action: .waiting(seconds: 2)),
        TourStep(
            explanation: "The protected text needs the passphrase once more.",
            action: command("secret get diary today"), exitCode: .refused,
            printed: "passphrase once more"),
        TourStep(
            explanation: "So do the words of the protected task.",
            action: command("task list --reveal"), exitCode: .refused,
            printed: "passphrase once more"),
        TourStep(
            explanation: "The credential does not.",
            action: command("secret get mail.example ada"), printed: password),
        TourStep(
            explanation: "Type it, and read the text again.",
            action: .command(typed("secret get diary today")), printed: diary),
        TourStep(
            explanation: "Let the whole vault lock after a second without use.",
            action: command("settings set idle-limit 1s"), printed: "1s"),
        TourStep(explanation: "Wait for two.", action: .waiting(seconds: 2)),
        TourStep(
            explanation: "It has locked itself; the keys are gone from the agent's memory.",
            action: command("secret get mail.example ada"), exitCode: .locked, printed: "locked"),
        TourStep(
            explanation: "The to-do list can be read all the same, with its lock.",
            action: command("task list"), printed: TodoTask.lock),
        TourStep(
            explanation: "The words cannot.",
            action: command("task list --reveal"), exitCode: .locked, printed: "locked"),
        TourStep(
            explanation: "A backup is as well encrypted as the vault, and needs no passphrase.",
            action: .command(["backup", backup]), printed: backup),
        TourStep(
            explanation:
                "Now somebody who cannot read the vault changes it: one bit, in the last byte of an encrypted secret.",
            action: .tampering),
        TourStep(
            explanation: "Nothing false comes out of it.",
            action: .command(typed("secret list --no-agent")), exitCode: .damaged,
            printed: "tampered"),
        TourStep(
            explanation: "The doctor looks at everything and says what can be done.",
            action: .command(typed("doctor")), exitCode: .damaged, printed: "problem"),
        TourStep(
            explanation:
                "Bring the backup back: credential, text and the words of the task. The file that was there is kept.",
            action: .command(typed("restore --replace " + backup)), printed: "restored 3 secrets"),
        TourStep(
            explanation: "All is well again. With --no-agent a command asks by itself.",
            action: .command(typed("secret get mail.example ada --no-agent")), printed: password),
        TourStep(
            explanation:
                "There can be an account at an auth server, too. Here is one, on this machine only, for as long as the tour lasts.",
            action: .serving, needsServer: true),
        TourStep(
            explanation: "The backup had the limit of one second. Take it back.",
            action: .command(typed("settings set idle-limit 15m --no-agent")), printed: "15m",
            needsServer: true),
        TourStep(
            explanation: "Unlock, and say which server.",
            action: .command(typed("unlock")), printed: "unlocked", needsServer: true),
        TourStep(
            explanation: "Its address is kept in the vault.",
            action: command("settings set server " + server), printed: "http://127.0.0.1:",
            needsServer: true),
        TourStep(
            explanation:
                "Make an account. The vault keeps the password once the server has accepted it.",
            action: command("account create \(account) --password-file \(accountFile)"),
            printed: "signed in as " + account, needsServer: true),
        TourStep(
            explanation: "Lock, and start again.", action: command("lock"), printed: "locked",
            needsServer: true),
        TourStep(
            explanation: "The second start signs in from the vault, and asks nobody.",
            action: .command(typed("unlock")), printed: "signed in as " + account,
            needsServer: true),
        TourStep(
            explanation:
                "Change the account's password, at the server and in the vault as one step.",
            action: command("account password --password-file " + changeFile),
            printed: "changed the password", needsServer: true),
        TourStep(
            explanation: "The next start knows it.",
            action: .command(typed("unlock")), printed: "signed in as " + account,
            needsServer: true),
        TourStep(
            explanation: "So says the server.",
            action: command("whoami"), printed: account, needsServer: true),
        TourStep(
            explanation:
                "Remove the vault for good; its agent ends with it. The to-do list is no part of it and stays, without the words that only the vault had.",
            action: .command(["destroy", "--yes"]), printed: "removed"),
    ]

    /// A command that needs no passphrase.
    private static func command(_ words: String, input: String = "") -> Action {
        .command(words.split(separator: " ").map(String.init), input: input)
    }
}
