internal import Application
internal import CommandLine
internal import Inbox
internal import SignIn
internal import TextCoding

/// `inbox status`: shows whether messages are received, and their number.
enum InboxStatusCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "status"],
        summary: "show whether messages are received, and how many there are",
        notes: [
            """
            Waiting messages are put into the vault after the next unlock. Unreadable ones were for a key that the vault does not have (any more), or \
            were no messages; they are counted once. While the vault is locked, only what this machine keeps is shown.
            """
        ],
        examples: [.init("taskvault inbox status --json", "for a script")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let folder = try context.folders.inbox
        var server: String?
        if let receiver = try ServerTokenFile(.receiver, in: folder) {
            server = receiver.issuer.text
        }
        let waiting = try MessageSpool(folder).count()
        let counts = try context.vault.withStoreIfUnlocked { store in
            let inbox = InboxStore(store.secrets)
            return (try inbox.senders().count, try inbox.counts())
        }
        let states: [InboxMessage.State] = [.new, .accepted, .declined, .unreadable]
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginObject()
                try json.member("enabled", server != nil)
                try json.member("server", server)
                try json.member("waiting", waiting)
                try json.member("senders", counts?.0)
                for state in states {
                    try json.member(state.rawValue, counts.map { $0.1[state] ?? 0 })
                }
                try json.endObject()
            }
        }
        let none =
            "nothing in the background; ask the server with " + context.folders.command("inbox")
        var facts = [("receives", server.map { "from " + $0 } ?? none)]
        facts.append(("waiting", "\(waiting)"))
        if let counts {
            facts.append(("senders", "\(counts.0)"))
            facts += states.map { ($0.rawValue, "\(counts.1[$0] ?? 0)") }
        }
        try context.console.print { output in
            for (name, text) in facts {
                try output.writeLine(TextWidth.pad(name, to: 12) + VisibleText.escape(text))
            }
        }
    }
}
