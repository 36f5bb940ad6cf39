internal import Application
internal import CommandLine
internal import Sealing
internal import SecretMemory
internal import TextCoding

/// `sync join`: joins the group of a folder, or of the account.
enum JoinSyncCommand: Command {
    private static let recoveryCode = OptionDescription(
        "recovery-code",
        "join by the recovery code of a device of the group, without another device")

    static let description = CommandDescription(
        path: ["sync", "join"],
        summary: "sync this home with the devices of the account or of a folder",
        options: [.syncFolder, .deviceName, recoveryCode],
        notes: [
            """
            Shows six digits, and asks for six others: type these digits on the other device, where taskvault device approve waits, and \
            those of the other device here. Different digits show that messages were changed on the way.
            """,
            """
            Secrets and tasks of both are then on both. Of two secrets with one name, the newer value is shown, and the other one is an \
            earlier value. Needs a vault of its own here: taskvault init makes one.
            """,
            "Three attempts an hour are possible.",
            """
            With --recovery-code the code that recovery show-new printed last, after sync enable, replaces the other device. Then remove the \
            lost ones with device remove. Nothing shows whether the server or the folder has the newest state.
            """,
        ],
        examples: [
            .init("taskvault sync join", "on the second machine, after taskvault login"),
            .init("taskvault sync join --folder ~/Sync/taskvault", "through a folder"),
            .init("taskvault sync join --recovery-code", "after losing all devices"),
        ],
        exitCodes: .enabling, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        let folder = context.invocation.text(of: .syncFolder)
        try sync.requireNotEnabled()
        let name = context.invocation.text(of: .deviceName)
        let isRecovering = context.invocation.has(recoveryCode)
        let person = isRecovering ? nil : try context.joiningPerson()
        let device = try context.vault.withStore(.changing) { store in
            try context.vault.requireVerified(store)
            if let person { return try sync.join(folder, as: name, store, person) }
            let typed = try context.console.readSecretLine("Recovery code of the group")
            return try sync.join(folder, as: name, with: RecoveryCode(typed: typed), store)
        }
        if context.console.isJSON { return try context.report(device) }
        try context.console.printLine(
            "joined: this home syncs through \(device.remote), as \(device.name)")
        if device.isBehind {
            context.console.notices.remark(
                "changes of the other devices have not all come yet: \(context.folders.command("sync now")) when the folder has them"
            )
        }
    }
}

/// `device approve`: adds a device that runs `sync join`.
enum ApproveDeviceCommand: Command {
    static let description = CommandDescription(
        path: ["device", "approve"],
        summary: "add a device that runs sync join",
        notes: [
            """
            Waits for the new device, asks for the six digits that it shows, and then shows six others, to be typed there. The new device \
            gets all secrets and tasks.
            """,
            "Requires verification. Three attempts an hour are possible.",
        ],
        examples: [.init("taskvault device approve", "while sync join waits on the new machine")],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        try sync.requireEnabled()
        let person = try context.joiningPerson()
        let device = try context.vault.withStore(.changing) { store in
            try context.vault.requireVerified(store)
            return try sync.approve(store, person)
        }
        try context.report(device, "added the device \(device.shownName)")
    }
}

extension CommandContext {
    /// The person at the page that began the operation, or at this terminal.
    fileprivate func joiningPerson() throws -> any JoiningPerson {
        PendingJoining.shared.status.isRunning ? PendingJoining.shared : try JoiningTerminal(self)
    }
}

/// The person at this terminal.
private struct JoiningTerminal: JoiningPerson {
    private let console: Console

    /// - Throws: A failure without a terminal.
    init(_ context: CommandContext) throws {
        console = context.console
        do {
            _ = try console.openTerminal()
        } catch let error as InputError {
            throw Failure(error, reading: "the digits", insteadOf: nil)
        }
    }

    func say(_ line: String) throws { try console.openTerminal().say(line) }

    func waits(for wait: JoiningWait) throws { try say(wait.rawValue) }

    func show(_ digits: String, for device: String) throws {
        try say("type these digits on the \(device): \(digits)")
    }

    /// Ctrl-C ends the process.
    func keepWaiting() {}

    func digits(_ question: String) throws -> String {
        while true {
            let typed = try console.askText(question, "the digits")
            let digits = typed.utf8.filter { $0 != UInt8(ascii: " ") }
            let isDigits = digits.allSatisfy { (0x30...0x39).contains($0) }
            if digits.count == 6, isDigits { return typed }
            try say("\(Application.program): error: six digits, such as 123 456")
        }
    }
}
