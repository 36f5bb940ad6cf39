internal import Application
internal import CommandLine
internal import Inbox
internal import SecretMemory
internal import SignIn
internal import TextCoding

/// `inbox enable`: makes this machine receive messages.
enum EnableInboxCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "enable"],
        summary: "receive messages on this machine",
        notes: [
            """
            The first time, an inbox is made at the auth server. It keeps encrypted messages until a machine has them in the vault; only the vault \
            has the keys. taskvault services receives them at once; inbox list asks for them.
            """,
            """
            The end of the session that made the inbox ends the token. Then this command gets new ones, and the addresses stay. Machines that share \
            the vault share its tokens.
            """,
            """
            While the vault is locked, messages are kept encrypted in the state folder. This machine keeps a token there that can read messages of \
            the inbox, and nothing else.
            """,
        ],
        examples: [.init("taskvault inbox enable", "after login")],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.signIn.withSignIn { place in
            let inbox = InboxStore(place.store)
            // The senders are read before the tokens. So they exclude senders of an inbox that another process makes meanwhile.
            let senders = try inbox.senders().filter { $0.server == place.server }
            let old = try inbox.inboxID(at: place.server)
            if try !isValid(inbox, place, context) {
                // Waiting messages are read while the keys of their senders still exist.
                _ = try context.application.takeWaiting(into: place.store, online: false)
                if try make(inbox, old, place, context),
                    try inbox.inboxID(at: place.server) != old, old != nil
                {
                    try remove(senders, inbox, place, context)
                }
            }
            guard let tokens = try inbox.tokens(of: place.server) else {
                throw SignInError.settingsChanged
            }
            try ServerTokenFile(place, .receiver, tokens.receive).write(in: context.folders.inbox)
            guard context.console.isJSON else {
                return try context.console.printLine(
                    "this machine receives messages from \(place.server)")
            }
            try context.console.printJSON { json in
                try json.beginObject()
                try json.member("enabled", true)
                try json.member("server", place.server)
                try json.endObject()
            }
        }
    }

    /// Whether the server still has the inbox of the vault.
    private static func isValid(
        _ inbox: InboxStore, _ place: SignInPlace, _ context: CommandContext
    ) throws -> Bool {
        guard let tokens = try inbox.tokens(of: place.server) else { return false }
        do {
            _ = try InboxClient(place.client.issuer, place.http).messages(
                after: 0, wait: 0, tokens.receive, now: context.console.surroundings.now)
            return true
        } catch SignInError.rejected {
            return false
        }
    }

    /// Makes new tokens of the inbox `old` at the server, or an inbox that replaces it.
    ///
    /// - Returns: Whether the vault now uses them; false if another process was faster.
    private static func make(
        _ inbox: InboxStore, _ old: String?, _ place: SignInPlace, _ context: CommandContext
    ) throws -> Bool {
        let server = InboxClient(place.client.issuer, place.http)
        var isKept = false
        try context.application.withToken(place) { token in
            let made = try issue(old, server, token)
            do {
                isKept = try inbox.store(made, at: place.server, replacing: old)
            } catch {
                // The vault has no record of the new inbox.
                if made.id != old { try? server.removeInbox(made.id, token) }
                throw error
            }
            if !isKept, made.id != old { try? server.removeInbox(made.id, token) }
        }
        return isKept
    }

    private static func issue(
        _ old: String?, _ server: InboxClient, _ token: borrowing SecretBytes
    ) throws -> InboxClient.Inbox {
        if let old {
            do {
                return try server.makeInbox(renewing: old, token)
            } catch SignInError.unsupported {
                // The inbox was removed, or belongs to another account.
            }
        }
        return try server.makeInbox(token)
    }

    /// Removes the senders of an inbox that the server no longer has; their messages stay.
    private static func remove(
        _ senders: [InboxSender], _ inbox: InboxStore, _ place: SignInPlace,
        _ context: CommandContext
    ) throws {
        guard !senders.isEmpty else { return }
        for sender in senders { try inbox.remove(sender) }
        let count = senders.count
        context.console.notices.warn(
            "addresses_ended",
            "\(place.server) no longer had the inbox: \(count) address\(count == 1 ? "" : "es") ended (\(context.folders.command("inbox address --for NAME")))"
        )
    }
}

