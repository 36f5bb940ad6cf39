internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import SignIn
internal import TextCoding

/// `inbox senders`: lists the senders.
enum ListSendersCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "senders"],
        summary: "list the senders that have an address",
        examples: [.init("taskvault inbox senders", "names and times")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let senders = try context.vault.withStore(.reading) { store in
            try InboxStore(store.secrets).senders()
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in
                try json.beginArray()
                for sender in senders {
                    try json.beginObject()
                    try json.member("name", sender.name)
                    try json.member("id", sender.id)
                    try json.member("server", sender.server)
                    try json.member("vapid_key", sender.vapidKey)
                    try json.member("created", milliseconds: sender.created.milliseconds)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
        guard !senders.isEmpty else {
            if context.console.isTerminal {
                context.console.notices.remark(
                    "no senders: \(context.folders.command("inbox address --for NAME"))")
            }
            return
        }
        var table = TextTable([
            TextTable.Column("CREATED"), TextTable.Column("SIGNED"),
            TextTable.Column("NAME", takesRest: true),
        ])
        for sender in senders {
            table.add([
                Timestamp.rfc3339(milliseconds: sender.created.milliseconds),
                sender.vapidKey == nil ? "no" : "yes", sender.name,
            ])
        }
        try context.console.print(table)
    }
}

/// `inbox revoke`: ends the address of a sender.
enum RevokeSenderCommand: Command {
    private static let sender = OperandDescription("NAME", "the name of the sender")

    static let description = CommandDescription(
        path: ["inbox", "revoke"],
        summary: "end the address of a sender",
        operands: [sender],
        notes: [
            "The server refuses further messages of the sender and forgets waiting ones; the vault erases the key. Messages in the vault stay."
        ],
        examples: [.init("taskvault inbox revoke Ada", "her address is no longer valid")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let name = context.invocation.text(of: sender)
        try context.signIn.withSignIn { place in
            let inbox = InboxStore(place.store)
            let found = try inbox.senders().filter { $0.name == name }
            guard !found.isEmpty else {
                throw Failure(
                    .notFound, "there is no sender \(ShellText.quote(name))",
                    hint: context.folders.command("inbox senders"))
            }
            let server = InboxClient(place.client.issuer, place.http)
            for sender in found {
                if sender.server == place.server {
                    try context.application.withToken(place) { token in
                        try server.endSubscription(sender.id, token)
                    }
                } else {
                    context.console.notices.warn(
                        "not_revoked",
                        "the address stays valid at \(sender.server); its messages can no longer be read"
                    )
                }
                try inbox.remove(sender)
            }
            guard context.console.isJSON else {
                return try context.console.printLine(
                    "revoked the address of \(ShellText.quote(name))")
            }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("name", name)
                try json.endObject()
            }
        }
    }
}
