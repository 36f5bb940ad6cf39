internal import Application
internal import CommandLine
internal import HTTPClient
internal import Inbox
internal import Platform
internal import SecretMemory
internal import SecureStorage
internal import Tasks
internal import TextCoding

/// `inbox list`: lists messages.
enum ListMessagesCommand: Command {
    private static let kept = OptionDescription(
        "kept", "only what the vault has: asking the server would extend the session",
        isHidden: true)

    static let description = CommandDescription(
        path: ["inbox", "list"],
        summary: "list messages, the newest first",
        options: [kept],
        notes: [
            "Asks the server first, if there is an inbox. Without the server it lists what the vault has. A description has at most 3 lines here."
        ],
        examples: [
            .init("taskvault inbox", "new, accepted and declined messages"),
            .init("taskvault inbox list --json", "for a program"),
        ],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let (messages, unreadable) = try context.application.withInbox(
            fetching: !context.invocation.has(kept)
        ) { inbox in
            (try inbox.read(inbox.messages()), try inbox.counts()[.unreadable] ?? 0)
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in try json.messages(messages) }
        }
        if unreadable > 0 {
            context.console.notices.remark(
                "\(counted(unreadable, "message")) could not be read: a lost key, or no valid message"
            )
        }
        guard !messages.isEmpty else {
            if context.console.isTerminal { context.console.notices.remark("no messages") }
            return
        }
        let sheet = MessageSheet(context)
        try context.console.page { capabilities in sheet.list(messages, capabilities) }
    }
}

/// `inbox show`: shows a message.
enum ShowMessageCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "show"],
        summary: "show a message with its whole text",
        operands: [.message],
        notes: [
            "A picture is loaded only by inbox picture, or with the setting inbox-pictures always: a server sees who loads it, and when."
        ],
        examples: [.init("taskvault inbox show 3f2a", "the message whose id begins with 3f2a")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let (message, content, picture) = try context.application.withInbox { inbox in
            let message = try context.application.message(
                context.invocation.text(of: .message), in: inbox)
            guard let (message, content) = try inbox.read([message]).first else {
                throw SecureStoreError.notFound
            }
            return (message, content, try shownPicture(of: message, content, inbox, context))
        }
        guard !context.console.isJSON else {
            return try context.console.printJSON { json in try json.message(message, content) }
        }
        let sheet = MessageSheet(context)
        try context.console.page { capabilities in
            sheet.lines(message, content, picture: picture, capabilities)
        }
    }

    /// The text about the picture; nil if the message has none.
    private static func shownPicture(
        of message: InboxMessage, _ content: MessageContent, _ inbox: InboxStore,
        _ context: CommandContext
    ) throws -> String? {
        guard let url = content.picture else { return nil }
        let command = context.folders.command("inbox picture \(message.shortID)")
        if let kept = try inbox.picture(of: message) {
            return "\(kept.mediaType), \(byteText(UInt64(kept.content.count))) (\(command))"
        }
        guard try inbox.settings().loadsPictures else {
            return "\(url.description) (not loaded: \(command))"
        }
        do {
            let picture = try context.loadPicture(url)
            try inbox.store(picture, of: message)
            return "\(picture.mediaType), \(byteText(UInt64(picture.content.count))) (\(command))"
        } catch {
            return "\(url.description) (\(context.errors.failure(error).message))"
        }
    }
}

/// `inbox accept`: makes a task of each message.
enum AcceptMessagesCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "accept"],
        summary: "make a task of a message",
        operands: [.messages],
        notes: [
            """
            The task has the title as its name, the description as its notes, and due date, list and subtasks of the message. With a due date its \
            reminder is on. Its text is public, as that of every task that is not protected.
            """
        ],
        examples: [.init("taskvault inbox accept 3f2a", "the message is marked as accepted")],
        exitCodes: .opening + .tasks + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.application.withInbox { inbox in
            let messages = try context.messages(in: inbox)
            try context.tasks.withTasks(.changing) { tasks in
                var added: [TodoTask] = []
                do {
                    for message in messages {
                        context.errors.message = message.shortID
                        added.append(try context.application.accept(message, in: inbox, tasks))
                    }
                } catch {
                    // The earlier messages are already accepted.
                    if !added.isEmpty { try report(added, tasks, context) }
                    throw error
                }
                try report(added, tasks, context)
            }
        }
    }

    private static func report(
        _ added: [TodoTask], _ tasks: OpenTasks, _ context: CommandContext
    ) throws {
        try context.report("added", added, tasks)
        for task in added { context.remark(on: task, since: nil, tasks) }
    }
}

