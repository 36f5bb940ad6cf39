internal import Application
internal import CommandLine
internal import Platform
internal import TextCoding

/// `sync enable`: makes this home the first device of a group.
enum EnableSyncCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "enable"],
        summary: "sync this home through the account or a folder, as its first device",
        options: [.syncFolder, .deviceName],
        notes: [
            """
            Secrets and tasks go to the server of the account that is signed in, or with --folder into a folder that a program such as \
            Syncthing copies to the other machines. Then run taskvault sync join there. All is encrypted and signed here: the operator, or the \
            folder's owner, sees when and how much you change, and no content.
            """,
            "Each device keeps its own passphrase, recovery code and keys. Messages are not synced yet.",
            "An account or a folder that has a group already asks for sync join.",
            """
            On a terminal, offers a new recovery code. It replaces a lost last device: sync join --recovery-code. A code from before does not.
            """,
        ],
        examples: [
            .init("taskvault sync enable", "on the first machine, after taskvault login"),
            .init("taskvault sync enable --folder ~/Sync/taskvault", "through a folder"),
            .init("taskvault sync enable --folder /media/usb --name laptop", "with a name"),
        ],
        exitCodes: .enabling, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        let folder = context.invocation.text(of: .syncFolder)
        try sync.requireNotEnabled()
        let device = try context.vault.withStore(.changing) { store in
            try context.vault.requireVerified(store)
            return try sync.enable(folder, as: context.invocation.text(of: .deviceName), store)
        }
        if context.console.isJSON { return try context.report(device) }
        try context.console.printLine("this home syncs through \(device.remote), as \(device.name)")
        try context.console.printLine(
            folder == nil
                ? "next: taskvault login and taskvault sync join on the other machine"
                : "next: taskvault sync join --folder DIR on the other machine, when it has the folder"
        )
        if context.console.asks,
            try context.console.openTerminal().confirm(
                "Make a new recovery code? The one from before does not open the group")
        {
            return try context.replaceRecoveryCode()
        }
        context.console.notices.remark(
            "if you lose all devices, nothing opens the group until \(context.folders.command("recovery show-new"))"
        )
    }
}

/// `sync now`: runs a round.
enum SyncNowCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "now"],
        summary: "send changes, and apply those of the other devices",
        options: [.syncWithin, .syncUnsent],
        notes: [
            """
            The list is always synced. Secrets are only while the vault is unlocked, and protected ones and protected text only while \
            verified; what came for them meanwhile waits, and unlock and verify apply it.
            """,
            "The contents of files are put in parts; after an interruption the next round goes on. Other machines fetch them by file get.",
            """
            On a terminal unlock, verify and each command that changes something start a round by themselves, in the background. While taskvault \
            services runs, each change is sent and applied at once.
            """,
        ],
        examples: [
            .init("taskvault sync now", "before closing the laptop"),
            .init("taskvault sync now --json", "for a script or a timer"),
        ],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        if let seconds = context.invocation.number(of: .syncWithin) {
            let limit = Duration.seconds(seconds)
            _ = DetachedThread.start {
                SystemSleep.sleep(limit)
                _exit(ExitCode.failure.rawValue)
            }
            return try sync.roundInBackground(
                within: limit, ifUnsent: context.invocation.has(.syncUnsent))
        }
        var round = try sync.round()
        // A large file takes several rounds, so that changes need not wait for it.
        var last = Int.max
        while round.partsLeft > 0, round.partsLeft < last {
            last = round.partsLeft
            round.continue(with: try sync.round())
        }
        try print(round, context)
        if let failure = round.failure { throw failure }
    }

    private static func print(_ round: SyncRound, _ context: CommandContext) throws {
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in try json.round(round) }
        }
        let scope =
            switch round.scope {
            case .list: "; secrets wait for \(context.folders.command("unlock"))"
            case .unlocked: "; protected text waits for \(context.folders.command("verify"))"
            case .verified: ""
            }
        try context.console.printLine(
            "sent \(counted(round.sent, "change")), received \(round.received)\(scope)")
        for problem in round.problems where !problem.isFault {
            context.console.notices.remark(problem.text)
        }
    }
}

/// `sync disable`: ends the part that this home takes in sync.
enum DisableSyncCommand: Command {
    private static let removeGroup = OptionDescription(
        "remove-group", "on the last device of an account: the server removes all that it has, too")

