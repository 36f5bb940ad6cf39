internal import Application
internal import CommandLine
internal import TextCoding

/// `sync move`: uses another folder.
enum MoveSyncCommand: Command {
    static let description = CommandDescription(
        path: ["sync", "move"],
        summary: "sync through another folder, or through the account",
        options: [.syncFolder],
        notes: [
            """
            Puts everything that this device has sent into the other folder, or without --folder to the server of the account that is signed in. \
            Run it on each device, in any order. The old folder stays as it is: remove it when all devices have moved.
            """
        ],
        examples: [
            .init("taskvault sync move --folder /media/usb", "to a stick that you carry")
        ],
        exitCodes: .syncing + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let folder = context.invocation.text(of: .syncFolder)
        let (remote, round) = try context.application.sync.move(to: folder)
        if context.console.isJSON {
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member(folder == nil ? "server" : "folder", remote)
                try json.key("round")
                try json.round(round)
                try json.endObject()
            }
        } else {
            try context.console.printLine("this home syncs through \(remote)")
            try context.console.printLine(
                folder == nil
                    ? "next: taskvault login and taskvault sync move on the other devices"
                    : "next: taskvault sync move --folder DIR on the other devices")
        }
        if let failure = round.failure { throw failure }
    }
}