/// `inbox disable`: stops receiving messages on this machine.
enum DisableInboxCommand: Command {
    private static let everywhere = OptionDescription(
        "everywhere", "end the inbox at the server, with the addresses of all senders")
    private static let all = OptionDescription(
        "all", "end all inboxes of the account, also those of other vaults")

    static let description = CommandDescription(
        path: ["inbox", "disable"],
        summary: "receive no more messages on this machine in the background",
        options: [everywhere, all, .yes],
        notes: [
            """
            Other machines go on receiving, and inbox list still asks the server here. Messages that are in the vault stay. With --everywhere, \
            all addresses become invalid, and messages that wait at the server are lost. --all does that for each vault that receives with this \
            account, also a lost one.
            """
        ],
        examples: [
            .init("taskvault inbox disable", "on a machine that is to receive nothing"),
            .init("taskvault inbox disable --everywhere", "the end of the inbox, with a question"),
        ],
        exitCodes: .account, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        var done: String?
        if context.invocation.has(all) {
            done = try endAll(context)
        } else if context.invocation.has(everywhere) {
            done = try end(context)
        }
        let wasEnabled = try ServerTokenFile.remove(.receiver, in: context.folders.inbox)
        guard context.console.isJSON else {
            return try context.console.printLine(
                done
                    ?? (wasEnabled
                        ? "this machine receives no more messages in the background"
                        : "this machine received no messages in the background"))
        }
        try context.console.printJSON { json in
            try json.beginObject()
            try json.member("enabled", false)
            try json.endObject()
        }
    }

    /// Ends the inbox of this vault, and returns a text about the result.
    private static func end(_ context: CommandContext) throws -> String {
        try context.signIn.withSignIn { place in
            let inbox = InboxStore(place.store)
            guard let tokens = try inbox.tokens(of: place.server) else {
                return "this vault had no inbox at \(place.server)"
            }
            try context.console.requireConsent(to: "end the inbox") { prompt in
                try prompt.confirm("End the inbox, with the addresses of all senders?")
            }
            try end(tokens.inbox, place, context)
            try forget(inbox, place)
            return "ended the inbox"
        }
    }

    /// Ends all inboxes of the account, and returns a text about the result.
    private static func endAll(_ context: CommandContext) throws -> String {
        try context.signIn.withSignIn { place in
            let server = InboxClient(place.client.issuer, place.http)
            var ids: [String] = []
            try context.application.withToken(place) { token in ids = try server.inboxes(token) }
            guard !ids.isEmpty else { return "the account had no inbox at \(place.server)" }
            let what = ids.count == 1 ? "1 inbox" : "\(ids.count) inboxes"
            try context.console.requireConsent(to: "end \(what)") { prompt in
                try prompt.confirm(
                    "End \(what) of the account, also of other vaults, with the addresses of all senders?"
                )
            }
            for id in ids { try end(id, place, context) }
            let inbox = InboxStore(place.store)
            // The inbox of this vault may belong to another account.
            if let own = try inbox.inboxID(at: place.server), ids.contains(own) {
                try forget(inbox, place)
            }
            return "ended \(what)"
        }
    }

    private static func end(
        _ id: String, _ place: SignInPlace, _ context: CommandContext
    ) throws {
        let server = InboxClient(place.client.issuer, place.http)
        do {
            try context.application.withToken(place) { token in try server.removeInbox(id, token) }
        } catch SignInError.unsupported {
            // The inbox has already ended.
        }
    }

    /// Erases the tokens of an inbox that has ended, and the keys of its senders.
    private static func forget(_ inbox: InboxStore, _ place: SignInPlace) throws {
        for sender in try inbox.senders() where sender.server == place.server {
            try inbox.remove(sender)
        }
        try inbox.removeTokens(of: place.server)
    }
}

extension InboxStore {
    /// The inbox of the vault at a server; nil if it has none.
    fileprivate func inboxID(at server: String) throws -> String? {
        guard let tokens = try self.tokens(of: server) else { return nil }
        return tokens.inbox
    }
}