    static let description = CommandDescription(
        path: ["sync", "disable"],
        summary: "end sync on this machine; everything stays as it is here",
        options: [.yes, removeGroup],
        notes: [
            """
            Removes the keys of sync and the contents of its records from this machine. Secrets and tasks stay. The other devices keep \
            syncing, and keep this one in their list until taskvault device remove there. If it joins them again, it goes on where it left.
            """,
            """
            On the last device of an account it asks at a terminal whether the server removes what it has, too. Otherwise that stays, and \
            fills the quota.
            """,
        ],
        examples: [
            .init("taskvault sync disable", "before giving the machine away"),
            .init("taskvault sync disable --yes --remove-group", "of an account, for a script"),
        ],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let sync = context.application.sync
        // It also ends what a damaged file cannot go on with.
        if !sync.isEnabled { try sync.requireEnabled() }
        let elsewhere = try? context.vault.withStoreIfUnlocked { try sync.filesElsewhere($0) }
        if let count = elsewhere?.count, count > 0 {
            context.console.notices.warn(
                "files_elsewhere",
                "\(counted(count, "file")) without content on this machine cannot be opened here afterwards: \(context.folders.command("file get")) first"
            )
        }
        try context.console.requireConsent(
            to: "end sync on this machine",
            "End sync on this machine? What was not sent yet stays here only")
        let isWanted = context.invocation.has(removeGroup)
        // Without an answer of the server there is nothing to offer.
        let server = context.console.asks && !isWanted ? try? sync.lastDeviceServer() : nil
        let isRemoving =
            try server.map { server in
                try context.console.openTerminal().confirm(
                    "This is the last device. Remove all that the account at \(server) has of it, too? Nothing can be fetched from there afterwards"
                )
            } ?? isWanted
        let isErased = try sync.disable(removingGroup: isRemoving)
        if !isErased {
            context.console.notices.warn(
                "sync_keys_left",
                "this device's keys of sync are still in the vault: \(context.folders.command("sync disable")) removes them when it is unlocked"
            )
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("keys_removed", isErased)
                try json.endObject()
            }
        }
        try context.console.printLine("this home does not sync any more")
    }
}

extension CommandContext {
    /// Prints a device that takes part in sync now, in JSON.
    func report(_ device: SyncAccess.EnabledDevice) throws {
        try console.printJSON { json in
            try json.beginObject()
            try json.member(device.remote.hasPrefix("/") ? "folder" : "server", device.remote)
            try json.member("device", device.id)
            try json.member("name", device.name)
            try json.member("group", device.group)
            try json.endObject()
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// A round as an object.
    mutating func round(_ round: SyncRound) throws {
        try beginObject()
        try member("time", milliseconds: round.time)
        try member("scope", round.scope.name)
        try member("received", round.received)
        try member("sent", round.sent)
        try problems(round.problems)
        try endObject()
    }

    /// The member `problems`.
    mutating func problems(_ problems: [SyncProblem]) throws {
        try key("problems")
        try beginArray()
        for problem in problems {
            try beginObject()
            try member("code", problem.code)
            try member("fault", problem.isFault)
            try member("message", problem.message)
            try member("hint", problem.hint)
            try endObject()
        }
        try endArray()
    }
}

extension OptionDescription {
    static let syncFolder = OptionDescription(
        "folder", .folder("DIR"),
        "a folder that a program copies between the machines, which must exist; the account if left out"
    )
    static let deviceName = OptionDescription(
        "name", .text("NAME"), "the name of this device; the name of the machine if left out")
    /// The limit of a round that no person waits for.
    static let syncWithin = OptionDescription(
        "within", .number("SECONDS", 1...3_600),
        "one round by itself, which ends after this time, without a message", isHidden: true)
    static let syncUnsent = OptionDescription(
        "unsent", "ask the remote only if something changed here", isHidden: true)
}

extension [ExitCode] {
    /// The exit codes of commands that sync.
    static let syncing: [ExitCode] = [
        .locked, .wrongPassphrase, .notFound, .damaged, .refused, .serverUnreachable,
        .serverRejected,
    ]
    /// Those of commands that begin to sync.
    static let enabling: [ExitCode] = syncing + [.alreadyExists]
}