extension CommandContext {
    /// Prints the result for messages: one line each, or an array in JSON. `state` is the new state of messages that are gone.
    func report(
        _ done: String, _ messages: [InboxMessage], as state: InboxMessage.State? = nil
    ) throws {
        guard console.isJSON else {
            return try console.print { output in
                for message in messages {
                    try output.writeLine(
                        "\(done) \(message.shortID) from " + VisibleText.escape(message.sender))
                }
            }
        }
        try console.printJSON { json in
            try json.beginArray()
            for message in messages {
                try json.beginObject()
                try json.member("id", message.id)
                try json.member("state", (state ?? message.state).rawValue)
                try json.member("decided", milliseconds: message.decided?.milliseconds)
                try json.endObject()
            }
            try json.endArray()
        }
    }
}

/// `inbox decline`: marks messages as declined.
enum DeclineMessagesCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "decline"],
        summary: "mark a message as declined; it stays in the list",
        operands: [.messages],
        notes: ["The sender learns nothing of it. A declined message can be accepted later."],
        examples: [.init("taskvault inbox decline 3f2a", "with the time, and no task")],
        exitCodes: .opening + .tasks, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.application.withInbox { inbox in
            let declined = try context.messages(in: inbox).map { message in
                try context.application.decline(message, in: inbox)
            }
            try context.report("declined", declined)
        }
    }
}

/// `inbox remove`: erases messages.
enum RemoveMessagesCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "remove"],
        summary: "erase messages with their pictures",
        operands: [.messages],
        options: [.yes],
        notes: [
            "Tasks that were made of them stay. What is left in the vault refuses a repetition."
        ],
        examples: [.init("taskvault inbox remove 3f2a", "with a question")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.application.withInbox { inbox in
            try context.erase(try context.messages(in: inbox), in: inbox)
        }
    }
}

/// `inbox clear`: erases all decided messages.
enum ClearMessagesCommand: Command {
    static let description = CommandDescription(
        path: ["inbox", "clear"],
        summary: "erase all accepted and declined messages",
        options: [.yes],
        examples: [.init("taskvault inbox clear", "new ones stay")],
        exitCodes: .opening, traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        try context.application.withInbox { inbox in
            try context.erase(try inbox.messages().filter { $0.state != .new }, in: inbox)
        }
    }
}

extension CommandContext {
    /// Erases messages, after a question.
    fileprivate func erase(_ messages: [InboxMessage], in inbox: InboxStore) throws {
        let what = counted(messages.count, "message")
        if !messages.isEmpty {
            try console.requireConsent(to: "erase \(what)") { prompt in
                try prompt.confirm("Erase \(what)?")
            }
        }
        for message in messages { try inbox.remove(message) }
        try report("erased", messages, as: .removed)
    }
}

/// `inbox receive`: receives a message from a file.
enum ReceiveMessageCommand: Command {
    private static let file = OperandDescription(
        "FILE", .file, "a message in JSON, or a file for Apple's push service; - is standard input")

    static let description = CommandDescription(
        path: ["inbox", "receive"],
        summary: "take a message from a file",
        operands: [file],
        examples: [.init("taskvault inbox receive Docs/Examples/task.apns", "the sample")],
        exitCodes: .opening + [.alreadyExists], traits: [.usesAgent])

    static func run(_ context: CommandContext) throws {
        let path = context.invocation.text(of: file)
        let content = try context.console.readFile(path, limit: MessageContent.maximumSize)
        context.errors.message = path
        let name = path == "-" ? "standard input" : SafeFolder.split(path).name
        let message = try context.vault.withStore(.changing) { store in
            try InboxStore(store.secrets).receive(
                content, from: senderName(of: name), at: context.console.surroundings.now())
        }
        guard let message else {
            let problem = content.withBytes { MessageContent.problem(of: $0) }
            throw Failure(
                .usage, code: "not_a_message",
                "\(name) is not a message: \(problem ?? "a title is missing")",
                hint: "Docs/Inbox.md describes messages")
        }
        try context.report("received", [message])
    }

    /// The name of a file as a sender name: without control characters, and cut to the maximum size.
    private static func senderName(of file: String) -> String {
        var name = ""
        for scalar in VisibleText.escape(file).unicodeScalars {
            if name.utf8.count + UTF8.width(scalar) > SecretName.maximumSize { break }
            name.unicodeScalars.append(scalar)
        }
        return name
    }
}
