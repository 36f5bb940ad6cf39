internal import Application
internal import CommandLine
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// `account sessions`: lists the sessions of the account, and what its owner should know.
enum AccountSessionsCommand: Command {
    private static let events = OptionDescription(
        "events", "list only new devices, copied tokens, guesses and the operator's changes")

    static let description = CommandDescription(
        path: ["account", "sessions"],
        summary: "list the sessions of the account: where it is signed in",
        options: [events],
        notes: [
            """
            The id of this machine's session ends with *. Below are the last events of 90 days; as JSON they are listed by --events alone. \
            The setting account-notices puts them into the inbox.
            """
        ],
        examples: [.init("taskvault account sessions", "is there one that you do not know?")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            var sessions: [RemoteSession] = []
            var events: [RemoteEvent] = []
            let isOfEvents = context.invocation.has(Self.events)
            let isJSON = context.console.isJSON
            try context.application.withToken(place) { token in
                if !isOfEvents { sessions = try place.client.sessions(token) }
                if isOfEvents || !isJSON { events = try place.client.events(token) }
            }
            if isOfEvents { return try list(events, context) }
            guard isJSON else {
                var table = TextTable([
                    TextTable.Column("ID"), TextTable.Column("FIRST USE"),
                    TextTable.Column("LAST USE"), TextTable.Column("NETWORK"),
                    TextTable.Column("DEVICE", takesRest: true),
                ])
                for session in sessions {
                    table.add([
                        String(session.id.prefix(8)) + (session.isCurrent ? "*" : ""),
                        session.created, session.used, session.network, session.device,
                    ])
                }
                try context.console.print(table)
                guard !events.isEmpty else { return }
                try context.console.printLine("")
                return try list(events, context)
            }
            try context.console.printJSON { json in
                try json.beginArray()
                for session in sessions {
                    try json.beginObject()
                    try json.member("id", session.id)
                    try json.member("created", session.created)
                    try json.member("used", session.used)
                    try json.member("network", session.network)
                    try json.member("device", session.device)
                    try json.member("current", session.isCurrent)
                    try json.endObject()
                }
                try json.endArray()
            }
        }
    }
}

extension AccountSessionsCommand {
    private static func list(_ events: [RemoteEvent], _ context: CommandContext) throws {
        guard context.console.isJSON else {
            var table = TextTable(
                ["EVENT", "TIME", "NETWORK"].map { TextTable.Column($0) }
                    + [TextTable.Column("DEVICE", takesRest: true)])
            for event in events {
                table.add([event.summary, event.time, event.network, event.device])
            }
            return try context.console.print(table)
        }
        try context.console.printJSON { json in
            try json.beginArray()
            for event in events {
                try json.beginObject()
                try json.member("time", event.time)
                try json.member("action", event.action)
                try json.member("network", event.network)
                try json.member("device", event.device)
                try json.endObject()
            }
            try json.endArray()
        }
    }
}

/// `account end-session`: ends a session of the account, or all of them.
enum EndAccountSessionCommand: Command {
    private static let session = OperandDescription(
        "SESSION", "a beginning of the session's id, or all")

    static let description = CommandDescription(
        path: ["account", "end-session"],
        summary: "end a session of the account, or all of them",
        operands: [session],
        notes: [
            """
            Ends its tokens, the token of its inbox, and the mark of a known device. The device asks for the password again, also if its vault has \
            it. A copied password still signs in, until account password changes it.
            """
        ],
        examples: [
            .init("taskvault account end-session 3f2a", "a lost device"),
            .init("taskvault account end-session all", "with the one of this machine"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let text = context.invocation.text(of: session)
        try context.signIn.withSignIn { place in
            try context.application.withToken(place) { token in
                guard text != "all" else {
                    _ = try place.client.endSession(nil, token)
                    return
                }
                let found = try place.client.sessions(token).filter { $0.id.hasPrefix(text) }
                guard found.count < 2 else {
                    throw Failure.usage(
                        "several sessions begin with \(ShellText.quote(text))",
                        hint: context.folders.command("account sessions"))
                }
                guard !text.isEmpty, let id = found.first?.id,
                    try place.client.endSession(id, token)
                else {
                    throw Failure(
                        .notFound, "there is no session \(ShellText.quote(text))",
                        hint: context.folders.command("account sessions"))
                }
            }
            try context.report(
                "ended", text == "all" ? "ended all sessions" : "ended the session", place)
            context.console.notices.remark(
                "a copied password still signs in; to change it: \(context.folders.command("account password"))"
            )
        }
    }
}
