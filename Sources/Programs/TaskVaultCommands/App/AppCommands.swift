internal import Application
internal import CommandLine
internal import Inbox
internal import Platform
internal import SecretMemory
internal import Secrets
internal import SignIn
internal import VaultAgent
internal import VaultCore

/// The commands that only the local app uses. The program `taskvault` does not have them.
enum AppCommands {
    static let all: [any Command.Type] = [
        AppStateCommand.self, PassphraseStrengthCommand.self, QRCodeCommand.self,
        PageRemindersCommand.self, PageTasksCommand.self, BeginPasskeyCommand.self,
        RegisterPasskeyCommand.self, AddPasskeyCommand.self, RenamePasskeyCommand.self,
        UsePasskeyCommand.self, AccountChallengeCommand.self, SignInWithPasskeyCommand.self,
        AuthenticatorSecretCommand.self, ChangeAccountFactorCommand.self,
        SignInMethodCommand.self, BeginWebSignInCommand.self, WaitForWebSignInCommand.self,
        EndWebSignInCommand.self,
    ]
}

extension CommandTable {
    /// The commands of `taskvault` and of the app.
    static let app = CommandTable(
        CommandTable.taskvault.about,
        groups: CommandTable.taskvault.groups + [
            CommandGroup(title: "The app", commands: AppCommands.all.map { $0.description })
        ],
        globalOptions: CommandTable.taskvault.globalOptions,
        exitCodes: CommandTable.taskvault.exitCodes)
}

/// `app-state`: prints the data for the first screen.
enum AppStateCommand: Command {
    static let description = CommandDescription(
        path: ["app-state"], summary: "show what the first screen needs", examples: [],
        exitCodes: [.damaged, .refused], traits: [.isAboutAgent])

    static func run(_ context: CommandContext) throws {
        let mayExist = context.vault.mayExist
        let status = mayExist ? try StatusCommand.status(context) : nil
        let isUnlocked = status?.isUnlocked == true
        let slots = mayExist ? StatusCommand.slots(context, isUnlocked: isUnlocked) : nil
        let environment = context.console.surroundings.environment
        let hasClipboard = ClipboardPlace.candidates(environment).contains { $0.isOfDesktop }
        // Damaged settings of the sign-in must not block the rest of the app.
        let agent = isUnlocked ? try context.vault.agent() : nil
        let settings = agent.flatMap { try? $0.settings() }
        let server = agent.flatMap { try? context.signIn.settings(in: $0).server?.text }
        // After a sign-out the page does not sign in by itself.
        let isSignedOut =
            server != nil
            && (try? context.signIn.withSignIn { try context.signIn.session($0)?.isSignedOut })
                == true
        try context.console.printJSON { json in
            try json.beginObject()
            try json.key("session")
            try json.beginObject()
            try json.sessionMembers(status, mayExist: mayExist)
            try json.endObject()
            try json.member("slots", slots)
            try json.member("clipboard", hasClipboard)
            for setting in [VaultSetting.theme, .language] {
                try json.member(setting.name, settings.map { setting.text($0[setting]) })
            }
            try json.member("version", ProductVersion.number)
            try json.member("server", server)
            try json.member("signed_out", isSignedOut)
            try json.member("home", context.folders.vault)
            try json.endObject()
        }
    }
}

/// `qr-code`: draws the text in the first line of standard input as a QR code, in the lines of a
/// terminal; no lines without the library.
enum QRCodeCommand: Command {
    static let description = CommandDescription(
        path: ["qr-code"], summary: "draw a QR code", examples: [])

    static func run(_ context: CommandContext) throws {
        let line = try context.console.surroundings.standardInput.readLine()
        let lines: [String] =
            switch consume line {
            case .some(let text): QRCode.lines(of: text) ?? []
            case .none: []
            }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.key("lines")
            try json.beginArray()
            for line in lines { try json.string(line) }
            try json.endArray()
            try json.endObject()
        }
    }
}

/// `passphrase-strength`: rates the passphrase in the first line of standard input.
enum PassphraseStrengthCommand: Command {
    static let description = CommandDescription(
        path: ["passphrase-strength"], summary: "rate a passphrase", examples: [])

    static func run(_ context: CommandContext) throws {
        let line = try context.console.surroundings.standardInput.readLine()
        let typed =
            switch consume line {
            case .some(let typed): typed
            case .none: try SecretBytes(count: 0)
            }
        let strength = try typed.withBytes { try PassphraseStrength(of: $0) }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("level", strength.level.rawValue)
            try json.member("text", strength.description)
            try json.endObject()
        }
    }
}
