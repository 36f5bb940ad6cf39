internal import Application
internal import CommandLine
internal import Tasks
internal import TextCoding

/// `sync status`: shows what is newest here, what waits, and when each device was last heard.
enum SyncStatusCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "status"],
        summary: "show when each device was last heard, and what waits",
        notes: [
            """
            Reads only what this machine knows; taskvault sync now asks the server or the folder. A device that says nothing may be switched off, or its \
            changes may be withheld: compare the times.
            """,
            "Ends with the exit code of what the last round found and does not mend itself, mostly 7.",
        ],
        examples: [
            .init("taskvault sync status", "for people"),
            .init("taskvault sync status --json", "for a script"),
        ],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let status = try context.application.sync.status()
        if context.console.isJSON {
            try context.console.printJSON { json in try json.status(status) }
        } else {
            try print(status, context)
        }
        if let failure = status.lastRound?.failure { throw failure }
    }

    private static func print(_ status: SyncStatus, _ context: CommandContext) throws {
        let (now, calendar) = (context.console.surroundings.now(), context.tasks.calendar)
        func text(_ time: Int64?) -> String {
            guard let time, time > 0 else { return "never" }
            return RelativeTime.text(
                .moment(PointInTime(milliseconds: time)), now: now, in: calendar, isOpen: false)
        }
        var lines: [(String, String)] = [
            (status.remote.hasPrefix("/") ? "folder" : "server", status.remote)
        ]
        lines.append(
            (
                "last round",
                status.lastRound.map { round in
                    text(round.time)
                        + (round.scope == .verified
                            ? ""
                            : round.scope == .unlocked
                                ? ", without protected text" : ", the list only")
                } ?? "never"
            ))
        if let (device, time) = status.newest {
            let name = device.isOwn ? "this device" : device.shownName
            lines.append(("newest here", "a change of \(name), \(text(time))"))
        }
        if status.unsent > 0 { lines.append(("not sent", counted(status.unsent, "change"))) }
        if status.waitingForUnlock > 0 {
            lines.append(
                (
                    "waiting",
                    "\(counted(status.waitingForUnlock, "change")) for \(context.folders.command("unlock"))"
                ))
        }
        if status.waitingForVerification > 0 {
            lines.append(
                (
                    "waiting",
                    "\(counted(status.waitingForVerification, "change")) for \(context.folders.command("verify"))"
                ))
        }
        if status.marked > 0 {
            lines.append(
                (
                    "concurrent",
                    "\(status.marked): \(context.folders.command("sync seen")) shows them"
                ))
        }
        for device in status.devices {
            lines.append(
                (device.shownName, device.isOwn ? "this device" : "heard \(text(device.heard))"))
        }
        let width = lines.map { TextWidth.columns(of: $0.0) }.max() ?? 0
        try context.console.print { output in
            for (title, value) in lines {
                try output.writeLine(
                    VisibleText.escape(TextWidth.pad(title, to: width + 2) + value))
            }
            for problem in status.lastRound?.problems ?? [] where !problem.isFault {
                try output.writeLine(VisibleText.escape(problem.text))
            }
        }
    }
}

/// `sync check`: prints words that are equal on devices with the same history.
enum SyncCheckCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "check"],
        summary: "print six words that are equal on devices with the same history",
        notes: [
            """
            Runs a round first. Read the words out, or hold the screens side by side. If they differ, run it on both again: the device that \
            was first lacked the other's changes. If they still differ, the server or the folder has shown them different histories. What has \
            not come is named below the words, with the device that must sync first.
            """,
            "Needs the unlocked vault, because secrets are part of the history.",
        ],
        examples: [.init("taskvault sync check", "on both devices, one after the other")],
        exitCodes: .syncing, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let check = try context.vault.withStore(.changing) { store in
            try context.application.sync.check(store)
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("words", check.words.joined(separator: " "))
                try json.member("sent", check.sent)
                try json.problems(check.waiting)
                try json.endObject()
            }
        }
        try context.console.printLine(check.words.joined(separator: " "))
        for problem in check.waiting {
            context.console.notices.remark("not in the words: " + problem.text)
        }
        if check.sent > 0 {
            context.console.notices.remark(
                "\(counted(check.sent, "change")) went out just now: the words of the other devices are equal after their next round"
            )
        }
    }
}

extension JSONWriter where Sink: ~Copyable {
    /// The state of sync as an object.
    fileprivate mutating func status(_ status: SyncStatus) throws {
        try beginObject()
        try member(status.remote.hasPrefix("/") ? "folder" : "server", status.remote)
        try member("group", status.group)
        try member("last_round", milliseconds: status.lastRound?.time)
        try member("scope", status.lastRound?.scope.name)
        try key("newest")
        if let (device, time) = status.newest {
            try beginObject()
            try member("device", device.id)
            try member("time", milliseconds: time)
            try endObject()
        } else {
            try null()
        }
        try member("unsent", status.unsent)
        try member("waiting_for_unlock", status.waitingForUnlock)
        try member("waiting_for_verify", status.waitingForVerification)
        try member("concurrent", status.marked)
        try devices(status.devices)
        try problems(status.lastRound?.problems ?? [])
        try endObject()
    }

    /// The member `devices`.
    mutating func devices(_ devices: [SyncMember]) throws {
        try key("devices")
        try beginArray()
        for device in devices {
            try beginObject()
            try member("id", device.id)
            try member("name", device.name)
            try member("own", device.isOwn)
            try member("heard", milliseconds: device.heard)
            try endObject()
        }
        try endArray()
    }
}
