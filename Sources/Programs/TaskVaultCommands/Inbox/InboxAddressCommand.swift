internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// `inbox address`: makes the address for a sender.
enum InboxAddressCommand: Command {
    private static let sender = OptionDescription(
        "for", .text("NAME"), "the name of the sender, as the inbox shows it")
    private static let vapidKey = OptionDescription(
        "vapid", .text("KEY"), "accept only messages that are signed by this VAPID key (RFC 8292)")

    static let description = CommandDescription(
        path: ["inbox", "address"],
        summary: "make the address for a sender",
        options: [sender, vapidKey],
        notes: [
            """
            Prints JSON that every Web Push library takes, and on a terminal a QR code of it. Anyone who has it can send to this inbox, under the \
            name that is given here. It is shown once; inbox revoke ends it.
            """,
            "With --vapid the server checks that a message comes from the owner of the key.",
        ],
        examples: [
            .init("taskvault inbox address --for Ada", "for one sender"),
            .init("taskvault inbox address --for 'the boiler' > boiler.json", "into a file"),
        ],
        exitCodes: .account + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        guard let name = context.invocation.text(of: sender),
            name.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else {
            throw Failure.usage(
                "missing --for NAME", hint: context.folders.command("inbox address --for Ada"))
        }
        let key = context.invocation.text(of: vapidKey)
        if let key, !isKey(key) {
            throw Failure.usage(
                "--vapid is a public key of P-256 in Base64 for URLs, 87 characters",
                hint: "it is the member k of the sender's Authorization field")
        }
        try context.signIn.withSignIn { place in
            let inbox = InboxStore(place.store)
            guard try !inbox.senders().contains(where: { $0.name == name }) else {
                throw Failure(
                    .alreadyExists, "there is an address for \(ShellText.quote(name)) already",
                    hint: context.folders.command("inbox revoke \(ShellText.quote(name))"))
            }
            guard let tokens = try inbox.tokens(of: place.server) else {
                throw Failure(
                    .notFound, code: "no_inbox", "this vault has no inbox at \(place.server)",
                    hint: context.folders.command("inbox enable"))
            }
            let keys = try SubscriptionKeys.draw()
            let server = InboxClient(place.client.issuer, place.http)
            try context.application.withToken(place) { token in
                let made: (id: String, endpoint: WebURL)
                do {
                    made = try server.subscribe(tokens.inbox, vapidKey: key, token)
                } catch SignInError.unsupported {
                    throw Failure(
                        .notFound, code: "inbox_ended", "\(place.server) no longer has this inbox",
                        hint: context.folders.command("inbox enable"))
                }
                do {
                    try inbox.add(
                        keys, subscription: made.id, name: name, server: place.server,
                        endpoint: made.endpoint, vapidKey: key)
                } catch {
                    try? server.endSubscription(made.id, token)
                    throw error
                }
                try print(PushAddress.text(endpoint: made.endpoint, keys), context)
            }
        }
    }

    private static func isKey(_ text: String) -> Bool {
        guard text.utf8.count == 87, let bytes = Base64.bytes(of: text, .any) else { return false }
        return bytes.count == 65 && bytes[0] == 4
    }

    private static func print(
        _ address: borrowing SecretBytes, _ context: CommandContext
    ) throws {
        let console = context.console
        try console.print { output in
            try output.write(secret: address)
            try output.writeLine()
        }
        try console.printQRCode(of: address, to: console.output)
    }
}
