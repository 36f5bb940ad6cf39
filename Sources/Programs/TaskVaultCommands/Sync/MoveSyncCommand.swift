internal import Application
internal import CommandLine
internal import TextCoding

/// `sync move`: uses another folder.
enum MoveSyncCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "move"],
        summary: "sync through another folder",
        options: [.syncFolder],
        notes: [
            """
            Puts everything that this device has sent into the other folder. Run it on each device, in any order. The old folder stays as it \
            is: remove it when all devices have moved.
            """
        ],
        examples: [
            .init("taskvault sync move --folder /media/usb", "to a stick that you carry")
        ],
        exitCodes: .syncing + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        guard let folder = context.invocation.text(of: .syncFolder) else {
            throw Failure.missingFolder(context.folders, "sync move")
        }
        let (path, round) = try context.application.sync.move(to: folder)
        if context.console.isJSON {
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("folder", path)
                try json.key("round")
                try json.round(round)
                try json.endObject()
            }
        } else {
            try context.console.printLine("this home syncs through \(path)")
            try context.console.printLine(
                "next: taskvault sync move --folder DIR on the other devices")
        }
        if let failure = round.failure { throw failure }
    }
}
